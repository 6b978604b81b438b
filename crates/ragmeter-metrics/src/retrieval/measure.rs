//! Measures by trec_eval's names.

use std::fmt;

use super::formulas as plain;
use super::gains;
use super::ranking::Ranking;

/// The least value that a geometric mean counts: a single 0 would make all of it 0.
pub(super) const LEAST: f64 = 0.00001;

/// Ranks at which measures are cut off where none is named.
const CUTS: &[usize] = &[5, 10, 15, 20, 30, 100, 200, 500, 1000];
/// The same of success.
const SUCCESS_CUTS: &[usize] = &[1, 5, 10];
/// The same of ERR, as gdeval reports it.
const ERR_CUTS: &[usize] = &[5, 10, 20];
/// Multiples of the number of relevant documents.
const MULTIPLES: &[f64] = &[0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0];

/// How the values of queries become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Summing {
    /// The number of queries.
    Queries,
    /// Their sum.
    Sum,
    /// The sum; with queries that have no results, of every grade above 0 (see [`super::Complete`]).
    SumOfJudged,
    /// Their arithmetic mean.
    Mean,
    /// Their geometric mean, of logarithms.
    Geometric,
}

/// What a family's members are told apart by, and their formula.
#[derive(Clone, Copy, Debug)]
enum Formula {
    /// Nothing: a family of one.
    Alone(fn(&Ranking) -> f64),
    /// A cutoff.
    At(fn(&Ranking, usize) -> f64, &'static [usize]),
    /// A share.
    Share(fn(&Ranking, f64) -> f64, &'static [f64]),
}

/// Measures of one name.
#[derive(Debug)]
struct Family {
    name: &'static str,
    formula: Formula,
    summing: Summing,
}

/// A family that is averaged.
const fn mean(name: &'static str, formula: Formula) -> Family {
    Family { name, formula, summing: Summing::Mean }
}

/// A measure that is summed up in another way.
const fn other(name: &'static str, summing: Summing, formula: fn(&Ranking) -> f64) -> Family {
    Family { name, formula: Formula::Alone(formula), summing }
}

/// In the order in which trec_eval prints them; ours at the end.
static FAMILIES: &[Family] = &[
    other("num_q", Summing::Queries, |_| 1.0),
    other("num_ret", Summing::Sum, |ranking| ranking.retrieved() as f64),
    other("num_rel", Summing::SumOfJudged, |ranking| ranking.total() as f64),
    other("num_rel_ret", Summing::Sum, |ranking| ranking.relevant().len() as f64),
    mean("map", Formula::Alone(average_precision)),
    other("gm_map", Summing::Geometric, |ranking| average_precision(ranking).max(LEAST).ln()),
    mean("Rprec", Formula::Alone(plain::r_precision)),
    mean("bpref", Formula::Alone(plain::bpref)),
    mean("recip_rank", Formula::Alone(plain::reciprocal_rank)),
    mean("iprec_at_recall", Formula::Share(plain::interpolated_precision, &plain::RECALLS)),
    mean("P", Formula::At(plain::precision_at, CUTS)),
    mean("recall", Formula::At(plain::recall_at, CUTS)),
    mean("infAP", Formula::Alone(plain::inferred_ap)),
    other("gm_bpref", Summing::Geometric, |ranking| plain::bpref(ranking).max(LEAST).ln()),
    mean("Rprec_mult", Formula::Share(plain::r_precision_at_multiple, MULTIPLES)),
    mean("utility", Formula::Alone(plain::utility)),
    mean("11pt_avg", Formula::Alone(plain::eleven_point_average)),
    mean("binG", Formula::Alone(plain::binary_gain)),
    mean("G", Formula::Alone(gains::normalized_gain)),
    mean("ndcg", Formula::Alone(|ranking| gains::ndcg_at(ranking, usize::MAX))),
    mean("ndcg_rel", Formula::Alone(gains::ndcg_over_relevant)),
    mean("Rndcg", Formula::Alone(gains::ndcg_over_levels)),
    mean("ndcg_cut", Formula::At(gains::ndcg_at, CUTS)),
    mean("map_cut", Formula::At(plain::average_precision_at, CUTS)),
    mean("relative_P", Formula::At(plain::relative_precision_at, CUTS)),
    mean("success", Formula::At(plain::success_at, SUCCESS_CUTS)),
    mean("set_P", Formula::Alone(plain::set_precision)),
    mean("set_relative_P", Formula::Alone(plain::set_relative_precision)),
    mean("set_recall", Formula::Alone(plain::set_recall)),
    mean("set_map", Formula::Alone(plain::set_map)),
    mean("set_F", Formula::Alone(plain::set_f)),
    other("num_nonrel_judged_ret", Summing::Sum, |ranking| {
        plain::judged_not_relevant(ranking) as f64
    }),
    mean(ERR, Formula::At(gains::err_at, ERR_CUTS)),
];

/// The one family that is gdeval's, not trec_eval's.
const ERR: &str = "err";

fn average_precision(ranking: &Ranking) -> f64 {
    plain::average_precision_at(ranking, usize::MAX)
}

/// Which member of a family.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
enum Member {
    Only,
    At(usize),
    Share(f64),
}

/// A measure.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Measure {
    /// Its place in [`FAMILIES`].
    family: usize,
    member: Member,
}

/// trec_eval's official measures (`-m official`), by family.
const OFFICIAL: &[&str] = &[
    "num_q",
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "map",
    "gm_map",
    "Rprec",
    "bpref",
    "recip_rank",
    "iprec_at_recall",
    "P",
];
/// trec_eval's measures of sets (`-m set`), by family.
const SETS: &[&str] = &[
    "num_q",
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "utility",
    "set_P",
    "set_recall",
    "set_relative_P",
    "set_map",
    "set_F",
];

impl Measure {
    /// Every measure that trec_eval's `-m all_trec` prints as a number, in its order.
    pub fn all_trec() -> Vec<Self> {
        (0..FAMILIES.len()).filter(|&at| FAMILIES[at].name != ERR).flat_map(members).collect()
    }

