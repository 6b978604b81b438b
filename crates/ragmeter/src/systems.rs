//! Systems of a configuration, wired: the built-in chain, an address, or a program.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ragmeter_core::{Hasher, RagSystem};
use ragmeter_rag::{
    CommandSettings, CommandSystem, HttpMethod, HttpSettings, HttpSystem, Listener, Pointer,
    ReplyPointers, StreamKind, StreamSettings, Template,
};
use serde_json::{Value, json};

use crate::config::{
    ANSWER, CONTEXT_TEXT, CommandConfig, DELTA, HttpConfig, Loaded, MethodConfig, StreamConfig,
    SystemConfig, variables,
};
use crate::corpus::{Built, chain_system};
use crate::error::Error;
use crate::models::{Environment, Models};
use crate::spec::{SystemSpec, hash_json};

/// Hears what the programs behind systems write to stderr: the system's name, and the line.
pub type Heard = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// Variables that every program gets where they are set: without them few would start.
const PASSED: [&str; 12] = [
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "TEMP",
    "TMP",
    "SYSTEMROOT",
    "VIRTUAL_ENV",
];

/// Python keeps back what it writes to a pipe, and a program that forgets to flush would seem to
/// hang; and the lines are UTF-8 whatever the locale.
const SET: [(&str, &str); 2] = [("PYTHONUNBUFFERED", "1"), ("PYTHONUTF8", "1")];

/// The largest program whose content is part of a run's identity.
const LARGEST_PROGRAM: u64 = 16 << 20;

/// A system that answers during the run, with its resolved settings. `built` is the corpus, which
/// only the chain needs.
pub(crate) fn live_system(
    system: &SystemConfig,
    loaded: &Loaded,
    built: Option<&Built>,
    models: &Models,
    env: Environment<'_>,
    heard: Option<Heard>,
) -> Result<(SystemSpec, Arc<dyn RagSystem>), Error> {
    let named = |why: String| Error::usage(format!("system `{}`: {why}", system.name));
    let (settings, live): (Value, Arc<dyn RagSystem>) = match (&system.http, &system.command) {
        (Some(http), _) => {
            let (spec, settings) = http_settings(&system.name, http, env).map_err(named)?;
            let live = HttpSystem::new(settings).map_err(|why| named(format!("http: {why}")))?;
            (json!({ "http": spec }), Arc::new(live))
        }
        (_, Some(command)) => {
            let (spec, settings) =
                command_settings(&system.name, command, &loaded.folder, env, heard)
                    .map_err(named)?;
            (json!({ "command": spec }), Arc::new(CommandSystem::new(settings)))
        }
        _ => {
            let built = built.ok_or_else(|| named("there is no corpus".to_owned()))?;
            return chain_system(system, built, models, env);
        }
    };
    Ok((SystemSpec { name: system.name.clone(), k: None, settings }, live))
}

/// A text with its variables put in, and their values.
fn expand(text: &str, env: Environment<'_>) -> Result<(String, Vec<String>), String> {
    let mut expanded = text.to_owned();
    let mut values = Vec::new();
    for name in variables(text) {
        let value = env(name)
            .filter(|value| !value.trim().is_empty())
            .ok_or_else(|| format!("needs the environment variable {name}, which is not set"))?;
        let value = value.trim().to_owned();
        expanded = expanded.replace(&format!("${{{name}}}"), &value);
        values.push(value);
    }
    Ok((expanded, values))
}

/// Settings of a system behind an address, and what of them is the run's identity: no value of a
/// header, and no variable of the query.
fn http_settings(
    name: &str,
    http: &HttpConfig,
    env: Environment<'_>,
) -> Result<(Value, HttpSettings), String> {
    let (base, query) = match http.url.split_once('?') {
        Some((base, query)) => (base, Some(query)),
        None => (http.url.as_str(), None),
    };
    let (base, of_base) = expand(base, env)?;
    if base.contains('?') || base.contains('@') {
        return Err(format!(
            "http.url: the variable in `{}` must hold no query, user or password: put them into \
             `headers`, or into the query in the file",
            http.url
        ));
    }
    // A variable may be a host or a token: it is shown as it stands in the file, and only its hash
    // is part of the run's identity.
    let address = hash_json("address", &base).as_str()[..8].to_owned();
    let mut secrets = of_base;
    let (mut url, shown) = (base, http.url.clone());
    if let Some(query) = query {
        let (expanded, values) = expand(query, env)?;
        secrets.extend(values);
        url = format!("{url}?{expanded}");
    }
    let mut headers = Vec::new();
    for (header, value) in &http.headers {
        let (value, values) = expand(value, env)?;
        secrets.extend(values);
        headers.push((header.clone(), value));
    }
    let request = Template::new(http.request.clone()).map_err(|error| error.to_string())?;
    let pointer = |text: &str| Pointer::parse(text).map_err(|error| error.to_string());
    let maybe = |text: &Option<String>| text.as_deref().map(pointer).transpose();
    let answer = http.answer.as_deref().unwrap_or(ANSWER);
    let context_text = http.context_text.as_deref().unwrap_or(CONTEXT_TEXT);
    let delta = http.delta.as_deref().unwrap_or(DELTA);
    let reply = ReplyPointers {
        answer: pointer(answer)?,
        contexts: maybe(&http.contexts)?,
        context_text: pointer(context_text)?,
        context_id: maybe(&http.context_id)?,
        context_source: maybe(&http.context_source)?,
        context_score: maybe(&http.context_score)?,
        ids: maybe(&http.ids)?,
        tokens_in: maybe(&http.usage.input)?,
        tokens_out: maybe(&http.usage.output)?,
        lenient: false,
    };
    let stream = match http.stream {
        StreamConfig::None => None,
        StreamConfig::Sse => Some(StreamKind::Sse),
        StreamConfig::Ndjson => Some(StreamKind::Ndjson),
    };
    let mut spec = json!({
        "url": shown,
        "address": address,
        "method": http.method,
        "headers": http.headers.keys().collect::<Vec<_>>(),
        "request": http.request,
        "contexts": http.contexts,
        "context_text": context_text,
        "context_id": http.context_id,
        "context_source": http.context_source,
        "context_score": http.context_score,
        "ids": http.ids,
        "usage": http.usage,
    });
    let place = if stream.is_some() { ("delta", delta) } else { ("answer", answer) };
    spec[place.0] = json!(place.1);
    spec["stream"] = json!(http.stream);
    let settings = HttpSettings {
        name: name.to_owned(),
        url,
        shown,
        method: match http.method {
            MethodConfig::Post => HttpMethod::Post,
            MethodConfig::Put => HttpMethod::Put,
        },
        headers,
        secrets,
        request,
        reply,
        stream: match stream {
            Some(kind) => Some(StreamSettings { kind, delta: pointer(delta)? }),
            None => None,
        },
        timeout: Duration::from_secs_f64(http.timeout),
        retries: http.retries,
        concurrency: http.concurrency,
    };
    Ok((spec, settings))
}

