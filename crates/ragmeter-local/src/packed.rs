//! Weights laid out for the kernels.
//!
//! The file keeps Q4_0 blocks. For multiplying, a matrix is re-quantised to 7-bit integers with
//! one scale for each output and group of 128 inputs: seven bits because then no pair of products
//! with 8-bit activations can overflow the 16 bits that AVX2 adds them in, so that every
//! instruction set gives the same integers. The noise this adds is far below that of four bits.

use crate::error::{LocalError, malformed};
use crate::math::round;

/// Outputs computed together.
pub(crate) const PANEL: usize = 32;
/// Inputs that share a scale.
pub(crate) const GROUP: usize = 128;
/// Zero point of the activations, which are stored as unsigned bytes.
pub(crate) const ZERO: i32 = 128;
const LARGEST: f32 = 63.0;
const BLOCK: usize = 32;
const BLOCK_BYTES: usize = 18;

/// A matrix of `outputs` rows and `inputs` columns, with its bias.
#[derive(Debug)]
pub(crate) struct Packed {
    pub(crate) outputs: usize,
    pub(crate) inputs: usize,
    /// For each panel, each four inputs: 32 outputs by those four inputs.
    pub(crate) values: Vec<i8>,
    /// For each panel, each group: 32 scales.
    pub(crate) scales: Vec<f32>,
    /// For each panel, each group: -ZERO times the sum of the row's values in the group.
    pub(crate) offsets: Vec<i32>,
    pub(crate) bias: Vec<f32>,
}

impl Packed {
    /// Packs Q4_0 matrices with equal inputs below each other: `(blocks, bias)` each.
    pub(crate) fn stack(parts: &[(&[u8], Vec<f32>)], inputs: usize) -> Result<Self, LocalError> {
        let row_bytes = q4_bytes(inputs);
        let bias: Vec<f32> = parts.iter().flat_map(|(_, bias)| bias.iter().copied()).collect();
        let outputs = bias.len();
        if !inputs.is_multiple_of(GROUP) || !outputs.is_multiple_of(PANEL) {
            return Err(malformed(format!("a matrix of {outputs} by {inputs}")));
        }
        let rows = parts.iter().flat_map(|(blocks, _)| blocks.chunks_exact(row_bytes));
        let groups = inputs / GROUP;
        let mut packed = Self {
            outputs,
            inputs,
            values: vec![0; outputs * inputs],
            scales: vec![0.0; outputs * groups],
            offsets: vec![0; outputs * groups],
            bias,
        };
        let mut row = vec![0.0; inputs];
        for (output, blocks) in rows.enumerate() {
            dequantise(blocks, &mut row);
            packed.set_row(output, &row);
        }
        Ok(packed)
    }

    fn set_row(&mut self, output: usize, row: &[f32]) {
        let (panel, lane) = (output / PANEL, output % PANEL);
        for (g, group) in row.chunks_exact(GROUP).enumerate() {
            let largest = group.iter().fold(0.0_f32, |m, w| m.max(w.abs()));
            let inverse = if largest > 0.0 { LARGEST / largest } else { 0.0 };
            let first = panel * PANEL * self.inputs + g * GROUP * PANEL + 4 * lane;
            let mut total = 0;
            for (four, weights) in group.chunks_exact(4).enumerate() {
                for (i, w) in weights.iter().enumerate() {
                    let value = round(w * inverse) as i8;
                    self.values[first + four * 4 * PANEL + i] = value;
                    total += i32::from(value);
                }
            }
            let at = (panel * (self.inputs / GROUP) + g) * PANEL + lane;
            self.scales[at] = largest / LARGEST;
            self.offsets[at] = -ZERO * total;
        }
    }
}

/// Bytes of a row of Q4_0 blocks.
pub(crate) fn q4_bytes(inputs: usize) -> usize {
    inputs / BLOCK * BLOCK_BYTES
}

/// Values of a row of Q4_0 blocks: byte j holds value j in its low half and j + 16 in its high.
pub(crate) fn dequantise(blocks: &[u8], row: &mut [f32]) {
    for (block, out) in blocks.chunks_exact(BLOCK_BYTES).zip(row.chunks_exact_mut(BLOCK)) {
        let scale = half(u16::from_le_bytes([block[0], block[1]]));
        let (low, high) = out.split_at_mut(BLOCK / 2);
        for ((byte, low), high) in block[2..].iter().zip(low).zip(high) {
            *low = f32::from(i16::from(byte & 15) - 8) * scale;
            *high = f32::from(i16::from(byte >> 4) - 8) * scale;
        }
    }
}

/// An IEEE 754 half-precision number.
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f32::from(bits & 0x3ff));
    match exponent {
        0 => sign * mantissa * 2.0_f32.powi(-24),
        31 if mantissa > 0.0 => f32::NAN,
        31 => sign * f32::INFINITY,
        _ => sign * (1.0 + mantissa / 1024.0) * 2.0_f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves() {
        for (bits, value) in
            [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_95), (1, 5.960_464_5e-8)]
        {
            assert_eq!(half(bits).to_bits(), f32::to_bits(value));
        }
    }

    #[test]
    fn blocks() {
        let mut block = [0x88_u8; BLOCK_BYTES];
        block[..2].copy_from_slice(&0x3c00_u16.to_le_bytes());
        block[2] = 0x1f;
        let mut row = [9.0; BLOCK];
        dequantise(&block, &mut row);
        assert_eq!((row[0], row[16], row[1], row[31]), (7.0, -7.0, 0.0, 0.0));
    }
}
