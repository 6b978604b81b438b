//! How the scores lie: one small plot for each metric and system.

use std::fmt::Write;

use maud::{Markup, html};

use super::plot::at;
use super::{Page, said};
use crate::MetricInfo;
use crate::distribution::{BINS, Distribution, distributions};
use crate::number::{count, score};

/// Up to this many scores on top of each other each one is a dot; more are bars.
const STACKED: usize = 14;

const WIDTH: f64 = 220.0;
const HEIGHT: f64 = 54.0;
const MARGIN: f64 = 10.0;

pub(super) fn section(page: &Page<'_>) -> Markup {
    let ex = &page.words.ex;
    let all = distributions(page.run);
    let systems = page.run.systems.len();
    let metrics: Vec<(&MetricInfo, &[Distribution])> =
        page.run.metrics.iter().zip(all.chunks(systems.max(1))).collect();
    html! {
        section #distributions {
            h2 { (ex.distributions) }
            p.lead { (ex.distributions_lead) }
            @for (metric, of_metric) in metrics.iter().filter(|(metric, _)| !metric.companion) {
                div.multiples {
                    h3 { (page.title(metric)) }
                    @let as_dots = of_metric.iter().all(|one| tallest(&columns(one)) <= STACKED);
                    div.plots {
                        @for one in *of_metric { (figure(page, metric, one, of_metric, as_dots)) }
                    }
                }
            }
        }
    }
}

fn figure(
    page: &Page<'_>,
    metric: &MetricInfo,
    one: &Distribution,
    all: &[Distribution],
    as_dots: bool,
) -> Markup {
    let (ex, lang) = (&page.words.ex, page.lang);
    let number = |n: usize| count(n as u64, lang);
    html! {
        figure {
            figcaption {
                b { (said(&one.system)) }
                span.n { "n\u{a0}=\u{a0}" (number(one.n)) }
            }
            @if let Some([low, median, high]) = one.quartiles {
                @let label = format!(
                    "{}, {}: {} {}, {} {} – {}", page.title(metric), one.system, ex.median,
                    score(median, lang), ex.quartiles, score(low, lang), score(high, lang),
                );
                @if as_dots { (dots(one, &label)) } @else { (bars(one, all, &label)) }
                p.figures {
                    span { (ex.median) " " (score(median, lang)) }
                    span { (ex.quartiles) " " (score(low, lang)) " – " (score(high, lang)) }
                    @if one.bins[0] > 0 { span { (ex.exactly) " 0: " (number(one.bins[0])) } }
                    @if one.bins[BINS - 1] > 0 {
                        span { (ex.exactly) " 1: " (number(one.bins[BINS - 1])) }
                    }
                    span { (ex.distinct) ": " (number(one.distinct)) }
                }
            } @else {
                p.none { (page.words.no_score) }
            }
        }
    }
}

fn frame(label: &str, median: Option<f64>, inside: &Markup) -> Markup {
    html! {
        svg.small-plot viewBox="0 0 220 71" role="img" aria-label=(label) {
            line.track x1="4" x2="216" y1=(at(HEIGHT)) y2=(at(HEIGHT)) {}
            (inside)
            @if let Some(median) = median {
                path.median d={ "M" (at(x(median))) " " (at(HEIGHT + 1.0)) "l-3.5 5h7z" } {}
            }
            @for (value, text) in [(0.0, "0"), (0.5, ".5"), (1.0, "1")] {
                text.axis-text x=(at(x(value))) y="70" text-anchor="middle" { (text) }
            }
        }
    }
}

fn x(value: f64) -> f64 {
    MARGIN + value * (WIDTH - 2.0 * MARGIN)
}

/// The column of dots that a score stands in: two scores nearer than a dot is wide share one.
fn column(value: f64) -> usize {
    (value * 40.0).round() as usize
}

fn columns(one: &Distribution) -> Vec<&[f64]> {
    one.values.chunk_by(|left, right| column(*left) == column(*right)).collect()
}

fn tallest(columns: &[&[f64]]) -> usize {
    columns.iter().map(|column| column.len()).max().unwrap_or(1)
}

/// One dot a score, equal ones on top of each other.
fn dots(one: &Distribution, label: &str) -> Markup {
    let groups = columns(one);
    let step = (46.0 / tallest(&groups) as f64).min(5.4);
    let radius = (step * 0.46).clamp(0.8, 2.5);
    let mut path = String::new();
    for group in groups {
        let column = column(group[0]) as f64 / 40.0;
        for rank in 0..group.len() {
            let y = HEIGHT - 1.0 - radius - rank as f64 * step;
            let _ = write!(path, "M{} {}h0", at(x(column)), at(y));
        }
    }
    let width = at(radius * 2.0);
    let inside = html! { path.points d=(path) stroke-width=(width) {} };
    frame(label, one.quartiles.map(|[_, median, _]| median), &inside)
}

/// Bars for 0, the tenths and 1; the height is a share of the scores, on one scale for a metric.
fn bars(one: &Distribution, all: &[Distribution], label: &str) -> Markup {
    let share = |of: &Distribution, bin: usize| of.bins[bin] as f64 / of.n.max(1) as f64;
    let highest = all
        .iter()
        .flat_map(|of| (0..BINS).map(move |bin| share(of, bin)))
        .fold(f64::MIN_POSITIVE, f64::max);
    let place = |bin: usize| match bin {
        0 => (x(0.0) - 9.0, 8.0),
        b if b == BINS - 1 => (x(1.0) + 1.0, 8.0),
        b => (x((b - 1) as f64 / 10.0) + 1.0, (WIDTH - 2.0 * MARGIN) / 10.0 - 2.0),
    };
    let inside = html! {
        @for bin in (0..BINS).filter(|bin| one.bins[*bin] > 0) {
            @let (left, width) = place(bin);
            @let height = (share(one, bin) / highest * 48.0).max(0.8);
            rect.column.end[bin == 0 || bin == BINS - 1] x=(at(left)) width=(at(width))
                y=(at(HEIGHT - height)) height=(at(height)) {}
        }
    };
    frame(label, one.quartiles.map(|[_, median, _]| median), &inside)
}
