//! The report on people's word in words: the terminal and the page show the same chapters.

use ragmeter_core::{FactKind, Lang};

use super::{
    FEWEST_CLICKED, FEWEST_OF_EACH, LABELLED, MetricAndThumbs, PeopleReport, ThumbsOfSystem,
    vocabulary,
};
use crate::number::{Noun, counted, difference, p_value, range, score};

mod agreement;

/// One part of the report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chapter {
    /// Its heading.
    pub title: String,
    /// Sentences, each a paragraph.
    pub lines: Vec<String>,
    /// Tables after them.
    pub grids: Vec<Grid>,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// What it shows.
    pub caption: String,
    /// The header.
    pub header: Vec<String>,
    /// The rows, as long as the header.
    pub rows: Vec<Vec<String>>,
}

/// English and Russian of one text.
fn both<'a>(lang: Lang, en: &'a str, ru: &'a str) -> &'a str {
    match lang {
        Lang::En => en,
        Lang::Ru => ru,
    }
}

/// The name of a label of this kind of fact, for reading.
pub fn label_name(fact: &str, label: &str, lang: Lang) -> String {
    let kind = LABELLED.into_iter().find(|kind: &FactKind| kind.name() == fact);
    kind.and_then(vocabulary)
        .and_then(|all| all.index(label).map(|at| all.labels[at].get(lang).replace('_', " ")))
        .unwrap_or_else(|| label.to_owned())
}

/// "0.52 [0.31, 0.72]".
fn with_interval(value: Option<f64>, interval: Option<[f64; 2]>, lang: Lang) -> String {
    match (value, interval) {
        (Some(value), Some([low, high])) => {
            let [value, low, high] = [value, low, high].map(|number| score(number, lang));
            let separator = both(lang, ",", ";");
            format!("{value} [{low}{separator} {high}]")
        }
        (Some(value), None) => score(value, lang),
        (None, _) => "–".to_owned(),
    }
}

fn strings<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// The chapters of a report; none if nobody said anything.
pub fn chapters(report: &PeopleReport, lang: Lang) -> Vec<Chapter> {
    let mut chapters = Vec::new();
    if report.n_with_feedback + report.n_labelled == 0 {
        return chapters;
    }
    chapters.push(overview(report, lang));
    chapters.extend(report.facts.iter().map(|fact| agreement::chapter(fact, lang)));
    if !report.metrics.is_empty() {
        chapters.push(metrics(report, lang));
    }
    chapters.extend(report.thumbs.iter().map(|thumbs| clicked(report, thumbs, lang)));
    chapters
}

fn overview(report: &PeopleReport, lang: Lang) -> Chapter {
    let (records, feedback, labelled) =
        (report.n_records, report.n_with_feedback, report.n_labelled);
    let mut lines = vec![match lang {
        Lang::En => format!(
            "Of {records} records {feedback} have feedback from users and {labelled} have labels \
             from annotators."
        ),
        Lang::Ru => format!(
            "Всего записей: {records}; с отзывами пользователей: {feedback}; с метками \
             разметчиков: {labelled}."
        ),
    }];
    if !report.annotators.is_empty() {
        let policies: Vec<&str> =
            report.policies.iter().map(|(id, _)| id.get(..12).unwrap_or(id)).collect();
        lines.push(format!(
            "{}: {}. {}: {}.",
            both(lang, "Annotators", "Разметчики"),
            report.annotators.join(", "),
            both(lang, "Policy", "Правила разметки"),
            policies.join(", ")
        ));
    }
    Chapter {
        title: both(lang, "What people said", "Что сказали люди").to_owned(),
        lines,
        grids: Vec::new(),
    }
}

