//! The hot loops, for each instruction set. All give the same bits: products of integers are
//! exact in each, and floats follow one order (see [`crate::math`]).
#![expect(unsafe_code, reason = "SIMD intrinsics, chosen after detection at run time")]

#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::layers;
use crate::packed::{GROUP, PANEL, Packed};

/// An instruction set that the running processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Isa(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Isa {
    /// The fastest one.
    pub(crate) fn best() -> Self {
        Self::all()[0]
    }

    /// All that can be used here, the fastest first.
    pub(crate) fn all() -> Vec<Self> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            if avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vnni")
            {
                all.push(Self(Kind::Avx512));
            }
            if avx2 {
                all.push(Self(Kind::Avx2));
            }
        }
        all.push(Self(Kind::Portable));
        all
    }
}

/// Tokens' vectors as unsigned bytes around [`crate::packed::ZERO`], a scale for each group.
#[derive(Debug, Default)]
pub(crate) struct Quantised {
    pub(crate) values: Vec<u8>,
    pub(crate) scales: Vec<f32>,
}

/// Defines one function that calls the version of `$inner` compiled for the instruction set.
macro_rules! versions {
    ($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*) = $inner:path) => {
        $(#[$doc])*
        pub(crate) fn $name(isa: Isa, $($arg: $type),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn avx2($($arg: $type),*) {
                    $inner($($arg),*);
                }
                #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vl,avx512dq")]
                fn avx512($($arg: $type),*) {
                    $inner($($arg),*);
                }
                match isa.0 {
                    Kind::Portable => $inner($($arg),*),
                    // SAFETY: an `Isa` is made only where the processor has these features.
                    Kind::Avx2 => unsafe { avx2($($arg),*) },
                    // SAFETY: as above.
                    Kind::Avx512 => unsafe { avx512($($arg),*) },
                }
            }
            #[cfg(not(target_arch = "x86_64"))]
            {
                let Kind::Portable = isa.0;
                $inner($($arg),*);
            }
        }
    };
}

versions!(
    /// Quantises rows of `width` floats.
    quantise(rows: &[f32], width: usize, out: &mut Quantised) = layers::quantise
);
versions!(
    /// `rows = norm(rows + added)`, row by row.
    add_and_normalise(rows: &mut [f32], added: &[f32], norm: &layers::Norm) = layers::add_and_normalise
);
versions!(
    /// GELU in place.
    gelu(values: &mut [f32]) = layers::gelu
);
versions!(
    /// Rows of scores to exponentials, and their sums.
    exponentiate(scores: &mut [f32], tokens: usize, totals: &mut [f32]) = layers::exponentiate
);

/// Most rows of a small product.
pub(crate) const ROWS: usize = 8;
/// Columns of a small product.
pub(crate) const COLUMNS: usize = 32;

/// Rows of floats that begin `stride` apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strided<'a> {
    pub(crate) values: &'a [f32],
    pub(crate) stride: usize,
}

/// `out[r][c] = Σ a[r][k] b[k][c]`, for `rows` ≤ [`ROWS`], [`COLUMNS`] columns and k < `inner`.
pub(crate) fn product(
    isa: Isa,
    rows: usize,
    inner: usize,
    a: Strided<'_>,
    b: Strided<'_>,
    out: &mut [f32],
    out_stride: usize,
) {
    // What the kernels rely on.
    assert!((1..=ROWS).contains(&rows) && inner > 0);
    assert!(a.values.len() >= (rows - 1) * a.stride + inner);
    assert!(b.values.len() >= (inner - 1) * b.stride + COLUMNS);
    assert!(out.len() >= (rows - 1) * out_stride + COLUMNS);
    match isa.0 {
        Kind::Portable => product_portable(rows, inner, a, b, out, out_stride),
        // SAFETY: an `Isa` is made only where the processor has these features.
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => unsafe { x86::product_avx2(rows, inner, a, b, out, out_stride) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 => unsafe { x86::product_avx512(rows, inner, a, b, out, out_stride) },
    }
}

fn product_portable(
    rows: usize,
    inner: usize,
    a: Strided<'_>,
    b: Strided<'_>,
    out: &mut [f32],
    out_stride: usize,
) {
    for r in 0..rows {
        let mut sums = [0.0_f32; COLUMNS];
        for k in 0..inner {
            let x = a.values[r * a.stride + k];
            for (sum, y) in sums.iter_mut().zip(&b.values[k * b.stride..][..COLUMNS]) {
                *sum = x.mul_add(*y, *sum);
            }
        }
        out[r * out_stride..][..COLUMNS].copy_from_slice(&sums);
    }
}

/// `out[t][n] = bias[n] + Σ rows[t][k] weights[n][k]`, over all rows.
pub(crate) fn multiply(isa: Isa, rows: &Quantised, weights: &Packed, out: &mut [f32]) {
    let count = rows.values.len() / weights.inputs;
    let groups = weights.inputs / GROUP;
    // What the kernels rely on.
    assert_eq!(rows.values.len(), count * weights.inputs);
    assert_eq!(rows.scales.len(), count * groups);
    assert_eq!(out.len(), count * weights.outputs);
    assert_eq!(weights.values.len(), weights.inputs * weights.outputs);
    assert_eq!(weights.scales.len(), groups * weights.outputs);
    assert_eq!(weights.offsets.len(), groups * weights.outputs);
    match isa.0 {
        Kind::Portable => multiply_portable(rows, weights, out),
        // SAFETY: an `Isa` is made only where the processor has these features.
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2 => unsafe { x86::multiply_avx2(rows, weights, out) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512 => unsafe { x86::multiply_avx512(rows, weights, out) },
    }
}

fn multiply_portable(rows: &Quantised, weights: &Packed, out: &mut [f32]) {
    let (inputs, outputs) = (weights.inputs, weights.outputs);
    let groups = inputs / GROUP;
    for panel in 0..outputs / PANEL {
        let values = &weights.values[panel * PANEL * inputs..][..PANEL * inputs];
        for (t, row) in rows.values.chunks_exact(inputs).enumerate() {
            let y = &mut out[t * outputs + panel * PANEL..][..PANEL];
            y.copy_from_slice(&weights.bias[panel * PANEL..][..PANEL]);
            for g in 0..groups {
                let at = (panel * groups + g) * PANEL;
                let mut sums = [0_i32; PANEL];
                sums.copy_from_slice(&weights.offsets[at..at + PANEL]);
                let fours = row[g * GROUP..][..GROUP].chunks_exact(4);
                let lanes = values[g * GROUP * PANEL..][..GROUP * PANEL].chunks_exact(4 * PANEL);
                for (x, w) in fours.zip(lanes) {
                    for (sum, w) in sums.iter_mut().zip(w.chunks_exact(4)) {
                        for i in 0..4 {
                            *sum += i32::from(x[i]) * i32::from(w[i]);
                        }
                    }
                }
                let scale = rows.scales[t * groups + g];
                for (n, y) in y.iter_mut().enumerate() {
                    *y = (sums[n] as f32).mul_add(scale * weights.scales[at + n], *y);
                }
            }
        }
    }
}
