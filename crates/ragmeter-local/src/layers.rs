//! The parts of a transformer layer between its matrices, in plain Rust.
//! [`crate::kernel`] compiles those marked `inline(always)` for each instruction set.
#![expect(
    clippy::inline_always,
    reason = "a function that is not inlined keeps the instruction set it was compiled for"
)]

use crate::kernel::{self, COLUMNS, Isa, Quantised, ROWS, Strided};
use crate::math::{LANES, exp, gelu as gelu_of, largest, round, sum};
use crate::packed::{GROUP, ZERO};

/// Width of an attention head.
pub(crate) const HEAD: usize = 32;

/// Layer normalisation.
#[derive(Debug)]
pub(crate) struct Norm {
    pub(crate) weight: Vec<f32>,
    pub(crate) bias: Vec<f32>,
    pub(crate) epsilon: f32,
}

/// Memory that attention works in.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    keys: Vec<f32>,
    scores: Vec<f32>,
}

#[inline(always)]
pub(crate) fn quantise(rows: &[f32], width: usize, out: &mut Quantised) {
    debug_assert!(rows.len().is_multiple_of(width) && width.is_multiple_of(GROUP));
    out.values.resize(rows.len(), 0);
    out.scales.resize(rows.len() / GROUP, 0.0);
    let groups = rows.chunks_exact(GROUP).zip(out.values.chunks_exact_mut(GROUP));
    for ((group, values), scale) in groups.zip(&mut out.scales) {
        let mut lanes = [0.0_f32; LANES];
        for chunk in group.chunks_exact(LANES) {
            for i in 0..LANES {
                lanes[i] = if chunk[i].abs() > lanes[i] { chunk[i].abs() } else { lanes[i] };
            }
        }
        let top = largest(lanes);
        let inverse = if top > 0.0 { 127.0 / top } else { 0.0 };
        *scale = top / 127.0;
        for (value, x) in values.iter_mut().zip(group) {
            *value = (round(x * inverse) + ZERO) as u8;
        }
    }
}

#[inline(always)]
pub(crate) fn add_and_normalise(rows: &mut [f32], added: &[f32], norm: &Norm) {
    let width = norm.weight.len();
    for (row, added) in rows.chunks_exact_mut(width).zip(added.chunks_exact(width)) {
        let mut total = [0.0; LANES];
        for (row, added) in row.chunks_exact_mut(LANES).zip(added.chunks_exact(LANES)) {
            for i in 0..LANES {
                row[i] += added[i];
                total[i] += row[i];
            }
        }
        let mean = sum(total) / width as f32;
        let mut squares = [0.0; LANES];
        for row in row.chunks_exact(LANES) {
            for i in 0..LANES {
                let d = row[i] - mean;
                squares[i] = d.mul_add(d, squares[i]);
            }
        }
        let inverse = 1.0 / (sum(squares) / width as f32 + norm.epsilon).sqrt();
        for ((x, w), b) in row.iter_mut().zip(&norm.weight).zip(&norm.bias) {
            *x = ((*x - mean) * inverse).mul_add(*w, *b);
        }
    }
}

#[inline(always)]
pub(crate) fn gelu(values: &mut [f32]) {
    for chunk in values.chunks_exact_mut(LANES) {
        for x in chunk {
            *x = gelu_of(*x);
        }
    }
}

/// Attention of one text's tokens to each other. `qkv` holds for each token its query, key and
/// value, each of `heads` parts.
pub(crate) fn attend(isa: Isa, qkv: &[f32], heads: usize, scratch: &mut Scratch, out: &mut [f32]) {
    let width = heads * HEAD;
    let tokens = out.len() / width;
    let padded = tokens.next_multiple_of(COLUMNS);
    scratch.keys.clear();
    scratch.keys.resize(HEAD * padded, 0.0);
    scratch.scores.resize(ROWS * padded, 0.0);
    let scale = 1.0 / (HEAD as f32).sqrt();
    let mut queries = [0.0_f32; ROWS * HEAD];
    for head in 0..heads {
        for (t, row) in qkv.chunks_exact(3 * width).enumerate() {
            for (d, x) in row[width + head * HEAD..][..HEAD].iter().enumerate() {
                scratch.keys[d * padded + t] = *x;
            }
        }
        for first in (0..tokens).step_by(ROWS) {
            let rows = ROWS.min(tokens - first);
            for (row, query) in queries.chunks_exact_mut(HEAD).take(rows).enumerate() {
                let at = (first + row) * 3 * width + head * HEAD;
                for (q, x) in query.iter_mut().zip(&qkv[at..at + HEAD]) {
                    *q = x * scale;
                }
            }
            let queries = Strided { values: &queries, stride: HEAD };
            for at in (0..padded).step_by(COLUMNS) {
                let keys = Strided { values: &scratch.keys[at..], stride: padded };
                kernel::product(isa, rows, HEAD, queries, keys, &mut scratch.scores[at..], padded);
            }
            let mut totals = [0.0_f32; ROWS];
            kernel::exponentiate(isa, &mut scratch.scores[..rows * padded], tokens, &mut totals);
            let scores = Strided { values: &scratch.scores, stride: padded };
            let values = Strided { values: &qkv[2 * width + head * HEAD..], stride: 3 * width };
            let out = &mut out[first * width + head * HEAD..];
            kernel::product(isa, rows, tokens, scores, values, out, width);
            for (row, total) in totals.iter().take(rows).enumerate() {
                let inverse = 1.0 / total;
                for y in &mut out[row * width..][..HEAD] {
                    *y *= inverse;
                }
            }
        }
    }
}

/// In each row of scores (padded to a multiple of [`COLUMNS`]): replaces the first `tokens` by
/// their exponentials relative to the largest of them and the rest by 0; gives the rows' sums.
#[inline(always)]
pub(crate) fn exponentiate(scores: &mut [f32], tokens: usize, totals: &mut [f32]) {
    let padded = tokens.next_multiple_of(COLUMNS);
    for (row, total) in scores.chunks_exact_mut(padded).zip(totals) {
        *total = exponentiate_row(row, tokens);
    }
}

#[inline(always)]
fn exponentiate_row(scores: &mut [f32], tokens: usize) -> f32 {
    scores[tokens..].fill(f32::MIN);
    let mut lanes = [f32::MIN; LANES];
    for chunk in scores.chunks_exact(LANES) {
        for i in 0..LANES {
            lanes[i] = if chunk[i] > lanes[i] { chunk[i] } else { lanes[i] };
        }
    }
    let top = largest(lanes);
    let mut total = [0.0; LANES];
    for chunk in scores.chunks_exact_mut(LANES) {
        for x in chunk {
            *x = exp(*x - top);
        }
    }
    scores[tokens..].fill(0.0);
    for chunk in scores.chunks_exact(LANES) {
        for i in 0..LANES {
            total[i] += chunk[i];
        }
    }
    sum(total)
}
