use std::sync::Arc;

use ragmeter_core::{Lang, PairScorer as _, SupportItem, UsefulItem};
use ragmeter_local::{E5Embedder, LocalJudge};

const LIBRARY_EN: [&str; 3] = [
    "The city library lends books for three weeks. A loan may be renewed twice, unless another \
     reader has asked for the book. The fee for a lost card is 200 roubles.",
    "The reading room opens at nine on weekdays and at eleven on Saturdays. Reference works do not \
     leave the reading room. Laptops may be used in the hall on the second floor.",
    "Anna Whitfield founded the library in 1921. The present building on Mill Street was designed \
     by Peter Crane and opened in 1938.",
];
const LIBRARY_RU: [&str; 3] = [
    "Городская библиотека выдаёт книги на три недели. Срок можно дважды продлить, если книгу не \
     заказал другой читатель. Плата за потерянный билет составляет 200 рублей.",
    "Читальный зал открывается в девять по будням и в одиннадцать по субботам. Справочники из \
     читального зала не выносят. Ноутбуками можно пользоваться в холле на втором этаже.",
    "Библиотеку основала Анна Уитфилд в 1921 году. Нынешнее здание на Мельничной улице построил \
     архитектор Пётр Журавлёв, его открыли в 1938 году.",
];

/// Claims with the question they answer, and whether the contexts support them.
const EN: [(&str, &str, bool); 14] = [
    ("How long may I keep a book?", "Books are lent for three weeks.", true),
    ("How long may I keep a book?", "You may keep a book for three weeks.", true),
    ("", "A loan can be renewed two times if nobody else has asked for the book.", true),
    ("", "The fee for a lost card is 200 roubles.", true),
    ("What does a lost card cost?", "Losing the card costs 200 roubles.", true),
    ("Who founded the library?", "The library was founded by Anna Whitfield.", true),
    ("When did the building open?", "The building on Mill Street opened in 1938.", true),
    ("", "The fee for a lost card is 300 roubles.", false),
    ("How long may I keep a book?", "Books are lent for five weeks.", false),
    ("Who founded the library?", "The library was founded by Robert Lake.", false),
    ("When did the building open?", "The building on Mill Street opened in 1954.", false),
    ("", "Dogs are welcome in the garden behind the cafe every Sunday.", false),
    ("", "The swimming pool is closed for cleaning on Tuesdays.", false),
    ("", "Readers can borrow films and records without any charge at the desk.", false),
];
const RU: [(&str, &str, bool); 14] = [
    ("На сколько выдают книги?", "Книги выдают на три недели.", true),
    ("На сколько выдают книги?", "Книгу можно держать три недели.", true),
    ("", "Срок продлевают дважды, если книгу не заказал кто-то другой.", true),
    ("", "Плата за потерянный билет составляет 200 рублей.", true),
    ("Сколько стоит потерянный билет?", "За потерянный билет нужно заплатить 200 рублей.", true),
    ("Кто основал библиотеку?", "Библиотека основана Анной Уитфилд.", true),
    ("Когда открыли здание?", "Здание на Мельничной улице открыли в 1938 году.", true),
    ("", "Плата за потерянный билет составляет 300 рублей.", false),
    ("На сколько выдают книги?", "Книги выдают на пять недель.", false),
    ("Кто основал библиотеку?", "Библиотека основана Робертом Лейком.", false),
    ("Когда открыли здание?", "Здание на Мельничной улице открыли в 1954 году.", false),
    ("", "По воскресеньям в саду за кафе рады собакам.", false),
    ("", "По вторникам бассейн закрыт на уборку.", false),
    ("", "Фильмы и пластинки выдают у стойки без всякой платы.", false),
];

fn judge() -> LocalJudge {
    let embedder = E5Embedder::bundled().expect("bundled");
    LocalJudge::new(Arc::new(embedder)).expect("the heads fit")
}

