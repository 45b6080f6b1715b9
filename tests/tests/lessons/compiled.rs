//! The files that the page fetches.

use std::collections::BTreeSet;
use std::fs;

use strata_lessons::{Compiled, folder::compiled};

use crate::{folder, lessons};

#[test]
fn what_the_page_fetches_is_what_the_sources_say() {
    let mut stale = Vec::new();
    for (path, text) in compiled(&lessons()) {
        let written = fs::read_to_string(folder().join(&path)).unwrap_or_default();
        if written != text {
            stale.push(path.display().to_string());
        }
    }
    assert!(
        stale.is_empty(),
        "{} are not what their sources say: run `cargo xtask lessons --write` and commit them",
        stale.join(", ")
    );
}

#[test]
fn a_lesson_comes_back_from_its_file_as_it_was() {
    for files in lessons() {
        for language in files.words.keys() {
            let compiled = files.compiled(language);
            let text = serde_json::to_string(&compiled).unwrap();
            let read: Compiled = serde_json::from_str(&text).unwrap();
            assert_eq!(read, compiled);
        }
    }
}

#[test]
fn every_lesson_is_whole_in_every_language() {
    let all = lessons();
    let languages: BTreeSet<&String> = all.iter().flat_map(|it| it.words.keys()).collect();
    let mut missing = Vec::new();
    for files in &all {
        for &language in &languages {
            let words = files.compiled(language).words;
            let steps = words.steps.values();
            let texts = steps.flat_map(|it| it.sections.values().chain([&it.intro]));
            let texts = texts.chain([&words.free, &words.known]);
            let lacking = texts.filter(|it| it.language.is_some()).count();
            if lacking > 0 || !files.words.contains_key(language) {
                missing.push(format!(
                    "{}/{language}.md lacks {lacking} texts",
                    files.name
                ));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Writes the files; `cargo xtask lessons --write` runs it.
#[test]
#[ignore = "writes files; cargo xtask lessons --write"]
fn write() {
    for (path, text) in compiled(&lessons()) {
        fs::write(folder().join(path), text).unwrap();
    }
}
