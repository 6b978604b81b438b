use ragmeter_core::Lang;

use super::{Drift, FactDrift, MetricDrift};
use crate::fact_names::fact_name;
use crate::number::{Noun, counted, difference, p_value, range, score};
use crate::people::{Chapter, Grid};

/// What the other profile changes, in words and tables.
pub fn drift_sentences(drift: &Drift, lang: Lang) -> Chapter {
    let Drift { profile, other, n_records, n_facts, .. } = drift;
    let cases = counted(drift.n_cases, Noun::Case, lang);
    let mut lines = vec![match lang {
        Lang::En => format!(
            "{n_records} records ({cases}, {n_facts} verdicts) were judged in the profile `{other}` \
             too; differences are `{other}` less `{profile}`."
        ),
        Lang::Ru => format!(
            "Записей оценено ещё и в профиле `{other}`: {n_records} ({cases}, вердиктов: {n_facts}); \
             разности — `{other}` минус `{profile}`."
        ),
    }];
    lines.extend(drift.metrics.iter().map(|metric| of_metric(metric, lang)));
    lines.extend(drift.facts.iter().map(|fact| of_fact(fact, drift, lang)));
    lines.push(
        match lang {
            Lang::En => {
                "McNemar's test takes units for independent; those of one record are not quite, so \
                 its p is rather too small."
            }
            Lang::Ru => {
                "Критерий Макнемара считает единицы независимыми; единицы одной записи не вполне \
                 таковы, поэтому его p скорее занижено."
            }
        }
        .to_owned(),
    );
    Chapter {
        title: match lang {
            Lang::En => format!("Drift: {profile} and {other}"),
            Lang::Ru => format!("Расхождение профилей: {profile} и {other}"),
        },
        lines,
        grids: vec![metrics(drift, lang), facts(drift, lang)],
    }
}

fn of_metric(metric: &MetricDrift, lang: Lang) -> String {
    let (id, n) = (&metric.metric, metric.n);
    let Some(mean) = metric.difference else {
        return match lang {
            Lang::En => format!("{id}: no record is scored in both profiles."),
            Lang::Ru => format!("{id}: ни одна запись не оценена в обоих профилях."),
        };
    };
    let mean = difference(mean, lang);
    let ends = metric.interval.map(|ends| format!(" ({})", range(ends, lang))).unwrap_or_default();
    let p = metric.p.map(|p| format!(", {}", p_value(p, lang))).unwrap_or_default();
    match lang {
        Lang::En => format!("{id}: {mean}{ends}{p}, {n} records."),
        Lang::Ru => format!("{id}: {mean}{ends}{p}, записей: {n}."),
    }
}

fn of_fact(fact: &FactDrift, drift: &Drift, lang: Lang) -> String {
    let name = fact_name(&fact.fact, lang);
    let FactDrift { n, only_run, only_other, n_one_sided, .. } = fact;
    let p = p_value(fact.p, lang);
    let (profile, other) = (&drift.profile, &drift.other);
    let mut line = match lang {
        Lang::En => format!(
            "{name}: of {n} units, {only_run} are a yes in `{profile}` only, {only_other} in \
             `{other}` only (McNemar {p})"
        ),
        Lang::Ru => format!(
            "{name}: единиц: {n}; «да» только в `{profile}`: {only_run}, только в `{other}`: \
             {only_other} (Макнемар, {p})"
        ),
    };
    if *n_one_sided > 0 {
        line = match lang {
            Lang::En => format!("{line}; {n_one_sided} units are in one of the profiles only"),
            Lang::Ru => format!("{line}; есть только в одном из профилей: {n_one_sided}"),
        };
    }
    line + "."
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn metrics(drift: &Drift, lang: Lang) -> Grid {
    let dash = || "–".to_owned();
    let rows = drift.metrics.iter().map(|metric| {
        let mean = |at: usize| metric.means.map_or_else(dash, |means| score(means[at], lang));
        let [only_run, only_other] = metric.n_one_sided;
        vec![
            metric.metric.clone(),
            metric.n.to_string(),
            format!("{only_run} / {only_other}"),
            mean(0),
            mean(1),
            metric.difference.map_or_else(dash, |mean| difference(mean, lang)),
            metric.interval.map_or_else(dash, |ends| range(ends, lang)),
            metric.p.map_or_else(dash, |p| p_value(p, lang)),
        ]
    });
    let header: [&str; 8] = match lang {
        Lang::En => ["metric", "both", "one only", "PROFILE", "OTHER", "difference", "95 %", "p"],
        Lang::Ru => ["метрика", "в обоих", "в одном", "PROFILE", "OTHER", "разность", "95 %", "p"],
    };
    Grid { caption: String::new(), header: with_names(&header, drift), rows: rows.collect() }
}

fn facts(drift: &Drift, lang: Lang) -> Grid {
    let rows = drift.facts.iter().map(|fact| {
        let counts = [fact.n, fact.both, fact.only_run, fact.only_other, fact.neither];
        let mut row = vec![fact.fact.clone()];
        row.extend(counts.map(|count| count.to_string()));
        row.push(p_value(fact.p, lang));
        row
    });
    let header: [&str; 7] = match lang {
        Lang::En => ["fact", "units", "yes in both", "PROFILE", "OTHER", "in neither", "McNemar"],
        Lang::Ru => {
            ["факт", "единиц", "«да» в обоих", "PROFILE", "OTHER", "ни в одном", "Макнемар"]
        }
    };
    Grid { caption: String::new(), header: with_names(&header, drift), rows: rows.collect() }
}

/// The header with the profiles' names in their places.
fn with_names(header: &[&str], drift: &Drift) -> Vec<String> {
    let mut header = strings(header);
    for name in &mut header {
        match name.as_str() {
            "PROFILE" => name.clone_from(&drift.profile),
            "OTHER" => name.clone_from(&drift.other),
            _ => {}
        }
    }
    header
}
