use proptest::prelude::*;
use ragmeter_core::Lang;
use ragmeter_text::{TokenCounter, content_terms, detect, fold, is_stop_word, terms, words};

#[test]
fn russian_forms_share_a_term() {
    for (one, other) in [
        ("моделью", "модели"),
        ("оценивать", "оценивают"),
        ("мед", "Мёд"),
        ("ЗА\u{301}МОК", "замок"),
        ("под\u{ad}пись", "подпись"),
    ] {
        assert_eq!(terms(one), terms(other), "{one} {other}");
    }
    assert_ne!(terms("й"), terms("и"));
}

#[test]
fn mixed_text_is_stemmed_by_script() {
    assert_eq!(terms("Running пакеты в Debian 12.4"), ["run", "пакет", "в", "debian", "12.4"]);
    assert_eq!(content_terms("What is the mass of the Sun?"), ["mass", "sun"]);
    assert_eq!(content_terms("Какова масса Солнца и её доля?"), ["масс", "солнц", "дол"]);
    assert_eq!(terms("dog’s"), terms("dog's"));
}

#[test]
fn unspaced_scripts_become_pairs() {
    assert_eq!(terms("今天天气。好"), ["今天", "天天", "天气", "好"]);
    assert_eq!(terms("東京 Tower"), ["東京", "tower"]);
    assert_eq!(terms("カタカナ"), ["カタ", "タカ", "カナ"]);
}

#[test]
fn language_by_letters() {
    for (text, lang) in [
        ("", Lang::En),
        ("🙂 123", Lang::En),
        ("你好", Lang::En),
        ("The quick brown fox", Lang::En),
        ("The word «да» means yes", Lang::En),
        ("Быстрая лиса", Lang::Ru),
        ("Что делает apt-get upgrade?", Lang::Ru),
        ("да", Lang::Ru),
    ] {
        assert_eq!(detect(text), lang, "{text}");
    }
}

#[test]
fn stop_words_are_folded_themselves() {
    for word in ["что", "какая", "its", "how", "еще", "don't"] {
        assert!(is_stop_word(word), "{word}");
        assert_eq!(fold(word), word);
    }
    assert!(!is_stop_word("солнце"));
}

#[test]
fn tokens_by_name() {
    // A special token's name has to count as the ordinary text that it is in a document.
    for (name, text, count) in [
        ("cl100k_base", "Hello, world!", 4),
        ("o200k_base", "Hello, world!", 4),
        ("cl100k_base", "", 0),
        ("cl100k_base", "<|endoftext|>", 7),
    ] {
        let counter = TokenCounter::by_name(name).unwrap();
        assert_eq!(counter.count(text), count, "{name} {text}");
    }
    let russian = "Привет, мир! Модель оценивает ответы.";
    assert!(TokenCounter::O200kBase.count(russian) < TokenCounter::Cl100kBase.count(russian));
    let error = TokenCounter::by_name("gpt2").unwrap_err().to_string();
    assert!(error.contains("gpt2") && error.contains("cl100k_base"), "{error}");
}

#[test]
fn long_words_take_linear_time() {
    for text in ["a".repeat(100_000), "ж".repeat(50_000), "天".repeat(30_000), " ".repeat(100_000)]
    {
        let started = std::time::Instant::now();
        terms(&text);
        TokenCounter::Cl100kBase.count(&text);
        assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
    }
}

proptest! {
    #[test]
    fn nothing_panics(text in ".{0,60}") {
        for range in words(&text) {
            prop_assert!(!text[range].is_empty());
        }
        prop_assert!(terms(&text).len() >= content_terms(&text).len());
        prop_assert_eq!(fold(&fold(&text)), fold(&text));
        detect(&text);
    }
}
