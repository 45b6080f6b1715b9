//! Licences of dependencies: a text with every dependency, the licences, and the notices in the
//! packages. Most licences must be handed on with the program.

use crate::dependencies::{self, Package};
use crate::process;
use crate::tools::TARGET;
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Name of the file in archives.
pub const FILE: &str = "LICENCES-OF-DEPENDENCIES.txt";

/// Returns the text for the packages that `cargo tree` chooses, without those of this workspace.
pub fn of(top: &Path, choice: &[&str]) -> Result<String> {
    let mut tree = process::cargo(top);
    tree.args(["tree", "--locked", "--edges", "normal", "--prefix", "none"]);
    tree.args(["--format", "{p}"]).args(choice);
    let tree = process::output(&mut tree).context("`cargo tree --locked` failed")?;
    let used: BTreeSet<String> = tree.lines().filter_map(name_and_version).collect();
    let packages = dependencies::foreign_packages(top)?;
    let packages = packages.iter().filter(|it| used.contains(&key(it)));
    let notices = packages.map(|it| (it, notices(it.folder()))).collect();
    Ok(text(notices))
}

/// Returns the text for WebAssembly programs of these packages of the workspace, with all features:
/// some workers compute on the GPU.
pub fn of_wasm(top: &Path, programs: &[&str]) -> Result<String> {
    let mut choice = vec!["--all-features", "--target", TARGET];
    for program in programs {
        choice.extend(["--package", *program]);
    }
    of(top, &choice)
}

/// Reads `serde v1.0.0 (proc-macro)` as `serde 1.0.0`.
fn name_and_version(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let (name, version) = (words.next()?, words.next()?);
    Some(format!("{name} {}", version.strip_prefix('v')?))
}

fn key(package: &Package) -> String {
    format!("{} {}", package.name, package.version)
}

/// Returns the texts of the licence files in the folder of a package.
fn notices(folder: &Path) -> Vec<String> {
    let begins = [
        "LICENSE",
        "LICENCE",
        "COPYING",
        "NOTICE",
        "COPYRIGHT",
        "UNLICENSE",
    ];
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = files
        .filter(|file| {
            let name = file.file_name().to_string_lossy().to_uppercase();
            begins.iter().any(|begin| name.starts_with(begin))
        })
        .map(|file| file.path())
        .collect();
    files.sort();
    let read = files
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok());
    read.map(|text| text.replace("\r\n", "\n").trim().to_owned())
        .filter(|text| !text.is_empty())
        .collect()
}

/// Writes the list of packages, then every notice once, below the packages that have it.
fn text(packages: Vec<(&Package, Vec<String>)>) -> String {
    let mut text = "Strata is built from these packages, each under its licence:\n\n".to_owned();
    let mut of_notice: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (package, notices) in packages {
        text += &format!(
            "- {}: {}\n",
            key(package),
            package.licence().unwrap_or("see below")
        );
        for notice in notices {
            of_notice.entry(notice).or_default().push(key(package));
        }
    }
    let mut notices: Vec<_> = of_notice.into_iter().collect();
    notices.sort_by(|one, other| one.1.cmp(&other.1));
    for (notice, packages) in notices {
        let line = "=".repeat(80);
        text += &format!("\n{line}\n{}\n{line}\n\n{notice}\n", packages.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_notices_name_the_programs_crates_and_no_tools_of_the_build() {
        let text = of_wasm(&crate::top(), &["strata-npm", "strata-worker"]).unwrap();
        assert!(text.contains("\n- serde-wasm-bindgen 0.6"), "{text:.2000}");
        assert!(text.contains("Permission is hereby granted"));
        let (list, _) = text.split_once("====").unwrap();
        for other in ["\n- clap ", "\n- fantoccini ", "\n- ratatui "] {
            assert!(!list.contains(other), "{other}");
        }
    }

    #[test]
    fn a_notice_that_two_packages_have_stands_once() {
        let of = |name: &str| Package::new(name, Some("MIT"), "registry");
        let (one, two) = (of("one"), of("two"));
        let notice = "Copyright (c) somebody".to_owned();
        let text = text(vec![(&one, vec![notice.clone()]), (&two, vec![notice])]);
        assert!(
            text.contains("- one 1.0.0: MIT\n- two 1.0.0: MIT\n"),
            "{text}"
        );
        assert_eq!(text.matches("somebody").count(), 1, "{text}");
        assert!(text.contains("one 1.0.0, two 1.0.0\n"), "{text}");
    }

    #[test]
    fn lines_of_the_tree_name_packages() {
        let read = |line| name_and_version(line);
        assert_eq!(
            read("serde_derive v1.0.2 (proc-macro)").as_deref(),
            Some("serde_derive 1.0.2")
        );
        assert_eq!(read("serde v1.0.2 (*)").as_deref(), Some("serde 1.0.2"));
        assert_eq!(read(""), None);
    }
}
