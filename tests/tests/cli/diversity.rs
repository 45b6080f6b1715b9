//! `strata eval --nbest` and `--case`: how much translations differ, and what a model writes for a
//! sentence.

use std::collections::HashSet;

use serde_json::Value;
use strata_tests::cli::Workplace;

use crate::train;

/// Sources and their copies; the last source is a single token.
const SOURCES: &str = "a b c\nb a\nc c b a\nd\n";

fn place() -> Workplace {
    let place = Workplace::new();
    place.run(&train("training.steps=30 --out run")).succeeded();
    place.write("s", SOURCES);
    place
}

fn measured(place: &Workplace, more: &str) -> Value {
    let command = format!("$STRATA eval --model run --source s --target s --json {more}");
    serde_json::from_str(&place.shell(&command).succeeded()).unwrap()
}

/// Computes the measures from what `strata translate` prints.
#[test]
fn the_measures_are_of_what_translate_prints() {
    let place = place();
    // Without a length penalty a score is the log-probability.
    let said = place
        .run_with(
            "translate --model run --beam 4 --nbest 3 --length-penalty 0",
            SOURCES,
        )
        .succeeded();
    let lines: Vec<Vec<&str>> = said.lines().map(|it| it.split('\t').collect()).collect();
    let (mut entropies, mut shares) = (Vec::new(), Vec::new());
    let (mut repeated, mut pairs_of_best) = (0_usize, 0_usize);
    for sentence in lines.chunk_by(|a, b| a[0] == b[0]) {
        let weights: Vec<f64> = sentence
            .iter()
            .map(|it| it[1].parse::<f64>().unwrap().exp())
            .collect();
        let sum: f64 = weights.iter().sum();
        let entropy: f64 = weights.iter().map(|it| -(it / sum) * (it / sum).ln()).sum();
        entropies.push(entropy);
        let texts: Vec<Vec<&str>> = sentence
            .iter()
            .map(|it| it[2].split_whitespace().collect())
            .collect();
        let pairs: Vec<&[&str]> = texts.iter().flat_map(|it| it.windows(2)).collect();
        let different: HashSet<&[&str]> = pairs.iter().copied().collect();
        if !pairs.is_empty() {
            shares.push(different.len() as f64 / pairs.len() as f64);
        }
        pairs_of_best += texts[0].windows(2).count();
        repeated += texts[0].windows(2).filter(|it| it[0] == it[1]).count();
    }
    assert_eq!(entropies.len(), 4);
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let json = measured(&place, "--beam 4 --nbest 3 --length-penalty 0");
    let n_best = &json["nbest"];
    assert_eq!(n_best["outputs"], 3);
    let near = |key: &str, expected: f64| {
        let found = n_best[key].as_f64().unwrap();
        // Printed scores have four decimals.
        assert!(
            (found - expected).abs() < 2e-3,
            "{key}: {found} for {expected}"
        );
    };
    near("entropy", mean(&entropies));
    near("different_pairs", mean(&shares));
    near("repeated_tokens", repeated as f64 / pairs_of_best as f64);
    assert!(
        entropies.iter().all(|it| *it > 0.0 && *it <= 3_f64.ln()),
        "{entropies:?}"
    );
    // Without the options nothing of this is said.
    let plain = measured(&place, "--beam 4 --length-penalty 0");
    assert!(plain["nbest"].is_null() && plain["cases"].is_null());
    assert_eq!(plain["exact_match"], json["exact_match"]);
}

#[test]
fn a_single_translation_has_no_entropy() {
    let place = place();
    let json = measured(&place, "--one-pass --nbest 1");
    assert_eq!(json["nbest"]["entropy"], 0.0);
    let told = place
        .run("eval --model run --one-pass --nbest 1")
        .succeeded();
    let line = told.lines().find(|it| it.starts_with("Diversity"));
    let line = line.unwrap_or_else(|| panic!("no line on diversity in {told}"));
    assert!(line.contains("repeat the token before"), "{line}");
    assert!(!line.contains("entropy"), "{line}");
    // A table over a setting of the model has the measures as columns.
    place
        .run(&train(
            "training.steps=2 model.encoder_self.kind=multilevel model.encoder_self.levels=1 --out levels",
        ))
        .succeeded();
    let table = place
        .run("eval --model levels --set model.encoder_self.levels=1..3 --beam 2 --nbest 2")
        .succeeded();
    let head = table.lines().find(|it| it.contains("levels")).unwrap();
    assert!(
        head.contains("entropy") && head.contains("repeated"),
        "{table}"
    );
}

#[test]
fn a_case_is_translated_as_translate_does() {
    let place = place();
    let json = measured(&place, "--beam 3 --nbest 3 --case 'a b' --case 'c z c'");
    let cases = json["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 2);
    for (case, source) in cases.iter().zip(["a b", "c z c"]) {
        assert_eq!(case["source"], source);
        let command = format!("translate --model run --beam 3 --nbest 3 {source}");
        let said = place.run(&command).succeeded();
        let said: Vec<&str> = said
            .lines()
            .map(|it| it.rsplit('\t').next().unwrap())
            .collect();
        let written = case["translations"].as_array().unwrap();
        let written: Vec<&str> = written
            .iter()
            .map(|it| it["text"].as_str().unwrap())
            .collect();
        assert_eq!(written, said, "{source}");
    }
    assert_eq!(cases[0]["unknown_tokens"], serde_json::json!([]));
    assert_eq!(cases[1]["unknown_tokens"], serde_json::json!(["z"]));
    let told = place
        .shell("$STRATA eval --model run --case 'c z c'")
        .succeeded();
    assert!(told.contains("c z c (unknown to the model: z)"), "{told}");
    // A case counts in no figure.
    let plain = measured(&place, "--beam 3 --nbest 3");
    assert_eq!(plain["loss"], json["loss"]);
    assert_eq!(plain["nbest"], json["nbest"]);
}

#[test]
fn what_decodes_nothing_has_nothing_that_differs() {
    let place = place();
    for (options, expected) in [
        ("--nbest 3", "give `--beam N`"),
        ("--nbest 0", "`--nbest 0`"),
        ("--nbest 3 --beam 2", "raise `--beam`"),
        ("--case ''", "nothing to translate"),
    ] {
        let told = place
            .shell(&format!("$STRATA eval --model run {options}"))
            .refused();
        assert!(told.contains(expected), "{options}: {told}");
    }
    place.write("text", "a b c\n".repeat(100));
    place
        .run(
            "train task.kind=text task.source=text task.segment_length=12 \
             model.architecture=transformer_lm model.width=16 model.heads=2 model.layers=1 \
             model.feed_forward=32 training.batch_size=8 training.steps=2 --out language",
        )
        .succeeded();
    for option in ["--decode 5", "--nbest 2 --beam 2", "--case a", "--beam 2"] {
        let told = place
            .run(&format!("eval --model language {option}"))
            .refused();
        let name = option.split(' ').next().unwrap();
        // The search is named first, where there are two options.
        let name = if option.contains("--beam") {
            "--beam"
        } else {
            name
        };
        assert!(
            told.contains("a language model is measured") && told.contains(name),
            "{option}: {told}"
        );
    }
}
