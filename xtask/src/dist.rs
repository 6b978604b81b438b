//! `cargo xtask dist`: the one static binary, with what belongs beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::elf;
use crate::metadata::{self, Metadata};

/// Files that go along, from the root of the repository.
const ALONG: &[&str] = &["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Shells, each with the file name that it looks for.
const COMPLETIONS: &[(&str, &str)] =
    &[("bash", "ragmeter.bash"), ("zsh", "_ragmeter"), ("fish", "ragmeter.fish")];

/// Licence of the bundled weights.
const WEIGHTS: &str = "crates/ragmeter-local/models/LICENSE-e5.md";

/// How the binary becomes static.
struct Way {
    target: String,
    /// Flags beyond the target's own.
    flags: &'static str,
}

/// Builds `dist/ragmeter-VERSION-TARGET/`, and checks that the binary in it is static;
/// `check` also runs it in a root that holds nothing else.
pub(crate) fn run(check: bool) -> Result<()> {
    ensure!(cfg!(target_os = "linux"), "static binaries are made on Linux only");
    let metadata = metadata::of_this_workspace()?;
    let version = &metadata
        .packages
        .iter()
        .find(|package| package.name == "ragmeter-cli")
        .context("the workspace has no ragmeter-cli")?
        .version;
    let way = way()?;
    let built = build(&metadata, &way)?;
    elf::ensure_static(&fs::read(&built)?)
        .with_context(|| format!("{} is not static", built.display()))?;
    let folder =
        metadata.workspace_root.join("dist").join(format!("ragmeter-{version}-{}", way.target));
    pack(&metadata.workspace_root, &built, &folder)?;
    println!("{}: static, {:.1} MB", folder.display(), fs::metadata(&built)?.len() as f64 / 1e6);
    if check {
        run_in_empty_root(&folder.join("ragmeter"), version)?;
        println!("runs in an empty root");
    }
    Ok(())
}

/// Musl where it is installed with a C compiler for it; else glibc, linked statically.
fn way() -> Result<Way> {
    let target = |abi| format!("{}-unknown-linux-{abi}", std::env::consts::ARCH);
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let sysroot = said(Command::new(rustc).args(["--print", "sysroot"]))?;
    let libraries = Path::new(sysroot.trim()).join("lib/rustlib").join(target("musl"));
    let compiler = Command::new("musl-gcc").arg("--version").output();
    if libraries.is_dir() && compiler.is_ok_and(|output| output.status.success()) {
        return Ok(Way { target: target("musl"), flags: "" });
    }
    Ok(Way { target: target("gnu"), flags: "-C target-feature=+crt-static" })
}

/// The release binary. The target is named even if it is the host's: then the flags reach
/// neither build scripts nor macros, which can't be static.
fn build(metadata: &Metadata, way: &Way) -> Result<PathBuf> {
    let flags = std::env::var_os("RUSTFLAGS").unwrap_or_default();
    let flags = format!("{} {}", flags.to_string_lossy(), way.flags);
    let status = Command::new(metadata::cargo())
        .current_dir(&metadata.workspace_root)
        .args(["build", "--release", "--locked", "--package", "ragmeter-cli", "--bin", "ragmeter"])
        .args(["--target", &way.target])
        .env("RUSTFLAGS", flags.trim())
        .status()?;
    ensure!(status.success(), "cargo build: {status}");
    Ok(metadata.target_directory.join(&way.target).join("release/ragmeter"))
}

/// Lays out the folder anew, so that nothing of an older one stays.
fn pack(root: &Path, built: &Path, folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let completions = folder.join("completions");
    fs::create_dir_all(&completions)?;
    let binary = folder.join("ragmeter");
    copy(built, &binary)?;
    for name in ALONG {
        copy(&root.join(name), &folder.join(name))?;
    }
    copy(&root.join(WEIGHTS), &folder.join("LICENSE-e5.md"))?;
    for (shell, file) in COMPLETIONS {
        let script = said(Command::new(&binary).args(["completions", shell]))?;
        ensure!(script.contains("ragmeter"), "the completions for {shell} are empty");
        fs::write(completions.join(file), script)?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("{} can't be copied", from.display()))?;
    Ok(())
}

/// Runs the binary where there is no library, no certificate, no `/proc` and no `/tmp`.
fn run_in_empty_root(binary: &Path, version: &str) -> Result<()> {
    let root = std::env::temp_dir().join(format!("ragmeter-dist-{}", std::process::id()));
    fs::create_dir(&root)?;
    let tried = copy(binary, &root.join("ragmeter")).and_then(|()| {
        let said_version = said(in_root(&root)?.args(["/ragmeter", "--version"]))?;
        ensure!(
            said_version.trim() == format!("ragmeter {version}"),
            "it calls itself {said_version:?}"
        );
        said(in_root(&root)?.args(["/ragmeter", "quickstart", "/demo", "--format", "json"]))?;
        ensure!(root.join("demo/report.html").is_file(), "the quickstart left no report");
        Ok(())
    });
    fs::remove_dir_all(&root)?;
    tried
}

/// `chroot` is for root; others become root of a user namespace first.
fn in_root(root: &Path) -> Result<Command> {
    let mut command = if said(Command::new("id").arg("-u"))?.trim() == "0" {
        Command::new("chroot")
    } else {
        let mut unshare = Command::new("unshare");
        unshare.args(["--map-root-user", "chroot"]);
        unshare
    };
    command.arg(root).env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    Ok(command)
}

/// What a command that must succeed writes to its standard output.
fn said(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("{command:?} does not start"))?;
    if !output.status.success() {
        let talk = String::from_utf8_lossy(&output.stderr);
        bail!("{command:?}: {}\n{talk}", output.status);
    }
    Ok(String::from_utf8(output.stdout)?)
}
