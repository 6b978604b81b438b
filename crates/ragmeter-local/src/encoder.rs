//! The encoder: a BERT of post-normalised layers, mean over tokens, unit length.

use crate::error::{LocalError, malformed};
use crate::kernel::{self, Isa, Quantised};
use crate::layers::{self, HEAD, Norm, Scratch};
use crate::math::LANES;
use crate::model_file::ModelFile;
use crate::packed::{GROUP, PANEL, Packed, dequantise, q4_bytes};

#[derive(Debug)]
struct Layer {
    qkv: Packed,
    output: Packed,
    attention_norm: Norm,
    up: Packed,
    down: Packed,
    output_norm: Norm,
}

/// The weights, ready for the kernels.
#[derive(Debug)]
pub(crate) struct Encoder {
    layers: Vec<Layer>,
    word: std::ops::Range<usize>,
    position: Vec<f32>,
    kind: Vec<f32>,
    norm: Norm,
    vocabulary: usize,
    heads: usize,
    hidden: usize,
}

impl Encoder {
    pub(crate) fn new(file: &ModelFile) -> Result<Self, LocalError> {
        let p = file.parameters;
        let (hidden, feed) = (p.hidden, p.feed_forward);
        let fits = hidden == p.heads * HEAD
            && [hidden, feed].iter().all(|n| n.is_multiple_of(GROUP))
            && hidden.is_multiple_of(PANEL)
            && hidden.is_multiple_of(LANES)
            && p.layers > 0
            && p.positions > 2
            && [p.bos, p.eos, p.unknown].iter().all(|&id| (id as usize) < p.vocabulary)
            && p.pieces <= p.vocabulary;
        if !fits {
            return Err(malformed("a shape that the kernels can't work on"));
        }
        let norm = |name: String| -> Result<Norm, LocalError> {
            Ok(Norm {
                weight: file.floats(&format!("{name}.weight"), hidden)?,
                bias: file.floats(&format!("{name}.bias"), hidden)?,
                epsilon: p.epsilon,
            })
        };
        let stack = |layer: usize, names: &[&str], inputs: usize, outputs: usize| {
            let mut parts = Vec::new();
            for name in names {
                let length = outputs * q4_bytes(inputs);
                let blocks = file.range(&format!("{layer}.{name}.weight"), length)?;
                let bias = file.floats(&format!("{layer}.{name}.bias"), outputs)?;
                parts.push((&file.bytes()[blocks], bias));
            }
            Packed::stack(&parts, inputs)
        };
        let layers = (0..p.layers).map(|l| {
            Ok(Layer {
                qkv: stack(l, &["query", "key", "value"], hidden, hidden)?,
                output: stack(l, &["output"], hidden, hidden)?,
                attention_norm: norm(format!("{l}.attention.norm"))?,
                up: stack(l, &["up"], hidden, feed)?,
                down: stack(l, &["down"], feed, hidden)?,
                output_norm: norm(format!("{l}.output.norm"))?,
            })
        });
        Ok(Self {
            layers: layers.collect::<Result<_, LocalError>>()?,
            word: file.range("word", p.vocabulary * q4_bytes(hidden))?,
            position: file.floats("position", p.positions * hidden)?,
            kind: file.floats("type", 2 * hidden).or_else(|_| file.floats("type", hidden))?,
            norm: norm("embedding.norm".to_owned())?,
            vocabulary: p.vocabulary,
            heads: p.heads,
            hidden,
        })
    }

    /// Vectors of unit length for texts given as tokens, each of 1 to `positions` of them. A
    /// text's vector does not depend on the texts beside it.
    pub(crate) fn encode(&self, file: &ModelFile, isa: Isa, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        let hidden = self.hidden;
        self.states(file, isa, texts).iter().map(|rows| pool(rows, hidden)).collect()
    }

    /// The last layer's vector of every token, row after row, of texts as [`encode`](Self::encode)
    /// takes them.
    pub(crate) fn states(&self, file: &ModelFile, isa: Isa, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        let hidden = self.hidden;
        let tokens: usize = texts.iter().map(Vec::len).sum();
        let mut x = self.embed(file, isa, texts);
        let mut quantised = Quantised::default();
        let mut scratch = Scratch::default();
        let mut qkv = vec![0.0; tokens * 3 * hidden];
        let mut attended = vec![0.0; tokens * hidden];
        let mut y = vec![0.0; tokens * hidden];
        let mut wide = vec![0.0; tokens * self.layers[0].up.outputs];
        for layer in &self.layers {
            kernel::quantise(isa, &x, hidden, &mut quantised);
            kernel::multiply(isa, &quantised, &layer.qkv, &mut qkv);
            let mut first = 0;
            for text in texts {
                let end = first + text.len();
                let out = &mut attended[first * hidden..end * hidden];
                let qkv = &qkv[first * 3 * hidden..end * 3 * hidden];
                layers::attend(isa, qkv, self.heads, &mut scratch, out);
                first = end;
            }
            kernel::quantise(isa, &attended, hidden, &mut quantised);
            kernel::multiply(isa, &quantised, &layer.output, &mut y);
            kernel::add_and_normalise(isa, &mut x, &y, &layer.attention_norm);
            kernel::quantise(isa, &x, hidden, &mut quantised);
            kernel::multiply(isa, &quantised, &layer.up, &mut wide);
            kernel::gelu(isa, &mut wide);
            kernel::quantise(isa, &wide, layer.down.inputs, &mut quantised);
            kernel::multiply(isa, &quantised, &layer.down, &mut y);
            kernel::add_and_normalise(isa, &mut x, &y, &layer.output_norm);
        }
        let mut first = 0;
        texts
            .iter()
            .map(|text| {
                let rows = x[first * hidden..(first + text.len()) * hidden].to_vec();
                first += text.len();
                rows
            })
            .collect()
    }

    /// Numbers in a token's vector.
    pub(crate) fn hidden(&self) -> usize {
        self.hidden
    }

    fn embed(&self, file: &ModelFile, isa: Isa, texts: &[Vec<u32>]) -> Vec<f32> {
        let hidden = self.hidden;
        let row_bytes = q4_bytes(hidden);
        let words = &file.bytes()[self.word.clone()];
        let mut x = Vec::new();
        let mut places = Vec::new();
        let mut row = vec![0.0; hidden];
        for text in texts {
            for (place, &id) in text.iter().enumerate() {
                let id = (id as usize).min(self.vocabulary - 1);
                dequantise(&words[id * row_bytes..][..row_bytes], &mut row);
                x.extend_from_slice(&row);
                let place = &self.position[place * hidden..][..hidden];
                places.extend(place.iter().zip(&self.kind).map(|(p, k)| p + k));
            }
        }
        kernel::add_and_normalise(isa, &mut x, &places, &self.norm);
        x
    }
}

fn pool(rows: &[f32], hidden: usize) -> Vec<f32> {
    let mut mean = vec![0.0_f32; hidden];
    for row in rows.chunks_exact(hidden) {
        for (m, x) in mean.iter_mut().zip(row) {
            *m += x;
        }
    }
    // The mean's divisor cancels out in the length.
    let length = mean.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    if length > 0.0 {
        for x in &mut mean {
            *x = (f64::from(*x) / length) as f32;
        }
    }
    mean
}
