//! Metrics against each other, within each system.

use std::fmt::Write;

use maud::{Markup, html};

use super::plot::at;
use super::{Page, said};
use crate::number::{count, decimal};
use crate::relation::{Relation, relations};

/// Up to this many records each one is a point; more are fields of a grid.
const POINTS: usize = 400;
/// Fields of the grid each way: 0, the tenths, 1.
const FIELDS: usize = 12;
/// How far a point may be moved each way.
const JITTER: f64 = 0.02;

const SIZE: f64 = 120.0;
const MARGIN: f64 = 6.0;

pub(super) fn section(page: &Page<'_>) -> Markup {
    let ex = &page.words.ex;
    let all = relations(page.run);
    let as_points = all.iter().any(|relation| relation.n <= POINTS && relation.n > 0);
    let as_grid = all.iter().any(|relation| relation.n > POINTS);
    html! {
        @if !all.is_empty() {
            section #relations {
                h2 { (ex.relations) }
                p.lead {
                    (ex.relations_lead)
                    @if as_points { " " (ex.jitter) }
                    @if as_grid { " " (ex.heat) }
                }
                @for (index, system) in page.run.systems.iter().enumerate() {
                    details.fold open[index == 0] {
                        summary { h3 { (said(&system.name)) } }
                        div.plots.square {
                            @for one in all.iter().filter(|one| one.n > 0 && one.system == system.name) {
                                (figure(page, one))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn figure(page: &Page<'_>, one: &Relation) -> Markup {
    let (x, y) = (page.title_of(&one.x), page.title_of(&one.y));
    let rho = one.spearman.map(|rho| decimal(rho, 2, page.lang));
    let n = count(one.n as u64, page.lang);
    let said = match &rho {
        Some(rho) => format!("ρ = {rho}"),
        None => page.words.ex.no_spearman.to_owned(),
    };
    let label = format!("{}: {y} / {x}; {said}; n = {n}", one.system);
    html! {
        figure {
            svg.square-plot viewBox="0 0 120 120" role="img" aria-label=(label) {
                rect.frame x="2" y="2" width="116" height="116" {}
                @if one.n <= POINTS { path.points.soft d=(points(one)) stroke-width="5" {} }
                @else { (grid(one)) }
            }
            figcaption {
                span.axis-name { "↑ " (y) }
                span.axis-name { "→ " (x) }
            }
            p.figures {
                @match rho {
                    Some(rho) => span { "ρ\u{a0}=\u{a0}" b { (rho) } },
                    None => span { (page.words.ex.no_spearman) },
                }
                span.n { "n\u{a0}=\u{a0}" (n) }
            }
        }
    }
}

fn points(one: &Relation) -> String {
    let place = |value: f64| MARGIN + value * (SIZE - 2.0 * MARGIN);
    // Steps that fill an interval evenly, the same on every page: no draw is needed.
    let shift = |index: usize, step: f64| ((index as f64 * step).fract() - 0.5) * 2.0 * JITTER;
    let mut path = String::new();
    for (index, (x, y)) in one.points.iter().enumerate() {
        let x = place(x + shift(index, 0.754_877_67));
        let y = SIZE - place(y + shift(index, 0.569_840_29));
        let _ = write!(path, "M{} {}h0", at(x), at(y));
    }
    path
}

fn grid(one: &Relation) -> Markup {
    let field = |value: f64| match value {
        v if v <= 0.0 => 0,
        v if v >= 1.0 => FIELDS - 1,
        v => 1 + ((v * 10.0) as usize).min(9),
    };
    let mut counts = [[0_usize; FIELDS]; FIELDS];
    for (x, y) in &one.points {
        counts[field(*y)][field(*x)] += 1;
    }
    let most = counts.iter().flatten().copied().max().unwrap_or(1).max(1) as f64;
    let side = (SIZE - 6.0) / FIELDS as f64;
    html! {
        @for (row, counts) in counts.iter().enumerate() {
            @for (column, n) in counts.iter().enumerate().filter(|(_, n)| **n > 0) {
                rect.field x=(at(3.0 + column as f64 * side))
                    y=(at(SIZE - 3.0 - (row + 1) as f64 * side))
                    width=(at(side - 0.6)) height=(at(side - 0.6))
                    // The root keeps rare fields in sight beside a crowded one.
                    fill-opacity=(at_two((*n as f64 / most).sqrt().max(0.08))) {}
            }
        }
    }
}

fn at_two(value: f64) -> String {
    format!("{value:.2}")
}
