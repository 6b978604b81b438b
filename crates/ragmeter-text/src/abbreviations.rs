//! Abbreviations that end in a full stop. Entries are folded and written without the last stop;
//! inner stops stay and spaces after them go: "т. е." is `т.е`.

use ragmeter_core::Lang;

/// What a full stop after a word says about the end of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It belongs to an abbreviation that something must follow.
    Inner,
    /// It may be part of a name; only a word that opens sentences shows that one has ended.
    Name,
    /// It follows a quantity or closes a list; a sentence may well end with it.
    Quantity,
    /// It is a full stop.
    Plain,
}

const RU_INNER: &[&str] = &[
    "ул",
    "пр-т",
    "просп",
    "пер",
    "пл",
    "наб",
    "б-р",
    "бул",
    "ш",
    "д",
    "кв",
    "корп",
    "стр",
    "обл",
    "р-н",
    "пос",
    "дер",
    "с",
    "рис",
    "табл",
    "гл",
    "разд",
    "п",
    "пп",
    "ч",
    "ст",
    "см",
    "ср",
    "им",
    "проф",
    "акад",
    "доц",
    "канд",
    "инж",
    "ген",
    "полк",
    "лейт",
    "св",
    "преп",
    "тов",
    "г-н",
    "г-жа",
    "напр",
    "т.е",
    "т.к",
    "т.н",
    "т.о",
    "ред",
    "сост",
    "изд",
    "англ",
    "нем",
    "фр",
    "лат",
    "греч",
    "рус",
    "итал",
    "исп",
    "букв",
    "прибл",
    "ок",
    "тел",
    "вып",
    "оз",
    "р",
    "ун-т",
    "ин-т",
];

const RU_QUANTITY: &[&str] = &[
    "г", "гг", "в", "вв", "н.э", "т.д", "т.п", "т.ч", "др", "пр", "проч", "тыс", "млн", "млрд",
    "трлн", "руб", "коп", "долл", "шт", "экз", "чел", "мин", "сек", "ч", "мес",
];

const EN_INNER: &[&str] = &[
    "mr", "mrs", "ms", "messrs", "dr", "prof", "rev", "hon", "gen", "col", "maj", "capt", "lt",
    "sgt", "gov", "sen", "rep", "pres", "st", "mt", "ft", "fig", "figs", "eq", "eqs", "sec", "ch",
    "chap", "vol", "vols", "pp", "ed", "eds", "cf", "viz", "vs", "e.g", "i.e", "approx", "ca",
    "resp", "incl", "esp", "nos",
];

const EN_NAME: &[&str] = &[
    "inc", "ltd", "co", "corp", "llc", "plc", "jr", "sr", "bros", "ph.d", "al", "dept", "est",
    "ave", "blvd", "rd", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct",
    "nov", "dec",
];

/// Words that open a sentence far more often than they follow an abbreviation inside one.
const OPENERS: &[&str] = &[
    "он",
    "она",
    "оно",
    "они",
    "это",
    "этот",
    "эта",
    "эти",
    "в",
    "во",
    "на",
    "по",
    "с",
    "со",
    "к",
    "из",
    "для",
    "от",
    "при",
    "после",
    "до",
    "но",
    "а",
    "и",
    "если",
    "когда",
    "так",
    "также",
    "тогда",
    "там",
    "здесь",
    "мы",
    "вы",
    "я",
    "его",
    "ее",
    "их",
    "как",
    "кроме",
    "однако",
    "поэтому",
    "все",
    "the",
    "a",
    "an",
    "it",
    "he",
    "she",
    "they",
    "we",
    "you",
    "this",
    "that",
    "these",
    "those",
    "in",
    "on",
    "at",
    "for",
    "from",
    "if",
    "when",
    "but",
    "and",
    "however",
    "there",
    "here",
    "his",
    "her",
    "their",
    "its",
    "as",
    "after",
    "before",
    "since",
    "while",
    "then",
    "what",
    "who",
    "where",
    "why",
    "how",
];

/// What the full stop after `word` says; `word` is folded and has lost that stop.
///
/// Russian texts quote English names, so both lists count there; English ones hardly ever hold
/// Russian, and their own words must not meet the Russian one-letter entries.
pub(crate) fn stop_after(word: &str, lang: Lang) -> Stop {
    let holds = |list: &[&str]| list.contains(&word);
    let russian = lang == Lang::Ru;
    if russian && holds(RU_QUANTITY) {
        Stop::Quantity
    } else if holds(EN_INNER) || (russian && holds(RU_INNER)) {
        Stop::Inner
    } else if holds(EN_NAME) {
        Stop::Name
    } else {
        Stop::Plain
    }
}

/// Whether a folded word typically opens a sentence.
pub(crate) fn opens_sentence(word: &str) -> bool {
    OPENERS.contains(&word)
}
