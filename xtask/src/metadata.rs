//! What `cargo metadata` tells of the workspace, as far as a task needs it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// The workspace.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    /// Its members.
    pub(crate) packages: Vec<Package>,
    /// Its root folder.
    pub(crate) workspace_root: PathBuf,
    /// Where cargo builds.
    pub(crate) target_directory: PathBuf,
}

/// One member.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
}

impl Package {
    /// The folder that holds its manifest.
    pub(crate) fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new(""))
    }
}

/// One line of a manifest's dependencies, before anything is resolved.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    /// The package, under its own name even where the manifest renames it.
    pub(crate) name: String,
    /// `dev` or `build`; nothing for an ordinary one.
    pub(crate) kind: Option<String>,
}

impl Dependency {
    /// Whether only tests, benches and examples see it.
    pub(crate) fn only_in_tests(&self) -> bool {
        self.kind.as_deref() == Some("dev")
    }
}

/// The cargo that runs this task, so that a pinned toolchain is kept.
pub(crate) fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// The workspace that this file is a part of.
pub(crate) fn of_this_workspace() -> Result<Metadata> {
    let output = Command::new(cargo())
        .args(["metadata", "--format-version", "1", "--no-deps", "--manifest-path"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .output()
        .context("cargo metadata does not start")?;
    ensure!(
        output.status.success(),
        "cargo metadata failed:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).context("cargo metadata gave something unexpected")
}
