use std::path::{Path, PathBuf};

use ragmeter_metrics::Own;

use super::system::check_system;
use super::{BaseUrl, Config, ConfigError, ModelConfig};

/// How alike two keys must be for one to be suggested for the other.
const ALIKE: f64 = 0.6;

/// A configuration with the place it was read from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The file as given.
    pub file: String,
    /// The folder that relative paths start from.
    pub folder: PathBuf,
    /// The configuration.
    pub config: Config,
}

/// Reads a configuration file.
pub fn load(path: &Path) -> Result<Loaded, ConfigError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
    let file = path.display().to_string();
    let config = parse(&file, &text)?;
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    Ok(Loaded { file, folder, config })
}

/// Reads a configuration; `file` is its name in errors.
pub fn parse(file: &str, text: &str) -> Result<Config, ConfigError> {
    if text.trim().is_empty() {
        return Err(ConfigError::Invalid {
            file: file.to_owned(),
            line: 1,
            column: 1,
            message: "the file is empty: `ragmeter init documents` writes a starter".to_owned(),
            suggestion: None,
        });
    }
    let config: Config = parse_yaml(file, text)?;
    check(file, &config)?;
    Ok(config)
}

/// Reads YAML; the error tells the place.
pub(crate) fn parse_yaml<T: serde::de::DeserializeOwned>(
    file: &str,
    text: &str,
) -> Result<T, ConfigError> {
    serde_saphyr::from_str(text).map_err(|error| invalid(file, text, &error))
}

fn invalid(file: &str, text: &str, error: &serde_saphyr::Error) -> ConfigError {
    let plain = error.without_snippet().to_string();
    let (line, column) =
        error.location().map_or((1, 1), |at| (at.line().max(1), at.column().max(1)));
    let mut message = plain.split(" at line ").next().unwrap_or(&plain).to_owned();
    // To YAML, bare double braces are a mapping in a mapping.
    let at = usize::try_from(line - 1).unwrap_or_default();
    if message.starts_with("expected") && text.lines().nth(at).is_some_and(|at| at.contains("{{")) {
        message.push_str(": a placeholder stands in quotes, as in \"{{question}}\"");
    }
    let suggestion = nearest_of(&message);
    ConfigError::Invalid { file: file.to_owned(), line, column, message, suggestion }
}

/// The nearest of the known names in "unknown field `x`, expected one of a, b, c".
fn nearest_of(message: &str) -> Option<String> {
    let rest = message.strip_prefix("unknown ")?;
    let unknown = rest.split('`').nth(1)?;
    let known = rest.split("expected ").nth(1)?.trim_start_matches("one of ");
    let names = known.split(", ").map(|name| name.trim_matches('`'));
    nearest(unknown, names).map(str::to_owned)
}

/// The name most like `unknown`, if any is much like it.
pub(crate) fn nearest<'a>(
    unknown: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let unknown = unknown.to_lowercase();
    known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&unknown, name), name))
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

fn check(file: &str, config: &Config) -> Result<(), ConfigError> {
    let wrong = |key: String, message: &str| {
        Err(ConfigError::Value { file: file.to_owned(), key, message: message.to_owned() })
    };
    for (index, entry) in config.corpus.iter().enumerate() {
        if entry.path.is_some() == entry.url.is_some() {
            return wrong(format!("corpus[{index}]"), "give either `path` or `url`");
        }
    }
    let chunking = &config.chunking;
    if chunking.size == 0 || chunking.overlap >= chunking.size {
        return wrong("chunking".to_owned(), "`size` must be above `overlap`, and not 0");
    }
    for (name, model) in &config.models {
        check_model(file, name, model)?;
        check_pool(file, config, name, model)?;
    }
    let mut names: Vec<&str> = Vec::new();
    for (index, system) in config.systems.iter().enumerate() {
        let key = format!("systems[{index}]");
        if let Err((under, why)) = check_system(system) {
            return wrong(format!("{key}{under}"), &why);
        }
        if system.name.trim().is_empty() {
            return wrong(format!("{key}.name"), "is empty");
        }
        if names.contains(&system.name.as_str()) {
            return wrong(format!("{key}.name"), "is the name of another system too");
        }
        names.push(&system.name);
    }
    let own = match config.own() {
        Ok(own) => own,
        Err((key, message)) => return wrong(key, &message),
    };
    for (index, id) in config.metrics.iter().enumerate() {
        if own.find(id).is_none() {
            return wrong(format!("metrics[{index}]"), &unknown_metric(id, &own));
        }
    }
    if config.judge.votes == 0 || config.judge.votes > 99 {
        return wrong("judge.votes".to_owned(), "must be from 1 to 99");
    }
    if config.run.concurrency == 0 {
        return wrong("run.concurrency".to_owned(), "must be at least 1");
    }
    if config.run.drift.is_some_and(|share| !(share > 0.0 && share <= 1.0)) {
        return wrong("run.drift".to_owned(), "is a share: above 0 and at most 1");
    }
    if !(0.0..=1.0).contains(&config.run.max_failed) {
        return wrong("run.max_failed".to_owned(), "is a share: between 0 and 1");
    }
    Ok(())
}

