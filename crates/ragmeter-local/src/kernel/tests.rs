use super::*;

/// A fixed sequence that looks random, in [-1, 1).
fn noise(count: usize, mut seed: u64) -> Vec<f32> {
    let next = |_| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 40) as f32 / 8_388_608.0 - 1.0
    };
    (0..count).map(next).collect()
}

fn packed(outputs: usize, inputs: usize) -> (Packed, Vec<f32>) {
    // Q4_0 blocks with scale 1/8 (half 0x3000) and arbitrary values.
    let noise = noise(outputs * inputs / 2, 7);
    let mut blocks = Vec::new();
    for values in noise.chunks_exact(16) {
        blocks.extend_from_slice(&0x3000_u16.to_le_bytes());
        blocks.extend(values.iter().map(|x| ((x + 1.0) * 127.0) as u8));
    }
    let mut rows = vec![0.0; outputs * inputs];
    crate::packed::dequantise(&blocks, &mut rows);
    let bias: Vec<f32> = (0..outputs).map(|n| n as f32).collect();
    (Packed::stack(&[(&blocks, bias)], inputs).unwrap(), rows)
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let (inputs, outputs) = (256, 96);
    let (weights, rows) = packed(outputs, inputs);
    for count in [1, 2, 5, 6, 13] {
        let x = noise(count * inputs, 3);
        let mut first: Option<(Vec<u8>, Vec<f32>)> = None;
        for isa in Isa::all() {
            let mut quantised = Quantised::default();
            quantise(isa, &x, inputs, &mut quantised);
            let mut y = vec![0.0; count * outputs];
            multiply(isa, &quantised, &weights, &mut y);
            for (t, y) in y.chunks_exact(outputs).enumerate() {
                for (n, y) in y.iter().enumerate() {
                    let exact: f32 =
                        (0..inputs).map(|k| x[t * inputs + k] * rows[n * inputs + k]).sum();
                    assert!((y - exact - n as f32).abs() < 0.25, "{isa:?}: {y} {exact}");
                }
            }
            gelu(isa, &mut y);
            let norm =
                layers::Norm { weight: noise(outputs, 4), bias: noise(outputs, 5), epsilon: 1e-12 };
            let added = noise(count * outputs, 6);
            add_and_normalise(isa, &mut y, &added, &norm);
            let expected = first.get_or_insert_with(|| (quantised.values.clone(), y.clone()));
            assert_eq!(*expected, (quantised.values, y), "{isa:?}");
        }
    }
}

#[test]
fn attention_is_the_same_everywhere_and_right() {
    let heads = 2;
    let width = heads * layers::HEAD;
    for tokens in [1, 7, 8, 33, 70] {
        let qkv = noise(tokens * 3 * width, 9);
        let mut outs = Vec::new();
        for isa in Isa::all() {
            let mut out = vec![0.0; tokens * width];
            layers::attend(isa, &qkv, heads, &mut layers::Scratch::default(), &mut out);
            outs.push(out);
        }
        assert!(outs.iter().all(|out| *out == outs[0]));
        for t in 0..tokens {
            for c in 0..width {
                let head = c / layers::HEAD * layers::HEAD;
                let part = |t: usize, which: usize, c: usize| {
                    f64::from(qkv[t * 3 * width + which * width + c])
                };
                let weights = (0..tokens).map(|s| {
                    let dot: f64 =
                        (head..head + layers::HEAD).map(|c| part(t, 0, c) * part(s, 1, c)).sum();
                    (dot / (layers::HEAD as f64).sqrt()).exp()
                });
                let weights: Vec<_> = weights.collect();
                let exact: f64 = weights.iter().enumerate().map(|(s, w)| w * part(s, 2, c)).sum();
                let exact = exact / weights.iter().sum::<f64>();
                assert!((f64::from(outs[0][t * width + c]) - exact).abs() < 1e-5);
            }
        }
    }
}
