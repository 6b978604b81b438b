use ragmeter_core::Lang;
use ragmeter_stats::FEWEST_CLUSTERS;

use crate::number::{Noun, counted, decimal, difference, p_value, range};
use crate::{CasesFor, Comparison, Documents, Verdict};

/// One comparison in one plain sentence, with the numbers it rests on.
pub fn sentence(comparison: &Comparison, lang: Lang) -> String {
    let verdict = match lang {
        Lang::En => english(comparison),
        Lang::Ru => russian(comparison),
    };
    let mut parts = vec![verdict];
    parts.extend(ranking(comparison, lang));
    parts.extend(cases_needed(comparison, lang));
    parts.join(" ")
}

/// The comparisons in words: what is shown first, one sentence each.
///
/// Two systems get a sentence for each metric, the primary one first. Among more, what is not shown
/// is gathered into one sentence for each pair.
pub fn verdict_sentences(comparisons: &[Comparison], lang: Lang) -> Vec<String> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for comparison in comparisons {
        if !pairs.contains(&comparison.names()) {
            pairs.push(comparison.names());
        }
    }
    let mut sentences = Vec::new();
    for pair in &pairs {
        let mut of_pair: Vec<&Comparison> =
            comparisons.iter().filter(|comparison| comparison.names() == *pair).collect();
        of_pair.sort_by_key(|comparison| !comparison.primary);
        // What was asked of a margin or a primary metric deserves its own answer.
        let is_open = |comparison: &&Comparison| {
            comparison.verdict == Verdict::CannotTell
                && !comparison.primary
                && comparison.cases_needed.is_empty()
        };
        let (open, shown): (Vec<&Comparison>, Vec<&Comparison>) =
            of_pair.into_iter().partition(is_open);
        sentences.extend(shown.into_iter().map(|comparison| sentence(comparison, lang)));
        if pairs.len() == 1 || open.len() == 1 {
            sentences.extend(open.into_iter().map(|comparison| sentence(comparison, lang)));
        } else if !open.is_empty() {
            let titles = open.iter().map(|comparison| quoted(comparison.title(lang), lang));
            sentences.push(no_difference(pair, &joined(&titles.collect::<Vec<_>>(), lang), lang));
        }
    }
    sentences
}

/// What the verdicts are about and what they leave out, once for all of them.
pub fn footing(comparisons: &[Comparison], lang: Lang) -> Option<String> {
    let tested = comparisons.iter().find(|one| one.p.is_some());
    let first = tested.or_else(|| comparisons.iter().find(|one| one.n_other_question > 0))?;
    let of = first.clusters.map_or(String::new(), |clusters| {
        format!(" ({})", counted(clusters.documents, Noun::Document, lang))
    });
    let merged = first.clusters.filter(|clusters| clusters.merged > 0).map(|clusters| {
        let groups = counted(clusters.clusters, Noun::Cluster, lang);
        match lang {
            Lang::En => format!(
                " Cases on several documents join them: {groups}, no document in two of them."
            ),
            Lang::Ru => format!(
                " Примеры по нескольким документам объединяют их: {groups}, ни один документ не \
                 входит в две."
            ),
        }
    });
    let merged = merged.unwrap_or_default();
    let warning = comparisons.iter().find_map(|one| one.warning.as_ref());
    let warning = warning.map(|warning| match lang {
        Lang::En => format!(" Caution: {}.", warning.get(lang)),
        Lang::Ru => format!(" Осторожно: {}.", warning.get(lang)),
    });
    let said = match (first.population, lang) {
        (Documents::These, Lang::En) => format!(
            "This speaks of other questions about these documents{of}; it covers the sampling of \
             cases, not the judge's error.{merged}"
        ),
        (Documents::New, Lang::En) => format!(
            "This speaks of other documents of the same kind{of}: whole documents are the units; \
             it covers the sampling of documents and cases, not the judge's error.{merged}"
        ),
        (Documents::These, Lang::Ru) => format!(
            "Речь о других вопросах по этим же документам{of}; учтена случайность выбора примеров, \
             но не ошибки судьи.{merged}"
        ),
        (Documents::New, Lang::Ru) => format!(
            "Речь о других документах того же рода{of}: единица — документ целиком; учтена \
             случайность выбора документов и примеров, но не ошибки судьи.{merged}"
        ),
    };
    let other = comparisons.iter().map(|one| one.n_other_question).max().unwrap_or(0);
    let other = (other > 0).then(|| {
        let cases = counted(other, Noun::Case, lang);
        match lang {
            Lang::En => format!(
                " Left out: {cases} of which the two runs ask another question, or have another \
                 reference, under one id."
            ),
            Lang::Ru => format!(
                " Не учтено: {cases}, где под одним id в двух прогонах стоят разные вопросы или \
                 разные эталоны."
            ),
        }
    });
    Some(said + &warning.unwrap_or_default() + &other.unwrap_or_default())
}

