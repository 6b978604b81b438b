//! The report on pairs in words, then in tables.

use ragmeter_core::Lang;

use super::tables;
use super::{PairPreference, Position, PreferenceReport, PreferenceVerdict};
use crate::Documents;
use crate::number::{Noun, counted, decimal, p_value};
use crate::people::Chapter;

pub(super) fn both<'a>(lang: Lang, en: &'a str, ru: &'a str) -> &'a str {
    match lang {
        Lang::En => en,
        Lang::Ru => ru,
    }
}

fn percent(share: f64, lang: Lang) -> String {
    format!("{}\u{a0}%", decimal(100.0 * share, 0, lang))
}

/// What the pairs show, the judge's leaning to a place, and the standing of more than two systems.
pub fn preference_chapters(report: &PreferenceReport, lang: Lang) -> Vec<Chapter> {
    let mut lines: Vec<String> =
        report.pairs.iter().flat_map(|pair| pair_lines(pair, report.pairs.len(), lang)).collect();
    lines.extend(position_line(&report.position, lang));
    lines.extend(kin_line(report, lang));
    lines.push(footing(report, lang));
    let title = both(lang, "Whose answers are better", "Чьи ответы лучше").to_owned();
    let mut chapters = vec![Chapter { title, lines, grids: vec![tables::pairs(report, lang)] }];
    if !report.strengths.is_empty() {
        chapters.push(tables::strengths(report, lang));
    }
    chapters
}

/// The pair in a sentence, seen from the system that is preferred more often.
fn pair_lines(pair: &PairPreference, tests: usize, lang: Lang) -> Vec<String> {
    let turned = pair.losses > pair.wins;
    let (one, other) = if turned { (&pair.b, &pair.a) } else { (&pair.a, &pair.b) };
    let (won, lost) = if turned { (pair.losses, pair.wins) } else { (pair.wins, pair.losses) };
    let cases = counted(pair.n, Noun::Case, lang);
    let share = pair.win_share.map(|share| if turned { 1.0 - share } else { share });
    let interval = pair.interval.map(|[low, high]| {
        let [low, high] = if turned { [1.0 - high, 1.0 - low] } else { [low, high] };
        match lang {
            Lang::En => format!(" (95\u{a0}%: {} to {})", percent(low, lang), percent(high, lang)),
            Lang::Ru => {
                format!(" (95\u{a0}%: от {} до {})", percent(low, lang), percent(high, lang))
            }
        }
    });
    let p = pair.p_holm.map(|p| match (tests, lang) {
        (1, _) => format!(", {}", p_value(p, lang)),
        (_, Lang::En) => format!(", {} corrected over {tests} pairs", p_value(p, lang)),
        (_, Lang::Ru) => format!(", {} с поправкой на число пар ({tests})", p_value(p, lang)),
    });
    let share = share.map_or_else(String::new, |share| percent(share, lang));
    let share = format!("{share}{}{}", interval.unwrap_or_default(), p.unwrap_or_default());
    let ties = pair.ties;
    let numbers = match lang {
        Lang::En => format!(
            "of {cases} it won {won}, lost {lost}, tied {ties}; with ties as half that is {share}"
        ),
        Lang::Ru => format!(
            "всего {cases}: побед {won}, поражений {lost}, ничьих {ties}; если считать ничью за \
             половину — {share}"
        ),
    };
    let counts = match lang {
        Lang::En => format!("of {cases} {one} won {won}, {other} {lost}, tied {ties}; {share}"),
        Lang::Ru => {
            format!("всего {cases}: побед у {one} {won}, у {other} {lost}, ничьих {ties}; {share}")
        }
    };
    let missing = pair.missing();
    let said = match (pair.verdict, lang) {
        (PreferenceVerdict::A | PreferenceVerdict::B, Lang::En) => {
            format!("{one} answers better than {other}: {numbers}.")
        }
        (PreferenceVerdict::A | PreferenceVerdict::B, Lang::Ru) => {
            format!("{one} отвечает лучше, чем {other}: {numbers}.")
        }
        (PreferenceVerdict::CannotTell, Lang::En) => {
            format!("No difference is shown between {one} and {other}: {counts}.")
        }
        (PreferenceVerdict::CannotTell, Lang::Ru) => {
            format!("Разница между {one} и {other} не показана: {counts}.")
        }
        (PreferenceVerdict::TooFewDecided, Lang::En) => format!(
            "Too few cases are decided to show anything between {one} and {other}: {counts}. Even \
             if all of them had gone one way, p would not be below 0.05."
        ),
        (PreferenceVerdict::TooFewDecided, Lang::Ru) => format!(
            "Решённых примеров слишком мало, чтобы показать разницу между {one} и {other}: \
             {counts}. Даже если бы все они решились в одну сторону, p не было бы меньше 0,05."
        ),
        (PreferenceVerdict::MissingCouldTurn, Lang::En) => format!(
            "{one} won more often than {other}, but cases without a verdict ({missing}) could \
             turn it: {counts}."
        ),
        (PreferenceVerdict::MissingCouldTurn, Lang::Ru) => format!(
            "{one} побеждает чаще, чем {other}, но примеры без вердикта ({missing}) могли бы это \
             перевернуть: {counts}."
        ),
        (PreferenceVerdict::TooFewDocuments, Lang::En) => format!(
            "Nothing can be said about new documents for {one} and {other}, as the cases come from \
             fewer than 10 known groups of documents: {counts}."
        ),
        (PreferenceVerdict::TooFewDocuments, Lang::Ru) => format!(
            "О новых документах для {one} и {other} ничего сказать нельзя: известных групп \
             документов меньше 10; {counts}."
        ),
        (PreferenceVerdict::Nothing, Lang::En) => {
            format!("There is no verdict on {one} and {other}.")
        }
        (PreferenceVerdict::Nothing, Lang::Ru) => {
            format!("О системах {one} и {other} нет ни одного вердикта.")
        }
    };
    let mut lines = vec![said];
    if missing > 0 {
        let mut why: Vec<String> =
            pair.failures.iter().map(|(class, count)| format!("{class}: {count}")).collect();
        if pair.not_told > 0 {
            let name = both(lang, "answer not recorded", "ответ не записан");
            why.push(format!("{name}: {}", pair.not_told));
        }
        lines.push(format!(
            "  {}: {missing} ({}).",
            both(lang, "Cases without a verdict", "Примеров без вердикта"),
            why.join(", ")
        ));
    }
    lines
}

