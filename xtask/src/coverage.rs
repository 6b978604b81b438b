//! `coverage`: how often the default intervals hold a truth that is known by construction, and how
//! often the paired test finds a difference where there is none.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result, bail};
use ragmeter_stats::{
    Draws, MarginVerdict, Population, margin_test, mean_interval, paired_test_drawn,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::Serialize;

use crate::coverage_data::{SHAPES, Shape, allotment, chance, share};
use crate::coverage_page;

/// The level of every interval.
const LEVEL: f64 = 0.95;

/// Where intervals of nominally 95 % should be.
pub(crate) const TARGET: std::ops::RangeInclusive<f64> = 0.93..=0.99;

/// The largest share of differences found where there are none.
pub(crate) const MOST_FOUND: f64 = 0.055;

/// A share of differences found that near to the limit is looked at in this many times as many
/// simulations: 16,000 tell 5 % from 5.5 % (one standard error is 0.17 %).
const NEAR: std::ops::RangeInclusive<f64> = 0.048..=0.065;
const MORE: usize = 4;

/// Patterns of signs a paired test: with a tenth of the usual number its size is the same.
const PATTERNS: usize = 1_999;

/// Every so many simulations the margin is tested too, with the usual number of patterns.
const MARGIN_EVERY: usize = 4;

const SEED: u64 = 20_261_130;

/// One simulated cell.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Cell {
    /// `mean` or `paired`.
    pub(crate) kind: &'static str,
    /// What the scores or differences look like.
    pub(crate) shape: &'static str,
    /// `these documents` or `new documents`.
    pub(crate) population: &'static str,
    /// How many documents; 0 where cases are independent.
    pub(crate) documents: usize,
    /// How many cases.
    pub(crate) n: usize,
    /// The method's name.
    pub(crate) method: &'static str,
    pub(crate) simulations: usize,
    /// The share of intervals that held the truth.
    pub(crate) covered: f64,
    /// The share of paired tests that found a difference, or of margin tests that passed a true
    /// difference of exactly the margin; only for `paired`.
    pub(crate) found: Option<f64>,
    pub(crate) passed_margin: Option<f64>,
    /// Whether it misses its target.
    pub(crate) outside: bool,
}

/// What one simulation is to do.
#[derive(Clone, Copy)]
struct Plan {
    shape: Null,
    population: Population,
    documents: usize,
    n: usize,
    simulations: usize,
}

/// Scores, or differences without a true mean difference.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Null {
    /// Scores of one system.
    Mean(Shape),
    /// The second system avoids half of the first one's faults: rare differences, to one side.
    Better(Shape),
    /// Two systems alike: symmetric differences, many of them 0.
    Alike(Shape),
    /// Equal means, shares of two claims against shares of six: skewed and tied differences.
    Skewed,
    /// A quarter of the documents favours one system much, the others the other one a little.
    Tilted,
}

/// Runs everything and writes the page and the table. `args`: `[--quick]`.
pub(crate) fn run(args: &[&str]) -> Result<()> {
    let quick = match args {
        [] => false,
        ["--quick"] => true,
        other => bail!("coverage takes --quick or nothing, not {}", other.join(" ")),
    };
    let plans = plans(quick);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(vec![None; plans.len()]);
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(plan) = plans.get(at) else { return };
                    let cell = simulate(plan, SEED + at as u64);
                    if let Ok(mut done) = done.lock() {
                        done[at] = Some(cell);
                    }
                }
            });
        }
    });
    let cells: Vec<Cell> =
        done.into_inner().ok().context("a simulation ended early")?.into_iter().flatten().collect();
    coverage_page::print(&cells);
    if quick {
        println!("quick: nothing was written");
        return Ok(());
    }
    coverage_page::write(&cells)
}

fn plans(quick: bool) -> Vec<Plan> {
    let (of_means, of_pairs) = if quick { (1_000, 200) } else { (10_000, 4_000) };
    let mut plans = Vec::new();
    for documents in [0, 4, 10, 20, 40] {
        for n in [10, 20, 50, 100, 150, 500] {
            for population in [Population::TheseDocuments, Population::NewDocuments] {
                if population == Population::NewDocuments && documents < 10 {
                    continue;
                }
                // Between ten and forty documents matters where documents are the units.
                if population == Population::TheseDocuments && documents == 20 {
                    continue;
                }
                for shape in SHAPES {
                    let (shape, simulations) = (Null::Mean(shape), of_means);
                    plans.push(Plan { shape, population, documents, n, simulations });
                }
                if n == 10 || n == 500 {
                    continue;
                }
                let mut nulls: Vec<Null> = SHAPES.into_iter().map(Null::Alike).collect();
                nulls.extend([
                    Null::Skewed,
                    Null::Better(Shape::Ones),
                    Null::Better(Shape::Claims),
                ]);
                if population == Population::NewDocuments {
                    nulls.push(Null::Tilted);
                }
                let more = nulls.into_iter().map(|shape| Plan {
                    shape,
                    population,
                    documents,
                    n,
                    simulations: of_pairs,
                });
                plans.extend(more);
            }
        }
    }
    plans
}

