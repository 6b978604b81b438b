//! The kernels with AVX2 and with AVX-512 VNNI.

use std::arch::x86_64::{
    __m256i, __m512i, _mm256_add_epi32, _mm256_cvtepi32_ps, _mm256_fmadd_ps, _mm256_loadu_ps,
    _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_mul_ps, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps, _mm512_cvtepi32_ps,
    _mm512_dpbusd_epi32, _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_loadu_si512, _mm512_mul_ps,
    _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_ps, _mm512_storeu_ps,
};

use super::{GROUP, PANEL, Packed, Quantised, Strided};

/// Rows computed together: their sums and scaled sums fill the registers.
const ROWS_AVX512: usize = 6;
const ROWS_AVX2: usize = 2;

/// Where a tile of rows by one panel begins, in each array.
#[derive(Clone, Copy)]
struct Tile {
    inputs: usize,
    outputs: usize,
    panel: usize,
    row: usize,
}

/// # Safety
/// Lengths as asserted by [`super::multiply`].
#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
pub(super) unsafe fn multiply_avx512(rows: &Quantised, weights: &Packed, out: &mut [f32]) {
    let (inputs, outputs) = (weights.inputs, weights.outputs);
    let count = rows.values.len() / inputs;
    for panel in 0..outputs / PANEL {
        let mut row = 0;
        while row < count {
            let tile = Tile { inputs, outputs, panel, row };
            // SAFETY: the tile's rows lie within `count`.
            unsafe {
                match count - row {
                    1 => tile_avx512::<1>(rows, weights, out, tile),
                    2 => tile_avx512::<2>(rows, weights, out, tile),
                    3 => tile_avx512::<3>(rows, weights, out, tile),
                    4 => tile_avx512::<4>(rows, weights, out, tile),
                    5 => tile_avx512::<5>(rows, weights, out, tile),
                    _ => tile_avx512::<ROWS_AVX512>(rows, weights, out, tile),
                }
            }
            row += ROWS_AVX512;
        }
    }
}

/// # Safety
/// Lengths as asserted by [`super::multiply`], and `ROWS` rows from `tile.row` on.
#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
#[inline]
unsafe fn tile_avx512<const ROWS: usize>(
    rows: &Quantised,
    weights: &Packed,
    out: &mut [f32],
    tile: Tile,
) {
    let groups = tile.inputs / GROUP;
    // SAFETY: every address below is inside its array by the lengths promised.
    unsafe {
        let bias = weights.bias.as_ptr().add(tile.panel * PANEL);
        let mut y = [[_mm512_loadu_ps(bias), _mm512_loadu_ps(bias.add(16))]; ROWS];
        let x = rows.values.as_ptr().add(tile.row * tile.inputs);
        let w = weights.values.as_ptr().add(tile.panel * PANEL * tile.inputs);
        for g in 0..groups {
            let at = (tile.panel * groups + g) * PANEL;
            let offsets = weights.offsets.as_ptr().add(at);
            let offsets = [offsets, offsets.add(16)].map(|p| _mm512_loadu_si512(p.cast()));
            let mut sums: [[__m512i; 2]; ROWS] = [offsets; ROWS];
            for four in g * GROUP / 4..(g + 1) * GROUP / 4 {
                let w = w.add(four * 4 * PANEL);
                let w = [_mm512_loadu_si512(w.cast()), _mm512_loadu_si512(w.add(64).cast())];
                for (r, sums) in sums.iter_mut().enumerate() {
                    let x = x.add(r * tile.inputs + 4 * four).cast::<[u8; 4]>().read();
                    let x = _mm512_set1_epi32(i32::from_ne_bytes(x));
                    sums[0] = _mm512_dpbusd_epi32(sums[0], x, w[0]);
                    sums[1] = _mm512_dpbusd_epi32(sums[1], x, w[1]);
                }
            }
            let scales = weights.scales.as_ptr().add(at);
            let scales = [_mm512_loadu_ps(scales), _mm512_loadu_ps(scales.add(16))];
            for r in 0..ROWS {
                let scale = *rows.scales.as_ptr().add((tile.row + r) * groups + g);
                let scale = _mm512_set1_ps(scale);
                for half in 0..2 {
                    let sum = _mm512_cvtepi32_ps(sums[r][half]);
                    let scale = _mm512_mul_ps(scale, scales[half]);
                    y[r][half] = _mm512_fmadd_ps(sum, scale, y[r][half]);
                }
            }
        }
        let out = out.as_mut_ptr().add(tile.row * tile.outputs + tile.panel * PANEL);
        for (r, y) in y.iter().enumerate() {
            _mm512_storeu_ps(out.add(r * tile.outputs), y[0]);
            _mm512_storeu_ps(out.add(r * tile.outputs + 16), y[1]);
        }
    }
}

