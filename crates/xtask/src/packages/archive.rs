//! `cargo xtask archive`: the program for this system, with completions, manual pages and licences,
//! under the name by which `cargo binstall` looks for it.

use super::{Archive, VERSION, announce, folder, notices, remove};
use crate::process;
use anyhow::{Context, Result};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Shells, and the names by which they find a script.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "strata.bash"),
    ("zsh", "_strata"),
    ("fish", "strata.fish"),
    ("powershell", "_strata.ps1"),
    ("elvish", "strata.elv"),
];

/// Builds the program, and writes the archive.
pub fn run(top: &Path) -> Result<()> {
    announce(&build(top)?)
}

/// Builds the program and the archive, and returns the path of the archive.
pub fn build(top: &Path) -> Result<PathBuf> {
    let mut cargo = process::cargo(top);
    cargo.args([
        "build",
        "--release",
        "--workspace",
        "--bin",
        "strata",
        "--locked",
    ]);
    process::run(&mut cargo)?;
    let program = process::program()?;
    let folder = folder()?;
    remove(&folder, "strata-", &format!("{}.zip", target(top)?))?;
    let name = format!("strata-{VERSION}-{}", target(top)?);
    let (mut archive, path) = Archive::create(&folder, &name)?;
    let file = format!("strata{}", env::consts::EXE_SUFFIX);
    archive.add_program(&file, &fs::read(&program)?)?;
    for (shell, file) in SHELLS {
        let script = said(&program, &["completions", shell])?;
        archive.add(&format!("completions/{file}"), script.as_bytes())?;
    }
    let pages = folder.join("man");
    said(&program, &["man", "--to", &pages.to_string_lossy()])?;
    let mut written: Vec<_> = fs::read_dir(&pages)?.flatten().collect();
    written.sort_by_key(fs::DirEntry::file_name);
    for page in written {
        let name = page.file_name().to_string_lossy().into_owned();
        archive.add(&format!("man/{name}"), &fs::read(page.path())?)?;
    }
    fs::remove_dir_all(&pages)?;
    for file in ["LICENSE", "CHANGELOG.md"] {
        archive.add(file, &fs::read(top.join(file))?)?;
    }
    archive.add("README.md", &fs::read(top.join("crates/cli/README.md"))?)?;
    let licences = notices::of(top, &["--manifest-path", "crates/cli/Cargo.toml"])?;
    archive.add(notices::FILE, licences.as_bytes())?;
    archive.finish()?;
    Ok(path)
}

/// Returns the target triple for which this system's cargo builds.
fn target(top: &Path) -> Result<String> {
    let mut rustc = Command::new("rustc");
    let printed = process::output(rustc.current_dir(top).arg("-vV")).unwrap_or_default();
    let host = printed.lines().find_map(|it| it.strip_prefix("host: "));
    host.map(str::to_owned)
        .context("`rustc -vV` does not say for which system it compiles")
}

fn said(program: &Path, arguments: &[&str]) -> Result<String> {
    process::output(Command::new(program).args(arguments))
        .with_context(|| format!("`strata {}` failed", arguments.join(" ")))
}