fn simulate(plan: &Plan, seed: u64) -> Cell {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let sizes = allotment(plan.n, if plan.documents == 0 { plan.n } else { plan.documents });
    let labels: Vec<usize> = sizes
        .iter()
        .enumerate()
        .flat_map(|(label, size)| std::iter::repeat_n(label, *size))
        .collect();
    let clusters = (plan.documents > 0).then_some(labels.as_slice());
    let (mut covered, mut found, mut passed, mut method) = (0, 0, 0, "sign_flip");
    let mut rounds = plan.simulations;
    for round in 0..MORE * plan.simulations {
        if round == plan.simulations {
            // Where the share is near the limit, more simulations decide.
            let near = |count: usize| NEAR.contains(&(count as f64 / round as f64));
            if !matches!(plan.shape, Null::Alike(_) | Null::Skewed | Null::Tilted) || !near(found) {
                break;
            }
            rounds = MORE * plan.simulations;
        }
        let (values, truth) = draw(plan, &sizes, &mut random);
        let seed = round as u64;
        if let Null::Mean(_) = plan.shape {
            let Ok(result) = mean_interval(&values, clusters, plan.population, LEVEL, seed) else {
                continue;
            };
            method = result.method.name();
            covered += usize::from(result.interval.contains(truth));
            continue;
        }
        let draws = Draws { count: PATTERNS, seed };
        let Ok(result) = paired_test_drawn(&values, clusters, plan.population, LEVEL, draws) else {
            continue;
        };
        covered += usize::from(result.interval.is_none_or(|interval| interval.contains(truth)));
        found += usize::from(result.p < 1.0 - LEVEL);
        if round % MARGIN_EVERY > 0
            || round >= plan.simulations
            || matches!(plan.shape, Null::Better(_))
        {
            continue;
        }
        // Moved down by the margin (and drawn together to stay within bounds) the truth is
        // just not good enough.
        let margin = 0.1;
        let moved: Vec<f64> = values.iter().map(|value| value * (1.0 - margin) - margin).collect();
        if let Ok(test) = margin_test(&moved, clusters, plan.population, margin, LEVEL, seed) {
            passed += usize::from(test.verdict != MarginVerdict::NotShown);
        }
    }
    let share = |count: usize| count as f64 / rounds as f64;
    let paired = !matches!(plan.shape, Null::Mean(_));
    let null = paired && !matches!(plan.shape, Null::Better(_));
    let outside = if null {
        share(found) > MOST_FOUND
    } else if paired {
        share(covered) < *TARGET.start()
    } else {
        !TARGET.contains(&share(covered))
    };
    Cell {
        kind: if paired { "paired" } else { "mean" },
        shape: match plan.shape {
            Null::Mean(shape) | Null::Alike(shape) => shape.name(),
            Null::Skewed => "skewed",
            Null::Tilted => "tilted",
            Null::Better(Shape::Ones) => "better ones",
            Null::Better(_) => "better claims",
        },
        population: match plan.population {
            Population::TheseDocuments => "these documents",
            Population::NewDocuments => "new documents",
        },
        documents: plan.documents,
        n: plan.n,
        method,
        simulations: rounds,
        covered: share(covered),
        found: null.then(|| share(found)),
        passed_margin: null.then(|| (passed * MARGIN_EVERY) as f64 / plan.simulations as f64),
        outside,
    }
}

/// The values of one simulation and their true mean in the population.
fn draw(plan: &Plan, sizes: &[usize], random: &mut ChaCha8Rng) -> (Vec<f64>, f64) {
    let n = plan.n as f64;
    let mut values = Vec::with_capacity(plan.n);
    let mut of_these = 0.0;
    let alone = plan.documents == 0;
    for &size in sizes {
        match plan.shape {
            Null::Mean(shape) => {
                let document = if alone { shape.chance() } else { shape.document(random) };
                of_these += shape.mean(document) * size as f64 / n;
                values.extend((0..size).map(|_| shape.score(random, document)));
            }
            Null::Better(shape) => {
                let first = if alone { shape.chance() } else { shape.document(random) };
                let second = f64::midpoint(first, 1.0);
                of_these += (shape.mean(second) - shape.mean(first)) * size as f64 / n;
                values.extend(
                    (0..size).map(|_| shape.score(random, second) - shape.score(random, first)),
                );
            }
            Null::Alike(shape) => {
                let document = if alone { shape.chance() } else { shape.document(random) };
                values.extend(
                    (0..size)
                        .map(|_| shape.score(random, document) - shape.score(random, document)),
                );
            }
            Null::Skewed => {
                let document = if alone { 0.85 } else { Shape::Claims.document(random) };
                values.extend(
                    (0..size).map(|_| share(random, 2, document) - share(random, 6, document)),
                );
            }
            Null::Tilted => {
                let lean = if chance(random, 0.25) { -0.3 } else { 0.1 };
                values.extend(
                    (0..size)
                        .map(|_| lean + share(random, 4, 0.5) / 2.0 - share(random, 4, 0.5) / 2.0),
                );
            }
        }
    }
    let truth = match plan.shape {
        Null::Mean(_) | Null::Better(_) if plan.population == Population::TheseDocuments => {
            of_these
        }
        Null::Mean(shape) => shape.mean_of_documents(),
        // The mean of ones and of claims is the chance itself.
        Null::Better(shape) => (1.0 - shape.mean_of_documents()) / 2.0,
        _ => 0.0,
    };
    (values, truth)
}