/// # Safety
/// Lengths as asserted by [`super::product`].
#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vl,avx512dq")]
pub(super) unsafe fn product_avx512(
    rows: usize,
    inner: usize,
    a: Strided<'_>,
    b: Strided<'_>,
    out: &mut [f32],
    out_stride: usize,
) {
    // SAFETY: the caller's promise, with the same number of rows.
    unsafe {
        match rows {
            1 => product_tile_avx512::<1>(inner, a, b, out, out_stride),
            2 => product_tile_avx512::<2>(inner, a, b, out, out_stride),
            3 => product_tile_avx512::<3>(inner, a, b, out, out_stride),
            4 => product_tile_avx512::<4>(inner, a, b, out, out_stride),
            5 => product_tile_avx512::<5>(inner, a, b, out, out_stride),
            6 => product_tile_avx512::<6>(inner, a, b, out, out_stride),
            7 => product_tile_avx512::<7>(inner, a, b, out, out_stride),
            _ => product_tile_avx512::<8>(inner, a, b, out, out_stride),
        }
    }
}

/// # Safety
/// Lengths as asserted by [`super::product`], for `ROWS` rows.
#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vl,avx512dq")]
#[inline]
unsafe fn product_tile_avx512<const ROWS: usize>(
    inner: usize,
    a: Strided<'_>,
    b: Strided<'_>,
    out: &mut [f32],
    out_stride: usize,
) {
    // SAFETY: every address below is inside its array by the lengths promised.
    unsafe {
        let mut sums = [[_mm512_setzero_ps(); 2]; ROWS];
        for k in 0..inner {
            let y = b.values.as_ptr().add(k * b.stride);
            let y = [_mm512_loadu_ps(y), _mm512_loadu_ps(y.add(16))];
            for (r, sums) in sums.iter_mut().enumerate() {
                let x = _mm512_set1_ps(*a.values.as_ptr().add(r * a.stride + k));
                sums[0] = _mm512_fmadd_ps(x, y[0], sums[0]);
                sums[1] = _mm512_fmadd_ps(x, y[1], sums[1]);
            }
        }
        for (r, sums) in sums.iter().enumerate() {
            let out = out.as_mut_ptr().add(r * out_stride);
            _mm512_storeu_ps(out, sums[0]);
            _mm512_storeu_ps(out.add(16), sums[1]);
        }
    }
}

/// # Safety
/// Lengths as asserted by [`super::product`].
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn product_avx2(
    rows: usize,
    inner: usize,
    a: Strided<'_>,
    b: Strided<'_>,
    out: &mut [f32],
    out_stride: usize,
) {
    for first in (0..rows).step_by(ROWS_AVX2) {
        let a = Strided { values: &a.values[first * a.stride..], stride: a.stride };
        let out = &mut out[first * out_stride..];
        // SAFETY: the caller's promise, for the rows from the first on.
        unsafe {
            match rows - first {
                1 => product_tile_avx2::<1>(inner, a, b, out, out_stride),
                _ => product_tile_avx2::<ROWS_AVX2>(inner, a, b, out, out_stride),
            }
        }
    }
}

/// # Safety
/// Lengths as asserted by [`super::product`], for `ROWS` rows.
#[target_feature(enable = "avx2,fma")]
#[inline]
unsafe fn product_tile_avx2<const ROWS: usize>(
    inner: usize,
    a: Strided<'_>,
    b: Strided<'_>,
    out: &mut [f32],
    out_stride: usize,
) {
    // SAFETY: every address below is inside its array by the lengths promised.
    unsafe {
        let mut sums = [[_mm256_setzero_ps(); 4]; ROWS];
        for k in 0..inner {
            let y = b.values.as_ptr().add(k * b.stride);
            let y = [0, 8, 16, 24].map(|lane| _mm256_loadu_ps(y.add(lane)));
            for (r, sums) in sums.iter_mut().enumerate() {
                let x = _mm256_set1_ps(*a.values.as_ptr().add(r * a.stride + k));
                for part in 0..4 {
                    sums[part] = _mm256_fmadd_ps(x, y[part], sums[part]);
                }
            }
        }
        for (r, sums) in sums.iter().enumerate() {
            for (part, sum) in sums.iter().enumerate() {
                _mm256_storeu_ps(out.as_mut_ptr().add(r * out_stride + 8 * part), *sum);
            }
        }
    }
}

