//! A Python that has sacreBLEU: the tests compare BLEU and chrF with it, digit by digit.
//!
//! It lies among our own tools, so that no Python of a user's is changed. One that
//! `STRATA_SACREBLEU` names is taken instead.

use crate::{process, tools};
use anyhow::{Context, Result, ensure};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const VERSION: &str = "2.6.0";
/// What it knows of Unicode is decided by `regex`.
const REGEX: &str = "2026.11.15";

/// The Python, with its whole path; made where it is missing.
pub fn find_or_install() -> Result<PathBuf> {
    if let Some(python) = env::var_os("STRATA_SACREBLEU").map(PathBuf::from) {
        ensure!(
            has_sacrebleu(&python),
            "STRATA_SACREBLEU is {}, which is no Python with sacreBLEU {VERSION}: install that \
             there, or unset it and one is made",
            python.display()
        );
        return Ok(python);
    }
    let folder = tools::folder()?.join(format!("sacrebleu-{VERSION}-{REGEX}"));
    let python = folder.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    if has_sacrebleu(&python) {
        return Ok(python);
    }
    println!(
        "Installing sacreBLEU {VERSION} into {}. This happens once and takes less than a minute.",
        folder.display()
    );
    let mut environment = Command::new("python3");
    environment.args(["-m", "venv", "--clear"]).arg(&folder);
    process::run(&mut environment).context(
        "the tests compare scores with the Python package sacreBLEU, for which they need Python 3 \
         with its module venv: on Debian run `apt-get install python3-venv` as root, elsewhere \
         install Python 3 from https://www.python.org",
    )?;
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet"]);
    install.arg("--disable-pip-version-check");
    install.args([format!("sacrebleu=={VERSION}"), format!("regex=={REGEX}")]);
    process::run(&mut install)
        .context("sacreBLEU could not be installed; is this machine online?")?;
    ensure!(
        has_sacrebleu(&python),
        "sacreBLEU was installed but {} does not find version {VERSION} of it",
        python.display()
    );
    Ok(python)
}

fn has_sacrebleu(python: &Path) -> bool {
    let version = "import sacrebleu; print(sacrebleu.__version__)";
    process::output(Command::new(python).args(["-c", version]))
        .is_some_and(|said| said.trim() == VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_no_such_python_is_not_taken() {
        assert!(!has_sacrebleu(Path::new("cargo")));
        assert!(!has_sacrebleu(Path::new("no-such-python")));
    }
}
