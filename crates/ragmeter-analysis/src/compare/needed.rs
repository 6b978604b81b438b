//! How many cases a margin or a width would take.

use ragmeter_stats::{
    Aim, Design, FEWEST_CLUSTERS, cases_needed, design_effect, standard_deviation,
};

use super::{ALPHA, CasesFor, CompareOptions, Documents};

/// The power that "how many cases" asks for.
const POWER: f64 = 0.8;

/// More cases than this are no advice.
const MOST: u64 = 10_000_000;

/// How paired differences are spread: what the number of cases rests on, never the effect observed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    deviation: f64,
    /// How cases hang together, where new documents are asked about.
    design: Option<Design>,
}

impl Spread {
    /// The spread of some differences; `None` if they are all equal, or too few.
    pub(super) fn of(
        differences: &[f64],
        labels: Option<&[usize]>,
        options: &CompareOptions,
    ) -> Option<Self> {
        let deviation = standard_deviation(differences).filter(|spread| *spread > 0.0)?;
        let design = match options.population {
            Documents::These => None,
            Documents::New => labels.and_then(|labels| design_effect(differences, labels)),
        };
        Some(Self { deviation, design })
    }

    /// The cases for what the options ask, at the level that Holm's first step leaves to one of
    /// `tests`.
    pub(super) fn needed(&self, options: &CompareOptions, tests: usize) -> Vec<CasesFor> {
        let level = 1.0 - ALPHA / tests.max(1) as f64;
        let for_margin = options.margin.into_iter().flat_map(|margin| {
            [("difference", Aim::Detect(margin)), ("equivalence", Aim::Equivalent(margin))]
        });
        let for_width = options.width.map(|width| ("width", Aim::HalfWidth(width / 2.0)));
        for_margin
            .chain(for_width)
            .filter_map(|(aim, wanted)| {
                // The width is that of the interval shown, which is not corrected.
                let level = if aim == "width" { 1.0 - ALPHA } else { level };
                let found = cases_needed(wanted, self.deviation, POWER, level, self.design).ok()?;
                let (mut cases, mut clusters) = (found.cases, found.clusters);
                // A margin next to nothing takes more cases than anybody can ask.
                if cases > MOST {
                    return None;
                }
                if options.population == Documents::New && clusters.is_none() {
                    // One case a document: each is a cluster.
                    cases = cases.max(FEWEST_CLUSTERS as u64);
                    clusters = Some(cases);
                }
                Some(CasesFor { aim, cases, clusters })
            })
            .collect()
    }
}
