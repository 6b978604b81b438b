//! Vectors of unit length, and their exact search.

/// Rows of one width, one after another.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Vectors {
    pub(crate) width: usize,
    pub(crate) values: Vec<f32>,
}

impl Vectors {
    pub(crate) fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.width..(row + 1) * self.width]
    }
}

/// The dot product, which for unit vectors is the cosine.
pub(crate) fn dot(one: &[f32], other: &[f32]) -> f64 {
    // Eight running sums let the compiler use vector registers; one would have to stay in order.
    let mut sums = [0.0_f32; 8];
    let (ones, others) = (one.chunks_exact(8), other.chunks_exact(8));
    let rest: f32 = ones.remainder().iter().zip(others.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in ones.zip(others) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    f64::from(sums.iter().sum::<f32>() + rest)
}
