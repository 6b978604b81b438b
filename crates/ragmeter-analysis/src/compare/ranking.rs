//! The order of many systems, as far as it was shown.

use ragmeter_stats::ranks;
use serde::Serialize;

use super::{Comparison, Verdict};
use crate::RunData;

/// What is known of the order of a run's systems in one metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranking {
    /// The metric's id.
    pub metric: String,
    /// The systems in the order of the run.
    pub systems: Vec<RankedSystem>,
}

/// The place of one system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RankedSystem {
    /// Its name.
    pub name: String,
    /// The best and the worst rank that it may have, from 1.
    pub ranks: (usize, usize),
    /// The groups of systems not told apart that it is in, a letter each.
    pub tied: String,
    /// Whether another system is in one of these groups.
    pub shared: bool,
}

/// The ranks of the systems of a run in each metric, from its comparisons. Only what was shown
/// after correction, and what missing scores cannot turn, orders two systems. A metric in which a
/// pair was not tested (nested systems, no common scores, other judges) has no ranking: not tested
/// is not tied.
pub fn rankings(run: &RunData, comparisons: &[Comparison]) -> Vec<Ranking> {
    let at = |name: &str| run.systems.iter().position(|system| system.name == name);
    run.metrics
        .iter()
        .filter(|metric| !metric.companion)
        .filter_map(|metric| {
            let n = run.systems.len();
            let mut better = vec![vec![false; n]; n];
            let of_metric = || comparisons.iter().filter(|one| one.metric == metric.id);
            if n < 2 {
                return None;
            }
            if of_metric().filter(|one| one.p.is_some()).count() < n * (n - 1) / 2 {
                return None;
            }
            for one in of_metric() {
                let (Some(a), Some(b)) = (at(&one.a.system), at(&one.b.system)) else { continue };
                match one.verdict {
                    Verdict::Better => better[b][a] = true,
                    Verdict::Worse => better[a][b] = true,
                    _ => {}
                }
            }
            let ranks = ranks(&better)?;
            let shared =
                |at: usize| ranks.tied.iter().any(|group| group.len() > 1 && group.contains(&at));
            let systems = run.systems.iter().enumerate().map(|(at, system)| RankedSystem {
                name: system.name.clone(),
                ranks: ranks.ranges[at],
                tied: ranks.letters[at].clone(),
                shared: shared(at),
            });
            Some(Ranking { metric: metric.id.clone(), systems: systems.collect() })
        })
        .collect()
}
