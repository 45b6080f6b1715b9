//! Python for tests: with sacreBLEU, whose BLEU and chrF are compared with ours digit by digit, with
//! the packages by which `examples/read_checkpoint.py` reads checkpoints, and with those that run a
//! notebook and read the forge's workflows. And maturin, which writes the Python package.
//!
//! Both are installed in our own tools folder, so that no Python of the user is changed. If
//! `STRATA_PYTHON` names a Python, the tests use that one instead.

use crate::{process, tools};
use anyhow::{Context, Result, ensure};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A package by name and version.
type Package = (&'static str, &'static str);

/// Packages of the tests. `regex` determines the Unicode tables of sacreBLEU; sacreBLEU itself
/// requires numpy.
const FOR_TESTS: [Package; 7] = [
    ("sacrebleu", "2.6.0"),
    ("regex", "2026.11.15"),
    ("safetensors", "0.8.0"),
    ("nbclient", "0.10.4"),
    ("ipykernel", "6.31.0"),
    ("pandas", "2.3.3"),
    ("pyyaml", "6.0.4"),
];
const MATURIN: [Package; 1] = [("maturin", "1.16.0")];

/// Returns the whole path of the Python for tests, and installs the Python if necessary.
pub fn find_or_install() -> Result<PathBuf> {
    if let Some(python) = env::var_os("STRATA_PYTHON").map(PathBuf::from) {
        ensure!(
            has_packages(&python, &FOR_TESTS),
            "STRATA_PYTHON is {}, which is no Python with {}: install these there, or unset it and \
             one is made",
            python.display(),
            requirements(&FOR_TESTS).join(" and ")
        );
        return Ok(python);
    }
    environment("python", &FOR_TESTS)
}

/// Returns the whole path of maturin, and installs maturin if necessary.
pub fn maturin() -> Result<PathBuf> {
    let python = environment("maturin", &MATURIN)?;
    Ok(python.with_file_name(format!("maturin{}", env::consts::EXE_SUFFIX)))
}

/// Returns the Python of our own environment with these packages, and makes the environment if
/// necessary.
fn environment(name: &str, packages: &[Package]) -> Result<PathBuf> {
    let versions: Vec<_> = packages.iter().map(|(_, version)| *version).collect();
    let folder = tools::folder()?.join(format!("{name}-{}", versions.join("-")));
    let python = folder.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    if has_packages(&python, packages) {
        return Ok(python);
    }
    let requirements = requirements(packages);
    println!(
        "Installing {} into {}. This happens once and takes about a minute.",
        requirements.join(", "),
        folder.display()
    );
    let mut environment = Command::new("python3");
    environment.args(["-m", "venv", "--clear"]).arg(&folder);
    process::run(&mut environment).context(
        "scores are compared with the Python package sacreBLEU, and the Python package is written by \
         maturin, for which Python 3 with its module venv is needed: on Debian run \
         `apt-get install python3-venv` as root, elsewhere install Python 3 from \
         https://www.python.org",
    )?;
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet"]);
    install.arg("--disable-pip-version-check");
    install.args(&requirements);
    process::run(&mut install)
        .context("Python's packages could not be installed; is this machine online?")?;
    ensure!(
        has_packages(&python, packages),
        "{} were installed but {} does not find them",
        requirements.join(", "),
        python.display()
    );
    Ok(python)
}

/// Lists packages in the format of pip.
fn requirements(packages: &[Package]) -> Vec<String> {
    let of = |(name, version): &Package| format!("{name}=={version}");
    packages.iter().map(of).collect()
}

fn has_packages(python: &Path, packages: &[Package]) -> bool {
    let names = packages.iter().map(|(name, _)| name);
    let versions =
        "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))";
    let versions = process::output(Command::new(python).args(["-c", versions]).args(names));
    let wanted = packages.iter().map(|(_, version)| *version);
    versions.is_some_and(|it| it.split_whitespace().eq(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_no_such_python_is_not_taken() {
        assert!(!has_packages(Path::new("cargo"), &FOR_TESTS));
        assert!(!has_packages(Path::new("no-such-python"), &FOR_TESTS));
    }
}
