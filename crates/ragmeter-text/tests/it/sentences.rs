use proptest::prelude::*;
use ragmeter_core::Lang;
use ragmeter_text::{paragraphs, sentences};

fn split(text: &str, lang: Lang) -> Vec<&str> {
    sentences(text, lang).into_iter().map(|range| &text[range]).collect()
}

/// Sentences of `marked`, in which `|` stands at every border.
fn check(lang: Lang, marked: &str) {
    let text = marked.replace('|', "");
    let expected: Vec<&str> = marked.split('|').map(str::trim).collect();
    assert_eq!(split(&text, lang), expected);
}

#[test]
fn russian() {
    for marked in [
        "Стоит 5 тыс. руб. и т. д. |А. С. Пушкин родился в 1799 г. в Москве. |Он писал стихи.",
        "Пушкин родился в 1799 г. |Он писал стихи.",
        "В 1799 г. Пушкин родился.",
        "Он жил в г. Москве, ул. Ленина, д. 5, кв. 12. |Потом уехал.",
        "А.С. Пушкин и М. Ю. Лермонтов. |Оба поэты.",
        "См. рис. 3 и табл. 4. |Далее гл. 2.",
        "Проф. Иванов и акад. Петров согласны. |Остальные — нет.",
        "Цена 3.14 руб. за шт. |Версия 1.2.3 вышла 12.05.2020. |Она хороша.",
        "Дата: 12. 05. 2020 и всё.",
        "— Стой! — крикнул он. |— Зачем?",
        "«Стой!» крикнул он. |Никто не ответил.",
        "Он сказал: «Иди домой.» |Она ушла.",
        "Ну что ж… |Пойдём. |Он ждал… и ушёл.",
        "Что это? |Это Солнце! |Да.",
        "Масса 5 млн. 300 тыс. тонн. |Много.",
        "В XX в. |Это было давно.",
        "Рост составил 5 %. |Затем спад.",
        "1. Первый пункт. |2. Второй пункт.",
        "5.14. У меня есть карта. |Что делать?",
        "Есть яблоки, груши и др. |Все они растут в саду.",
        "Т. е. это так. |И т. п. |Вот.",
        "МГУ им. Ломоносова, т. к. он велик. |Да.",
        "Пакеты (apt, dpkg и пр.) установлены. |Готово.",
    ] {
        check(Lang::Ru, marked);
    }
}

#[test]
fn english() {
    for marked in [
        "Dr. Smith met Mr. J. K. Jones at 5 p.m. |They talked.",
        "He lives in the U.S. |He likes it.",
        "The U.S. President spoke. |It rained.",
        "See Fig. 3 and eq. 4, e.g. Newton's. |Done.",
        "Version 1.2.3 costs $3.50. |Buy it.",
        "He said \"Go.\" |Then he left.",
        "\"Stop!\" he cried. |Nobody answered.",
        "Wait… |What? |Yes!",
        "Apple Inc. announced it on Jan. 5, 2020. |The price fell.",
        "No. 5 is alive. |He said no. |They left.",
        "It was shown.[1] |Later it was denied.[2][3] |Ok.",
        "Visit http://x.org/?q=1.5 now. |Thanks.",
        "what is it? |it is a cat! |ok",
        "1. First. |2. Second.",
        "He won (see above). |She lost.",
        "He left. |\"Go,\" she said. |'Now?' he asked.",
        "no stop at all",
    ] {
        check(Lang::En, marked);
    }
}

#[test]
fn other_scripts_and_lines() {
    check(Lang::En, "今天天气很好。|我们去公园吧！|你来吗？");
    check(Lang::En, "「行こう。」|彼は言った。");
    check(Lang::En, "Title\n\n|First line\n|- item one\n|- item two\n|Second. |Third");
    check(Lang::Ru, "Заголовок\n|Первая строка без точки\n|Вторая");
    check(Lang::En, "🙂 hello! |🙂🙂");
    let wrapped =
        "This is a long line of a paragraph that was wrapped\nby its editor at some column.";
    assert_eq!(split(wrapped, Lang::En).len(), 1);
    assert_eq!(split("", Lang::En), Vec::<&str>::new());
    assert_eq!(split(" \n\n ", Lang::Ru), Vec::<&str>::new());
}

#[test]
fn paragraphs_are_what_blank_lines_separate() {
    let text = "\n\n one\r\ntwo\r\n\r\n  three \n \t \nfour";
    let parts: Vec<&str> = paragraphs(text).into_iter().map(|range| &text[range]).collect();
    assert_eq!(parts, ["one\r\ntwo", "three", "four"]);
}

#[test]
fn long_texts_take_linear_time() {
    for unit in ["слово ", "a.", "А. ", "..", "。", "x\n", "[1", "1. "] {
        let text = unit.repeat(100_000 / unit.len());
        let started = std::time::Instant::now();
        assert!(!sentences(&text, Lang::Ru).is_empty());
        assert!(started.elapsed().as_secs() < 5, "{unit:?} took {:?}", started.elapsed());
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "\\PC{0,8}",
        ".{0,4}",
        Just(". ".to_owned()),
        Just("\n".to_owned()),
        Just("\n\n".to_owned()),
        Just("г. ".to_owned()),
        Just("А. ".to_owned()),
        Just("…».[1] ".to_owned()),
        Just("ё\u{301}。".to_owned()),
        Just("12. 05".to_owned()),
        Just("👩‍👩‍👧 ".to_owned()),
    ];
    prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn ranges_are_valid_and_cover_everything_visible(text in any_text(), russian: bool) {
        let lang = if russian { Lang::Ru } else { Lang::En };
        for ranges in [sentences(&text, lang), paragraphs(&text)] {
            let mut end = 0;
            for range in &ranges {
                prop_assert!(range.start >= end && range.end > range.start);
                prop_assert!(text[end..range.start].trim().is_empty());
                let part = &text[range.clone()];
                prop_assert_eq!(part, part.trim());
                end = range.end;
            }
            prop_assert!(text[end..].trim().is_empty());
        }
    }
}