/// AP at the smaller k and nDCG of nested systems.
fn ranking(comparison: &Comparison, lang: Lang) -> Option<String> {
    let nested = comparison.nested.as_ref()?;
    let (a, b) = comparison.names();
    let number = |value| decimal(value, 2, lang);
    let (ap_a, ap_b) = (number(nested.ap_a), number(nested.ap_b));
    let (ndcg_a, ndcg_b) = (number(nested.ndcg_a), number(nested.ndcg_b));
    let k = nested.k;
    Some(match lang {
        Lang::En => format!(
            "One list of contexts holds the other: on the first {k} average precision is {ap_a} \
             ({a}) and {ap_b} ({b}), nDCG of the whole lists {ndcg_a} and {ndcg_b}."
        ),
        Lang::Ru => format!(
            "Один список контекстов содержит другой: на первых {k} средняя точность {ap_a} ({a}) и \
             {ap_b} ({b}), nDCG списков целиком {ndcg_a} и {ndcg_b}."
        ),
    })
}

/// How many cases would do, where what was asked for is not shown.
fn cases_needed(comparison: &Comparison, lang: Lang) -> Option<String> {
    let shown = matches!(
        comparison.verdict,
        Verdict::Better | Verdict::Worse | Verdict::Equivalent | Verdict::MissingCouldTurn
    );
    let wanted = comparison.cases_needed.iter().filter(|needed| !shown || needed.aim == "width");
    let parts: Vec<String> = wanted.map(|needed| needed_for(needed, lang)).collect();
    if parts.is_empty() {
        return None;
    }
    let list = joined(&parts, lang);
    Some(match lang {
        Lang::En => format!("With this spread and 80\u{a0}% power it takes {list}."),
        Lang::Ru => format!("При таком разбросе и мощности 80\u{a0}% нужно {list}."),
    })
}

fn needed_for(needed: &CasesFor, lang: Lang) -> String {
    let cases = counted(needed.cases as usize, Noun::Case, lang);
    let cases = match needed.clusters {
        None => cases,
        Some(clusters) => {
            let clusters = counted(clusters as usize, Noun::Cluster, lang);
            match lang {
                Lang::En => format!("{cases} in {clusters} of documents"),
                Lang::Ru => format!("{cases} ({clusters} документов)"),
            }
        }
    };
    let aim = match (needed.aim, lang) {
        ("difference", Lang::En) => "to show a difference of the margin's size",
        ("difference", Lang::Ru) => "чтобы показать различие величиной с границу",
        ("equivalence", Lang::En) => "to show equivalence",
        ("equivalence", Lang::Ru) => "чтобы показать равноценность",
        (_, Lang::En) => "for an interval of that width",
        (_, Lang::Ru) => "для интервала такой ширины",
    };
    format!("{cases} {aim}")
}

