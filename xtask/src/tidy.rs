//! `cargo xtask tidy`: what the compiler does not check.

use std::path::Path;

use anyhow::{Result, bail};

use crate::layers;
use crate::metadata::{self, Metadata, Package};
use crate::sources::{self, Found};

/// Checks the workspace and prints what it found.
pub(crate) fn run() -> Result<()> {
    let found = check(&metadata::of_this_workspace()?)?;
    for note in &found.notes {
        println!("note: {note}");
    }
    for problem in &found.problems {
        println!("error: {problem}");
    }
    match found.problems.len() {
        0 => Ok(()),
        count => bail!("{count} problem(s), see above"),
    }
}

fn check(metadata: &Metadata) -> Result<Found> {
    let mut found = Found { problems: layers::problems(metadata), notes: Vec::new() };
    found.problems.extend(
        metadata.packages.iter().filter_map(|package| place(package, &metadata.workspace_root)),
    );
    for package in metadata.packages.iter().filter(|package| package.name != "xtask") {
        sources::look(&package.name, package.folder(), &mut found)?;
    }
    Ok(found)
}

/// A member stands in `crates/`, in a folder of its name; `xtask` stands beside them.
fn place(package: &Package, root: &Path) -> Option<String> {
    let name = &package.name;
    let due = if name == "xtask" { root.join(name) } else { root.join("crates").join(name) };
    (package.folder() != due).then(|| {
        format!("{name} stands in {}, not in {}", package.folder().display(), due.display())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_is_tidy() {
        let metadata = metadata::of_this_workspace().expect("cargo tells");
        let found = check(&metadata).expect("everything can be read");
        assert!(found.problems.is_empty(), "{:#?}", found.problems);
    }

    #[test]
    fn a_folder_of_another_name_is_found() {
        let at = |path: &str| Package {
            name: "ragmeter-core".to_owned(),
            version: "1.0.0".to_owned(),
            manifest_path: path.into(),
            dependencies: Vec::new(),
        };
        let root = Path::new("/made-up");
        assert!(place(&at("/made-up/crates/ragmeter-core/Cargo.toml"), root).is_none());
        assert!(place(&at("/made-up/crates/core/Cargo.toml"), root).is_some());
        assert!(place(&at("/made-up/ragmeter-core/Cargo.toml"), root).is_some());
    }
}
