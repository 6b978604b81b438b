//! What metrics say that code computes from texts, contexts and tool calls. The first pattern that
//! fits is taken, so the narrower one of two stands first.

pub(super) const PHRASES: &[(&str, &str)] = &[
    ("the system failed", "в системе произошёл сбой"),
    (
        "the generator refused or was filtered",
        "генератор отказался отвечать, или сработал его фильтр",
    ),
    (
        "{} tokens against {}: an answer of fewer than 4 tokens has a BLEU of 0",
        "токенов в ответе: {}, в эталоне: {}; BLEU ответа короче четырёх токенов равна 0",
    ),
    ("{} tokens against {}, none shared", "токенов в ответе: {}, в эталоне: {}, общих нет"),
    (
        "{} tokens against {}; precisions of 1- to 4-grams {} %, brevity penalty {}",
        "токенов в ответе: {}, в эталоне: {}; точность n-грамм от 1 до 4: {} %, штраф за краткость {}",
    ),
    (
        "mean precision {} %, mean recall {} % over {} lengths of n-grams",
        "средняя точность {} %, средняя полнота {} %; длин n-грамм: {}",
    ),
    ("the reference answer has no characters", "в эталонном ответе нет символов"),
    ("the reference answer has no words", "в эталонном ответе нет слов"),
    ("the reference answer has no pairs of words", "в эталонном ответе нет пар слов"),
    (
        "{} pairs of words shared, of {} in the answer and {} in the reference",
        "общих пар слов: {}; всего в ответе: {}, в эталоне: {}",
    ),
    (
        "{} words shared, of {} in the answer and {} in the reference",
        "общих слов: {}; всего в ответе: {}, в эталоне: {}",
    ),
    (
        "{} words in order shared, of {} in the answer and {} in the reference",
        "слов, общих по порядку: {}; всего в ответе: {}, в эталоне: {}",
    ),
    ("the same words after normalisation", "после нормализации слова те же"),
    ("other words after normalisation", "после нормализации слова другие"),
    ("the answer is the reference answer", "ответ совпадает с эталоном"),
    ("they differ from character {} on", "различаются начиная с символа {}"),
    ("the reference answer stands at character {}", "эталон стоит в ответе с символа {}"),
    ("the answer does not hold the reference answer", "эталона в ответе нет"),
    (
        "{} edits; the longer text has {} characters",
        "правок: {}; символов в более длинном тексте: {}",
    ),
    (
        "{} positions differ; the longer text has {} characters",
        "позиций с разными символами: {}; символов в более длинном тексте: {}",
    ),
    (
        "{} characters against {}, the first {} the same",
        "символов в ответе: {}, в эталоне: {}; совпадает первых: {}",
    ),
    ("{} characters against {}", "символов в ответе: {}, в эталоне: {}"),
    (
        "none of {} contexts resembles a reference context",
        "похожих на эталонные контекстов нет, всего их {}",
    ),
    (
        "contexts at ranks {} of {} resemble one",
        "места контекстов, похожих на эталонные: {}; всего контекстов: {}",
    ),
    ("{} of {} reference contexts found", "эталонных контекстов найдено: {} из {}"),
    ("the case has no reference contexts", "у примера нет эталонных контекстов"),
    ("asked in `{}`, answered in `{}`", "язык вопроса: {}, язык ответа: {}"),
    ("the question's language cannot be told", "язык вопроса определить нельзя"),
    ("the answer's language cannot be told", "язык ответа определить нельзя"),
    ("{} of {} quotations found; not found: {}", "цитат найдено: {} из {}; не найдены: {}"),
    ("{} of {} quotations found", "цитат найдено: {} из {}"),
    ("the answer quotes nothing of 3 words or more", "в ответе нет цитат из трёх и более слов"),
    ("called {}; to be called: {}", "вызвано: {}; нужно было: {}"),
    ("called in order; right arguments: {}", "порядок вызовов верен; верных аргументов: {}"),
    (
        "{} calls right, of {} made and {} wanted; missing: {}; needless or with other arguments: {}",
        "верных вызовов: {}; сделано: {}, нужно: {}; не хватает: {}; лишние или с другими аргументами: {}",
    ),
    (
        "{} calls right, of {} made and {} wanted; missing: {}",
        "верных вызовов: {}; сделано: {}, нужно: {}; не хватает: {}",
    ),
    (
        "{} calls right, of {} made and {} wanted; needless or with other arguments: {}",
        "верных вызовов: {}; сделано: {}, нужно: {}; лишние или с другими аргументами: {}",
    ),
    ("{} calls right, of {} made and {} wanted", "верных вызовов: {}; сделано: {}, нужно: {}"),
    ("no tool was to be called, and none was", "вызывать было нечего, и ничего не вызвано"),
    ("the case has no reference tool calls", "у примера нет эталонных вызовов инструментов"),
    ("the record has no messages", "в записи нет сообщений"),
];
