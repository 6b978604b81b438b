use maud::{Markup, html};

use super::{Page, class, plot, said, sign, sorted};
use crate::number::{count, decimal, difference, p_value, range};
use crate::words;
use crate::{Comparison, Verdict};

/// Half-widths of the common scale, smallest first.
const LIMITS: [f64; 5] = [0.1, 0.25, 0.5, 0.75, 1.0];

pub(super) fn section(page: &Page<'_>) -> Markup {
    let limit = common_limit(&page.comparisons);
    let mut pairs: Vec<(String, String)> = Vec::new();
    for comparison in &page.comparisons {
        if !pairs.contains(&comparison.names()) {
            pairs.push(comparison.names());
        }
    }
    html! {
        section #differences {
            h2 { (page.words.differences) }
            p.lead { (page.words.differences_lead) }
            @for (index, pair) in pairs.iter().enumerate() {
                @let of_pair: Vec<&Comparison> = page.comparisons.iter()
                    .filter(|comparison| comparison.names() == *pair).collect();
                details.pair open[index == 0] {
                    summary {
                        span.name { b { (said(&pair.1)) } " − " b { (said(&pair.0)) } }
                        (tally(page, &of_pair))
                    }
                    (table(page, &of_pair, limit))
                    (sorted::plots(page, &of_pair))
                }
            }
        }
    }
}

/// One scale for all: the smallest of a few round ones that holds every interval.
fn common_limit(comparisons: &[Comparison]) -> f64 {
    let ends = comparisons.iter().flat_map(|comparison| {
        let interval = comparison.interval.into_iter().flatten();
        interval.chain(comparison.difference)
    });
    let widest = ends.fold(0.0_f64, |widest, end| widest.max(end.abs()));
    LIMITS.into_iter().find(|limit| widest <= *limit).unwrap_or(1.0)
}

/// How many metrics have each verdict, for reading without opening.
fn tally(page: &Page<'_>, comparisons: &[&Comparison]) -> Markup {
    let shown = [Verdict::Better, Verdict::Worse, Verdict::MissingCouldTurn];
    html! {
        span.tally {
            @for verdict in shown {
                @let n = comparisons.iter().filter(|c| c.verdict == verdict).count();
                @if n > 0 {
                    span.chip.(class(verdict)) {
                        (sign(verdict)) " " (words::verdict(verdict, page.lang)) ": " (n)
                    }
                }
            }
            @let open = comparisons.iter().filter(|c| !shown.contains(&c.verdict)).count();
            @if open > 0 {
                span.chip.open { (sign(Verdict::CannotTell)) " " (page.words.not_shown) ": " (open) }
            }
        }
    }
}

fn table(page: &Page<'_>, comparisons: &[&Comparison], limit: f64) -> Markup {
    let words = page.words;
    let (a, b) = comparisons.first().map(|comparison| comparison.names()).unwrap_or_default();
    let label = format!("{}: {b} − {a}", words.differences);
    html! {
        div.scroll tabindex="0" role="region" aria-label=(label) {
            table.rows {
                thead {
                    tr {
                        th scope="col" { (words.metric) }
                        th.plot-head scope="col" {
                            span.axis aria-hidden="true" {
                                span { (decimal(-limit, 2, page.lang)) }
                                span { "0" }
                                span { "+" (decimal(limit, 2, page.lang)) }
                            }
                            span.hidden { (words.interval) }
                        }
                        th scope="col" { (words.difference) }
                        th scope="col" { (words.p_corrected) }
                        th scope="col" { (words.pairs) }
                        th scope="col" { (words.bounds) }
                        th scope="col" { (words.verdict) }
                    }
                }
                tbody { @for comparison in comparisons { (row(page, comparison, limit)) } }
            }
        }
    }
}

fn row(page: &Page<'_>, comparison: &Comparison, limit: f64) -> Markup {
    let words = page.words;
    let lang = page.lang;
    let shown = comparison.p_holm.is_some_and(|p| p < crate::compare::ALPHA);
    let by = comparison.difference.map(|by| difference(by, lang));
    let interval = comparison.interval.map(|ends| range(ends, lang));
    let label = crate::sentence(comparison, lang);
    html! {
        tr {
            th scope="row" {
                (comparison.title(lang))
                @if !comparison.higher_is_better { small { (words.lower_is_better) } }
            }
            td.plot-cell {
                (plot::difference(
                    comparison.difference, comparison.interval, limit,
                    class(comparison.verdict), shown, &label,
                ))
            }
            td data-label=(words.difference) {
                @if let Some(by) = by { b { (by) } } @else { "–" }
                @if let Some(interval) = interval { small { (interval) } }
            }
            td data-label=(words.p_corrected) {
                @if let Some(p) = comparison.p_holm { (p_value(p, lang)) } @else { "–" }
            }
            td data-label=(words.pairs) { (counts(page, comparison)) }
            td data-label=(words.bounds) {
                @if comparison.scored.both == comparison.n_shared {
                    span.quiet { (words.all_scored) }
                } @else if let Some(bounds) = comparison.bounds {
                    (range(bounds, lang))
                } @else { "–" }
            }
            td.verdict data-label=(words.verdict) {
                span.chip.(class(comparison.verdict)) {
                    (sign(comparison.verdict)) " " (words::verdict(comparison.verdict, lang))
                }
            }
        }
    }
}

/// The 2×2 of scored and absent, as far as it is not empty.
fn counts(page: &Page<'_>, comparison: &Comparison) -> Markup {
    let words = page.words;
    let number = |n: usize| count(n as u64, page.lang);
    let scored = comparison.scored;
    let absent = [
        (format!("{} {}", words.only, comparison.a.system), scored.only_a),
        (format!("{} {}", words.only, comparison.b.system), scored.only_b),
        (words.neither.to_owned(), scored.neither),
    ];
    html! {
        (number(scored.both)) " / " (number(comparison.n_shared))
        @if scored.both < comparison.n_shared {
            small {
                @for (index, (label, n)) in absent.iter().filter(|(_, n)| *n > 0).enumerate() {
                    @if index > 0 { br; }
                    (label) ": " (number(*n))
                }
            }
        }
    }
}
