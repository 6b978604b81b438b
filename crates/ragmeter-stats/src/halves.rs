//! Splits of units in two, and the means of both halves.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::flips::Draws;
use crate::population::Unit;

/// How many drawn patterns are summed together, so that their masks stay in the cache.
const TOGETHER: usize = 256;

/// The means of a set of units and of the rest, in order of size.
pub(crate) struct Halves {
    pub(crate) smaller: f64,
    pub(crate) larger: f64,
}

/// Sums of every subset of up to eight neighbouring units, so that the sum over any subset of all
/// units is one look-up for each eight.
struct SubsetSums {
    sums: Vec<[f64; 256]>,
    /// The same of numbers of cases; `None` if each unit is one case.
    cases: Option<Vec<[f64; 256]>>,
    total: f64,
    total_cases: f64,
}

impl SubsetSums {
    fn new(units: &[Unit]) -> Self {
        let single = units.iter().all(|unit| (unit.cases - 1.0).abs() < 0.5);
        Self {
            sums: units.chunks(8).map(|eight| table(eight.iter().map(|unit| unit.sum))).collect(),
            cases: (!single).then(|| {
                units.chunks(8).map(|eight| table(eight.iter().map(|unit| unit.cases))).collect()
            }),
            total: units.iter().map(|unit| unit.sum).sum(),
            total_cases: units.iter().map(|unit| unit.cases).sum(),
        }
    }

    /// The halves of each of some masks; `masks` holds them word by word, `count` words of the
    /// first 64 units, then `count` words of the next. One bit a unit, lowest first, none beyond
    /// the last.
    fn halves(&self, masks: &[u64], count: usize, into: &mut Vec<Halves>) {
        let mut sums = [0.0; TOGETHER];
        let mut cases = [0.0; TOGETHER];
        for (word, column) in masks.chunks(count).enumerate() {
            let tables = &self.sums[word * 8..self.sums.len().min(word * 8 + 8)];
            look_up(tables, column, &mut sums);
            match &self.cases {
                None => {
                    for (sum, mask) in cases.iter_mut().zip(column) {
                        *sum += f64::from(mask.count_ones());
                    }
                }
                Some(all) => look_up(&all[word * 8..word * 8 + tables.len()], column, &mut cases),
            }
        }
        let made = sums.iter().zip(&cases).take(count).map(|(&sum, &cases)| {
            // A mask of nothing or of everything always counts as extreme.
            if cases < 0.5 || cases > self.total_cases - 0.5 {
                return Halves { smaller: f64::NEG_INFINITY, larger: f64::INFINITY };
            }
            let of_set = sum / cases;
            let of_rest = (self.total - sum) / (self.total_cases - cases);
            Halves { smaller: of_set.min(of_rest), larger: of_set.max(of_rest) }
        });
        into.extend(made);
    }
}

/// Sums of all subsets of at most eight numbers, by mask.
fn table(numbers: impl Iterator<Item = f64>) -> [f64; 256] {
    let mut table = [0.0; 256];
    for (bit, number) in numbers.enumerate() {
        let known = 1 << bit;
        for mask in 0..known {
            table[known + mask] = table[mask] + number;
        }
    }
    table
}

fn look_up(tables: &[[f64; 256]], column: &[u64], sums: &mut [f64; TOGETHER]) {
    for (sum, mask) in sums.iter_mut().zip(column) {
        for (table, byte) in tables.iter().zip(mask.to_le_bytes()) {
            *sum += table[usize::from(byte)];
        }
    }
}

/// Every way to split the units in two, but for the split into all and nothing. The last unit
/// always stays in the rest: the other splits are the same ones named the other way.
pub(crate) fn all_halves(units: &[Unit]) -> Vec<Halves> {
    let sums = SubsetSums::new(units);
    let masks: Vec<u64> = (1..1_u64 << (units.len() - 1)).collect();
    let mut halves = Vec::with_capacity(masks.len());
    for chunk in masks.chunks(TOGETHER) {
        sums.halves(chunk, chunk.len(), &mut halves);
    }
    halves
}

/// Drawn splits; each takes the next words of the generator, 64 units a word.
pub(crate) fn drawn_halves(units: &[Unit], draws: Draws) -> Vec<Halves> {
    let sums = SubsetSums::new(units);
    let mut random = ChaCha8Rng::seed_from_u64(draws.seed);
    let words = units.len().div_ceil(64);
    let unused = (words * 64 - units.len()) as u32;
    let mut halves = Vec::with_capacity(draws.count);
    let mut masks = vec![0_u64; words * TOGETHER];
    while halves.len() < draws.count {
        let count = TOGETHER.min(draws.count - halves.len());
        for draw in 0..count {
            for word in 0..words {
                masks[word * count + draw] = random.next_u64();
            }
            masks[(words - 1) * count + draw] >>= unused;
        }
        sums.halves(&masks[..words * count], count, &mut halves);
    }
    halves
}
