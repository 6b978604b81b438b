//! Models of one maker: they tend to prefer each other's answers.

use ragmeter_core::Lang;

use crate::RunData;

/// Makers by parts of their models' names.
const FAMILIES: [(&str, &[&str]); 11] = [
    ("Claude", &["claude"]),
    ("Command", &["command-r", "command-a", "c4ai"]),
    ("DeepSeek", &["deepseek"]),
    ("Gemini", &["gemini", "gemma"]),
    ("GigaChat", &["gigachat"]),
    ("GPT", &["gpt", "o1-", "o3-", "o4-", "davinci"]),
    ("Llama", &["llama"]),
    ("Mistral", &["mistral", "mixtral", "ministral", "codestral", "magistral"]),
    ("Phi", &["phi-"]),
    ("Qwen", &["qwen", "qwq"]),
    ("YandexGPT", &["yandexgpt", "yandex-gpt", "aliceai"]),
];

/// The family of a model by its name, where it tells.
pub(crate) fn family(model: &str) -> Option<&'static str> {
    let name = model.to_lowercase();
    // YandexGPT is no GPT: the longest part that fits decides.
    let fits = |(family, parts): &(&'static str, &'static [&'static str])| {
        let longest = parts.iter().filter(|part| name.contains(**part)).map(|part| part.len());
        longest.max().map(|length| (length, *family))
    };
    let exact = matches!(name.as_str(), "o1" | "o3" | "o4").then_some("GPT");
    exact.or(FAMILIES.iter().filter_map(fits).max().map(|(_, family)| family))
}

/// What to know about who judges whom: a judge of the family of a generator, or of the test set's
/// author, may favour its own.
pub fn family_warnings(run: &RunData, lang: Lang) -> Vec<String> {
    let mut warnings = Vec::new();
    let Some(judge) = family(&run.judge) else { return warnings };
    let own: Vec<&str> = (run.systems.iter())
        .filter(|system| system.generator.as_deref().and_then(family) == Some(judge))
        .map(|system| system.name.as_str())
        .collect();
    if !own.is_empty() && own.len() < run.systems.len() {
        let systems = own.join(", ");
        warnings.push(match lang {
            Lang::En => format!(
                "The judge and the generator of {systems} are of one family ({judge}), the other \
                 systems' are not: a judge may favour its own. `--second-judge MODEL` shows \
                 whether the order holds."
            ),
            Lang::Ru => format!(
                "Судья и генератор системы {systems} — модели одного семейства ({judge}), у других \
                 систем нет: судья может быть благосклоннее к своим. `--second-judge MODEL` \
                 покажет, сохранится ли порядок."
            ),
        });
    } else if !own.is_empty() {
        warnings.push(match lang {
            Lang::En => format!(
                "The judge and the generators are of one family ({judge}): all scores may be too \
                 kind. `--second-judge MODEL` shows whether the order holds."
            ),
            Lang::Ru => format!(
                "Судья и генераторы — модели одного семейства ({judge}): все оценки могут быть \
                 завышены. `--second-judge MODEL` покажет, сохранится ли порядок."
            ),
        });
    }
    let authored = run.cases.iter().filter_map(|case| case.author.as_deref());
    let authored = authored.filter(|author| family(author) == Some(judge)).count();
    if authored > 0 {
        let of = run.cases.len();
        warnings.push(match lang {
            Lang::En => format!(
                "{authored} of {of} cases were written by a model of the judge's family ({judge})."
            ),
            Lang::Ru => format!(
                "{authored} из {of} примеров составлены моделью того же семейства, что и судья \
                 ({judge})."
            ),
        });
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::family;

    #[test]
    fn names_tell_the_maker() {
        for (name, expected) in [
            ("gpt-4o-mini", Some("GPT")),
            ("openai/o3-mini", Some("GPT")),
            ("o1", Some("GPT")),
            ("GigaChat-2-Max", Some("GigaChat")),
            ("gpt://b1g/yandexgpt/latest", Some("YandexGPT")),
            ("Qwen2.5-7B-Instruct", Some("Qwen")),
            ("meta-llama/Llama-3.1-8B", Some("Llama")),
            ("claude-sonnet-4", Some("Claude")),
            ("my-model", None),
            ("local", None),
        ] {
            assert_eq!(family(name), expected, "{name}");
        }
    }
}
