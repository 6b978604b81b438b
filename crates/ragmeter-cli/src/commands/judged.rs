//! What was judged of a record, for reading: claims, contexts, the reference, nuggets, criteria.

use ragmeter_core::Lang;
use serde_json::Value;

/// The value of a fact that was had; null otherwise.
fn had<'a>(system: &'a Value, fact: &str) -> &'a Value {
    &system["facts"][fact]["Ok"]["value"]
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or("–").to_owned()
}

/// The list of a fact; empty if it was not had.
fn list<'a>(system: &'a Value, fact: &str) -> &'a [Value] {
    had(system, fact).as_array().map_or(&[], Vec::as_slice)
}

/// A grade, without decimals where it has none.
fn points(grade: &Value) -> String {
    grade["grade"].as_f64().map_or_else(|| "–".to_owned(), |grade| grade.to_string())
}

/// Numbers, from 1, of the places that hold this value.
fn places(row: &Value, wanted: &Value) -> Vec<String> {
    let row = row.as_array().into_iter().flatten().enumerate();
    row.filter(|(_, one)| *one == wanted).map(|(at, _)| (at + 1).to_string()).collect()
}

/// Every line, in the order of reading.
pub(super) fn lines(system: &Value, lang: Lang) -> Vec<String> {
    let mut lines = contexts(system, lang);
    lines.extend(claims(system, lang));
    lines.extend(reference(system, lang));
    lines.extend(nuggets(system, lang));
    lines.extend(criteria(system, lang));
    lines
}

fn contexts(system: &Value, lang: Lang) -> Vec<String> {
    let graded = list(system, "relevance").iter().enumerate();
    graded
        .map(|(rank, grade)| {
            let what = match lang {
                Lang::En => "relevance",
                Lang::Ru => "релевантность",
            };
            format!(
                "context {}  [{what} {}/3] {}",
                rank + 1,
                grade["grade"],
                text(&grade["reason"])
            )
        })
        .collect()
}

fn claims(system: &Value, lang: Lang) -> Vec<String> {
    let verdicts = had(system, "support");
    let mut lines = Vec::new();
    for (index, claim) in list(system, "claims").iter().enumerate() {
        let verdict = &verdicts[index];
        let quote = verdict["quote"].as_str().map(|q| format!(" ← «{q}»")).unwrap_or_default();
        let said = text(&verdict["support"]);
        lines.push(format!("claim      [{said}] {}{quote}", text(&claim["text"])));
        let more: Vec<String> = [
            by_reference(&had(system, "correct")[index], lang),
            alone(&had(system, "support_each")[index], lang),
            cause(&system["causes"][index], lang),
        ]
        .into_iter()
        .flatten()
        .collect();
        if !more.is_empty() {
            lines.push(format!("           {}", more.join(" · ")));
        }
    }
    lines
}

fn by_reference(checked: &Value, lang: Lang) -> Option<String> {
    let said = match (checked["support"].as_str()?, lang) {
        ("supported", Lang::En) => "right by the reference",
        ("supported", Lang::Ru) => "верно по эталону",
        ("contradicted", Lang::En) => "contradicts the reference",
        ("contradicted", Lang::Ru) => "противоречит эталону",
        (_, Lang::En) => "not in the reference",
        (_, Lang::Ru) => "нет в эталоне",
    };
    let quote = checked["quote"].as_str().map(|q| format!(" «{q}»")).unwrap_or_default();
    Some(format!("{said}{quote}"))
}

fn alone(row: &Value, lang: Lang) -> Option<String> {
    row.as_array()?;
    let ranks = places(row, &"supported".into());
    Some(match (ranks.is_empty(), lang) {
        (true, Lang::En) => "no context alone supports it".to_owned(),
        (true, Lang::Ru) => "ни один контекст сам по себе не подтверждает".to_owned(),
        (false, Lang::En) => format!("supported alone by context {}", ranks.join(", ")),
        (false, Lang::Ru) => format!("сам по себе подтверждает контекст {}", ranks.join(", ")),
    })
}

