use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use futures::StreamExt;
use ragmeter_core::{Document, Lang};
use ragmeter_text::detect;

use crate::cache::CacheError;
use crate::clean::{Cleaned, Selectors};
use crate::files::Content;
use crate::memo::{self, Memo};
use crate::{fetch, files};

/// Reasons quoted in the error when nothing could be read.
const QUOTED: usize = 5;

/// One entry of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceSpec {
    /// A file, a folder, a glob pattern (each relative to the base folder) or an http(s) address.
    pub location: String,
    /// CSS selectors of the elements to keep of each HTML page; none: the page's main content.
    pub select: Vec<String>,
}

/// Bounds of loading.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Largest file or page, in bytes.
    pub max_bytes: u64,
    /// Pages fetched at a time.
    pub concurrency: usize,
    /// Redirects followed for one page.
    pub redirects: usize,
    /// Seconds for one page.
    pub timeout_seconds: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_bytes: 20 * 1024 * 1024, concurrency: 8, redirects: 5, timeout_seconds: 30.0 }
    }
}

/// Something that was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Path or address.
    pub source: String,
    /// Why.
    pub reason: String,
}

/// Something worth knowing about a document that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Path or address.
    pub source: String,
    /// What.
    pub text: String,
}

/// What came of loading a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// At least one, in the order of the sources and, within one, of the paths.
    pub documents: Vec<Document>,
    /// What could not be read or is of a type that is not read.
    pub unread: Vec<Unread>,
    /// What else the user should know.
    pub notes: Vec<Note>,
}

/// Why there is no corpus.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The configuration names something impossible.
    #[error("{0}")]
    Spec(String),
    /// Nothing could be read.
    #[error("no document could be read:{}", listed(.0))]
    Nothing(Vec<Unread>),
    /// The index folder cannot be written.
    #[error(transparent)]
    Cache(#[from] CacheError),
}

fn listed(unread: &[Unread]) -> String {
    if unread.is_empty() {
        return " the corpus names no source with files".to_owned();
    }
    let quoted = unread.iter().take(QUOTED);
    let mut lines: Vec<String> =
        quoted.map(|one| format!("\n  {}: {}", one.source, one.reason)).collect();
    if unread.len() > QUOTED {
        lines.push(format!("\n  and {} more", unread.len() - QUOTED));
    }
    lines.concat()
}

/// One thing to read.
struct Item {
    source: String,
    place: Place,
    /// Index of its source's selectors.
    spec: usize,
}

enum Place {
    File(PathBuf),
    Address,
}

/// Loads and cleans a corpus. A document's source is its path relative to `base` (as given, if
/// outside of it) or its address. A file named by several sources is loaded once, by the first.
/// What cannot be read is listed and the rest goes on; only an empty corpus is an error. With a
/// folder, what was made of each file and page is kept there: unchanged ones are not cleaned again.
///
/// Must be called inside a tokio runtime.
pub async fn load(
    specs: &[SourceSpec],
    base: &Path,
    limits: &Limits,
    folder: Option<&Path>,
) -> Result<Loaded, LoadError> {
    let memo = Arc::new(Mutex::new(Memo::open(folder, "documents")));
    let selectors: Vec<Selectors> = specs
        .iter()
        .map(|spec| Selectors::new(&spec.select).map_err(LoadError::Spec))
        .collect::<Result<_, _>>()?;
    let mut loaded = Loaded::default();
    let items = list(specs, base, &mut loaded.unread)?;
    let has_address = items.iter().any(|item| matches!(item.place, Place::Address));
    let client = if has_address { Some(fetch::client(limits)) } else { None };

    let read_one = |item: Item| {
        let (client, selectors, memo) = (&client, &selectors[item.spec], &memo);
        async move {
            let text = match (&item.place, client) {
                (Place::File(path), _) => {
                    let (path, max_bytes) = (path.clone(), limits.max_bytes);
                    let read = move || files::read(&path, max_bytes);
                    clean_aside(read, selectors.clone(), Arc::clone(memo)).await
                }
                (Place::Address, Some(Ok(client))) => {
                    match fetch::fetch(client, &item.source, limits).await {
                        Ok(text) => {
                            clean_aside(move || Ok(text), selectors.clone(), Arc::clone(memo)).await
                        }
                        Err(reason) => Err(reason),
                    }
                }
                (Place::Address, Some(Err(reason))) => Err(reason.clone()),
                (Place::Address, None) => Err("no client for addresses".to_owned()),
            };
            (item.source, text)
        }
    };
    let mut results =
        futures::stream::iter(items).map(read_one).buffered(limits.concurrency.max(1));
    while let Some((source, result)) = results.next().await {
        match result {
            Ok((cleaned, _)) if cleaned.text.is_empty() => {
                let reason = "no text is left after cleaning".to_owned();
                loaded.unread.push(Unread { source, reason });
            }
            Ok((cleaned, lang)) => {
                if let Some(text) = cleaned.note {
                    loaded.notes.push(Note { source: source.clone(), text });
                }
                let (title, text) = (cleaned.title, cleaned.text);
                loaded.documents.push(Document { source, title, lang, text });
            }
            Err(reason) => loaded.unread.push(Unread { source, reason }),
        }
    }
    if loaded.documents.is_empty() {
        return Err(LoadError::Nothing(loaded.unread));
    }
    memo.lock().unwrap_or_else(PoisonError::into_inner).save()?;
    Ok(loaded)
}

