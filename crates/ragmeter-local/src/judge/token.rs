use ragmeter_text::{fold, is_stop_word, terms, words};

/// One word of a text, in the forms that texts are compared by.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    /// Folded and stemmed.
    pub(crate) term: String,
    /// Neither a stop word nor a negation.
    pub(crate) content: bool,
    /// Written like a name: a capital letter that no sentence start explains.
    pub(crate) name: bool,
    /// Its value, if it is a number or a numeral.
    pub(crate) number: Option<String>,
    /// Byte where it starts.
    pub(crate) start: usize,
}

/// Numerals from two to twelve and the round ones, in the forms that texts use; "one" is left
/// out, for it mostly is a pronoun.
const NUMERALS: [(&str, &str); 20] = [
    ("2", "two twice два две двух двум двумя оба обе обоих дважды"),
    ("3", "three три трех трем тремя трое трижды"),
    ("4", "four четыре четырех четырем четырьмя четверо"),
    ("5", "five пять пяти пятью пятеро"),
    ("6", "six шесть шести шестью шестеро"),
    ("7", "seven семь семи семью семеро"),
    ("8", "eight восемь восьми восемью"),
    ("9", "nine девять девяти девятью"),
    ("10", "ten десять десяти десятью"),
    ("11", "eleven одиннадцать одиннадцати"),
    ("12", "twelve двенадцать двенадцати"),
    ("15", "fifteen пятнадцать пятнадцати"),
    ("20", "twenty двадцать двадцати"),
    ("30", "thirty тридцать тридцати"),
    ("40", "forty сорок сорока"),
    ("50", "fifty пятьдесят пятидесяти"),
    ("60", "sixty шестьдесят шестидесяти"),
    ("100", "hundred сто ста"),
    ("1000", "thousand тысяча тысячи тысяч"),
    ("1000000", "million миллион миллиона миллионов"),
];

const NEGATIONS: &str = "not no never none cannot without neither nor nobody nothing \
    не нет нельзя никогда ни без никто ничто ничего невозможно запрещено запрещается forbidden";

/// The words of a text in order.
pub(crate) fn tokenise(text: &str) -> Vec<Token> {
    let ranges = words(text);
    let few = ranges.len() <= 4;
    let mut tokens: Vec<Token> = Vec::with_capacity(ranges.len());
    let mut last_end = 0;
    for range in ranges {
        let word = &text[range.clone()];
        let between = &text[last_end..range.start];
        last_end = range.end;
        // "384 400" is one number.
        let grouped = word.len() == 3 && word.bytes().all(|b| b.is_ascii_digit());
        let spaced = matches!(between, " " | "\u{a0}" | "\u{202f}" | "\u{2009}");
        if grouped
            && spaced
            && let Some(last) = tokens.last_mut().filter(|last| joins(last))
        {
            last.term.push_str(word);
            last.number = Some(last.term.clone());
            continue;
        }
        let folded = fold(word);
        let stop = is_stop_word(&folded) || is_negation(&folded);
        let number = number(&folded);
        let term = match &number {
            Some(value) => value.clone(),
            None => terms(word).into_iter().next().unwrap_or_else(|| folded.clone()),
        };
        let capital = word.chars().any(char::is_uppercase);
        let opens =
            tokens.is_empty() || between.contains(['.', '!', '?', '\n', '…', ':', '«', '"']);
        let inner = word.chars().skip(1).any(char::is_uppercase);
        let name = capital && !stop && (few || inner || !opens);
        tokens.push(Token { term, content: !stop, name, number, start: range.start });
    }
    // The first word of "Ada Lovelace wrote …" is part of a name: another one follows it.
    for i in 1..tokens.len() {
        let first = &tokens[i - 1];
        let opens = !first.name && first.content && first.number.is_none();
        let capital = text[first.start..].chars().next().is_some_and(char::is_uppercase);
        let near = tokens[i].start - first.start <= first.term.len() + 6;
        if opens && capital && tokens[i].name && near {
            tokens[i - 1].name = true;
        }
    }
    tokens
}

fn joins(last: &Token) -> bool {
    let term = &last.term;
    last.number.is_some()
        && term.bytes().all(|b| b.is_ascii_digit())
        && !term.starts_with('0')
        && (term.len() <= 3 || term.len().is_multiple_of(3))
}

/// Whether a folded word denies.
pub(crate) fn is_negation(folded: &str) -> bool {
    folded.ends_with("n't") || NEGATIONS.split_whitespace().any(|word| word == folded)
}

/// The value of a number in digits or of a numeral: no group separators, a point before
/// decimals, no endings ("1990s", "5-го").
fn number(folded: &str) -> Option<String> {
    if !folded.starts_with(|c: char| c.is_ascii_digit()) {
        let numeral = |(_, forms): &&(&str, &str)| forms.split_whitespace().any(|f| f == folded);
        return NUMERALS.iter().find(numeral).map(|(value, _)| (*value).to_owned());
    }
    let digits: String =
        folded.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | ',')).collect();
    let digits = digits.trim_end_matches(['.', ',']);
    let parts: Vec<_> = digits.split(['.', ',']).collect();
    let grouped = parts.len() > 1 && parts[0] != "0" && parts[1..].iter().all(|p| p.len() == 3);
    // "4,000" is four thousand, but "3.141" is not: groups are set off by commas.
    if grouped && digits.contains(',') {
        return Some(parts.concat());
    }
    let decimals = parts[1..].join("");
    let decimals = decimals.trim_end_matches('0');
    Some(if decimals.is_empty() { parts[0].to_owned() } else { format!("{}.{decimals}", parts[0]) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<String> {
        tokenise(text).into_iter().filter_map(|token| token.number).collect()
    }

    fn names(text: &str) -> Vec<&str> {
        let starts: Vec<_> =
            tokenise(text).into_iter().filter(|t| t.name).map(|t| t.start).collect();
        starts.iter().map(|&at| text[at..].split([' ', '.']).next().unwrap()).collect()
    }

    #[test]
    fn numbers_are_read_alike() {
        assert_eq!(numbers("4,000 or 4 000 or 4000.0"), ["4000", "4000", "4000"]);
        assert_eq!(numbers("384 400 километров, 3,8 и 3.80"), ["384400", "3.8", "3.8"]);
        assert_eq!(numbers("три недели, three weeks, 1990s, 0.5 %"), ["3", "3", "1990", "0.5"]);
    }

    #[test]
    fn names_are_found() {
        assert_eq!(names("The bridge of Anna Whitfield fell."), ["Anna", "Whitfield"]);
        assert_eq!(names("Ada Lovelace wrote it. Nobody read it."), ["Ada", "Lovelace"]);
        assert_eq!(names("Мост открыл Пётр Ильин. Потом он сгорел."), ["Пётр", "Ильин"]);
        assert_eq!(names("Denver"), ["Denver"]);
    }
}
