//! Arithmetic in lanes of 16. Every sum has a fixed order and every product that is added is a
//! fused one, so each instruction set gives the same bits; the functions are inlined into
//! [`crate::kernel`]'s versions of their callers.
#![expect(
    clippy::inline_always,
    reason = "a function that is not inlined keeps the instruction set it was compiled for"
)]

/// Floats worked on together.
pub(crate) const LANES: usize = 16;

/// Adding and taking away this rounds a small float to the nearest integer, ties to even.
const ROUNDER: f32 = 12_582_912.0;

/// Sum of the lanes, pairwise.
#[inline(always)]
pub(crate) fn sum(lanes: [f32; LANES]) -> f32 {
    fold(lanes, |a, b| a + b)
}

/// Largest of the lanes; none may be NaN.
#[inline(always)]
pub(crate) fn largest(lanes: [f32; LANES]) -> f32 {
    fold(lanes, |a, b| if a > b { a } else { b })
}

#[inline(always)]
fn fold(lanes: [f32; LANES], f: impl Fn(f32, f32) -> f32) -> f32 {
    // Written out: as a loop over the width it would stay scalar.
    let eight: [f32; 8] = std::array::from_fn(|i| f(lanes[i], lanes[i + 8]));
    let four: [f32; 4] = std::array::from_fn(|i| f(eight[i], eight[i + 4]));
    let two: [f32; 2] = std::array::from_fn(|i| f(four[i], four[i + 2]));
    f(two[0], two[1])
}

/// e^x for x ≤ 0 and down to -87, with a relative error of about 2e-7; less is taken as -87.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    let x = x.max(-87.0);
    let shifted = x.mul_add(std::f32::consts::LOG2_E, ROUNDER);
    let n = shifted - ROUNDER;
    // ln 2 in two parts, so that the remainder is exact (Cody and Waite).
    let r = n.mul_add(-0.693_359_4, x);
    let r = n.mul_add(2.121_944_4e-4, r);
    // Taylor polynomial on |r| ≤ ln 2 / 2.
    let mut p = 1.0 / 720.0;
    for c in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        p = r.mul_add(p, c);
    }
    let power = shifted.to_bits().wrapping_sub(ROUNDER.to_bits());
    p * f32::from_bits(power.wrapping_add(127) << 23)
}

/// x Φ(x), with Φ by Abramowitz and Stegun 7.1.26 (absolute error of erf below 1.5e-7).
#[inline(always)]
pub(crate) fn gelu(x: f32) -> f32 {
    let z = (x * std::f32::consts::FRAC_1_SQRT_2).abs();
    let t = 1.0 / 0.327_591_1_f32.mul_add(z, 1.0);
    let mut p = 1.061_405_4_f32;
    for c in [-1.453_152_1, 1.421_413_8, -0.284_496_72, 0.254_829_6] {
        p = p.mul_add(t, c);
    }
    let erf = (-p * t).mul_add(exp(-z * z), 1.0);
    let half = 0.5 * x;
    // half * (1 + sign(x) erf)
    half.abs().mul_add(erf, half)
}

/// The nearest integer of a float below 2^22, ties to even.
#[inline(always)]
pub(crate) fn round(x: f32) -> i32 {
    (x + ROUNDER).to_bits().wrapping_sub(ROUNDER.to_bits()).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_close() {
        for i in 0..8700 {
            let x = -f64::from(i) / 100.0;
            let relative = f64::from(exp(x as f32)) / f64::from(x as f32).exp() - 1.0;
            assert!(relative.abs() < 1e-6, "{x}: {relative}");
        }
        assert!(exp(-1e30) < 1e-37);
    }

    #[test]
    fn gelu_is_close() {
        // Values of x Φ(x) from a table of the normal distribution.
        for (x, y) in
            [(0.0, 0.0), (1.0, 0.841_345), (-1.0, -0.158_655), (2.0, 1.954_5), (-3.0, -0.004_05)]
        {
            assert!((gelu(x) - y).abs() < 1e-5, "{x}");
        }
    }

    #[test]
    fn rounding() {
        assert_eq!([round(0.5), round(1.5), round(-1.4), round(126.6)], [0, 2, -1, 127]);
    }
}
