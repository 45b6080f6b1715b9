//! `cargo xtask wheel`: the Python package, a wheel with the program `strata` and the module of
//! `python/strata_attention`, written by maturin.
//!
//! Maturin asks cargo for the package `strata-attention-cli` alone, whose dependencies have fewer features
//! than those of the whole workspace: everything would be compiled a second time. So maturin's `CARGO`
//! is a copy of this program, which builds what `cargo xtask test` builds.

use super::{announce, folder, remove};
use crate::{process, python};
use anyhow::{Context, Result, bail};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Variable with the path of the real cargo, by which this program knows that it stands in for cargo.
const REAL_CARGO: &str = "STRATA_REAL_CARGO";

/// Builds the wheel, and prints path and size.
pub fn run(top: &Path) -> Result<()> {
    announce(&build(top)?)
}

/// Builds the wheel, and returns the path.
pub fn build(top: &Path) -> Result<PathBuf> {
    let maturin = python::maturin()?;
    let target = process::target_folder()?;
    let folder = folder()?;
    remove(&folder, "strata_attention-", ".whl")?;
    let stand_in = target.join("stand-in");
    fs::create_dir_all(&stand_in)
        .with_context(|| format!("{} cannot be made", stand_in.display()))?;
    let here = env::current_exe().context("this program's own path is unknown")?;
    let name = format!("cargo{}", env::consts::EXE_SUFFIX);
    let cargo = stand_in.join(name);
    fs::copy(here, &cargo).context("the stand-in for cargo cannot be written")?;
    let mut command = Command::new(maturin);
    command
        .current_dir(top.join("python"))
        .args(["build", "--release", "--locked", "--out"])
        .arg(&folder)
        // Maturin prefers this variable to the PATH.
        .env("CARGO", cargo)
        .env("CARGO_TARGET_DIR", &target)
        .env(REAL_CARGO, real_cargo());
    let built = process::run(&mut command);
    fs::remove_dir_all(&stand_in).context("the stand-in for cargo cannot be removed")?;
    built?;
    let files = fs::read_dir(&folder)?.flatten().map(|it| it.path());
    let mut wheels = files.filter(|it| it.extension().is_some_and(|it| it == "whl"));
    wheels
        .next()
        .with_context(|| format!("maturin wrote no wheel into {}", folder.display()))
}

/// Returns the cargo that runs this program.
fn real_cargo() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Stands in for cargo if maturin called this program as `cargo`; returns its exit code.
pub fn stand_in() -> Option<ExitCode> {
    let cargo = env::var_os(REAL_CARGO)?;
    let name = env::args_os().next()?;
    (Path::new(&name).file_stem()? == "cargo").then(|| {
        let arguments = env::args_os().skip(1).collect();
        match as_cargo(&cargo, arguments) {
            Ok(code) => code,
            Err(error) => {
                eprintln!("error: {error:#}");
                ExitCode::FAILURE
            }
        }
    })
}

fn as_cargo(cargo: &OsString, arguments: Vec<OsString>) -> Result<ExitCode> {
    let mut command = Command::new(cargo);
    command.args(as_workspace(arguments)).env_remove(REAL_CARGO);
    let status = command.status().context("cargo could not be started")?;
    match status.code() {
        Some(code) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(1))),
        None => bail!("cargo was killed"),
    }
}

/// Turns `cargo rustc` for the program into `cargo build` for the whole workspace, without arguments
/// for rustc; other commands stay.
fn as_workspace(arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.first().is_none_or(|it| it != "rustc") {
        return arguments;
    }
    let options = arguments.into_iter().skip(1).take_while(|it| it != "--");
    let words = ["build", "--workspace"].map(OsString::from);
    words.into_iter().chain(options).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_program_is_built_with_the_whole_workspace() {
        let asked = "rustc --bin strata --manifest-path x/Cargo.toml --release -- -C strip=symbols";
        let built = "build --workspace --bin strata --manifest-path x/Cargo.toml --release";
        assert_eq!(as_workspace(words(asked)), words(built));
        let other = "metadata --format-version 1 --locked";
        assert_eq!(as_workspace(words(other)), words(other));
    }
}
