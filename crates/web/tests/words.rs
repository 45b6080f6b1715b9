//! The words of each language of the page: none is missing, none is dead, and gaps agree.

#![allow(clippy::unwrap_used)]

#[path = "words/literals.rs"]
mod literals;
#[path = "words/shown.rs"]
mod shown;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use literals::literals;
use shown::is_shown;
use strata_describe::{Domain, Setting, Words};
use strata_models::{Search, SiteName};
use strata_settings::description::{every_variant, groups};
use strata_settings::presets::Preset;

/// Crates whose sentences the page shows.
const CRATES: [&str; 12] = [
    "attention",
    "describe",
    "models",
    "poems",
    "session",
    "settings",
    "tasks",
    "text",
    "training",
    "web",
    "wire",
    "worker-core",
];

/// Texts that the page puts together of others.
const COMPOSED: [&str; 24] = [
    "English",
    "Encoder {}, self",
    "Decoder {}, self",
    "Decoder {}, cross",
    "Encoder, self",
    "Decoder, self",
    "Decoder, cross",
    "Encoder {}, self-attention",
    "Decoder {}, self-attention",
    "Decoder {}, cross-attention",
    "Encoder, self-attention",
    "Decoder, self-attention",
    "Decoder, cross-attention",
    "mean of {} heads",
    "mean of {} directions",
    "on new words",
    "on new sentences",
    "on new text",
    "on new dates",
    "on new lines",
    "[batch, {}]",
    "at {} stands {}",
    "MOVING SVG",
    "Strata is loading: {} MB for this page, then {} MB for what computes. Train is ready when both are here.",
];

fn top() -> PathBuf {
    // Tests run in the folder of their package, wherever they were compiled.
    PathBuf::from("../..")
}

/// Returns the words of each language, by the language's code.
fn languages() -> Vec<(String, BTreeMap<String, String>)> {
    let files = fs::read_dir(top().join("www/words")).unwrap();
    let words = files.map(|file| {
        let path = file.unwrap().path();
        let code = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let keys = text.lines().filter(|line| line.contains("\": \"")).count();
        let words: BTreeMap<String, String> = serde_json::from_str(&text).unwrap();
        assert_eq!(words.len(), keys, "{code}: a key stands there twice");
        (code, words)
    });
    words.collect()
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|it| it == "rs") && !path.ends_with("tests.rs") {
            files.push(path);
        }
    }
    files.sort();
}

fn sources_of(name: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    sources(&top().join("crates").join(name).join("src"), &mut files);
    files
}

/// Returns all words that describe settings, presets and sites.
fn described() -> BTreeSet<String> {
    let all = std::cell::RefCell::new(BTreeSet::new());
    let add = |text: &str| {
        if text.chars().filter(char::is_ascii_alphabetic).count() > 2 {
            all.borrow_mut().insert(text.to_owned());
        }
    };
    let words = |it: &Words| {
        add(it.title);
        add(it.help);
    };
    let setting = |it: &Setting| {
        words(&it.words);
        if let Domain::Choice { options, .. } = it.domain {
            options.iter().for_each(words);
        }
    };
    for experiment in every_variant() {
        for group in groups(&experiment) {
            add(group.title);
            for entry in group.settings.iter().chain(&group.tag) {
                setting(&entry.setting);
            }
            group.variant.iter().for_each(words);
        }
    }
    for search in Search::all() {
        words(&search.description().words);
        search.description().settings.iter().for_each(setting);
    }
    for preset in Preset::every() {
        add(preset.title());
        add(preset.line());
    }
    all.into_inner()
}

/// Fails with everything that is missing, as lines for the file of words.
fn told(code: &str, missing: &BTreeMap<String, String>) {
    let lines: Vec<String> = missing
        .iter()
        .map(|(key, place)| {
            format!(
                "{}: \"…\",   ← {place}",
                serde_json::to_string(key).unwrap()
            )
        })
        .collect();
    assert!(
        lines.is_empty(),
        "www/words/{code}.json lacks {} texts:\n{}",
        lines.len(),
        lines.join("\n")
    );
}

/// Returns a source with each comment of a setting in one line: such a comment is the setting's help.
fn described_in(source: &str) -> String {
    let mut text = String::new();
    for line in source.lines() {
        match line.trim_start().strip_prefix("///") {
            Some(comment) => text.push_str(comment),
            None => {
                text.push('\n');
                text.push_str(&line.replace("\\\"", "\""));
            }
        }
    }
    text
}

#[test]
fn every_setting_and_preset_has_words_in_every_language() {
    for (code, words) in languages() {
        let missing = described()
            .into_iter()
            .filter(|it| !words.contains_key(it.trim()));
        let missing = missing.map(|it| (it, "a setting or preset".to_owned()));
        told(&code, &missing.collect());
    }
}

#[test]
fn every_text_of_the_page_has_words_in_every_language() {
    for (code, words) in languages() {
        let mut missing = BTreeMap::new();
        for file in sources_of("web") {
            let name = file.strip_prefix(top()).unwrap().display().to_string();
            for literal in literals(&fs::read_to_string(&file).unwrap()) {
                let text = literal.text.trim();
                if is_shown(&literal) && !words.contains_key(text) {
                    missing
                        .entry(text.to_owned())
                        .or_insert(format!("{name}:{}", literal.line));
                }
            }
        }
        told(&code, &missing);
    }
}

#[test]
fn words_have_the_gaps_of_their_keys() {
    for (code, words) in languages() {
        for (key, said) in words {
            let expected = key.matches("{}").count();
            let mut gaps: Vec<usize> = Vec::new();
            for part in said.split('{').skip(1) {
                let number = part.split('}').next().unwrap();
                gaps.push(match number {
                    "" => gaps.len() + 1,
                    number => number.parse().unwrap_or(0),
                });
            }
            gaps.sort_unstable();
            let all: Vec<usize> = (1..=expected).collect();
            // JSON in a text has braces, too.
            assert!(gaps == all || key.contains("]}"), "{code}: {key}: {said}");
            assert!(!said.is_empty() && said.trim() == said, "{code}: {key}");
        }
    }
}

#[test]
fn no_words_are_for_a_text_that_the_page_has_no_longer() {
    let mut known: BTreeSet<String> = described();
    let mut whole = String::new();
    for name in CRATES {
        for file in sources_of(name) {
            let all = literals(&fs::read_to_string(&file).unwrap());
            known.extend(all.into_iter().map(|it| it.text.trim().to_owned()));
            whole += &described_in(&fs::read_to_string(&file).unwrap());
        }
    }
    let start = fs::read_to_string(top().join("index.html")).unwrap();
    for (code, words) in languages() {
        let is_dead = |key: &&String| {
            !known.contains(*key)
                && !COMPOSED.contains(&key.as_str())
                && !start.contains(*key)
                && !whole.contains(*key)
        };
        let dead: Vec<&String> = words.keys().filter(is_dead).collect();
        assert!(
            dead.is_empty(),
            "www/words/{code}.json has words for what no source says:\n{dead:#?}"
        );
    }
}

#[test]
fn sites_are_put_together_as_the_words_expect() {
    let title = |name: &str| name.parse::<SiteName>().unwrap().title();
    assert_eq!(title("encoder.0.self"), "Encoder 1, self");
    assert_eq!(title("decoder.1.cross"), "Decoder 2, cross");
}
