//! Build of the page by trunk, which serves the page during development (`trunk serve` or
//! `trunk build`).
//!
//! Trunk calls `cargo xtask finish` (`Trunk.toml`) before it publishes a build, because the page's
//! policy forbids the scripts that trunk writes into the page.

use crate::tools::Toolbox;
use crate::{page, process, publish};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Prepares the folder that trunk has just filled for publication.
pub fn finish(top: &Path) -> Result<()> {
    let folder = env::var_os("TRUNK_STAGING_DIR").context(
        "trunk calls this command when it has built the page; to build it without trunk, use `cargo xtask play`",
    )?;
    let folder = PathBuf::from(folder);
    move_scripts(&folder)?;
    publish::seal(top, &folder)
}

/// Builds the page by trunk, compares the names of its files with the files in `dist`, and returns
/// the folder.
pub fn build(top: &Path) -> Result<PathBuf> {
    let tools = Toolbox::prepare(top)?;
    // Trunk may not look for tools on the network, and makes cargo work offline: every crate must
    // be downloaded before.
    process::run(process::cargo(top).arg("fetch"))?;
    let folder = process::target_folder()?.join("trunk");
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let mut trunk = tools.trunk()?;
    trunk
        .current_dir(top)
        .args(["build", "--release", "--offline", "--skip-version-check"])
        .arg("--dist")
        .arg(&folder);
    process::run(&mut trunk)?;
    let (ours, other) = (names(&page::folder(top))?, names(&folder)?);
    let missing: Vec<_> = ours.difference(&other).cloned().collect();
    ensure!(
        missing
            .iter()
            .all(|name| name.starts_with("worker-cpu-threads")),
        "the page that trunk has built lacks {}",
        missing.join(", ")
    );
    Ok(folder)
}

/// Returns the names of a page's files, without fingerprints of their contents.
fn names(folder: &Path) -> Result<BTreeSet<String>> {
    let files = publish::files_of_page(folder)?;
    let names = files.iter().filter_map(|file| {
        let name = file.file_name()?.to_string_lossy().into_owned();
        let parts = name.split(['-', '.', '_']);
        let parts: Vec<_> = parts.filter(|part| !is_print(part)).collect();
        Some(parts.join("-"))
    });
    Ok(names.collect())
}

/// True if a part of a file name is a fingerprint of the contents.
fn is_print(part: &str) -> bool {
    part.len() >= 8 && part.chars().all(|it| it.is_ascii_hexdigit())
}

/// Moves scripts from script tags into files of their own, because the page's policy forbids inline
/// scripts.
fn move_scripts(folder: &Path) -> Result<()> {
    let page = folder.join("index.html");
    let text = String::from_utf8(fs::read(&page)?).context("index.html is not UTF-8")?;
    let (text, scripts) = without_inline_scripts(&text);
    for (name, script) in scripts {
        fs::write(folder.join(name), script)?;
    }
    fs::write(&page, text)?;
    Ok(())
}

/// Returns the page with links to files instead of inline scripts, and the files with the scripts.
fn without_inline_scripts(page: &str) -> (String, Vec<(String, String)>) {
    let (mut text, mut scripts) = (String::new(), Vec::new());
    let mut rest = page;
    while let Some((before, tag, script, after)) = next_script(rest) {
        text += before;
        if script.trim().is_empty() || tag.contains(" src=") {
            write!(text, "{tag}{script}</script>").expect("a text takes all");
        } else {
            let name = format!("start-{:08x}.js", publish::fingerprint(script.as_bytes()));
            let tag = tag.trim_end_matches('>');
            write!(text, "{tag} src=\"./{name}\"></script>").expect("a text takes all");
            scripts.push((name, script.to_owned()));
        }
        rest = after;
    }
    (text + rest, scripts)
}

/// Finds the next script; returns the text before, the opening tag, the contents, and the text
/// after.
fn next_script(text: &str) -> Option<(&str, &str, &str, &str)> {
    let start = text.find("<script")?;
    let (before, rest) = text.split_at(start);
    let (tag, rest) = rest.split_at(rest.find('>')? + 1);
    let (script, after) = rest.split_once("</script>")?;
    Some((before, tag, script, after))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn scripts_move_out_of_the_page() {
        let page = "<p>a</p><script type=\"module\">\nlet a = 1 < 2;\n</script><script src=\"x.js\"></script><p>b";
        let (text, scripts) = without_inline_scripts(page);
        let [(name, script)] = &scripts[..] else {
            panic!("{scripts:?}")
        };
        assert_eq!(script, "\nlet a = 1 < 2;\n");
        assert_eq!(
            text,
            format!(
                "<p>a</p><script type=\"module\" src=\"./{name}\"></script>\
                 <script src=\"x.js\"></script><p>b"
            )
        );
    }

    #[test]
    fn names_are_those_of_both_builders() {
        let folder = tempfile::tempdir().unwrap();
        for file in [
            "page-704196df4295f7ac_bg.wasm",
            "worker-cpu.js",
            "889d0f425a19c46b-progress.mjs",
        ] {
            fs::write(folder.path().join(file), "").unwrap();
        }
        let names: Vec<_> = names(folder.path()).unwrap().into_iter().collect();
        assert_eq!(names, ["page-bg-wasm", "progress-mjs", "worker-cpu-js"]);
    }
}