/// Settings of a program, and what of them is the run's identity: how it is called, and the
/// content of the script where there is one.
pub(crate) fn command_settings(
    name: &str,
    command: &CommandConfig,
    base: &Path,
    env: Environment<'_>,
    heard: Option<Heard>,
) -> Result<(Value, CommandSettings), String> {
    let home = absolute(base)?;
    let folder = command.cwd.as_ref().map_or_else(|| home.clone(), |cwd| home.join(cwd));
    if !folder.is_dir() {
        return Err(format!("command.cwd: there is no folder {}", folder.display()));
    }
    let Some((first, args)) = command.run.split_first() else {
        return Err("command.run is empty".to_owned());
    };
    let program = program(first, &home, env)?;
    let mut variables: Vec<(String, String)> = PASSED
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), env(name)?)))
        .chain(SET.map(|(name, value)| (name.to_owned(), value.to_owned())))
        .collect();
    let mut secrets = Vec::new();
    for name in &command.env {
        let value = env(name)
            .ok_or_else(|| format!("needs the environment variable {name}, which is not set"))?;
        secrets.push(value.clone());
        variables.retain(|(known, _)| known != name);
        variables.push((name.clone(), value));
    }
    let script = script(first, &program, args, &folder);
    let spec = json!({
        "run": command.run,
        "cwd": command.cwd,
        "env": command.env,
        "script": script.and_then(|path| content_of(&path)),
    });
    let listener = heard.map(|heard| {
        let name = name.to_owned();
        let listener: Listener = Arc::new(move |line| heard(&name, line));
        listener
    });
    let settings = CommandSettings {
        name: name.to_owned(),
        program,
        args: args.to_vec(),
        folder,
        env: variables,
        secrets,
        timeout: Duration::from_secs_f64(command.timeout),
        retries: command.retries,
        workers: command.workers,
        listener,
    };
    Ok((spec, settings))
}

fn absolute(folder: &Path) -> Result<PathBuf, String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    std::path::absolute(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

fn is_path(program: &str) -> bool {
    program.contains(['/', std::path::MAIN_SEPARATOR])
}

/// The program as it can be started from any folder.
fn program(name: &str, home: &Path, env: Environment<'_>) -> Result<PathBuf, String> {
    if is_path(name) {
        let path = home.join(name);
        if !path.is_file() {
            return Err(format!("command.run: there is no program {}", path.display()));
        }
        return Ok(path);
    }
    let path = env("PATH").unwrap_or_default();
    // Elsewhere than on Unix names have endings that the system adds by itself.
    let found = !cfg!(unix) || std::env::split_paths(&path).any(|dir| dir.join(name).is_file());
    if found {
        return Ok(PathBuf::from(name));
    }
    let beside = if home.join(name).is_file() {
        format!(" (the one beside the configuration is `./{name}`)")
    } else {
        String::new()
    };
    Err(format!("command.run: there is no program `{name}` in PATH{beside}"))
}

/// What is really run: the program, if it belongs to the project, else the first argument that is
/// a file, as in `python3 bot.py`.
fn script(name: &str, program: &Path, args: &[String], folder: &Path) -> Option<PathBuf> {
    if is_path(name) && Path::new(name).is_relative() {
        return Some(program.to_owned());
    }
    args.iter().map(|arg| folder.join(arg)).find(|path| path.is_file())
}

/// The hash of a file's content.
fn content_of(path: &Path) -> Option<String> {
    if std::fs::metadata(path).ok()?.len() > LARGEST_PROGRAM {
        return None;
    }
    let content = std::fs::read(path).ok()?;
    Some(Hasher::new("script").bytes(&content).finish().to_string())
}
