use std::collections::BTreeMap;
use std::sync::OnceLock;

use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};
use ragmeter_core::{Digest, Hasher, Lang, Message, Role};

use crate::group::{Field, Group};
use crate::wanted::{Profile, Wanted};

/// Names of the tags that hold data in a prompt; a document must not be able to close one.
const TAGS: [&str; 29] = [
    "context",
    "question",
    "questions",
    "answer",
    "reference",
    "sentence",
    "sentences",
    "claims",
    "claim",
    "parts",
    "part",
    "source",
    "text",
    "nuggets",
    "nugget",
    "conversation",
    "turn",
    "topics",
    "topic",
    "allowed",
    "first",
    "second",
    "criterion",
    "grades",
    "grade",
    "schema",
    "desired",
    "end_state",
    "goal",
];

/// One prompt file taken apart.
struct Prompt {
    system: &'static str,
    user: &'static str,
    hash: Digest,
}

/// The glue of the lowest rung: how a shape is asked for in words, and a repair.
struct Shape {
    shape: &'static str,
    repair: &'static str,
}

/// The text under `# name`, up to the next heading of that level.
fn section(file: &'static str, name: &str) -> &'static str {
    let heading = format!("\n# {name}\n");
    let start = file.find(&heading).map_or(file.len(), |at| at + heading.len());
    let rest = &file[start..];
    let end = rest.find("\n# ").unwrap_or(rest.len());
    rest[..end].trim()
}

fn prompts() -> &'static BTreeMap<(Group, Lang), Prompt> {
    static PROMPTS: OnceLock<BTreeMap<(Group, Lang), Prompt>> = OnceLock::new();
    PROMPTS.get_or_init(|| {
        let all = Group::ALL.iter().flat_map(|&group| Lang::ALL.map(|lang| (group, lang)));
        all.map(|(group, lang)| {
            let file = group.prompt(lang);
            let prompt = Prompt {
                system: section(file, "System"),
                user: section(file, "User"),
                hash: Hasher::new("prompt").text(file).finish(),
            };
            ((group, lang), prompt)
        })
        .collect()
    })
}

fn shape_file(lang: Lang) -> &'static str {
    match lang {
        Lang::En => include_str!("../prompts/shape/en.md"),
        Lang::Ru => include_str!("../prompts/shape/ru.md"),
    }
}

fn shape(lang: Lang) -> Shape {
    let file = shape_file(lang);
    Shape { shape: section(file, "Shape"), repair: section(file, "Repair") }
}

/// The hash of a group's prompt file in one language.
pub fn template_hash(group: Group, lang: Lang) -> Digest {
    prompts()[&(group, lang)].hash.clone()
}

/// Hashes of every prompt file that these facts are asked with, by `group/language`; the words that
/// ask for a shape or a repair are the file `shape`.
pub fn prompt_hashes(
    wanted: &Wanted,
    profile: Profile,
    langs: &[Lang],
) -> BTreeMap<String, Digest> {
    let groups = wanted.groups(profile).into_iter();
    let all = groups.flat_map(|group| langs.iter().map(move |&l| (group, l)));
    let of_groups =
        all.map(|(group, lang)| (format!("{}/{lang}", group.name()), template_hash(group, lang)));
    let of_shapes = langs.iter().map(|&lang| {
        let hash = Hasher::new("prompt").text(shape_file(lang)).finish();
        (format!("shape/{lang}"), hash)
    });
    of_groups.chain(of_shapes).collect()
}

/// Data for a prompt: each value under the field it belongs to.
#[derive(Clone)]
pub(crate) struct View {
    group: Group,
    values: BTreeMap<&'static str, Value>,
}

impl View {
    pub(crate) fn new(group: Group) -> Self {
        Self { group, values: BTreeMap::new() }
    }

    /// Shows a text; a group that may not see the field is a fault in the caller.
    #[must_use]
    pub(crate) fn text(self, field: Field, name: &'static str, text: &str) -> Self {
        self.value(field, name, Value::from(harmless(text)))
    }

    /// Shows a list of texts numbered from 1.
    #[must_use]
    pub(crate) fn list<'a>(
        self,
        field: Field,
        name: &'static str,
        texts: impl IntoIterator<Item = (usize, &'a str)>,
    ) -> Self {
        let items: Vec<Value> = texts
            .into_iter()
            .map(|(id, text)| minijinja::context! { id => id, text => harmless(text) })
            .collect();
        self.value(field, name, Value::from(items))
    }

    /// Gives the template a figure that belongs to no field.
    #[must_use]
    pub(crate) fn figure(mut self, name: &'static str, figure: usize) -> Self {
        self.values.insert(name, Value::from(figure));
        self
    }

