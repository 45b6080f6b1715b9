//! Reference cases of an independent program: `STRATA_POEMS`, else `tests/golden/poems.json`.

#![allow(clippy::unwrap_used)]

mod measures;
mod planning;
mod translation;

use std::path::PathBuf;

use serde_json::Value;
use strata_poems::Word;

#[test]
fn golden_cases_hold() {
    // Tests run in the folder of their package, wherever they were compiled.
    let here = || PathBuf::from("../../tests/golden/poems.json");
    let file = std::env::var_os("STRATA_POEMS").map_or_else(here, PathBuf::from);
    let text = std::fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", file.display()));
    let sections: serde_json::Map<String, Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(sections["version"], 1);
    let mut compared = 0;
    for (name, cases) in &sections {
        if ["version", "about"].contains(&name.as_str()) {
            continue;
        }
        let compare = section(name);
        for (number, case) in cases.as_array().unwrap().iter().enumerate() {
            println!("{name} {number}");
            compare(case);
            compared += 1;
        }
    }
    assert!(compared > 0, "no cases in {}", file.display());
    println!("{compared} cases hold");
}

fn section(name: &str) -> fn(&Value) {
    match name {
        "split" => planning::split,
        "lexicon" => planning::lexicon,
        "segment" => planning::segment,
        "textrank" => planning::text_rank,
        "keyword" => planning::keyword,
        "plan" => planning::plan,
        "expansion" => planning::expansion,
        "examples" => planning::examples,
        "ngram" => translation::ngram,
        "ibm1" => translation::ibm1,
        "translation" => translation::translation,
        "bleu" => measures::bleu,
        "diversity" => measures::diversity,
        "tones" => measures::tones,
        "rhyme_class" => measures::rhyme_classes,
        _ => panic!("unknown section {name}"),
    }
}

/// Numbers agree to 1e-6, absolute or relative, whichever is wider.
fn assert_near(found: f64, expected: &Value, what: &str) {
    let expected = expected.as_f64().unwrap();
    let tolerance = 1e-6 * f64::max(1.0, expected.abs());
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}: {found}, not {expected}"
    );
}

fn texts(array: &Value) -> Vec<String> {
    let text = |it: &Value| it.as_str().unwrap().to_owned();
    array.as_array().unwrap().iter().map(text).collect()
}

fn lines(array: &Value) -> Vec<Vec<char>> {
    texts(array)
        .iter()
        .map(|line| line.chars().collect())
        .collect()
}

fn words(array: &Value) -> Vec<Word> {
    texts(array)
        .iter()
        .map(|text| Word::of(text).unwrap())
        .collect()
}

fn sentences(array: &Value) -> Vec<Vec<Word>> {
    array.as_array().unwrap().iter().map(words).collect()
}