fn check_model(file: &str, name: &str, model: &ModelConfig) -> Result<(), ConfigError> {
    let wrong = |key: &str, message: &str| {
        let key = format!("models.{name}.{key}");
        Err(ConfigError::Value { file: file.to_owned(), key, message: message.to_owned() })
    };
    if let Some(key) = &model.api_key
        && environment_name(key).is_none()
    {
        return wrong(
            "api_key",
            "a key must not stand in the file: write ${NAME} and set that environment variable",
        );
    }
    if model.concurrency == Some(0) {
        return wrong("concurrency", "must be at least 1");
    }
    for (key, value) in [
        ("timeout", model.timeout),
        ("total_timeout", model.total_timeout),
        ("queue_timeout", model.queue_timeout),
    ] {
        // What a duration can hold, with room for sums.
        if value.is_some_and(|seconds| !(seconds > 0.0 && seconds < 1e9)) {
            return wrong(key, "must be a number of seconds above 0");
        }
    }
    if let (Some(call), Some(total)) = (model.timeout, model.total_timeout)
        && total < call
    {
        let message = format!("is less than the {call} s of `timeout`, which is of each try");
        return wrong("total_timeout", &message);
    }
    Ok(())
}

/// Several servers count as one by the name of their pool, so a name stands for one set of servers.
fn check_pool(
    file: &str,
    config: &Config,
    name: &str,
    model: &ModelConfig,
) -> Result<(), ConfigError> {
    let wrong = |key: &str, message: String| {
        let key = format!("models.{name}.{key}");
        Err(ConfigError::Value { file: file.to_owned(), key, message })
    };
    let urls = model.base_url.as_ref().map(BaseUrl::all).unwrap_or_default();
    if model.base_url.is_some() && urls.is_empty() {
        return wrong("base_url", "is an empty list: name at least one server".to_owned());
    }
    if let Some((at, url)) = (urls.iter().enumerate()).find(|(at, url)| urls[..*at].contains(url)) {
        return wrong(&format!("base_url[{at}]"), format!("{url} is in the list twice"));
    }
    let Some(pool) = &model.pool else {
        if let [first, _, ..] = urls {
            let message = format!(
                "is missing: {first} and the others are one endpoint under a name of their own, \
                 which the keys of replies hold; add `pool: NAME`"
            );
            return wrong("pool", message);
        }
        return Ok(());
    };
    if pool.trim().is_empty() || pool.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return wrong("pool", "must be a name without spaces".to_owned());
    }
    if urls.is_empty() {
        return wrong("pool", "has no servers: list them under `base_url`".to_owned());
    }
    let other = config.models.iter().find(|(_, other)| {
        other.pool.as_ref() == Some(pool)
            && other.base_url.as_ref().is_some_and(|base_url| !same(base_url.all(), urls))
    });
    match other {
        Some((other, _)) => {
            let message = format!("`{pool}` has other servers in models.{other}: use two names");
            wrong("pool", message)
        }
        None => Ok(()),
    }
}

/// Whether two lists name the same servers, in whatever order.
fn same(a: &[String], b: &[String]) -> bool {
    a.len() == b.len() && a.iter().all(|url| b.contains(url))
}

/// What to say of a metric that there is not.
pub(crate) fn unknown_metric(id: &str, own: &Own) -> String {
    let known = own.ids();
    match nearest(id, known.iter().map(String::as_str)) {
        Some(near) => format!("there is no metric `{id}`; did you mean `{near}`?"),
        None => format!("there is no metric `{id}`; `ragmeter metrics` lists them"),
    }
}

/// The NAME in `${NAME}`.
pub(crate) fn environment_name(text: &str) -> Option<&str> {
    let name = text.trim().strip_prefix("${")?.strip_suffix('}')?;
    let valid = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    valid.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse("ragmeter.yaml", text).expect_err("refused").to_string()
    }

    #[test]
    fn unknown_keys_are_refused_with_place_and_nearest() {
        let said = error("run:\n  seed: 1\n  concurency: 2\n");
        assert!(said.starts_with("ragmeter.yaml:3:3: unknown field `concurency`"), "{said}");
        assert!(said.ends_with("did you mean `concurrency`?"), "{said}");
        let said = error("systems:\n  - name: a\n    retriver: {k: 5}\n");
        assert!(said.starts_with("ragmeter.yaml:3:5:") && said.contains("`retriever`"), "{said}");
    }

    #[test]
    fn a_key_in_the_file_is_refused() {
        let said = error("models:\n  gpt:\n    model: x\n    api_key: sk-123\n");
        assert!(said.contains("models.gpt.api_key") && !said.contains("sk-123"), "{said}");
    }

    #[test]
    fn unknown_metrics_and_words_are_refused() {
        assert!(error("metrics: [faithfullness]\n").contains("did you mean `faithfulness`?"));
        assert!(error("judge: {profile: groupd}\n").contains("did you mean `grouped`?"));
        assert!(error("").contains("ragmeter init"));
    }
}
