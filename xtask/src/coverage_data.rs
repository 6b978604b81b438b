//! Made-up scores whose true mean is known by construction.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// What the scores look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// 0 or 1, 95 % ones.
    Ones,
    /// Shares of one to six claims, half of the cases all or nothing.
    Claims,
    /// Average precisions of five contexts.
    Precisions,
}

pub(crate) const SHAPES: [Shape; 3] = [Shape::Ones, Shape::Claims, Shape::Precisions];

/// A quarter of the documents is hard.
const HARD: f64 = 0.25;

impl Shape {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ones => "ones",
            Self::Claims => "claims",
            Self::Precisions => "precisions",
        }
    }

    /// The chance of a one (a supported claim, a useful context) in easy and in hard documents.
    fn chances(self) -> (f64, f64) {
        match self {
            Self::Ones => (0.99, 0.83),
            Self::Claims => (0.92, 0.64),
            Self::Precisions => (0.75, 0.35),
        }
    }

    /// The chance without any difference between documents.
    pub(crate) fn chance(self) -> f64 {
        let (easy, hard) = self.chances();
        easy * (1.0 - HARD) + hard * HARD
    }

    /// The true mean for a chance.
    pub(crate) fn mean(self, chance: f64) -> f64 {
        match self {
            Self::Ones | Self::Claims => chance,
            Self::Precisions => (0..32_u32)
                .map(|useful| {
                    let ones = useful.count_ones() as i32;
                    chance.powi(ones) * (1.0 - chance).powi(5 - ones) * average_precision(useful)
                })
                .sum(),
        }
    }

    /// The true mean over all documents.
    pub(crate) fn mean_of_documents(self) -> f64 {
        let (easy, hard) = self.chances();
        self.mean(easy) * (1.0 - HARD) + self.mean(hard) * HARD
    }

    /// A document's chance.
    pub(crate) fn document(self, random: &mut ChaCha8Rng) -> f64 {
        let (easy, hard) = self.chances();
        if chance(random, HARD) { hard } else { easy }
    }

    /// One case's score.
    pub(crate) fn score(self, random: &mut ChaCha8Rng, of_document: f64) -> f64 {
        match self {
            Self::Ones => f64::from(u8::from(chance(random, of_document))),
            Self::Claims => {
                let claims = 1 + below(random, 6);
                if chance(random, 0.5) {
                    return f64::from(u8::from(chance(random, of_document)));
                }
                share(random, claims, of_document)
            }
            Self::Precisions => {
                let useful = (0..5).map(|bit| u32::from(chance(random, of_document)) << bit).sum();
                average_precision(useful)
            }
        }
    }
}

/// The share of some coins that show ones.
pub(crate) fn share(random: &mut ChaCha8Rng, coins: usize, of_one: f64) -> f64 {
    (0..coins).filter(|_| chance(random, of_one)).count() as f64 / coins as f64
}

/// The mean precision at the useful ones of five contexts; bit 0 is the first context.
fn average_precision(useful: u32) -> f64 {
    let at_useful = (0..5).filter(|place| useful >> place & 1 == 1).map(|place| {
        let so_far = (useful & ((2 << place) - 1)).count_ones();
        f64::from(so_far) / f64::from(place + 1)
    });
    let count = f64::from(useful.count_ones());
    if count > 0.0 { at_useful.sum::<f64>() / count } else { 0.0 }
}

pub(crate) fn chance(random: &mut ChaCha8Rng, probability: f64) -> bool {
    ((random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64) < probability
}

pub(crate) fn below(random: &mut ChaCha8Rng, end: usize) -> usize {
    ((u64::from(random.next_u32()) * end as u64) >> 32) as usize
}

/// How many cases each document has: at least one if there are enough, and beyond that in the
/// proportions 1 : 2 : 3.
pub(crate) fn allotment(n: usize, documents: usize) -> Vec<usize> {
    let documents = documents.min(n);
    let mut sizes = vec![1; documents];
    let turns = (0..documents).flat_map(|document| std::iter::repeat_n(document, document % 3 + 1));
    for document in turns.cycle().take(n - documents) {
        sizes[document] += 1;
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn average_precision_is_that_of_the_textbook() {
        for (useful, expected) in [
            (0b00000, 0.0),
            (0b11111, 1.0),
            (0b00010, 0.5),
            (0b00101, f64::midpoint(1.0, 2.0 / 3.0)),
        ] {
            assert!((average_precision(useful) - expected).abs() < 1e-12, "{useful:05b}");
        }
    }

    #[test]
    fn all_cases_are_allotted() {
        assert_eq!(allotment(20, 40), vec![1; 20]);
        assert_eq!(allotment(16, 4), vec![3, 5, 6, 2]);
        assert_eq!(allotment(150, 10).iter().sum::<usize>(), 150);
    }
}
