//! Records in which every field holds a word of its own, replies made of such words, and what each
//! call group may see of them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::endpoint::Request;

/// The four RAGAS-style metrics and question coverage.
pub(crate) const ALL: &str =
    "faithfulness,answer_relevancy,context_precision,context_recall,question_coverage";

/// Words that stand nowhere but in one field each.
pub(crate) struct Marks {
    pub(crate) lang: &'static str,
    pub(crate) question: &'static str,
    pub(crate) answer: &'static str,
    pub(crate) reference: [&'static str; 2],
    pub(crate) contexts: [&'static str; 3],
    pub(crate) claims: [&'static str; 3],
    pub(crate) parts: [&'static str; 2],
    pub(crate) implied: &'static str,
}

pub(crate) const ENGLISH: Marks = Marks {
    lang: "en",
    question: "quibblax",
    answer: "ansorple",
    reference: ["refundle", "refostic"],
    contexts: ["contavo", "contebri", "contimux"],
    claims: ["clamorix", "clemuto", "climboza"],
    parts: ["partanel", "portuxin"],
    implied: "implodra",
};

pub(crate) const RUSSIAN: Marks = Marks {
    lang: "ru",
    question: "вопрундель",
    answer: "отвержабль",
    reference: ["эталмыш", "эталгунь"],
    contexts: ["контрямба", "контрюмша", "контрыжик"],
    claims: ["утверблюд", "утвержук", "утверзайка"],
    parts: ["частюля", "частогор"],
    implied: "обратюшка",
};

/// Names that no judge may see, in any language.
pub(crate) const NAMES: [&str; 5] =
    ["sysnomicon", "recidarium", "ctxidalpha", "ctxidbeta", "ctxidgamma"];

impl Marks {
    /// Those of a language.
    pub(crate) fn of(lang: &str) -> Self {
        if lang == "ru" { RUSSIAN } else { ENGLISH }
    }

    /// A record with these marks, its contexts in this order of ranks.
    pub(crate) fn record(&self, system: &str, ranks: [usize; 3]) -> String {
        let contexts: Vec<Value> = ranks
            .iter()
            .map(|&at| {
                let text = match self.lang {
                    "ru" => format!("В этом тексте речь идёт о {}.", self.contexts[at]),
                    _ => format!("This text is about a {}.", self.contexts[at]),
                };
                json!({ "id": NAMES[at + 2], "text": text })
            })
            .collect();
        let [one, two] = self.reference;
        let (question, answer, reference) = match self.lang {
            "ru" => (
                format!("Что такое {} и где это?", self.question),
                format!("Это {}, и оно здесь.", self.answer),
                format!("Верно здесь {one}. Ещё верно {two}."),
            ),
            _ => (
                format!("What is a {} and where?", self.question),
                format!("It is the {}, and it is here.", self.answer),
                format!("Right is {one} here. Right is also {two}."),
            ),
        };
        let row = json!({
            "id": NAMES[1], "system": system, "question": question, "answer": answer,
            "contexts": contexts, "reference": reference,
        });
        format!("{row}\n")
    }

    /// Marks by the field they stand in.
    pub(crate) fn fields(&self) -> Vec<(&'static str, &'static str)> {
        let mut fields = vec![("question", self.question), ("answer", self.answer)];
        fields.extend(self.reference.map(|mark| ("reference", mark)));
        fields.extend(self.contexts.map(|mark| ("contexts", mark)));
        fields.extend(self.claims.map(|mark| ("claims", mark)));
        fields.extend(self.parts.map(|mark| ("parts", mark)));
        fields.push(("implied", self.implied));
        fields
    }

    /// A good reply to any group, made of these marks and of the ids shown.
    pub(crate) fn reply(&self, request: &Request) -> Value {
        let ids = |tag: &str| 1..=request.tagged(tag).len();
        let claims: Vec<Value> =
            self.claims.iter().map(|mark| json!({ "text": mark, "span": self.answer })).collect();
        let verdicts: Vec<Value> = ids("claim")
            .map(|id| json!({ "claim": id, "quote": "", "contexts": [1], "verdict": "supported" }))
            .collect();
        let sentences: Vec<Value> = ids("sentence")
            .map(|id| json!({ "sentence": id, "contexts": [1], "attributable": true }))
            .collect();
        let useful: Vec<Value> =
            ids("context").map(|id| json!({ "context": id, "useful": true })).collect();
        let answered: Vec<Value> =
            ids("part").map(|id| json!({ "part": id, "answered": true })).collect();
        match request.group().trim_start_matches("split_") {
            "extract" => json!({ "kind": "answered", "claims": claims }),
            "claims" => json!({ "claims": claims }),
            "refusal" => json!({ "kind": "answered" }),
            "verify" => json!({ "verdicts": verdicts }),
            "invert" => json!({ "noncommittal": false, "questions": [self.implied] }),
            "question_side" => json!({ "sentences": sentences, "contexts": useful }),
            "attribution" => json!({ "sentences": sentences }),
            "useful" => json!({ "reason": "", "useful": true }),
            "parts" => json!({ "parts": self.parts }),
            "coverage" => json!({ "parts": answered }),
            other => panic!("no such group: {other}"),
        }
    }
}

/// What each group may see, as the design says it, and what it must see.
pub(crate) fn visible(group: &str) -> &'static [&'static str] {
    match group {
        "extract" | "split_claims" | "split_refusal" => &["answer", "question"],
        "verify" | "split_verify" => &["claims", "contexts"],
        "invert" | "split_invert" => &["answer"],
        "question_side" | "attribution" | "split_attribution" | "useful" | "split_useful" => {
            &["contexts", "question", "reference"]
        }
        "parts" | "split_parts" => &["question"],
        "coverage" | "split_coverage" => &["answer", "parts"],
        other => panic!("no such group: {other}"),
    }
}

pub(crate) fn check_visibility(marks: &Marks, request: &Request) {
    let fields = marks.fields();
    let shown: BTreeSet<&str> = (fields.iter())
        .filter(|(_, mark)| request.body.contains(mark))
        .map(|(field, _)| *field)
        .collect();
    let may: BTreeSet<&str> = visible(&request.group()).iter().copied().collect();
    assert_eq!(shown, may, "{} {}", request.group(), request.body);
    for name in NAMES {
        assert!(!request.body.contains(name), "{} shows {name}", request.group());
    }
    if request.group().ends_with("useful") {
        let contexts = marks.contexts.iter().filter(|mark| request.body.contains(**mark)).count();
        assert_eq!(contexts, 1, "one context a call");
    }
}

/// Longest run of Latin words that follow each other in a text.
pub(crate) fn latin_run(text: &str) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for word in text.split_whitespace() {
        let word = word.trim_matches(|c: char| c.is_ascii_punctuation() || "«»—".contains(c));
        let latin = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic());
        run = if latin { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

pub(crate) fn check_language(marks: &Marks, request: &Request) {
    assert!(!request.body.contains("\\u"), "letters are escaped: {}", request.body);
    let messages = request.json["messages"].as_array().into_iter().flatten();
    for content in messages.filter_map(|message| message["content"].as_str()) {
        let russian = content.chars().any(|c| ('а'..='я').contains(&c));
        if marks.lang == "ru" {
            let run = latin_run(content);
            assert!(run < 3, "{} has {run} English words on end: {content}", request.group());
        } else {
            assert!(!russian, "{} is not English: {content}", request.group());
        }
    }
}
