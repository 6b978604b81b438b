//! What systems and judge took.

use maud::{Markup, html};

use super::{Page, said};
use crate::cost::{Figure, SystemCost, costs};
use crate::number::{count, decimal};

/// What stands where nothing tells.
const UNKNOWN: &str = "?";

pub(super) fn section(page: &Page<'_>) -> Markup {
    let (words, ex, run) = (page.words, &page.words.ex, page.run);
    let numbers = [
        (words.calls_chat, run.calls.chat),
        (words.calls_embeddings, run.calls.embeddings),
        (words.from_store, run.calls.cached),
        (words.tokens_input, run.tokens.input),
        (words.tokens_cached, run.tokens.cached),
        (words.tokens_output, run.tokens.output),
    ];
    html! {
        section #cost {
            h2 { (ex.cost) }
            p.lead { (ex.cost_lead) }
            (systems(page))
            h3 { (ex.judge) }
            table.plain {
                tbody {
                    @for (name, number) in numbers {
                        tr {
                            th scope="row" { (name) }
                            td { (count(number, page.lang)) }
                        }
                    }
                    tr {
                        th scope="row" { (ex.money) }
                        td {
                            // Nothing billed is known to cost nothing; anything else is not known.
                            @if run.calls.chat + run.calls.embeddings == 0 { "0" } @else {
                                (UNKNOWN) " " span.quiet { (ex.judge_money) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn systems(page: &Page<'_>) -> Markup {
    let (words, ex) = (page.words, &page.words.ex);
    html! {
        div.scroll tabindex="0" role="region" aria-label=(ex.cost) {
            table.rows {
                thead {
                    tr {
                        th scope="col" { (words.system) }
                        th scope="col" { (words.records) }
                        th scope="col" { (ex.seconds) }
                        th scope="col" { (ex.tokens_in) }
                        th scope="col" { (ex.tokens_out) }
                        th scope="col" { (ex.money) }
                    }
                }
                tbody {
                    @for cost in costs(page.run) {
                        tr {
                            th scope="row" { (said(&cost.system)) }
                            td data-label=(words.records) {
                                (count(cost.n_records as u64, page.lang))
                            }
                            td data-label=(ex.seconds) { (seconds(page, &cost)) }
                            td data-label=(ex.tokens_in) {
                                (total(page, cost.figures.get("tokens_in").copied(), 0))
                            }
                            td data-label=(ex.tokens_out) {
                                (total(page, cost.figures.get("tokens_out").copied(), 0))
                            }
                            td data-label=(ex.money) {
                                @match cost.money() {
                                    Some((name, figure)) => {
                                        (total(page, Some(figure), 4)) small { code { (name) } }
                                    }
                                    None => (UNKNOWN),
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn seconds(page: &Page<'_>, cost: &SystemCost) -> Markup {
    let lang = page.lang;
    html! {
        @match cost.seconds {
            Some(seconds) => {
                b { (decimal(seconds.mean, 2, lang)) }
                small {
                    (page.words.ex.median) " " (decimal(seconds.median, 2, lang)) "; "
                    (page.words.ex.p95) " " (decimal(seconds.p95, 2, lang))
                    "; n\u{a0}=\u{a0}" (count(seconds.n as u64, lang))
                }
            }
            None => (UNKNOWN),
        }
    }
}

fn total(page: &Page<'_>, figure: Option<Figure>, decimals: usize) -> Markup {
    let lang = page.lang;
    html! {
        @match figure {
            Some(figure) => {
                @if decimals == 0 { b { (count(figure.total.round() as u64, lang)) } }
                @else { b { (decimal(figure.total, decimals, lang)) } }
                small {
                    (page.words.ex.total) "; n\u{a0}=\u{a0}" (count(figure.n as u64, lang))
                }
            }
            None => (UNKNOWN),
        }
    }
}
