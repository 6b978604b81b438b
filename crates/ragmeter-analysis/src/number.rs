use ragmeter_core::Lang;

/// A space that does not break, between a number and its unit.
const NBSP: char = '\u{a0}';

/// A number with so many decimals, in the language's own writing; minus is a minus sign.
pub(crate) fn decimal(value: f64, decimals: usize, lang: Lang) -> String {
    let digits = format!("{:.decimals$}", value.abs());
    let is_zero = digits.chars().all(|c| matches!(c, '0' | '.'));
    let digits = match lang {
        Lang::En => digits,
        Lang::Ru => digits.replace('.', ","),
    };
    if value < 0.0 && !is_zero { format!("\u{2212}{digits}") } else { digits }
}

/// A score or a mean of scores.
pub(crate) fn score(value: f64, lang: Lang) -> String {
    decimal(value, 2, lang)
}

/// A grade: a whole number without decimals, a mean of votes with one or two.
pub(crate) fn points(value: f64, lang: Lang) -> String {
    let text = decimal(value, 2, lang);
    text.trim_end_matches('0').trim_end_matches(['.', ',']).to_owned()
}

/// A difference, with its sign; nothing that rounds to zero has one.
pub(crate) fn difference(value: f64, lang: Lang) -> String {
    let text = decimal(value, 2, lang);
    let rounds_to_zero = text.chars().all(|c| matches!(c, '0' | '.' | ','));
    if value > 0.0 && !rounds_to_zero { format!("+{text}") } else { text }
}

/// "from … to …", for an interval of differences.
pub(crate) fn range(ends: [f64; 2], lang: Lang) -> String {
    let [low, high] = ends.map(|end| difference(end, lang));
    match lang {
        Lang::En => format!("{low} to {high}"),
        Lang::Ru => format!("от\u{a0}{low} до\u{a0}{high}"),
    }
}

/// "p = …", never rounded to zero.
pub(crate) fn p_value(p: f64, lang: Lang) -> String {
    if p < 0.001 {
        format!("p{NBSP}<{NBSP}{}", decimal(0.001, 3, lang))
    } else {
        format!("p{NBSP}={NBSP}{}", decimal(p, 3, lang))
    }
}

/// A count with its thousands set apart.
pub(crate) fn count(n: u64, lang: Lang) -> String {
    let digits = n.to_string();
    let separator = match lang {
        Lang::En => ',',
        Lang::Ru => '\u{202f}',
    };
    // Four digits in a row read well in Russian, and are not set apart there.
    if lang == Lang::Ru && digits.len() <= 4 {
        return digits;
    }
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(separator);
        }
        grouped.push(digit);
    }
    grouped
}

/// The forms of a noun after a number.
#[derive(Clone, Copy)]
pub(crate) enum Noun {
    Case,
    Character,
    Cluster,
    Comparison,
    Document,
    System,
}

impl Noun {
    /// Russian: after 1, after 2–4, after 5–20 and 0.
    fn ru(self) -> [&'static str; 3] {
        match self {
            Self::Case => ["пример", "примера", "примеров"],
            Self::Character => ["знак", "знака", "знаков"],
            Self::Cluster => ["группа", "группы", "групп"],
            Self::Comparison => ["сравнение", "сравнения", "сравнений"],
            Self::Document => ["документ", "документа", "документов"],
            Self::System => ["система", "системы", "систем"],
        }
    }

    fn en(self) -> [&'static str; 2] {
        match self {
            Self::Case => ["case", "cases"],
            Self::Character => ["character", "characters"],
            Self::Cluster => ["cluster", "clusters"],
            Self::Comparison => ["comparison", "comparisons"],
            Self::Document => ["document", "documents"],
            Self::System => ["system", "systems"],
        }
    }
}

/// "1 case", "21 пример", "22 примера", "11 примеров".
pub(crate) fn counted(n: usize, noun: Noun, lang: Lang) -> String {
    let word = match lang {
        Lang::En => noun.en()[usize::from(n != 1)],
        Lang::Ru => noun.ru()[russian_form(n)],
    };
    format!("{}{NBSP}{word}", count(n as u64, lang))
}

fn russian_form(n: usize) -> usize {
    match (n % 10, n % 100) {
        (_, 11..=14) => 2,
        (1, _) => 0,
        (2..=4, _) => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn russian_numbers_take_their_forms() {
        let forms: Vec<String> =
            [1, 3, 5, 11, 21, 112, 1000].map(|n| counted(n, Noun::Case, Lang::Ru)).into();
        let plain: Vec<String> = forms.iter().map(|form| form.replace(NBSP, " ")).collect();
        let expected = [
            "1 пример",
            "3 примера",
            "5 примеров",
            "11 примеров",
            "21 пример",
            "112 примеров",
            "1000 примеров",
        ];
        assert_eq!(plain, expected);
    }

    #[test]
    fn numbers_are_written_as_the_language_does() {
        assert_eq!(points(10.0, Lang::Ru), "10");
        assert_eq!(points(2.5, Lang::Ru), "2,5");
        assert_eq!(points(0.0, Lang::En), "0");
        assert_eq!(difference(-0.125, Lang::En), "\u{2212}0.12");
        assert_eq!(difference(0.2, Lang::Ru), "+0,20");
        assert_eq!(difference(-0.001, Lang::En), "0.00");
        assert_eq!(count(1_234_567, Lang::En), "1,234,567");
        assert_eq!(count(12_345, Lang::Ru), "12\u{202f}345");
        assert_eq!(p_value(0.000_05, Lang::Ru).replace(NBSP, " "), "p < 0,001");
    }
}