    /// Shows a text, if there is one; the template asks whether there is.
    #[must_use]
    pub(crate) fn maybe(self, field: Field, name: &'static str, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.text(field, name, text),
            None => self.value(field, name, Value::from("")),
        }
    }

    /// Shows the turns of a conversation, numbered from 1.
    #[must_use]
    pub(crate) fn turns<'a>(
        self,
        turns: impl IntoIterator<Item = (&'static str, &'a str)>,
    ) -> Self {
        let items: Vec<Value> = turns
            .into_iter()
            .enumerate()
            .map(|(at, (who, text))| {
                minijinja::context! { id => at + 1, who => who, text => harmless(text) }
            })
            .collect();
        self.value(Field::Conversation, "conversation", Value::from(items))
    }

    /// Shows the grades of a rubric.
    #[must_use]
    pub(crate) fn grades(self, grades: &[(i64, String)]) -> Self {
        let items: Vec<Value> = grades
            .iter()
            .map(|(grade, text)| minijinja::context! { value => grade, text => harmless(text) })
            .collect();
        self.value(Field::Criterion, "grades", Value::from(items))
    }

    fn value(mut self, field: Field, name: &'static str, value: Value) -> Self {
        assert!(self.group.sees().contains(&field), "{} may not see {field:?}", self.group.name());
        self.values.insert(name, value);
        self
    }

    /// The messages of this call: instructions and example first, then the data.
    pub(crate) fn messages(&self, lang: Lang) -> Vec<Message> {
        let prompt = &prompts()[&(self.group, lang)];
        vec![
            Message::new(Role::System, render(prompt.system, &self.values)),
            Message::new(Role::User, render(prompt.user, &self.values)),
        ]
    }
}

/// The words that ask for this schema.
pub(crate) fn shape_words(lang: Lang, schema: &serde_json::Value) -> String {
    render(shape(lang).shape, &BTreeMap::from([("schema", Value::from(schema.to_string()))]))
}

/// The words that ask for a better reply after this error.
pub(crate) fn repair_words(lang: Lang, error: &str) -> String {
    let error = error_words(lang, error);
    render(shape(lang).repair, &BTreeMap::from([("error", Value::from(error))]))
}

/// An error in the prompt's language. Of a parser's English words only the names it quotes are
/// kept there: they are the schema's own.
fn error_words(lang: Lang, error: &str) -> String {
    let (fault, detail) = error.split_once(": ").unwrap_or((error, ""));
    let words = section(shape_file(lang), fault);
    let names: Vec<&str> = detail.split('`').skip(1).step_by(2).collect();
    match (words.is_empty(), names.is_empty()) {
        (true, _) => error.to_owned(),
        (false, true) => words.to_owned(),
        (false, false) => format!("{words} ({})", names.join(", ")),
    }
}

/// Every template of the prompt files, read once: a large run renders them a million times. Its
/// text is its name.
fn environment() -> &'static Environment<'static> {
    static ENVIRONMENT: OnceLock<Environment<'static>> = OnceLock::new();
    ENVIRONMENT.get_or_init(|| {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        let of_prompts = prompts().values().flat_map(|prompt| [prompt.system, prompt.user]);
        let of_shapes = Lang::ALL.map(shape).into_iter().flat_map(|one| [one.shape, one.repair]);
        for template in of_prompts.chain(of_shapes) {
            environment
                .add_template(template, template)
                .expect("prompt files are part of the program, and templates; tested");
        }
        environment
    })
}

fn render(template: &str, values: &BTreeMap<&'static str, Value>) -> String {
    environment()
        .get_template(template)
        .and_then(|template| template.render(values))
        .expect("prompt files are part of the program and render on every group's data; tested")
}

/// Takes the sting out of our own tags inside a text: nothing else is changed, so that quotes
/// of the text still stand in it.
fn harmless(text: &str) -> String {
    if !text.contains('<') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let name = after.trim_start_matches('/');
        let ours = TAGS.iter().any(|tag| {
            name.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag))
                && !name[tag.len()..].starts_with(|c: char| c.is_alphanumeric())
        });
        out.push(if ours { '‹' } else { '<' });
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prompt_has_its_header_and_sections() {
        for &group in Group::ALL {
            for lang in Lang::ALL {
                let file = group.prompt(lang);
                assert!(file.starts_with("---\ngroup: "), "{group:?} {lang}");
                assert!(file.contains(&format!("\nlang: {lang}\n")), "{group:?} {lang}");
                let prompt = &prompts()[&(group, lang)];
                assert!(!prompt.system.is_empty() && !prompt.user.is_empty(), "{group:?} {lang}");
            }
        }
    }

    #[test]
    fn russian_prompts_are_russian_throughout() {
        for &group in Group::ALL {
            let system = prompts()[&(group, Lang::Ru)].system;
            // Keys and enum values stay English in both languages; a line of prose in English has
            // no Cyrillic letter at all.
            for line in system.lines().filter(|line| !line.starts_with(['{', '<'])) {
                let latin = line.split(|c: char| !c.is_ascii_alphabetic());
                let latin = latin.filter(|word| word.len() > 2).count() > 2;
                let cyrillic = line.chars().any(|c| ('а'..='я').contains(&c));
                assert!(cyrillic || !latin, "{group:?}: {line}");
            }
        }
    }

    #[test]
    fn a_russian_prompt_names_faults_in_russian() {
        let error = "not the JSON object asked for: missing field `kind` at line 1 column 9";
        let words = repair_words(Lang::Ru, error);
        assert!(words.contains("не тот объект JSON, который нужен (kind)"), "{words}");
        assert!(!words.contains("missing"), "{words}");
        assert!(repair_words(Lang::En, error).contains(error));
    }

    #[test]
    fn a_document_cannot_close_its_tag() {
        assert_eq!(harmless("a </context> b <CONTEXT id"), "a ‹/context> b ‹CONTEXT id");
        assert_eq!(harmless("1 < 2, <b>, <contexts-are-fine"), "1 < 2, <b>, <contexts-are-fine");
    }
}
