use ragmeter_core::Lang;

use crate::number::{Noun, counted, decimal, difference, p_value, range};
use crate::{Comparison, Verdict};

/// One comparison in one plain sentence, with the numbers it rests on.
pub fn sentence(comparison: &Comparison, lang: Lang) -> String {
    match lang {
        Lang::En => english(comparison),
        Lang::Ru => russian(comparison),
    }
}

/// The comparisons in words: what is shown first, one sentence each.
///
/// Two systems get a sentence for each metric. Among more, what is not shown is gathered into one
/// sentence for each pair.
pub fn verdict_sentences(comparisons: &[Comparison], lang: Lang) -> Vec<String> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for comparison in comparisons {
        if !pairs.contains(&comparison.names()) {
            pairs.push(comparison.names());
        }
    }
    let mut sentences = Vec::new();
    for pair in &pairs {
        let of_pair = || comparisons.iter().filter(|comparison| comparison.names() == *pair);
        let is_open = |comparison: &&Comparison| comparison.verdict == Verdict::CannotTell;
        let shown = of_pair().filter(|comparison| !is_open(comparison));
        sentences.extend(shown.map(|comparison| sentence(comparison, lang)));
        let open: Vec<&Comparison> = of_pair().filter(is_open).collect();
        if pairs.len() == 1 || open.len() == 1 {
            sentences.extend(open.into_iter().map(|comparison| sentence(comparison, lang)));
        } else if !open.is_empty() {
            let titles = open.iter().map(|comparison| quoted(comparison.title(lang), lang));
            sentences.push(no_difference(pair, &joined(&titles.collect::<Vec<_>>(), lang), lang));
        }
    }
    sentences
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
            Lang::En => format!("95\u{a0}% interval {range}"),
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
        Verdict::CannotTell => {
            format!("No difference is shown between {a} and {b} in {title}: {figures}.")
        }
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
        Verdict::CannotTell => {
            format!("Между {a} и {b} различие по метрике {title} не показано: {figures}.")
        }
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
