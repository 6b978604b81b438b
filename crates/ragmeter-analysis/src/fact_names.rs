use ragmeter_core::Lang;

/// Names of facts that are verdicts, for reading.
const NAMES: [(&str, &str, &str); 22] = [
    ("refusal", "refusals", "отказы"),
    ("claim_support", "support of claims", "подтверждение утверждений"),
    (
        "claim_support_each",
        "support of claims by each context",
        "подтверждение утверждений каждым контекстом",
    ),
    ("claim_correct", "claims against the reference", "утверждения против эталона"),
    ("implied_questions", "evasive answers", "уклончивые ответы"),
    ("reference_support", "the reference in the contexts", "эталон в контекстах"),
    ("reference_support_each", "the reference in each context", "эталон в каждом контексте"),
    ("reference_covered", "the reference in the answer", "эталон в ответе"),
    ("context_useful_reference", "usefulness of contexts", "полезность контекстов"),
    (
        "context_useful_answer",
        "usefulness of contexts for the answer",
        "полезность контекстов для ответа",
    ),
    ("context_relevance", "relevance of contexts", "релевантность контекстов"),
    ("answerable", "whether contexts could answer", "достаточность контекстов"),
    ("question_coverage", "coverage of the question", "охват вопроса"),
    ("groundedness_grade", "grade of groundedness", "оценка обоснованности"),
    ("accuracy_grade", "grade of accuracy", "оценка точности"),
    ("relevance_grade", "grade of relevance", "оценка релевантности"),
    ("nugget_support", "nuggets in the answer", "ключевые факты в ответе"),
    ("topics_allowed", "topics kept to", "допустимость тем"),
    ("goal_reached", "goals reached", "достижение цели"),
    ("reference_goal_reached", "goals reached by the reference", "достижение цели по эталону"),
    ("sql_equivalent", "equivalence of queries", "равносильность запросов"),
    (
        "summary_answers",
        "questions that the summary answers",
        "вопросы, на которые отвечает пересказ",
    ),
];

/// The name of a kind of fact, or of a criterion, for reading.
pub(crate) fn fact_name(fact: &str, lang: Lang) -> String {
    if let Some(name) = fact.strip_prefix("criteria:") {
        return match lang {
            Lang::En => format!("criterion “{name}”"),
            Lang::Ru => format!("критерий «{name}»"),
        };
    }
    let found = NAMES.iter().find(|(known, _, _)| *known == fact);
    let name = found.map_or(fact, |(_, en, ru)| match lang {
        Lang::En => en,
        Lang::Ru => ru,
    });
    name.to_owned()
}
