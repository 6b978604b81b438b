use ragmeter_text::{fold, words};

use super::token::Token;

/// What kind of answer a question asks for, as far as its words tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// A person, place or other named thing.
    Name,
    /// A quantity.
    Number,
    /// A date or year.
    Time,
    /// Anything else.
    Other,
}

const NUMBER: &str = "how many|how much|how long|how old|how far|how tall|how deep|how high|\
    how fast|how often|how heavy|how large|how big|what percent|what number|what is the number|\
    what was the number|what is the population|what was the population|what percentage|\
    what proportion|what is the cost|what is the price|at what temperature|how hot|what share|\
    сколько|как много|как долго|как часто|как быстро|как далеко|какое количество|каково количество|\
    какой процент|каков процент|какова численность|какова длина|какова глубина|какова высота|\
    каков размер|какой вес|какова цена|какова стоимость|на сколько|насколько|скольким|скольких|\
    при какой температуре|какая доля|какую долю|какое число";
const TIME: &str = "when|what year|which year|what date|which date|what day|which day|what month|\
    which month|what century|which century|what decade|what time|by what date|until when|since when|\
    когда|в каком году|какой год|каком году|какого года|какого числа|какая дата|в какой день|\
    какой день|в каком месяце|каком веке|какой век|в котором часу|до которого часа|во сколько|\
    до какого числа|с какого числа|с какого года|к какому году|каком десятилетии";
const NAME: &str = "who|whom|whose|where|what city|which city|what country|which country|\
    what state|which state|what river|which river|what person|what team|which team|what is the name|\
    what was the name|what company|which company|what organization|which organization|which planet|\
    what university|which university|what school|what continent|\
    кто|кого|кому|кем|ком|чей|чья|чьё|чье|где|куда|откуда|какой город|каком городе|какая страна|\
    какой стране|какая река|какой реке|как зовут|как звали|как называется|как называлась|\
    как назывался|какая команда|какая компания|какой университет|какой штат|каком штате|\
    какая организация|какого города";
/// Beginnings of words that date something without digits.
const TIME_WORDS: &str = "januar februar march april june july august septemb octob novemb decemb \
    monday tuesday wednesday thursday friday saturday sunday centur midnight noon today yesterday \
    январ феврал март апрел май мая июн июл август сентябр октябр ноябр декабр понедельник вторник \
    сред четверг пятниц суббот воскрес век весн летом осен зим полноч полден";

/// Reads the kind off the question's words.
pub(crate) fn asked(question: &str) -> Asked {
    let folded: Vec<_> = words(question).into_iter().map(|range| fold(&question[range])).collect();
    let text = format!(" {} ", folded.join(" "));
    let asks = |phrases: &str| {
        phrases.split('|').filter_map(|p| text.find(&format!(" {} ", fold(p.trim())))).min()
    };
    // The phrase that stands first decides; of those at one place, the more special kind.
    let kinds =
        [(asks(NUMBER), Asked::Number), (asks(TIME), Asked::Time), (asks(NAME), Asked::Name)];
    let found = kinds.into_iter().filter_map(|(at, kind)| at.map(|at| (at, kind)));
    found.min_by_key(|(at, _)| *at).map_or(Asked::Other, |(_, kind)| kind)
}

/// How well a claim can be an answer of the kind: 1 it can, -1 it can't, 0 not known.
pub(crate) fn fits(asked: Asked, claim: &[Token]) -> f64 {
    let number = claim.iter().any(|token| token.number.is_some());
    let dated =
        || claim.iter().any(|t| TIME_WORDS.split_whitespace().any(|word| t.term.starts_with(word)));
    let fits = match asked {
        Asked::Number => number,
        Asked::Time => number || dated(),
        Asked::Name => claim.iter().any(|token| token.name),
        Asked::Other => {
            let only = claim.iter().filter(|token| token.content).all(|t| t.number.is_some());
            return if number && only { -0.5 } else { 0.0 };
        }
    };
    if fits { 1.0 } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use super::super::token::tokenise;
    use super::*;

    #[test]
    fn kinds() {
        for (question, kind) in [
            ("How many members has the union?", Asked::Number),
            ("In what year did it open?", Asked::Time),
            ("Who opened it when the mayor was ill?", Asked::Name),
            ("What is it made of?", Asked::Other),
            ("Сколько лет длилась стройка?", Asked::Number),
            ("В каком году открыли мост?", Asked::Time),
            ("Кто его построил?", Asked::Name),
            ("Из чего он сделан?", Asked::Other),
        ] {
            assert_eq!(asked(question), kind, "{question}");
        }
        assert!(fits(Asked::Number, &tokenise("двенадцать")) > 0.0);
        assert!(fits(Asked::Number, &tokenise("Пётр Ильин")) < 0.0);
        assert!(fits(Asked::Time, &tokenise("in March")) > 0.0);
        assert!(fits(Asked::Name, &tokenise("308")) < 0.0);
    }
}