#[test]
fn plain_statements_are_judged_rightly() {
    let judge = judge();
    for (lang, contexts, claims) in [(Lang::En, LIBRARY_EN, EN), (Lang::Ru, LIBRARY_RU, RU)] {
        let items: Vec<_> = claims
            .iter()
            .map(|(question, claim, _)| SupportItem { question, claim, contexts: &contexts, lang })
            .collect();
        let scores = judge.support(&items).unwrap();
        let mut wrong = Vec::new();
        for ((_, claim, expected), score) in claims.iter().zip(&scores) {
            println!("{expected}\t{}\t{:.2}\t{claim}", score.supported, score.probability);
            if score.supported != *expected {
                wrong.push(claim);
            }
            let sentence = &contexts[score.context][score.sentence.clone()];
            assert!(!sentence.is_empty());
            if claim.contains("200") || claim.contains("300") {
                assert!(sentence.contains("200"), "{claim}: {sentence}");
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}

#[test]
fn another_answer_of_the_paragraph_is_less_likely() {
    let judge = judge();
    let pairs = [
        (Lang::En, LIBRARY_EN, "When did the present building open?", "1938", "1921"),
        (
            Lang::En,
            LIBRARY_EN,
            "Who designed the present building?",
            "Peter Crane",
            "Anna Whitfield",
        ),
        (
            Lang::Ru,
            LIBRARY_RU,
            "В каком году открыли нынешнее здание?",
            "в 1938 году",
            "в 1921 году",
        ),
        (Lang::Ru, LIBRARY_RU, "Кто построил нынешнее здание?", "Пётр Журавлёв", "Анна Уитфилд"),
    ];
    for (lang, contexts, question, right, wrong) in pairs {
        let item = |claim| SupportItem { question, claim, contexts: &contexts, lang };
        let scores = judge.support(&[item(right), item(wrong)]).unwrap();
        println!("{question}: {:.2} {:.2}", scores[0].probability, scores[1].probability);
        assert!(scores[0].probability > scores[1].probability, "{question}");
    }
}

#[test]
fn useful_contexts_are_told_from_others() {
    let judge = judge();
    let sets = [
        (
            Lang::En,
            LIBRARY_EN,
            "Who designed the present building?",
            "It was designed by Peter Crane.",
            2,
        ),
        (Lang::En, LIBRARY_EN, "How long are books lent?", "For three weeks.", 0),
        (Lang::Ru, LIBRARY_RU, "Кто построил нынешнее здание?", "Его построил Пётр Журавлёв.", 2),
        (Lang::Ru, LIBRARY_RU, "На какой срок выдают книги?", "На три недели.", 0),
    ];
    for (lang, contexts, question, reference, useful) in sets {
        let items = contexts.map(|context| UsefulItem { question, reference, context, lang });
        let verdicts = judge.useful(&items).unwrap();
        let expected: Vec<_> = (0..3).map(|i| i == useful).collect();
        assert_eq!(verdicts, expected, "{question}");
    }
}

#[test]
fn verdicts_depend_on_neither_threads_nor_neighbours() {
    let one = LocalJudge::new(Arc::new(E5Embedder::bundled().unwrap().with_threads(1))).unwrap();
    let many = LocalJudge::new(Arc::new(E5Embedder::bundled().unwrap().with_threads(5))).unwrap();
    let item = |(question, claim, _): &(&'static str, &'static str, bool)| SupportItem {
        question,
        claim,
        contexts: &LIBRARY_RU,
        lang: Lang::Ru,
    };
    let items: Vec<_> = RU.iter().map(item).collect();
    let together = many.support(&items).unwrap();
    for (item, score) in items.iter().zip(&together) {
        assert_eq!(&one.support(&[*item]).unwrap()[0], score);
    }
    assert_eq!(one.fingerprint(), many.fingerprint());
}

#[test]
fn odd_texts_are_judged_too() {
    let judge = judge();
    let long = "Это длинный документ о погоде, дождях и ветре над городом. ".repeat(400);
    let texts = ["", " ", "😀😀", "東京は日本の首都です。", "да", "?!", &long];
    for claim in texts {
        for context in texts {
            let contexts = [context, "東京は日本の首都です。人口は多い。"];
            let item = SupportItem { question: claim, claim, contexts: &contexts, lang: Lang::Ru };
            let score = &judge.support(&[item]).unwrap()[0];
            assert!((0.0..=1.0).contains(&score.probability));
            assert!(contexts[score.context].get(score.sentence.clone()).is_some());
        }
    }
    let words: Vec<_> = (0..20_000).map(|i| format!("слово{i}")).collect();
    let huge = words.join(" ");
    let item = SupportItem { question: &huge, claim: &huge, contexts: &[&long], lang: Lang::Ru };
    assert!(judge.support(&[item]).unwrap()[0].probability < 0.5);
    let contexts = ["東京は日本の首都です。人口は多い。"];
    let of = |claim| SupportItem { question: "", claim, contexts: &contexts, lang: Lang::En };
    let scores = judge.support(&[of("東京は日本の首都です。"), of("大阪は海の町だ。")]).unwrap();
    assert!(scores[0].probability > scores[1].probability);
}
