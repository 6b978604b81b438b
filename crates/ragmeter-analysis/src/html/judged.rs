//! Facts of one record beside claims and contexts: the reference's claims, entities, nuggets,
//! criteria.

use maud::{Markup, html};
use ragmeter_core::{Absence, Fact, Grade, NuggetSupport, Outcome};

use super::cases::Shown;
use super::claims::chip;
use super::facts::{absence, had, of, ratio, votes};
use super::{Page, outcomes};
use crate::explain;
use crate::number::points;
use crate::visible::visible;
use crate::words;

/// Every section that the record has facts for.
pub(super) fn sections(page: &Page<'_>, shown: &Shown<'_>) -> Markup {
    html! {
        (reference_claims(page, shown))
        (nuggets(page, shown))
        (entities(page, shown))
        (criteria(page, shown))
    }
}

/// The claims of the reference: which contexts hold each, and whether the answer says it.
fn reference_claims(page: &Page<'_>, shown: &Shown<'_>) -> Markup {
    let (judged, facts) = (&page.words.judged, &shown.record.facts);
    let claims = had(&facts.reference_claims).map_or(&[][..], Vec::as_slice);
    let each = had(&facts.reference_support_each);
    let covered = had(&facts.reference_covered);
    html! {
        @if !claims.is_empty() && (each.is_some() || covered.is_some()) {
            section.judged {
                h4 { (judged.reference_claims) }
                ol.units {
                    @for (index, claim) in claims.iter().enumerate() {
                        li {
                            span dir="auto" { (visible(claim)) } " "
                            @if let Some(checked) = covered.and_then(|all| all.get(index)) {
                                (chip(checked.support, words::by_answer(checked.support, page.lang)))
                                " "
                                @if let Some(quote) = &checked.quote {
                                    q.quiet.small dir="auto" { (visible(quote)) } " "
                                }
                            }
                            @if let Some(row) = each.and_then(|rows| rows.get(index)) {
                                (holding(page, row))
                            }
                        }
                    }
                }
                (votes(page, [of(&facts.reference_support_each), of(&facts.reference_covered)]))
            }
        }
        (absence(page, &facts.reference_claims))
        (absence(page, &facts.reference_support_each))
        (absence(page, &facts.reference_covered))
    }
}

fn holding(page: &Page<'_>, row: &[bool]) -> Markup {
    let judged = &page.words.judged;
    let ranks: Vec<String> = (row.iter().enumerate())
        .filter(|(_, holds)| **holds)
        .map(|(rank, _)| (rank + 1).to_string())
        .collect();
    html! {
        @if ranks.is_empty() {
            span.chip.absent { "? " (judged.in_no_context) }
        } @else {
            span.chip.supported { "✓ " (judged.in_contexts) " " (ranks.join(", ")) }
        }
    }
}

fn nuggets(page: &Page<'_>, shown: &Shown<'_>) -> Markup {
    let (judged, facts) = (&page.words.judged, &shown.record.facts);
    let nuggets = had(&facts.nuggets).map_or(&[][..], Vec::as_slice);
    let said = had(&facts.nugget_support);
    html! {
        @if !nuggets.is_empty() {
            section.judged {
                h4 { (judged.nuggets) }
                ul.units {
                    @for (index, nugget) in nuggets.iter().enumerate() {
                        li {
                            span dir="auto" { (visible(&nugget.text)) } " "
                            @if let Some(support) = said.and_then(|all| all.get(index)) {
                                (nugget_chip(page, *support)) " "
                            }
                            span.quiet.small {
                                (if nugget.vital { judged.vital } else { judged.minor })
                            }
                        }
                    }
                }
                (votes(page, [of(&facts.nugget_support)]))
            }
        }
        (absence(page, &facts.nuggets))
        (absence(page, &facts.nugget_support))
    }
}

fn nugget_chip(page: &Page<'_>, support: NuggetSupport) -> Markup {
    let (class, sign) = match support {
        NuggetSupport::Support => ("supported", "✓"),
        NuggetSupport::PartialSupport => ("absent", "~"),
        NuggetSupport::NotSupport => ("contradicted", "✗"),
    };
    html! { span.chip.(class) { (sign) " " (words::nugget(support, page.lang)) } }
}

/// The names and figures of the reference; which forms of a name are one is the metric's to say.
fn entities(page: &Page<'_>, shown: &Shown<'_>) -> Markup {
    let (words, facts) = (page.words, &shown.record.facts);
    let entities = had(&facts.reference_entities).map_or(&[][..], Vec::as_slice);
    let outcome = shown.record.outcomes.get("context_entity_recall");
    let missing = match outcome {
        Some(Outcome::Scored(scored)) => explain::missing_entities(&scored.explanation),
        _ => None,
    };
    html! {
        @if !entities.is_empty() {
            section.judged {
                h4 { (words.judged.entities) }
                ul.units {
                    @for entity in entities {
                        li {
                            span dir="auto" { (visible(entity)) } " "
                            @if let Some(missing) = &missing {
                                @if missing.contains(&entity.as_str()) {
                                    span.chip.absent { "? " (words.not_attributable) }
                                } @else {
                                    span.chip.supported { "✓ " (words.attributable) }
                                }
                            }
                        }
                    }
                }
            }
        }
        (absence(page, &facts.reference_entities))
        (absence(page, &facts.context_entities))
    }
}

fn criteria(page: &Page<'_>, shown: &Shown<'_>) -> Markup {
    let criteria = &shown.record.facts.criteria;
    html! {
        @if !criteria.is_empty() {
            section.judged {
                h4 { (page.words.judged.criteria) }
                ul.units {
                    @for (name, fact) in criteria { li { (criterion(page, shown, name, fact)) } }
                }
            }
        }
    }
}

fn criterion(
    page: &Page<'_>,
    shown: &Shown<'_>,
    name: &str,
    fact: &Result<Fact<Grade>, Absence>,
) -> Markup {
    let rests = |id: &str| id == name || id.rsplit_once(':').is_some_and(|(_, of)| of == name);
    let metric = page.run.metrics.iter().find(|metric| rests(&metric.id));
    let outcome = metric.and_then(|metric| shown.record.outcomes.get(&metric.id));
    let said = match (fact, outcome) {
        (Ok(fact), Some(Outcome::Scored(scored))) => {
            explain::yes_or_no(&scored.explanation, page.lang)
                .map_or_else(|| points(fact.value.grade, page.lang), str::to_owned)
        }
        (Ok(fact), _) => points(fact.value.grade, page.lang),
        (Err(_), _) => page.words.failed.to_owned(),
    };
    html! {
        (metric.map_or(name, |metric| page.title(metric))) " "
        span.chip.(metric.map_or("open", |metric| outcomes::level(metric, outcome))) { (said) }
        @match fact {
            Ok(Fact { value: grade, .. }) => {
                @if grade.votes.len() > 1 {
                    @let same = (grade.votes.iter())
                        .filter(|vote| (**vote as f64 - grade.grade).abs() < 0.5)
                        .count();
                    " " span.quiet.small {
                        (page.words.judged.votes_of) " " (ratio(same, grade.votes.len(), page.lang))
                    }
                }
                @if !grade.reason.is_empty() {
                    " " q.quiet.small dir="auto" { (visible(&grade.reason)) }
                }
            }
            Err(absence) => {
                " " span.bad.small {
                    (words::absence(absence.class, page.lang)) ": " (visible(&absence.detail))
                }
            }
        }
    }
}