fn margin(comparison: &Comparison, lang: Lang) -> String {
    let margin = comparison.margin.as_ref().map_or(0.0, |margin| margin.margin);
    let decimals = if (margin * 100.0).fract().abs() < 1e-9 { 2 } else { 3 };
    decimal(margin, decimals, lang)
}

/// "7 clusters of documents, at least 10 are needed".
fn documents(comparison: &Comparison, lang: Lang) -> String {
    let Some(clusters) = comparison.clusters else {
        return match lang {
            Lang::En => "the cases do not tell which document they were made from (`source`)",
            Lang::Ru => "в примерах не указано, по какому документу они составлены (`source`)",
        }
        .to_owned();
    };
    let found = counted(clusters.clusters, Noun::Cluster, lang);
    match lang {
        Lang::En => format!("{found} of documents, at least {FEWEST_CLUSTERS} are needed"),
        Lang::Ru => format!("{found} документов, нужно не меньше {FEWEST_CLUSTERS}"),
    }
}

fn no_difference((a, b): &(String, String), metrics: &str, lang: Lang) -> String {
    match lang {
        Lang::En => format!("No difference is shown between {a} and {b} in {metrics}."),
        Lang::Ru => format!("Между {a} и {b} различие не показано: {metrics}."),
    }
}

fn quoted(title: &str, lang: Lang) -> String {
    match lang {
        Lang::En => title.to_owned(),
        Lang::Ru => format!("«{title}»"),
    }
}

/// "a, b and c".
fn joined(parts: &[String], lang: Lang) -> String {
    let and = match lang {
        Lang::En => " and ",
        Lang::Ru => " и ",
    };
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{}{and}{last}", first.join(", ")),
    }
}

/// "+0.12 (95 % interval …; p = … ; 40 cases)".
fn figures(comparison: &Comparison, lang: Lang) -> String {
    let difference = difference(comparison.difference.unwrap_or(0.0), lang);
    let mut parts = Vec::new();
    if let Some(interval) = comparison.interval {
        let range = range(interval, lang);
        parts.push(match lang {
            Lang::En if comparison.n_tests > 1 => {
                format!("95\u{a0}% interval before correction {range}")
            }
            Lang::En => format!("95\u{a0}% interval {range}"),
            Lang::Ru if comparison.n_tests > 1 => {
                format!("95%\u{2011}ный интервал без поправки {range}")
            }
            Lang::Ru => format!("95%\u{2011}ный интервал {range}"),
        });
    }
    if let Some(p) = comparison.p_holm {
        let p = p_value(p, lang);
        parts.push(match lang {
            _ if comparison.n_tests <= 1 => p,
            Lang::En => format!("{p} after correction for {} comparisons", comparison.n_tests),
            Lang::Ru => {
                // Genitive after "на": "на 21 сравнение", "на 5 сравнений".
                let tests = counted(comparison.n_tests, Noun::Comparison, lang);
                format!("{p} с поправкой на {tests}")
            }
        });
    }
    parts.push(counted(comparison.scored.both, Noun::Case, lang));
    format!("{difference} ({})", parts.join("; "))
}