/// Reads and cleans on a thread that may block, so that the runtime stays free for the rest.
async fn clean_aside(
    read: impl FnOnce() -> Result<Content, String> + Send + 'static,
    selectors: Selectors,
    memo: Arc<Mutex<Memo>>,
) -> Result<(Cleaned, Lang), String> {
    let work = move || {
        let content = read()?;
        let mut key = memo::keyed("document");
        selectors.css().for_each(|css| {
            key.text(css);
        });
        let key = content.add_to(&mut key).finish();
        let memo = || memo.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = memo().get(&key) {
            return Ok(known);
        }
        let cleaned = content.clean(&selectors)?;
        let lang = detect(&cleaned.text);
        let made = (cleaned, lang);
        memo().put(key, &made);
        Ok(made)
    };
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err("the page could not be taken apart".to_owned()))
}

/// Everything the sources name, each file and address once.
fn list(
    specs: &[SourceSpec],
    base: &Path,
    unread: &mut Vec<Unread>,
) -> Result<Vec<Item>, LoadError> {
    let mut items = Vec::new();
    let mut seen = BTreeSet::new();
    let mut aside_seen = BTreeSet::new();
    for (spec, SourceSpec { location, .. }) in specs.iter().enumerate() {
        match location.split_once("://").map(|(scheme, _)| scheme.to_lowercase()) {
            Some(scheme) if scheme == "http" || scheme == "https" => {
                if seen.insert(location.clone()) {
                    let source = location.clone();
                    items.push(Item { source, place: Place::Address, spec });
                }
                continue;
            }
            Some(scheme) => {
                let only = "only http and https addresses are read";
                return Err(LoadError::Spec(format!("{location}: {only}, not {scheme}")));
            }
            None => {}
        }
        let found = match files::find(location, base) {
            Ok(found) => found,
            Err(reason) => {
                unread.push(Unread { source: location.clone(), reason });
                continue;
            }
        };
        for path in found.files {
            let real = path.canonicalize().unwrap_or_else(|_| path.clone());
            if seen.insert(real.to_string_lossy().into_owned()) {
                items.push(Item { source: name_of(&path, base), place: Place::File(path), spec });
            }
        }
        for (path, reason) in found.aside {
            let source = name_of(&path, base);
            if aside_seen.insert(source.clone()) {
                unread.push(Unread { source, reason });
            }
        }
    }
    Ok(items)
}

/// A path as documents are named by: relative to the base where it is below it, with slashes.
fn name_of(path: &Path, base: &Path) -> String {
    let inner = path.strip_prefix(base).unwrap_or(path);
    let shown = inner.to_string_lossy().replace('\\', "/");
    shown.strip_prefix("./").unwrap_or(&shown).to_owned()
}
