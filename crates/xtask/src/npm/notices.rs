//! Licence notices of the crates in the package's programs.

use crate::process;
use crate::tools::TARGET;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Our packages whose programs are in the JavaScript package.
const PROGRAMS: [&str; 2] = ["strata-npm", "strata-worker"];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    source: Option<String>,
    manifest_path: PathBuf,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    /// `None` for a dependency of the program itself.
    kind: Option<String>,
}

/// Writes the notices: each crate with its licence, then every text of a licence once, with the
/// crates that have it.
pub(super) fn of(top: &Path) -> Result<String> {
    let mut command = process::cargo(top);
    command.args(["metadata", "--format-version", "1", "--locked"]);
    // With all features, since the workers take those of the GPU.
    command.args(["--all-features", "--filter-platform", TARGET]);
    let metadata = process::output(&mut command).context("`cargo metadata --locked` failed")?;
    let metadata: Metadata =
        serde_json::from_str(&metadata).context("`cargo metadata` says something unexpected")?;
    let wanted = reached(&metadata);
    let mut packages: Vec<&Package> = metadata
        .packages
        .iter()
        .filter(|it| it.source.is_some() && wanted.contains(it.id.as_str()))
        .collect();
    packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    let mut text = "The programs of this package contain these crates:\n\n".to_owned();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages {
        let name = format!("{} {}", package.name, package.version);
        let licence = package.license.as_deref().unwrap_or("see below");
        writeln!(text, "{name}: {licence}")?;
        let folder = package.manifest_path.parent();
        for licence in folder.map(licences).unwrap_or_default() {
            texts.entry(licence).or_default().push(name.clone());
        }
    }
    for (licence, names) in texts {
        write!(text, "\n\n==== {} ====\n\n{licence}\n", names.join(", "))?;
    }
    Ok(text)
}

/// Returns the packages that the programs are built of.
fn reached(metadata: &Metadata) -> HashSet<&str> {
    let nodes = metadata.resolve.nodes.iter();
    let nodes: HashMap<&str, &Node> = nodes.map(|node| (node.id.as_str(), node)).collect();
    let programs = metadata.packages.iter();
    let programs = programs.filter(|it| PROGRAMS.contains(&it.name.as_str()));
    let mut left: Vec<&str> = programs.map(|it| it.id.as_str()).collect();
    let mut reached = HashSet::new();
    while let Some(id) = left.pop() {
        if !reached.insert(id) {
            continue;
        }
        let dependencies = nodes.get(id).into_iter().flat_map(|node| &node.deps);
        let own = dependencies.filter(|it| it.dep_kinds.iter().any(|kind| kind.kind.is_none()));
        left.extend(own.map(|it| it.pkg.as_str()));
    }
    reached
}

/// Returns the licences and notices in a crate's folder.
fn licences(folder: &Path) -> Vec<String> {
    let is_licence = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_lowercase();
        let begins = ["licen", "copying", "copyright", "notice", "unlicense"];
        begins.iter().any(|begin| name.starts_with(begin)) && path.is_file()
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|it| it.path()).filter(is_licence).collect();
    paths.sort();
    let texts = paths
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok());
    texts
        .map(|text| text.trim().replace("\r\n", "\n"))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_notices_name_the_programs_crates_and_no_tools_of_the_build() {
        let text = of(&crate::top()).unwrap();
        assert!(text.contains("\nserde-wasm-bindgen 0.6"), "{text:.2000}");
        assert!(text.contains("Permission is hereby granted"));
        let (list, _) = text.split_once("====").unwrap();
        for other in ["\nclap ", "\nfantoccini ", "\nratatui "] {
            assert!(!list.contains(other), "{other}");
        }
    }
}
