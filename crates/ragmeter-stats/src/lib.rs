//! Statistics of bounded scores: an interval for a mean, a paired test that gives interval and p
//! from one procedure, margins, cases needed, ranks, and the correction for many tests; agreement
//! of raters and correlation with what people say; the strength of systems from verdicts on pairs.
//!
//! Pure functions over slices. Seeds are arguments, nothing is printed, no number that comes out
//! is ever not a number. What a result is about is a [`Population`]; what can't be said is a
//! [`Refusal`]. The values in `goldens/` come from independent Python and are compared in
//! `tests/`; how often the default intervals hold the truth is in `docs/intervals.md`.

mod agreement;
mod bca;
mod betting;
mod calibration;
mod cases;
mod correlation;
mod flips;
mod halves;
mod interval;
mod mcnemar;
mod mean;
mod multiplicity;
mod paired;
mod population;
mod preference;
mod ranks;
mod sign_flip;
mod warning;

pub use agreement::{
    Alpha, CLUSTER_DRAWS, Kappa, Order, Weights, alpha, alpha_interval, clustered, kappa,
    kappa_interval, kappa_interval_clustered,
};
pub use bca::{RESAMPLES, bca_of};
pub use betting::{betting, betting_in_order};
pub use calibration::{CALIBRATION_BINS, Calibration, CalibrationBin, calibration};
pub use cases::{Aim, CasesNeeded, Design, cases_needed, design_effect, standard_deviation};
pub use correlation::{Correlation, auc, pearson, spearman};
pub use flips::Draws;
pub use interval::{Interval, normal_quantile, wilson_on_mean};
pub use mcnemar::{McNemar, mcnemar};
pub use mean::{
    BCA_FROM, BETTING_BELOW, MeanInterval, Method, mean_interval, ratio_interval,
    unbounded_mean_interval,
};
pub use multiplicity::holm;
pub use paired::{
    MarginTest, MarginVerdict, PairedTest, margin_test, paired_test, paired_test_drawn,
};
pub use population::{Clusters, FEWEST_CLUSTERS, Population, Refusal, clusters};
pub use preference::{HALF_WIN, Standing, WEIGHT_DRAWS, bradley_terry, sign_test, standings};
pub use ranks::{Ranks, ranks};
pub use sign_flip::{DRAWS, EXACT_UP_TO, SignFlip, sign_flip};
pub use warning::{CoverageWarning, Estimate, coverage_warning};
