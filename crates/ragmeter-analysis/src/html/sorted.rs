//! The differences of two systems case by case, lowest first.

use std::fmt::Write;

use maud::{Markup, html};

use super::plot::at;
use super::{Page, said};
use crate::Comparison;
use crate::number::{count, difference, range};

/// Most steps drawn: more cases than that share them evenly.
const STEPS: usize = 240;

const WIDTH: f64 = 220.0;
const HEIGHT: f64 = 80.0;

/// One small plot for each metric of a pair that has at least two differences.
pub(super) fn plots(page: &Page<'_>, comparisons: &[&Comparison]) -> Markup {
    let drawn: Vec<(&Comparison, Vec<f64>)> = comparisons
        .iter()
        .filter(|comparison| !comparison.companion)
        .map(|comparison| (*comparison, sorted(page, comparison)))
        .filter(|(_, differences)| differences.len() > 1)
        .collect();
    html! {
        @if !drawn.is_empty() {
            p.lead.inside { (page.words.ex.sorted) }
            div.plots.inside {
                @for (comparison, differences) in &drawn { (figure(page, comparison, differences)) }
            }
        }
    }
}

fn sorted(page: &Page<'_>, comparison: &Comparison) -> Vec<f64> {
    let (Some(a), Some(b)) = (page.place(&comparison.a.system), page.place(&comparison.b.system))
    else {
        return Vec::new();
    };
    let mut differences: Vec<f64> = page.records[a]
        .iter()
        .filter_map(|(case, of_a)| {
            let of_b = page.record(b, case)?;
            Some(of_b.score(&comparison.metric)? - of_a.score(&comparison.metric)?)
        })
        .collect();
    differences.sort_by(f64::total_cmp);
    differences
}

fn figure(page: &Page<'_>, comparison: &Comparison, differences: &[f64]) -> Markup {
    let (ex, lang) = (&page.words.ex, page.lang);
    let number = |n: usize| count(n as u64, lang);
    let higher = differences.iter().filter(|by| **by > 0.0).count();
    let lower = differences.iter().filter(|by| **by < 0.0).count();
    let equal = differences.len() - higher - lower;
    let mut label = format!(
        "{}: {} {higher}, {} {equal}, {} {lower}",
        comparison.title(lang),
        ex.higher,
        ex.equal,
        ex.lower,
    );
    if let Some(by) = comparison.difference {
        let _ = write!(label, "; {} {}", page.words.difference, difference(by, lang));
    }
    if let Some(interval) = comparison.interval {
        let _ = write!(label, ", {}", range(interval, lang));
    }
    html! {
        figure {
            figcaption { b { (comparison.title(lang)) } }
            svg.small-plot viewBox="0 0 220 80" role="img" aria-label=(label) {
                @if let Some([low, high]) = comparison.interval {
                    rect.band x="0" width="220" y=(at(y(high))) height=(at((y(low) - y(high)).max(0.5))) {}
                }
                path.fall d=(area(differences, |by| by.min(0.0))) {}
                path.rise d=(area(differences, |by| by.max(0.0))) {}
                line.zero-line x1="0" x2="220" y1=(at(y(0.0))) y2=(at(y(0.0))) {}
                @if let Some(by) = comparison.difference {
                    line.mean-line x1="0" x2="220" y1=(at(y(by))) y2=(at(y(by))) {}
                }
                @for (value, text) in [(1.0, "+1"), (-1.0, "−1")] {
                    text.axis-text x="1" y=(at(y(value) + if value > 0.0 { 7.0 } else { 0.0 })) { (text) }
                }
            }
            p.figures {
                span { (said(&comparison.b.system)) ":" }
                span { (ex.higher) " " (number(higher)) }
                span { (ex.equal) " " (number(equal)) }
                span { (ex.lower) " " (number(lower)) }
            }
        }
    }
}

/// The height of a difference between -1 and 1.
fn y(by: f64) -> f64 {
    HEIGHT / 2.0 - by.clamp(-1.0, 1.0) * (HEIGHT / 2.0 - 2.0)
}

/// A staircase from zero over the sorted differences.
fn area(differences: &[f64], side: impl Fn(f64) -> f64) -> String {
    let steps = differences.len().min(STEPS);
    let width = WIDTH / steps as f64;
    let mut path = format!("M0 {}", at(y(0.0)));
    let mut last = 0.0;
    for step in 0..steps {
        // The case in the middle of the step stands for it.
        let case = (2 * step + 1) * differences.len() / (2 * steps);
        let by = side(differences[case]);
        if step == 0 || (by - last).abs() > f64::EPSILON {
            let _ = write!(path, "H{}V{}", at(step as f64 * width), at(y(by)));
        }
        last = by;
    }
    let _ = write!(path, "H{}V{}z", at(WIDTH), at(y(0.0)));
    path
}
