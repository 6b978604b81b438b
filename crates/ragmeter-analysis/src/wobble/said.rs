use ragmeter_core::Lang;

use super::{FactWobble, MetricWobble, Wobble};
use crate::fact_names::fact_name;
use crate::number::{Noun, counted, decimal, score};
use crate::people::{Chapter, Grid};

/// Below this much of a kind's alpha its verdicts are called unsteady: Krippendorff's own bound
/// for tentative conclusions.
const STEADY: f64 = 0.667;

/// How steady the judge is, in words and tables.
pub fn wobble_sentences(wobble: &Wobble, judge: &str, lang: Lang) -> Chapter {
    let (cases, repeats) = (counted(wobble.n_cases, Noun::Case, lang), wobble.repeats);
    let n = wobble.n_records;
    let title = match lang {
        Lang::En => format!("How steady {judge} is"),
        Lang::Ru => format!("Насколько устойчив судья {judge}"),
    };
    let mut lines = vec![match lang {
        Lang::En => format!(
            "{judge} judged {n} records ({cases}) {repeats} times. Verdicts are compared on the same \
             claims and parts; scores come of judging everything anew, claims included."
        ),
        Lang::Ru => format!(
            "Судья {judge} оценил каждую запись раз: {repeats}; всего записей: {n} ({cases}). Вердикты \
             сравниваются на одних и тех же утверждениях и частях; оценки получены заново целиком, \
             вместе с выделением утверждений."
        ),
    }];
    lines.extend(wobble.facts.iter().map(|fact| of_fact(fact, lang)));
    lines.extend(wobble.metrics.iter().filter_map(|metric| of_metric(metric, lang)));
    lines.push(
        match lang {
            Lang::En => {
                "This is how far the judge agrees with itself, not how far it is right: \
                 `ragmeter people` says that."
            }
            Lang::Ru => {
                "Это согласие судьи с самим собой, а не его правота: о ней говорит \
                 `ragmeter people`."
            }
        }
        .to_owned(),
    );
    Chapter { title, lines, grids: vec![facts(wobble, lang), metrics(wobble, lang)] }
}

fn interval(ends: Option<[f64; 2]>, lang: Lang) -> String {
    match (ends, lang) {
        (Some([low, high]), Lang::En) => format!(" [{}, {}]", score(low, lang), score(high, lang)),
        (Some([low, high]), Lang::Ru) => format!(" [{}; {}]", score(low, lang), score(high, lang)),
        (None, _) => String::new(),
    }
}

fn of_fact(fact: &FactWobble, lang: Lang) -> String {
    let name = fact_name(&fact.fact, lang);
    let share = format!("{}\u{a0}%", decimal(fact.agreement * 100.0, 1, lang));
    let n = fact.n_units;
    match (fact.alpha, lang) {
        (Some(alpha), Lang::En) => {
            let verdict = if alpha < STEADY { "unsteady" } else { "steady" };
            let (alpha, ends) = (score(alpha, lang), interval(fact.interval, lang));
            format!(
                "{name}: {verdict}; two verdicts on one unit are equal in {share} of cases, \
                 Krippendorff's alpha is {alpha}{ends} ({n} units)."
            )
        }
        (Some(alpha), Lang::Ru) => {
            let verdict =
                if alpha < STEADY { "неустойчиво" } else { "устойчиво" };
            let (alpha, ends) = (score(alpha, lang), interval(fact.interval, lang));
            format!(
                "{name}: {verdict}; два вердикта об одном совпадают в {share} случаев, альфа \
                 Криппендорфа {alpha}{ends} (единиц: {n})."
            )
        }
        (None, Lang::En) => format!(
            "{name}: one label only in {n} units, so that agreement beyond chance can't be told."
        ),
        (None, Lang::Ru) => format!(
            "{name}: на всех единицах ({n}) одна и та же метка, согласие сверх случайного не \
             определить."
        ),
    }
}

fn of_metric(metric: &MetricWobble, lang: Lang) -> Option<String> {
    let difference = score(metric.difference?, lang);
    let ends = interval(metric.interval, lang);
    let (changed, n, id) = (metric.n_changed, metric.n, &metric.metric);
    Some(match lang {
        Lang::En => format!(
            "{id}: judged again, the score of a record moves by {difference}{ends} on average; it \
             changed in {changed} of {n} records."
        ),
        Lang::Ru => format!(
            "{id}: при повторе оценка записи меняется в среднем на {difference}{ends}; изменилась у \
             {changed} из {n} записей."
        ),
    })
}

fn or_dash(value: Option<f64>, ends: Option<[f64; 2]>, lang: Lang) -> String {
    value.map_or("–".to_owned(), |value| score(value, lang) + &interval(ends, lang))
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn facts(wobble: &Wobble, lang: Lang) -> Grid {
    let rows = wobble.facts.iter().map(|fact| {
        vec![
            fact.fact.clone(),
            fact.n_units.to_string(),
            fact.n_records.to_string(),
            fact.n_same.to_string(),
            score(fact.agreement, lang),
            or_dash(fact.alpha, fact.interval, lang),
        ]
    });
    Grid {
        caption: match lang {
            Lang::En => "Verdicts",
            Lang::Ru => "Вердикты",
        }
        .to_owned(),
        header: strings(&match lang {
            Lang::En => ["fact", "units", "records", "all the same", "agreement", "alpha"],
            Lang::Ru => ["факт", "единиц", "записей", "все одинаковы", "согласие", "альфа"],
        }),
        rows: rows.collect(),
    }
}

fn metrics(wobble: &Wobble, lang: Lang) -> Grid {
    let rows = wobble.metrics.iter().map(|metric| {
        vec![
            metric.metric.clone(),
            metric.n.to_string(),
            or_dash(metric.difference, metric.interval, lang),
            metric.n_changed.to_string(),
            metric.n_sometimes.to_string(),
        ]
    });
    Grid {
        caption: match lang {
            Lang::En => "Scores",
            Lang::Ru => "Оценки",
        }
        .to_owned(),
        header: strings(&match lang {
            Lang::En => ["metric", "records", "mean difference", "changed", "scored now and then"],
            Lang::Ru => {
                ["метрика", "записей", "средняя разница", "изменилось", "оценено не всегда"]
            }
        }),
        rows: rows.collect(),
    }
}
