/// Bins of [`calibration`] where nothing else is asked for.
pub const CALIBRATION_BINS: usize = 10;

/// How far stated probabilities are from what happened; see [`calibration`].
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// How many probabilities.
    pub n: usize,
    /// Mean squared distance of probability and what happened (1 or 0), in `[0, 1]`.
    pub brier: f64,
    /// Expected calibration error, in `[0, 1]`.
    pub ece: f64,
    /// The bins, from 0 to 1; empty ones too.
    pub bins: Vec<CalibrationBin>,
}

/// One bin of equal width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CalibrationBin {
    /// Its lower edge, which belongs to it.
    pub low: f64,
    /// Its upper edge, which belongs to the next bin; that of the last one, 1, to the last.
    pub high: f64,
    /// Probabilities in it.
    pub n: usize,
    /// Their mean; `None` in an empty bin.
    pub probability: Option<f64>,
    /// The share of them that came true; `None` in an empty bin.
    pub came_true: Option<f64>,
}

/// Brier score and expected calibration error of probabilities, each with whether it came true.
///
/// G. W. Brier, "Verification of forecasts expressed in terms of probability", Monthly Weather
/// Review 78, 1950, in its form for two outcomes: `Σ (p − y)² / n`. The calibration error is that
/// of M. P. Naeini, G. F. Cooper and M. Hauskrecht, AAAI 2015: `Σ_b n_b/n · |mean p_b − share_b|`
/// over `bins` bins of equal width `[0, 1/bins), [1/bins, 2/bins), …, [1 − 1/bins, 1]`. The first
/// holds 0 and the last 1, so every probability is in one. With few probabilities a bin the error
/// comes out too large.
///
/// `None` without a probability or a bin, or if one is not in `[0, 1]`.
pub fn calibration(pairs: &[(f64, bool)], bins: usize) -> Option<Calibration> {
    let n = pairs.len();
    if n == 0 || bins == 0 || pairs.iter().any(|(p, _)| !(0.0..=1.0).contains(p)) {
        return None;
    }
    let truth = |came_true: bool| f64::from(u8::from(came_true));
    let brier = pairs.iter().map(|(p, y)| (p - truth(*y)).powi(2)).sum::<f64>() / n as f64;
    // Sum of probabilities, how many came true, how many there are.
    let mut sums = vec![(0.0, 0_usize, 0_usize); bins];
    for (p, came_true) in pairs {
        let at = ((p * bins as f64) as usize).min(bins - 1);
        let (sum, trues, all) = &mut sums[at];
        *sum += p;
        *trues += usize::from(*came_true);
        *all += 1;
    }
    let ece = sums.iter().map(|(sum, trues, _)| (sum - *trues as f64).abs()).sum::<f64>();
    let bin = |(at, (sum, trues, all)): (usize, (f64, usize, usize))| {
        let mean = |of: f64| (all > 0).then(|| of / all as f64);
        CalibrationBin {
            low: at as f64 / bins as f64,
            high: (at + 1) as f64 / bins as f64,
            n: all,
            probability: mean(sum),
            came_true: mean(trues as f64),
        }
    };
    let bins = sums.into_iter().enumerate().map(bin).collect();
    Some(Calibration { n, brier, ece: ece / n as f64, bins })
}