fn english(comparison: &Comparison) -> String {
    let (a, b) = comparison.names();
    let title = comparison.title(Lang::En);
    let figures = figures(comparison, Lang::En);
    match comparison.verdict {
        Verdict::Better => format!("{b} is better than {a} in {title}: {figures}."),
        Verdict::Worse => format!("{b} is worse than {a} in {title}: {figures}."),
        Verdict::Equivalent => format!(
            "{a} and {b} are equivalent in {title}: they differ by less than {}, {figures}.",
            margin(comparison, Lang::En)
        ),
        Verdict::NonInferior => format!(
            "{b} is not worse than {a} in {title} by {} or more: {figures}.",
            margin(comparison, Lang::En)
        ),
        Verdict::CannotTell => {
            format!("No difference is shown between {a} and {b} in {title}: {figures}.")
        }
        Verdict::TooFewDocuments => format!(
            "Nothing can be said about new documents for {a} and {b} in {title}: {}. Here {figures}.",
            documents(comparison, Lang::En)
        ),
        Verdict::NotComparable => format!(
            "{title} of {a} and of {b} are not compared, since the numbers mean different things: \
             the runs differ in {}.",
            comparison.mismatches.join(", ")
        ),
        Verdict::MissingCouldTurn => format!(
            "In {title} {b} differs from {a} where both have a score, {figures}, but the missing \
             scores could turn that: with them the difference lies anywhere from {}. No winner is \
             named.",
            range(comparison.bounds.unwrap_or([-1.0, 1.0]), Lang::En),
        ),
        Verdict::NoCommonScores => {
            format!("{a} and {b} have no case in which both have a score for {title}.")
        }
        Verdict::TooFewCases => format!(
            "Too few cases to tell {a} and {b} apart in {title}: {figures}; the smallest p that \
             they could give is {}{}.",
            decimal(comparison.smallest_p.unwrap_or(1.0), 4, Lang::En),
            if comparison.n_tests > 1 { ", before correction" } else { "" },
        ),
        Verdict::Nested => format!(
            "One of {a} and {b} retrieves everything that the other does and more, so {title} can \
             only rise with it: {figures}, reported and not tested.",
        ),
    }
}

fn russian(comparison: &Comparison) -> String {
    let (a, b) = comparison.names();
    let title = quoted(comparison.title(Lang::Ru), Lang::Ru);
    let figures = figures(comparison, Lang::Ru);
    match comparison.verdict {
        Verdict::Better => format!("{b} лучше, чем {a}, по метрике {title}: {figures}."),
        Verdict::Worse => format!("{b} хуже, чем {a}, по метрике {title}: {figures}."),
        Verdict::Equivalent => format!(
            "{a} и {b} равноценны по метрике {title}: различаются меньше чем на {}: {figures}.",
            margin(comparison, Lang::Ru)
        ),
        Verdict::NonInferior => format!(
            "{b} не хуже, чем {a}, по метрике {title} на {} или больше: {figures}.",
            margin(comparison, Lang::Ru)
        ),
        Verdict::CannotTell => {
            format!("Между {a} и {b} различие по метрике {title} не показано: {figures}.")
        }
        Verdict::TooFewDocuments => format!(
            "О новых документах по метрике {title} для {a} и {b} ничего сказать нельзя: {}. Здесь \
             {figures}.",
            documents(comparison, Lang::Ru)
        ),
        Verdict::NotComparable => format!(
            "По метрике {title} {a} и {b} не сравниваются: числа значат разное, прогоны различаются \
             настройками {}.",
            comparison.mismatches.join(", ")
        ),
        Verdict::MissingCouldTurn => format!(
            "По метрике {title} {b} отличается от {a} там, где оценены оба: {figures}. Но \
             недостающие оценки могли бы изменить вывод: с ними разность может быть любой {}. \
             Победитель не назван.",
            range(comparison.bounds.unwrap_or([-1.0, 1.0]), Lang::Ru),
        ),
        Verdict::NoCommonScores => {
            format!("Нет ни одного примера, где по метрике {title} оценены и {a}, и {b}.")
        }
        Verdict::TooFewCases => format!(
            "Слишком мало примеров, чтобы различить {a} и {b} по метрике {title}: {figures}; \
             наименьшее возможное при этом p равно {}{}.",
            decimal(comparison.smallest_p.unwrap_or(1.0), 4, Lang::Ru),
            if comparison.n_tests > 1 { ", без поправки" } else { "" },
        ),
        Verdict::Nested => format!(
            "Из {a} и {b} одна система находит всё, что находит другая, и ещё сверх того, поэтому \
             {title} у неё может быть только выше: {figures}; разность приведена, но не проверяется.",
        ),
    }
}
