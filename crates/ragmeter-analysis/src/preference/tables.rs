//! Pairs and standings in tables.

use ragmeter_core::Lang;

use super::chapters::both;
use super::{PairPreference, PreferenceReport};
use crate::number::{decimal, score};
use crate::people::{Chapter, Grid};

fn strings<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn ends([low, high]: [f64; 2], lang: Lang) -> String {
    let separator = both(lang, ",", ";");
    format!("[{}{separator} {}]", score(low, lang), score(high, lang))
}

/// A row a pair.
pub(super) fn pairs(report: &PreferenceReport, lang: Lang) -> Grid {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    let p = |p: f64| {
        if p < 0.001 { format!("<{}", decimal(0.001, 3, lang)) } else { decimal(p, 3, lang) }
    };
    let row = |pair: &PairPreference| {
        let shares = pair.win_share.map(|share| score(share, lang));
        vec![
            pair.a.clone(),
            pair.b.clone(),
            pair.n.to_string(),
            pair.wins.to_string(),
            pair.losses.to_string(),
            pair.ties.to_string(),
            pair.ties_by_disagreement.to_string(),
            or_none(shares),
            or_none(pair.interval.map(|interval| ends(interval, lang))),
            or_none(pair.p.map(p)),
            or_none(pair.p_holm.map(p)),
            or_none(pair.position.share_first.map(|share| score(share, lang))),
        ]
    };
    let header = match lang {
        Lang::En => [
            "a",
            "b",
            "cases",
            "a won",
            "b won",
            "tied",
            "orders disagreed",
            "a's share",
            "95 %",
            "p",
            "p Holm",
            "named the first shown",
        ],
        Lang::Ru => [
            "a",
            "b",
            "примеров",
            "победы a",
            "победы b",
            "ничьи",
            "порядки разошлись",
            "доля a",
            "95 %",
            "p",
            "p Холма",
            "назван показанный первым",
        ],
    };
    Grid {
        caption: String::new(),
        header: strings(header),
        rows: report.pairs.iter().map(row).collect(),
    }
}

/// Strengths, intervals and ranks.
pub(super) fn strengths(report: &PreferenceReport, lang: Lang) -> Chapter {
    let lines = strings(match lang {
        Lang::En => [
            "The chance of being preferred to the average of these systems, by Bradley and Terry's \
             model: ties count as half a win for each side, and each pair has one tied case more, so \
             that a system that wins everything stays within bounds. Intervals are of a Bayesian \
             bootstrap over cases, or over documents where the numbers speak of new ones. Ranks are \
             what the corrected tests of pairs leave; systems that share a letter were not told apart.",
        ],
        Lang::Ru => {
            ["Вероятность того, что ответ системы предпочтут ответу средней из них, по модели \
             Брэдли — Терри: ничья — по половине победы каждой стороне, и к каждой паре добавлен \
             один пример с ничьей, чтобы оценка системы, победившей всегда, оставалась конечной. \
             Интервалы — байесовского бутстрепа по примерам, а если речь о новых документах — по \
             документам. Места — те, что оставляют критерии для пар с поправкой; системы с общей \
             буквой не различены."]
        }
    });
    let rows = report.strengths.iter().map(|one| {
        let ranks = one.ranks.map_or_else(
            || "–".to_owned(),
            |(best, worst)| {
                if best == worst { best.to_string() } else { format!("{best}–{worst}") }
            },
        );
        vec![
            one.system.clone(),
            score(one.win_probability, lang),
            ends(one.interval, lang),
            ranks,
            one.tied.clone().unwrap_or_else(|| "–".to_owned()),
        ]
    });
    let header = match lang {
        Lang::En => ["system", "preferred to the average", "95 %", "rank", "tied"],
        Lang::Ru => ["система", "лучше средней", "95 %", "место", "не различены"],
    };
    Chapter {
        title: both(lang, "Where the systems stand", "Расстановка систем").to_owned(),
        lines,
        grids: vec![Grid { caption: String::new(), header: strings(header), rows: rows.collect() }],
    }
}