fn cause(cause: &Value, lang: Lang) -> Option<String> {
    let said = match (cause.as_str()?, lang) {
        ("generation", Lang::En) => "from generation",
        ("generation", Lang::Ru) => "из-за генерации",
        ("retrieval", Lang::En) => "from retrieval",
        ("retrieval", Lang::Ru) => "из-за поиска",
        (_, Lang::En) => "from the question",
        (_, Lang::Ru) => "из-за вопроса",
    };
    Some(said.to_owned())
}

/// What the reference claims: whether the answer says it, and which contexts do.
fn reference(system: &Value, lang: Lang) -> Vec<String> {
    let claims = list(system, "reference_claims").iter().enumerate();
    let (covered, each) = (had(system, "reference_covered"), had(system, "reference_support_each"));
    if covered.is_null() && each.is_null() {
        return Vec::new();
    }
    claims
        .map(|(index, claim)| {
            let mut parts = Vec::new();
            let answer = covered[index]["support"].as_str();
            parts.extend(answer.map(|support| match (support, lang) {
                ("supported", Lang::En) => "in the answer".to_owned(),
                ("supported", Lang::Ru) => "есть в ответе".to_owned(),
                ("contradicted", Lang::En) => "the answer says otherwise".to_owned(),
                ("contradicted", Lang::Ru) => "в ответе сказано другое".to_owned(),
                (_, Lang::En) => "not in the answer".to_owned(),
                (_, Lang::Ru) => "нет в ответе".to_owned(),
            }));
            let ranks = each[index].as_array().map(|_| places(&each[index], &true.into()));
            parts.extend(ranks.map(|ranks| match (ranks.is_empty(), lang) {
                (true, Lang::En) => "in no context".to_owned(),
                (true, Lang::Ru) => "ни в одном контексте".to_owned(),
                (false, Lang::En) => format!("in context {}", ranks.join(", ")),
                (false, Lang::Ru) => format!("в контексте {}", ranks.join(", ")),
            }));
            format!("reference  [{}] {}", parts.join(", "), text(claim))
        })
        .collect()
}

fn nuggets(system: &Value, lang: Lang) -> Vec<String> {
    let said = had(system, "nugget_support");
    let of = |(index, nugget): (usize, &Value)| {
        let support = match (said[index].as_str(), lang) {
            (None, _) => "–",
            (Some("support"), Lang::En) => "in the answer",
            (Some("support"), Lang::Ru) => "есть в ответе",
            (Some("partial_support"), Lang::En) => "in part",
            (Some("partial_support"), Lang::Ru) => "отчасти",
            (Some(_), Lang::En) => "not in the answer",
            (Some(_), Lang::Ru) => "нет в ответе",
        };
        let vital = match (nugget["vital"] == true, lang) {
            (true, Lang::En) => "vital, ",
            (true, Lang::Ru) => "важный, ",
            (false, _) => "",
        };
        format!("nugget     [{vital}{support}] {}", text(&nugget["text"]))
    };
    list(system, "nuggets").iter().enumerate().map(of).collect()
}

fn criteria(system: &Value, lang: Lang) -> Vec<String> {
    let criteria = system["facts"]["criteria"].as_object().into_iter().flatten();
    criteria
        .map(|(name, fact)| {
            let grade = &fact["Ok"]["value"];
            if grade.is_null() {
                return format!("criterion  {name}: {}", text(&fact["Err"]["detail"]));
            }
            let votes = grade["votes"].as_array().map_or(&[][..], Vec::as_slice);
            let said = if votes.len() > 1 {
                let votes: Vec<String> = votes.iter().map(ToString::to_string).collect();
                let of = match lang {
                    Lang::En => "votes",
                    Lang::Ru => "голоса",
                };
                format!(" ({of} {})", votes.join(", "))
            } else {
                String::new()
            };
            format!("criterion  [{}{said}] {name}: {}", points(grade), text(&grade["reason"]))
        })
        .collect()
}