    /// The measures of these names, in trec_eval's order, each once. A name is a measure's
    /// (`P_5`), a family's (`P`, with its usual cutoffs), a family's with a cutoff as trec_eval's
    /// `-m` takes it (`P.5`), or a set's: `official`, `set`, `all_trec`. `Err` is the first name
    /// that is none of these.
    pub fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Vec<Self>, &'a str> {
        let mut found = Vec::new();
        for name in names {
            let some = |list: &[&str]| -> Vec<Self> {
                let of = |at: &usize| list.contains(&FAMILIES[*at].name);
                (0..FAMILIES.len()).filter(of).flat_map(members).collect()
            };
            let these = match name {
                "all_trec" => Self::all_trec(),
                "official" => some(OFFICIAL),
                "set" => some(SETS),
                _ => some(&[name]),
            };
            if these.is_empty() {
                found.push(single(name).ok_or(name)?);
            }
            found.extend(these);
        }
        found.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        found.dedup();
        Ok(found)
    }

    /// The names of the families, for a list of what there is.
    pub fn families() -> impl Iterator<Item = &'static str> {
        FAMILIES.iter().map(|family| family.name)
    }

    /// The value of one query. Of a geometric mean it is the logarithm that is averaged.
    pub(super) fn value(self, ranking: &Ranking) -> f64 {
        match (FAMILIES[self.family].formula, self.member) {
            (Formula::Alone(formula), _) => formula(ranking),
            (Formula::At(formula, _), Member::At(k)) => formula(ranking, k),
            (Formula::Share(formula, _), Member::Share(share)) => formula(ranking, share),
            // No such measure can be made.
            (Formula::At(..) | Formula::Share(..), _) => 0.0,
        }
    }

    /// Whether values are counts, and shown without decimals.
    pub fn is_count(self) -> bool {
        matches!(self.summing(), Summing::Queries | Summing::Sum | Summing::SumOfJudged)
    }

    /// How values of queries become one.
    pub(super) fn summing(self) -> Summing {
        FAMILIES[self.family].summing
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = FAMILIES[self.family].name;
        match self.member {
            Member::Only => f.write_str(name),
            Member::At(k) => write!(f, "{name}_{k}"),
            Member::Share(share) => write!(f, "{name}_{share:.2}"),
        }
    }
}

/// The usual members of a family.
fn members(family: usize) -> Vec<Measure> {
    let measure = |member| Measure { family, member };
    match FAMILIES[family].formula {
        Formula::Alone(_) => vec![measure(Member::Only)],
        Formula::At(_, usual) => usual.iter().map(|&k| measure(Member::At(k))).collect(),
        Formula::Share(_, usual) => usual.iter().map(|&of| measure(Member::Share(of))).collect(),
    }
}

/// A member of a family by its parameter.
fn single(name: &str) -> Option<Measure> {
    FAMILIES.iter().enumerate().find_map(|(family, one)| {
        let parameter = name.strip_prefix(one.name)?.strip_prefix(['_', '.'])?;
        // No signs, no exponents, no `inf`.
        if !parameter.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
            return None;
        }
        let member = match one.formula {
            Formula::Alone(_) => return None,
            Formula::At(..) => Member::At(parameter.parse().ok().filter(|&k| k > 0)?),
            Formula::Share(..) => Member::Share(parameter.parse().ok()?),
        };
        Some(Measure { family, member })
    })
}
