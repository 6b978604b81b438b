use statrs::function::factorial::ln_binomial;

/// Pairs of yes-or-no verdicts on the same units, and the test of whether one side says yes more
/// often; see [`mcnemar`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct McNemar {
    /// Units that both sides say yes to.
    pub both: usize,
    /// Units that only the first side says yes to.
    pub only_first: usize,
    /// Units that only the second side says yes to.
    pub only_second: usize,
    /// Units that neither says yes to.
    pub neither: usize,
    /// Two-sided p of "both sides say yes equally often", in `(0, 1]`.
    pub p: f64,
}

/// McNemar's exact test of paired verdicts, `(first, second)` for each unit.
///
/// Q. McNemar, "Note on the sampling error of the difference between correlated proportions",
/// Psychometrika 12, 1947; exact as in F. Mosteller, Biometrics 8, 1952: of the units on which the
/// sides differ, `X ~ Binomial(n, ½)` go one way, and p is `min(1, 2 · P(X ≤ the smaller count))`.
/// Units must be independent of each other. Without a difference p is 1.
pub fn mcnemar(pairs: &[(bool, bool)]) -> McNemar {
    let count = |wanted: (bool, bool)| pairs.iter().filter(|pair| **pair == wanted).count();
    let (only_first, only_second) = (count((true, false)), count((false, true)));
    McNemar {
        both: count((true, true)),
        only_first,
        only_second,
        neither: count((false, false)),
        p: sign_test(only_first, only_second),
    }
}

/// Two-sided p of a fair coin that fell so often on either side.
fn sign_test(heads: usize, tails: usize) -> f64 {
    let (n, least) = (heads + tails, heads.min(tails));
    if n == 0 {
        return 1.0;
    }
    // P(X ≤ k) = P(X = k) · (1 + k/(n−k+1) · (1 + (k−1)/(n−k+2) · …)), with the one large number
    // in logarithms.
    let series = (1..=least).fold(1.0, |sum, i| 1.0 + sum * i as f64 / (n - i + 1) as f64);
    let log = ln_binomial(n as u64, least as u64) - n as f64 * std::f64::consts::LN_2;
    (2.0 * log.exp() * series).clamp(f64::MIN_POSITIVE, 1.0)
}