fn metrics(report: &PeopleReport, lang: Lang) -> Chapter {
    let signed = |value: Option<f64>, interval: Option<[f64; 2]>| match (value, interval) {
        (Some(value), Some(ends)) => {
            format!("{} [{}]", difference(value, lang), range(ends, lang))
        }
        (Some(value), None) => difference(value, lang),
        (None, _) => "–".to_owned(),
    };
    let rows = report.metrics.iter().map(|one| {
        vec![
            one.system.clone(),
            report.title(&one.metric, lang),
            one.n_people.to_string(),
            one.n_partly.to_string(),
            with_interval(one.people, one.people_interval, lang),
            with_interval(one.judge, None, lang),
            signed(one.difference, one.difference_interval),
            one.p.map_or_else(|| "–".to_owned(), |p| p_value(p, lang)),
        ]
    });
    let header = match lang {
        Lang::En => [
            "system",
            "metric",
            "records",
            "partly labelled",
            "by people",
            "by the judge",
            "people less judge",
            "p",
        ],
        Lang::Ru => [
            "система",
            "метрика",
            "записей",
            "размечены частично",
            "по людям",
            "по судье",
            "люди минус судья",
            "p",
        ],
    };
    Chapter {
        title: both(lang, "Metrics by people's labels", "Метрики по меткам людей").to_owned(),
        lines: strings(match lang {
            Lang::En => [
                "The record is the unit; a record counts once every unit of it has a label of most \
                 annotators, claims that the extractor missed among them. The difference is taken \
                 on records that both scored, with the paired sign-flip test, not corrected for \
                 several metrics.",
            ],
            Lang::Ru => {
                ["Единица счёта — запись; она учитывается, если у каждой её единицы есть метка \
                 большинства разметчиков, включая утверждения, пропущенные при выделении. Разность \
                 взята по записям с обеими оценками, проверена парным перестановочным критерием \
                 знаков, без поправки на число метрик."]
            }
        }),
        grids: vec![Grid { caption: String::new(), header: strings(header), rows: rows.collect() }],
    }
}

fn clicked(report: &PeopleReport, thumbs: &ThumbsOfSystem, lang: Lang) -> Chapter {
    let ThumbsOfSystem { n_records, n_clicked, n_up, n_down, n_split, n_rated, .. } = thumbs;
    let mut lines = vec![match lang {
        Lang::En => format!(
            "Thumbs up on {n_up} records, down on {n_down}, split evenly on {n_split}; ratings on \
             {n_rated}."
        ),
        Lang::Ru => format!(
            "Больше голосов «за» у записей: {n_up}, «против»: {n_down}, поровну: {n_split}; с \
             оценкой: {n_rated}."
        ),
    }];
    lines.push(match lang {
        Lang::En => format!(
            "Users clicked on {n_clicked} of {n_records} records. Those who click are not all \
             users: what is seen here holds among those who clicked, and says nothing of the rest."
        ),
        Lang::Ru => format!(
            "Пользователи отметили записей: {n_clicked} из {n_records}. Отмечают ответы не все: \
             сказанное здесь верно среди тех, кто отметил, и ничего не говорит об остальных."
        ),
    });
    if thumbs.metrics.iter().any(|one| one.refused == Some("few")) {
        lines.push(match lang {
            Lang::En => format!(
                "A correlation is given from {FEWEST_CLICKED} records with thumbs and a score on, \
                 with {FEWEST_OF_EACH} up and {FEWEST_OF_EACH} down at least; below that it would \
                 be chance."
            ),
            Lang::Ru => format!(
                "Корреляция приводится, если записей с отметкой и оценкой не меньше \
                 {FEWEST_CLICKED}, из них «за» и «против» не меньше чем по {FEWEST_OF_EACH}; иначе \
                 это была бы случайность."
            ),
        });
    }
    let said = |one: Option<super::Said>| {
        with_interval(one.map(|one| one.value), one.and_then(|one| one.interval), lang)
    };
    let row = |one: &MetricAndThumbs| {
        let or_why = |value: Option<super::Said>| match one.refused {
            Some("few") => both(lang, "too few", "мало данных").to_owned(),
            Some(_) => both(lang, "no variation", "нет разброса").to_owned(),
            None => said(value),
        };
        vec![
            report.title(&one.metric, lang),
            format!("{} / {}", one.n_up, one.n - one.n_up),
            with_interval(one.mean_up, None, lang),
            with_interval(one.mean_down, None, lang),
            or_why(one.point_biserial),
            or_why(one.auc),
            said(one.spearman),
        ]
    };
    let header = match lang {
        Lang::En => [
            "metric",
            "up / down",
            "mean where up",
            "mean where down",
            "point-biserial r",
            "AUC",
            "Spearman with ratings",
        ],
        Lang::Ru => [
            "метрика",
            "за / против",
            "среднее при «за»",
            "среднее при «против»",
            "точечно-бисериальная r",
            "AUC",
            "Спирмен с оценками",
        ],
    };
    let records = counted(*n_records, Noun::Case, lang);
    Chapter {
        title: format!(
            "{}: {} ({records})",
            both(lang, "Metrics and thumbs", "Метрики и отметки пользователей"),
            thumbs.system
        ),
        lines,
        grids: vec![Grid {
            caption: String::new(),
            header: strings(header),
            rows: thumbs.metrics.iter().map(row).collect(),
        }],
    }
}
