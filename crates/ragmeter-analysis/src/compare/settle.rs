//! From p-values to verdicts: corrected for being looked at together, and never past what missing
//! scores leave open.

use ragmeter_stats::holm;

use super::{ALPHA, CompareOptions, Comparison, Margin, Verdict};

/// Comparisons that are corrected together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    /// The declared primary metric, over pairs of systems.
    Primary,
    /// All other metrics, over metrics and pairs.
    Others,
    /// What stands beside metrics: what it adds must not hide what they show.
    Companions,
}

impl Family {
    fn of(comparison: &Comparison) -> Self {
        match (comparison.primary, comparison.companion) {
            (true, _) => Self::Primary,
            (false, false) => Self::Others,
            (false, true) => Self::Companions,
        }
    }
}

/// Corrects the p-values by Holm's method, then says what may be said.
pub(super) fn settle(comparisons: &mut [Comparison], options: &CompareOptions) {
    for family in [Family::Primary, Family::Others, Family::Companions] {
        let in_family =
            |c: &&mut Comparison| Family::of(c) == family && (c.p.is_some() || c.refusal.is_some());
        let mut members: Vec<&mut Comparison> = comparisons.iter_mut().filter(in_family).collect();
        let p: Vec<f64> = members.iter().filter_map(|member| member.p).collect();
        let n_tests = p.len();
        let tested = members.iter_mut().filter(|member| member.p.is_some());
        for (member, adjusted) in tested.zip(holm(&p)) {
            member.p_holm = Some(adjusted);
            member.n_tests = n_tests;
            member.cases_needed =
                member.spread.map(|spread| spread.needed(options, n_tests)).unwrap_or_default();
        }
        adjust_margins(&mut members);
        let mut at = 0;
        for member in members {
            let hopeless = member.p.is_some() && {
                at += 1;
                hopeless(&p, at - 1, member.smallest_p)
            };
            member.verdict = verdict(member, hopeless);
        }
    }
}

/// Margins are hypotheses of their own, corrected among themselves.
fn adjust_margins(members: &mut [&mut Comparison]) {
    let mut margins: Vec<&mut Margin> =
        members.iter_mut().filter_map(|member| member.margin.as_mut()).collect();
    let of = |p: fn(&Margin) -> f64, margins: &[&mut Margin]| {
        holm(&margins.iter().map(|margin| p(margin)).collect::<Vec<_>>())
    };
    let equivalence = of(|margin| margin.p_equivalence, &margins);
    let non_inferiority = of(|margin| margin.p_non_inferiority, &margins);
    for (at, margin) in margins.iter_mut().enumerate() {
        margin.p_equivalence_holm = equivalence[at];
        margin.p_non_inferiority_holm = non_inferiority[at];
    }
}

/// Whether not even the smallest p that the cases could give would survive the correction: then
/// "no difference shown" would say too much.
fn hopeless(p: &[f64], at: usize, smallest_p: Option<f64>) -> bool {
    let Some(smallest) = smallest_p else { return false };
    let mut least = p.to_vec();
    least[at] = smallest;
    holm(&least)[at] >= ALPHA
}

fn verdict(comparison: &Comparison, hopeless: bool) -> Verdict {
    if comparison.refusal.is_some() {
        return Verdict::TooFewDocuments;
    }
    let (Some(difference), Some(p_holm)) = (comparison.difference, comparison.p_holm) else {
        return Verdict::NoCommonScores;
    };
    if p_holm < ALPHA {
        let rises = difference > 0.0;
        let same_side = |[low, high]: [f64; 2]| if rises { low > 0.0 } else { high < 0.0 };
        return if !comparison.bounds.is_some_and(same_side) {
            Verdict::MissingCouldTurn
        } else if rises == comparison.higher_is_better {
            Verdict::Better
        } else {
            Verdict::Worse
        };
    }
    if let Some(verdict) = within_margin(comparison) {
        return verdict;
    }
    if hopeless { Verdict::TooFewCases } else { Verdict::CannotTell }
}

/// What is shown about the margin, unless missing scores could carry the difference out of it.
fn within_margin(comparison: &Comparison) -> Option<Verdict> {
    let margin = comparison.margin.as_ref()?;
    let [low, high] = comparison.bounds?;
    let (worst, best) = if comparison.higher_is_better { (low, high) } else { (-high, -low) };
    if margin.p_equivalence_holm < ALPHA && worst > -margin.margin && best < margin.margin {
        Some(Verdict::Equivalent)
    } else if margin.p_non_inferiority_holm < ALPHA && worst > -margin.margin {
        Some(Verdict::NonInferior)
    } else {
        None
    }
}