/// # Safety
/// Lengths as asserted by [`super::multiply`].
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn multiply_avx2(rows: &Quantised, weights: &Packed, out: &mut [f32]) {
    let (inputs, outputs) = (weights.inputs, weights.outputs);
    let count = rows.values.len() / inputs;
    for panel in 0..outputs / PANEL {
        let mut row = 0;
        while row < count {
            let tile = Tile { inputs, outputs, panel, row };
            // SAFETY: the tile's rows lie within `count`.
            unsafe {
                match count - row {
                    1 => tile_avx2::<1>(rows, weights, out, tile),
                    _ => tile_avx2::<ROWS_AVX2>(rows, weights, out, tile),
                }
            }
            row += ROWS_AVX2;
        }
    }
}

/// # Safety
/// Lengths as asserted by [`super::multiply`], and `ROWS` rows from `tile.row` on.
#[target_feature(enable = "avx2,fma")]
#[inline]
unsafe fn tile_avx2<const ROWS: usize>(
    rows: &Quantised,
    weights: &Packed,
    out: &mut [f32],
    tile: Tile,
) {
    let groups = tile.inputs / GROUP;
    let ones = _mm256_set1_epi16(1);
    // SAFETY: every address below is inside its array by the lengths promised.
    unsafe {
        let bias = weights.bias.as_ptr().add(tile.panel * PANEL);
        let out = out.as_mut_ptr().add(tile.row * tile.outputs + tile.panel * PANEL);
        for r in 0..ROWS {
            for part in 0..4 {
                let bias = _mm256_loadu_ps(bias.add(8 * part));
                _mm256_storeu_ps(out.add(r * tile.outputs + 8 * part), bias);
            }
        }
        let x = rows.values.as_ptr().add(tile.row * tile.inputs);
        let w = weights.values.as_ptr().add(tile.panel * PANEL * tile.inputs);
        for g in 0..groups {
            let at = (tile.panel * groups + g) * PANEL;
            let offsets = weights.offsets.as_ptr().add(at);
            let offsets = [0, 8, 16, 24].map(|lane| _mm256_loadu_si256(offsets.add(lane).cast()));
            let mut sums: [[__m256i; 4]; ROWS] = [offsets; ROWS];
            for four in g * GROUP / 4..(g + 1) * GROUP / 4 {
                let w = w.add(four * 4 * PANEL);
                for part in 0..4 {
                    let w = _mm256_loadu_si256(w.add(32 * part).cast());
                    for (r, sums) in sums.iter_mut().enumerate() {
                        let x = x.add(r * tile.inputs + 4 * four).cast::<[u8; 4]>().read();
                        let x = _mm256_set1_epi32(i32::from_ne_bytes(x));
                        // No overflow: 2 · 255 · 63 is below 2^15.
                        let pairs = _mm256_maddubs_epi16(x, w);
                        let product = _mm256_madd_epi16(pairs, ones);
                        sums[part] = _mm256_add_epi32(sums[part], product);
                    }
                }
            }
            let scales = weights.scales.as_ptr().add(at);
            for (r, sums) in sums.iter().enumerate() {
                let scale = *rows.scales.as_ptr().add((tile.row + r) * groups + g);
                let scale = _mm256_set1_ps(scale);
                for (part, &sum) in sums.iter().enumerate() {
                    let scale = _mm256_mul_ps(scale, _mm256_loadu_ps(scales.add(8 * part)));
                    let out = out.add(r * tile.outputs + 8 * part);
                    let y = _mm256_loadu_ps(out);
                    let y = _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum), scale, y);
                    _mm256_storeu_ps(out, y);
                }
            }
        }
    }
}
