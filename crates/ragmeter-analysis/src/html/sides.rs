//! One case of two systems side by side.

use maud::{Markup, html};

use super::cases::{Shown, headline_of};
use super::{Page, claims, contexts, facts, judged, outcomes, said};
use crate::chosen::record_mean;
use crate::diff::{Differences, differences};
use crate::number::score;
use crate::visible::visible;

/// The body of a case in which two systems are compared.
pub(super) fn body(page: &Page<'_>, names: [&str; 2], shown: [&Shown<'_>; 2]) -> Markup {
    let ex = &page.words.ex;
    let texts = shown.map(|shown| shown.record.record.answer.as_deref().unwrap_or_default());
    let both = texts.iter().all(|text| !text.trim().is_empty());
    let differing =
        if both { differences(texts[0], texts[1]) } else { Some(Differences::default()) };
    let too_long = differing.is_none();
    let found = differing.unwrap_or_default();
    let unlike = found.unlike && both;
    let [a, b] = if unlike { [Vec::new(), Vec::new()] } else { [found.a, found.b] };
    let marked = !a.is_empty() || !b.is_empty();
    html! {
        div.body {
            (headline_of(page, shown[0]))
            @if marked { p.key { ins { "abc" } " " span.quiet { (ex.differing) } } }
            @if unlike { p.quiet.small { (ex.unlike) } }
            @if too_long { p.quiet.small { (ex.too_long) } }
            div.columns.sides {
                @for (index, differing) in [a, b].iter().enumerate() {
                    div.side {
                        h4.name { (said(names[index])) }
                        (claims::answer(page, shown[index], differing))
                    }
                }
            }
            div.columns.sides {
                @for (index, shown) in shown.iter().enumerate() {
                    div.side {
                        h4.name { (said(names[index])) }
                        (facts::reference(page, shown))
                        (judged::sections(page, shown))
                        (contexts::contexts(page, shown))
                    }
                }
            }
            (outcomes::pair(page, names, shown.map(|shown| shown.record)))
        }
    }
}

/// The means of both, as they stand in the folded line.
pub(super) fn chips(page: &Page<'_>, names: [&str; 2], shown: [&Shown<'_>; 2]) -> Markup {
    html! {
        span.scores {
            @for (name, shown) in names.iter().zip(shown) {
                @let mean = record_mean(page.run, shown.record);
                span.chip.open {
                    (visible(name)) " "
                    b { @if let Some(mean) = mean { (score(mean, page.lang)) } @else { "–" } }
                }
            }
        }
    }
}
