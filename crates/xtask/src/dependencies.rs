//! Licences, sources and advisories of all dependencies, checked by the rules of `deny.toml`.
//!
//! Licences and sources are checked here, because cargo-deny takes long to build. Advisories need a
//! database from the network: cargo-deny or cargo-audit checks advisories, if installed.

use crate::process;
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use spdx::{Expression, Licensee, ParseMode};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packages that name their licence only in a licence file.
const IN_LICENCE_FILE: [(&str, &str); 1] = [("cfg_block", "Apache-2.0")];

/// Rules of `deny.toml` for licences and sources.
#[derive(Deserialize)]
struct Wanted {
    licenses: Licenses,
    sources: Sources,
}

#[derive(Deserialize)]
struct Licenses {
    allow: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Sources {
    allow_registry: Vec<String>,
}

/// Output of `cargo metadata`.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// A package of `cargo metadata`.
#[derive(Deserialize)]
pub struct Package {
    pub name: String,
    pub version: String,
    license: Option<String>,
    /// Registry or repository of the package; `None` for our own packages.
    source: Option<String>,
    manifest_path: PathBuf,
}

impl Package {
    /// Creates a package, for tests.
    #[cfg(test)]
    pub fn new(name: &str, license: Option<&str>, source: &str) -> Self {
        Self {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            license: license.map(str::to_owned),
            source: Some(source.to_owned()),
            manifest_path: PathBuf::new(),
        }
    }

    /// Returns the folder of the package's files.
    pub fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new(""))
    }

    /// Returns the expression of the package's licence.
    pub fn licence(&self) -> Option<&str> {
        let in_a_file = IN_LICENCE_FILE
            .iter()
            .find(|(known, _)| *known == self.name);
        let in_a_file = in_a_file.map(|(_, licence)| *licence);
        self.license.as_deref().or(in_a_file)
    }
}

/// Returns the packages of others that any feature on any system needs.
pub fn foreign_packages(top: &Path) -> Result<Vec<Package>> {
    let mut metadata = process::cargo(top);
    metadata.args([
        "metadata",
        "--format-version",
        "1",
        "--locked",
        "--all-features",
    ]);
    let metadata = process::output(&mut metadata)
        .context("`cargo metadata --locked` failed: does Cargo.lock fit the Cargo.toml files?")?;
    let metadata: Metadata =
        serde_json::from_str(&metadata).context("`cargo metadata` says something unexpected")?;
    let packages = metadata.packages.into_iter();
    Ok(packages.filter(|it| it.source.is_some()).collect())
}

/// Checks every package that any feature on any system needs.
pub fn check(top: &Path) -> Result<()> {
    let path = top.join("deny.toml");
    let wanted =
        fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let wanted: Wanted =
        toml::from_str(&wanted).with_context(|| format!("{} is no list", path.display()))?;
    let foreign = foreign_packages(top)?;
    let faults = faults(&wanted, &foreign)?;
    ensure!(
        faults.is_empty(),
        "{}\nReplace these dependencies, or add to {} what may be.",
        faults.join("\n"),
        path.display()
    );
    println!(
        "{} packages have allowed licences and sources.",
        foreign.len()
    );
    advisories(top)
}

/// Returns a line for each package that breaks a rule.
fn faults(wanted: &Wanted, packages: &[Package]) -> Result<Vec<String>> {
    let licensee = |name: &String| {
        Licensee::parse(name).with_context(|| format!("deny.toml: `{name}` is no licence"))
    };
    let allowed = wanted.licenses.allow.iter().map(licensee);
    let allowed: Vec<Licensee> = allowed.collect::<Result<_>>()?;
    let registries = wanted.sources.allow_registry.iter();
    let registries: Vec<String> = registries.map(|it| format!("registry+{it}")).collect();
    let mut faults = Vec::new();
    for package in packages {
        let Package {
            name,
            version,
            source,
            ..
        } = package;
        if source
            .as_ref()
            .is_none_or(|source| !registries.contains(source))
        {
            let source = source.as_deref().unwrap_or("nowhere");
            faults.push(format!("{name} {version} is from {source}"));
        }
        let Some(licence) = package.licence() else {
            faults.push(format!("{name} {version} does not say its licence"));
            continue;
        };
        let is_allowed = Expression::parse_mode(licence, ParseMode::LAX).is_ok_and(|expression| {
            expression.evaluate(|it| allowed.iter().any(|licensee| licensee.satisfies(it)))
        });
        if !is_allowed {
            faults.push(format!("{name} {version} has the licence {licence}"));
        }
    }
    Ok(faults)
}

/// Checks the dependencies for known vulnerabilities, if cargo-deny or cargo-audit is installed and
/// can download its database.
fn advisories(top: &Path) -> Result<()> {
    let has = |name: &str| {
        let mut command = process::cargo(top);
        process::output(command.args([name, "--version"])).is_some()
    };
    let not_checked = |why: &str| println!("Advisories are not checked: {why}.");
    let cargo = |line: &str| -> Command {
        let mut command = process::cargo(top);
        command.args(line.split(' '));
        command
    };
    if has("deny") {
        if process::output(&mut cargo("deny fetch db")).is_none() {
            not_checked("cargo-deny cannot fetch their database");
            return Ok(());
        }
        return process::run(&mut cargo("deny check advisories"));
    }
    if has("audit") {
        let (_, status) = process::lines(&mut cargo("audit"))?;
        match status.code() {
            Some(0) => {}
            Some(1) => bail!("`cargo audit` found advisories; they are above"),
            _ => not_checked("cargo-audit cannot have their database"),
        }
        return Ok(());
    }
    not_checked("neither cargo-deny nor cargo-audit is installed (`cargo install cargo-deny`)");
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

    fn found(license: Option<&str>, source: &str) -> Vec<String> {
        let wanted: Wanted = toml::from_str(include_str!("../../../deny.toml")).unwrap();
        faults(&wanted, &[Package::new("x", license, source)]).unwrap()
    }

    #[test]
    fn an_expression_is_allowed_if_one_of_its_choices_is() {
        for license in [
            "MIT",
            "MIT OR Apache-2.0",
            "MIT/Apache-2.0",
            "Apache-2.0 WITH LLVM-exception",
            "GPL-3.0 OR MIT",
            "(MIT OR GPL-2.0-only) AND Unicode-3.0",
        ] {
            assert_eq!(found(Some(license), CRATES_IO), Vec::<String>::new());
        }
    }

    #[test]
    fn what_is_not_allowed_is_named() {
        for license in ["GPL-3.0-only", "MIT AND AGPL-3.0-only", "our own", ""] {
            let faults = found(Some(license), CRATES_IO);
            assert_eq!(faults, [format!("x 1.0.0 has the licence {license}")]);
        }
        assert_eq!(found(None, CRATES_IO), ["x 1.0.0 does not say its licence"]);
        let git = "git+https://example.com/x";
        let faults = found(Some("MIT"), git);
        assert_eq!(faults, [format!("x 1.0.0 is from {git}")]);
    }
}
