//! Python for tests, with sacreBLEU, whose BLEU and chrF are compared with ours digit by digit, and
//! with the packages by which `examples/read_checkpoint.py` reads checkpoints.
//!
//! This Python is installed in our own tools folder, so that no Python of the user is changed. If
//! `STRATA_PYTHON` names a Python, that one is used instead.

use crate::{process, tools};
use anyhow::{Context, Result, ensure};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packages by name and version. `regex` determines the Unicode tables of sacreBLEU; sacreBLEU
/// itself requires numpy.
const PACKAGES: [(&str, &str); 3] = [
    ("sacrebleu", "2.6.0"),
    ("regex", "2026.11.15"),
    ("safetensors", "0.8.0"),
];

/// Returns the whole path of the Python, and installs the Python if necessary.
pub fn find_or_install() -> Result<PathBuf> {
    if let Some(python) = env::var_os("STRATA_PYTHON").map(PathBuf::from) {
        ensure!(
            has_packages(&python),
            "STRATA_PYTHON is {}, which is no Python with {}: install these there, or unset it and \
             one is made",
            python.display(),
            requirements(" and ")
        );
        return Ok(python);
    }
    let versions = PACKAGES.map(|(_, version)| version).join("-");
    let folder = tools::folder()?.join(format!("python-{versions}"));
    let python = folder.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    if has_packages(&python) {
        return Ok(python);
    }
    println!(
        "Installing {} into {}. This happens once and takes less than a minute.",
        requirements(", "),
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
    install.args(requirements(" ").split(' '));
    process::run(&mut install)
        .context("Python's packages could not be installed; is this machine online?")?;
    ensure!(
        has_packages(&python),
        "{} were installed but {} does not find them",
        requirements(", "),
        python.display()
    );
    Ok(python)
}

/// Lists the packages in the format of pip.
fn requirements(separator: &str) -> String {
    PACKAGES
        .map(|(name, version)| format!("{name}=={version}"))
        .join(separator)
}

fn has_packages(python: &Path) -> bool {
    let names = PACKAGES.map(|(name, _)| name);
    let versions =
        "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))";
    let versions = process::output(Command::new(python).args(["-c", versions]).args(names));
    versions.is_some_and(|it| {
        it.split_whitespace()
            .eq(PACKAGES.map(|(_, version)| version))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_no_such_python_is_not_taken() {
        assert!(!has_packages(Path::new("cargo")));
        assert!(!has_packages(Path::new("no-such-python")));
    }
}
