//! What the text of a crate's sources may hold.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Above this many lines a file has more than one subject.
const AIM: usize = 300;

/// Above this many lines a file is not accepted.
const MOST: usize = 400;

/// The one crate with weights and hand-written kernels.
const LOCAL: &str = "ragmeter-local";

/// Words of a source file that only [`LOCAL`] may have, and why.
const ONLY_LOCAL: &[(&str, &str)] = &[
    ("include_bytes!", "binary data goes into the one crate that owns the weights"),
    ("unsafe_code", "kernels are the one place where the lint is relaxed"),
];

/// What was found in sources.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// What must be mended.
    pub(crate) problems: Vec<String>,
    /// What should be.
    pub(crate) notes: Vec<String>,
}

/// Looks through the manifest and `src` of the member in this folder.
pub(crate) fn look(name: &str, folder: &Path, found: &mut Found) -> Result<()> {
    let manifest = read(&folder.join("Cargo.toml"))?;
    if !manifest.contains("[lints]\nworkspace = true") {
        found.problems.push(format!("{name}/Cargo.toml does not take the workspace's lints"));
    }
    let mut files = Vec::new();
    rust_files(&folder.join("src"), &mut files)?;
    files.sort();
    for file in files {
        let shown = format!("{name}/{}", file.strip_prefix(folder).unwrap_or(&file).display());
        look_at_text(name, &shown, &read(&file)?, found);
    }
    Ok(())
}

fn look_at_text(name: &str, shown: &str, text: &str, found: &mut Found) {
    let lines = text.lines().count();
    if lines > MOST {
        found.problems.push(format!("{shown} has {lines} lines, more than {MOST}: split it"));
    } else if lines > AIM {
        found.notes.push(format!("{shown} has {lines} lines, the aim is {AIM}"));
    }
    if name == LOCAL {
        return;
    }
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        for (word, why) in ONLY_LOCAL.iter().filter(|(word, _)| code.contains(word)) {
            let line = number + 1;
            found.problems.push(format!("{shown}:{line} has {word}, only {LOCAL} may: {why}"));
        }
    }
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("{} can't be read", path.display()))
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("{} can't be listed", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            rust_files(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, text: &str) -> Found {
        let mut found = Found::default();
        look_at_text(name, "made-up.rs", text, &mut found);
        found
    }

    #[test]
    fn long_files_are_found() {
        let lines = |count| "let x = 1;\n".repeat(count);
        assert_eq!(found("ragmeter", &lines(MOST + 1)).problems.len(), 1);
        assert!(found("ragmeter", &lines(MOST)).problems.is_empty());
        assert_eq!(found("ragmeter", &lines(AIM + 1)).notes.len(), 1);
        assert!(found("ragmeter", &lines(AIM)).notes.is_empty());
    }

    #[test]
    fn only_local_holds_weights_and_kernels() {
        let text = "static W: &[u8] = include_bytes!(\"w\");\n#![expect(unsafe_code)]\n";
        assert_eq!(found("ragmeter-rag", text).problems.len(), 2);
        assert!(found(LOCAL, text).problems.is_empty());
        assert!(found("ragmeter-rag", "// no include_bytes! here\n").problems.is_empty());
    }

    #[test]
    fn a_crate_without_the_lints_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("src")).expect("made");
        std::fs::write(folder.path().join("Cargo.toml"), "[package]\n").expect("written");
        let mut found = Found::default();
        look("made-up", folder.path(), &mut found).expect("looks");
        assert_eq!(found.problems.len(), 1, "{found:?}");
    }
}
