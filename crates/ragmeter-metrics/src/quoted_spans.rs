use ragmeter_core::{CaseRun, Outcome, RecordFacts, UnitInterval};

use crate::{Definition, Takes, need};

pub(crate) const METRIC: Definition = Definition {
    id: "quoted_spans",
    title: ["Quoted spans", "Дословность цитат"],
    definition: [
        "Share of the answer's quotations (of 3 words or more) that stand in a context word for \
         word.",
        "Доля цитат в ответе (от трёх слов), которые дословно есть в каком-либо контексте.",
    ],
    card: include_str!("../cards/quoted_spans.md"),
    facts: &[],
    higher_is_better: true,
    companion_of: &[],
    takes: Takes::Nothing,
    score: |run, facts, _| need::merge(score(run, facts)),
};

/// Shorter quotations are names and titles, not evidence.
const FEWEST_WORDS: usize = 3;

/// How much of a quotation an explanation shows, in characters.
const SHOWN: usize = 60;

/// Opening marks with the marks that close them.
const MARKS: [(char, &[char]); 9] = [
    ('"', &['"']),
    ('\'', &['\'']),
    ('«', &['»']),
    ('“', &['”']),
    ('„', &['“', '”', '"']),
    ('‘', &['’']),
    ('‹', &['›']),
    ('「', &['」']),
    ('『', &['』']),
];

pub(crate) fn score(run: CaseRun<'_>, _: &RecordFacts) -> Result<Outcome, Outcome> {
    need::answer_field(run)?;
    let contexts = need::contexts(run)?;
    let answer = run.answer().unwrap_or_default();
    let spans: Vec<&str> = ragmeter_text::paragraphs(answer)
        .into_iter()
        .flat_map(|range| quotations(&answer[range]))
        .filter(|span| span.split_whitespace().count() >= FEWEST_WORDS)
        .collect();
    if spans.is_empty() {
        return Err(Outcome::not_applicable("the answer quotes nothing of 3 words or more"));
    }
    let sources: Vec<String> = contexts.iter().map(|context| folded(&context.text)).collect();
    let is_found = |span: &&str| {
        // A full stop inside the marks may be the answer's own.
        let span = folded(span.trim_end_matches(['.', ',', ';', ':', '!', '?', '…']));
        sources.iter().any(|source| source.contains(&span))
    };
    let (found, lost): (Vec<&str>, Vec<&str>) = spans.iter().copied().partition(is_found);
    let value = UnitInterval::share(found.len(), spans.len())
        .ok_or_else(|| Outcome::not_applicable("the answer quotes nothing of 3 words or more"))?;
    let mut explanation = format!("{} of {} quotations found", found.len(), spans.len());
    if !lost.is_empty() {
        let shown = |span: &&str| span.chars().take(SHOWN).collect::<String>();
        let lost: Vec<String> = lost.iter().map(shown).collect();
        explanation.push_str("; not found: ");
        explanation.push_str(&lost.join(" · "));
    }
    Ok(Outcome::scored(value, explanation))
}

/// A text as quotations are looked for: characters folded, any white space one space.
fn folded(text: &str) -> String {
    let folded = ragmeter_text::fold(text);
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What stands between quotation marks, outermost marks only, in order.
fn quotations(text: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        match closing(&chars, at) {
            Some(end) => {
                found.push(&text[chars[at].0 + chars[at].1.len_utf8()..chars[end].0]);
                at = end + 1;
            }
            None => at += 1,
        }
    }
    found
}

/// Where the quotation ends that opens at `at`, if one opens there and ends.
fn closing(chars: &[(usize, char)], at: usize) -> Option<usize> {
    let (_, opening) = chars[at];
    let (_, closers) = MARKS.iter().find(|(mark, _)| *mark == opening)?;
    // Straight marks do not say which way they face, and `'` and `’` are apostrophes as well:
    // words must stand inside, and none may go on outside.
    let before = |at: usize| at.checked_sub(1).map_or(' ', |at| chars[at].1);
    let after = |at: usize| chars.get(at + 1).map_or(' ', |(_, c)| *c);
    let straight = |mark: char| matches!(mark, '"' | '\'');
    if straight(opening) && (before(at).is_alphanumeric() || after(at).is_whitespace()) {
        return None;
    }
    let closes = |end: &usize| {
        let (_, mark) = chars[*end];
        let ambiguous = straight(mark) || mark == '’';
        closers.contains(&mark)
            && !(ambiguous && (before(*end).is_whitespace() || after(*end).is_alphanumeric()))
    };
    (at + 1..chars.len()).find(closes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_both_languages_are_quotations_and_apostrophes_are_not() {
        for (text, expected) in [
            ("It says \"a b c\" and “d e f”.", vec!["a b c", "d e f"]),
            ("Он сказал: «один два три», „четыре пять“.", vec!["один два три", "четыре пять"]),
            ("«снаружи „внутри слова“ снова»", vec!["снаружи „внутри слова“ снова"]),
            ("the dog's bowl isn't the cats' bowl, don't", vec![]),
            ("the dog’s bowl isn’t here", vec![]),
            ("It is 'the dog's own bowl' here", vec!["the dog's own bowl"]),
            ("‘it’s a fact here’", vec!["it’s a fact here"]),
            ("a 5\" disk and a 7\" disk", vec![]),
            ("an \"open one", vec![]),
        ] {
            assert_eq!(quotations(text), expected, "{text}");
        }
    }
}