/// What the order of the two answers did.
fn position_line(position: &Position, lang: Lang) -> Option<String> {
    let share = percent(position.share_first?, lang);
    let Position { named, both_first: first, both_second: second, .. } = position;
    let p = position.p.map_or_else(String::new, |p| format!(", {}", p_value(p, lang)));
    let said = match lang {
        Lang::En => format!(
            "Every pair of answers was shown in both orders. Of {named} replies that named an \
             answer, {share} named the one shown first; the orders contradicted each other with the \
             first one {first} times and with the second one {second} times{p}."
        ),
        Lang::Ru => format!(
            "Каждая пара ответов показана в обоих порядках. Ответов судьи, где названа одна из \
             сторон: {named}; показанная первой названа в {share} из них. В обоих порядках назван \
             первый: {first}, в обоих назван второй: {second}{p}."
        ),
    };
    let leans = position.leans().then(|| match (first > second, lang) {
        (true, Lang::En) => " The judge leans to the answer shown first",
        (false, Lang::En) => " The judge leans to the answer shown second",
        (true, Lang::Ru) => " Судья склоняется к ответу, показанному первым",
        (false, Lang::Ru) => " Судья склоняется к ответу, показанному вторым",
    });
    let effect = both(
        lang,
        ": such cases are ties here and favour nobody, but tell less.",
        ": такие примеры здесь — ничьи и никому не помогают, но и сообщают меньше.",
    );
    Some(leans.map_or_else(|| said.clone(), |leans| format!("{said}{leans}{effect}")))
}

fn kin_line(report: &PreferenceReport, lang: Lang) -> Option<String> {
    let (family, systems) = report.kin.as_ref()?;
    let systems = systems.join(", ");
    Some(match lang {
        Lang::En => format!(
            "Caution: the judge and the generator of {systems} are of one family ({family}), and a \
             judge may favour its own: ask one of another family as well."
        ),
        Lang::Ru => format!(
            "Осторожно: судья и генератор системы {systems} — модели одного семейства ({family}), а \
             судья может быть благосклоннее к своим: спросите и судью другого семейства."
        ),
    })
}

fn footing(report: &PreferenceReport, lang: Lang) -> String {
    let by_code: usize = report.pairs.iter().map(|pair| pair.by_code).sum();
    let code = if by_code == 0 {
        String::new()
    } else {
        match lang {
            Lang::En => format!(
                " {by_code} verdicts needed no judge: equal answers tie, an answer that isn't there \
                 loses to one that is."
            ),
            Lang::Ru => format!(
                " Вердиктов без судьи: {by_code}: одинаковые ответы — ничья, отсутствующий ответ \
                 проигрывает имеющемуся."
            ),
        }
    };
    let said = match (report.population, lang) {
        (Documents::These, Lang::En) => {
            "p is of the exact sign test, which leaves ties out. This speaks of other questions \
             about these documents; it covers the sampling of cases, not the judge's error."
        }
        (Documents::These, Lang::Ru) => {
            "p — точного критерия знаков, в котором ничьи не участвуют. Речь о других вопросах к \
             этим документам; учтена случайность выбора примеров, но не ошибка судьи."
        }
        (Documents::New, Lang::En) => {
            "p is of the paired test that flips whole documents. This speaks of questions about \
             other documents; it covers the sampling of documents, not the judge's error."
        }
        (Documents::New, Lang::Ru) => {
            "p — парного критерия знаков по целым документам. Речь о вопросах к другим документам; \
             учтена случайность выбора документов, но не ошибка судьи."
        }
    };
    format!("{said}{code}")
}
