//! `strata compare`: the runs that are seeds of one group, and what is said beside their figures.

use std::fs;

use serde_json::{Value, json};
use strata_tests::cli::Workplace;

use crate::train;

/// Writes four pairs, often enough to train on, into `s.txt` and `t.txt`.
fn write_pairs(place: &Workplace) {
    place.write(
        "s.txt",
        "rot hund\nblau haus\nrot katze\nblau hund\n".repeat(10),
    );
    place.write(
        "t.txt",
        "red dog\nblue house\nred cat\nblue dog\n".repeat(10),
    );
}

/// Trains a small translator of the pairs in `source` and `t.txt`.
fn translator(place: &Workplace, source: &str, more: &str) {
    place
        .run(&format!(
            "train task.kind=files task.source={source} task.target=t.txt task.minimum_count=1 \
             task.held_out=2 model.width=16 model.heads=2 model.layers=1 model.feed_forward=32 \
             training.batch_size=8 training.steps=3 {more}"
        ))
        .succeeded();
}

/// Returns the groups of `compare --json`.
fn groups(place: &Workplace, runs: &str) -> Vec<Value> {
    let lines = place.run(&format!("compare {runs} --json")).succeeded();
    let lines = lines.lines();
    lines.map(|it| serde_json::from_str(it).unwrap()).collect()
}

/// Returns what `compare` says in a terminal, and the page that it writes.
fn told(place: &Workplace, runs: &str) -> [String; 2] {
    let table = place.run(&format!("compare {runs}")).succeeded();
    place
        .run(&format!("compare {runs} --html page.html"))
        .succeeded();
    [table, String::from_utf8(place.read("page.html")).unwrap()]
}

/// Copies the files of a run to another folder.
fn copy(place: &Workplace, from: &str, to: &str) {
    fs::create_dir(place.path(to)).unwrap();
    for file in fs::read_dir(place.path(from)).unwrap() {
        let file = file.unwrap();
        if file.file_type().unwrap().is_file() {
            fs::copy(file.path(), place.path(to).join(file.file_name())).unwrap();
        }
    }
}

/// Removes the validations of a run from its metrics.
fn remove_validations(place: &Workplace, run: &str) {
    let name = format!("{run}/metrics.jsonl");
    let text = String::from_utf8(place.read(&name)).unwrap();
    let steps = text
        .lines()
        .filter(|it| !it.contains("\"kind\":\"validation\""));
    let steps: String = steps.map(|it| format!("{it}\n")).collect();
    assert_ne!(steps, text);
    place.write(&name, steps);
}

#[test]
fn runs_on_a_file_that_was_changed_are_no_seeds_of_one_group() {
    let place = Workplace::new();
    write_pairs(&place);
    translator(&place, "s.txt", "seed=1 --out r1");
    translator(&place, "s.txt", "seed=2 --out r2");
    let text = String::from_utf8(place.read("s.txt")).unwrap();
    place.write("s.txt", text.replace("rot", "rosa"));
    translator(&place, "s.txt", "seed=3 --out r3");
    let found = groups(&place, "r1 r2 r3");
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0]["seeds"], json!([1, 2]));
    assert_eq!(found[1]["seeds"], json!([3]));
    for text in told(&place, "r1 r2 r3") {
        for part in ["contents of task.source", "hold out other sentences"] {
            assert!(text.contains(part), "no {part} in {text}");
        }
    }
    let [table, _] = told(&place, "r1 r3");
    assert!(!table.contains('±'), "{table}");
    // Without a record of the contents, paths are compared.
    for run in ["r1", "r2", "r3"] {
        fs::remove_file(place.path(run).join("origin.json")).unwrap();
    }
    let [table, _] = told(&place, "r1 r2 r3");
    assert!(!table.contains("other sentences"), "{table}");
    assert_eq!(groups(&place, "r1 r2 r3").len(), 1);
}

#[test]
fn files_of_equal_contents_are_the_same_wherever_they_are() {
    let place = Workplace::new();
    write_pairs(&place);
    place.write("copy.txt", place.read("s.txt"));
    translator(&place, "s.txt", "seed=1 --out r1");
    translator(&place, "copy.txt", "seed=2 --out r2");
    for text in told(&place, "r1 r2") {
        assert!(!text.contains("other sentences"), "{text}");
        assert!(!text.contains("contents of"), "{text}");
    }
}

#[test]
fn a_seed_counts_once() {
    let place = Workplace::new();
    for seed in [1, 2] {
        place
            .run(&train(&format!(
                "training.steps=3 seed={seed} --out r{seed}"
            )))
            .succeeded();
    }
    copy(&place, "r2", "r2-copy");
    let runs = "r1 r2 r2-copy ./r1";
    let found = groups(&place, runs);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["seeds"], json!([1, 2]));
    assert_eq!(found[0]["loss"]["seeds"], json!([1, 2]));
    assert_eq!(found[0]["loss"]["values"].as_array().unwrap().len(), 2);
    assert_eq!(found[0]["left_out"][0]["run"], "r2-copy");
    for text in told(&place, runs) {
        let sentence = "r2-copy: seed 2, with the settings and data of r2";
        assert!(text.contains(sentence), "{text}");
        assert!(text.contains("3 runs"), "{text}");
    }
    // A run that begins with another model is no seed of the same experiment.
    place
        .run(&train("training.steps=3 seed=3 --from r1 --out r3"))
        .succeeded();
    assert_eq!(groups(&place, "r1 r2 r3").len(), 2);
    let [table, _] = told(&place, "r1 r2 r3");
    assert!(table.contains("--from"), "{table}");
}

#[test]
fn a_run_without_validation_is_not_among_the_seeds_of_a_mean() {
    let place = Workplace::new();
    for seed in 1..=3 {
        place
            .run(&train(&format!(
                "training.steps=3 seed={seed} --out r{seed}"
            )))
            .succeeded();
    }
    remove_validations(&place, "r3");
    let found = groups(&place, "r1 r2 r3");
    assert_eq!(found[0]["seeds"], json!([1, 2]));
    assert_eq!(found[0]["loss"]["values"].as_array().unwrap().len(), 2);
    assert_eq!(found[0]["left_out"][0]["seed"], 3);
    let [table, page] = told(&place, "r1 r2 r3");
    let row = table.lines().find(|it| it.starts_with("the same")).unwrap();
    let seeds = row.split_whitespace().nth(2);
    assert_eq!(seeds, Some("2"), "{table}");
    for text in [table, page] {
        assert!(text.contains("r3: "), "{text}");
        assert!(text.contains("in no figure"), "{text}");
        assert!(!text.contains("its last validation"), "{text}");
    }
}

#[test]
fn what_seeds_draw_is_said_where_there_are_several() {
    let place = Workplace::new();
    for seed in [1, 2] {
        place
            .run(&train(&format!(
                "training.steps=3 seed={seed} --out r{seed}"
            )))
            .succeeded();
    }
    let sentence = "each seed draws its own held-out sequences";
    for text in told(&place, "r1 r2") {
        assert_eq!(text.matches(sentence).count(), 1, "{text}");
    }
    let [alone, _] = told(&place, "r1");
    assert!(!alone.contains(sentence) && !alone.contains('±'), "{alone}");
    write_pairs(&place);
    translator(&place, "s.txt", "seed=1 --out f1");
    translator(&place, "s.txt", "seed=2 --out f2");
    let [files, _] = told(&place, "f1 f2");
    assert!(!files.contains(sentence), "{files}");
}

#[test]
fn bits_that_leave_out_unknown_tokens_say_so() {
    let place = Workplace::new();
    let known = "the cat sat on the mat\n".repeat(360);
    let unknown: String = (0..40)
        .map(|number| format!("the dog{number} sat on the mat\n"))
        .collect();
    place.write("text.txt", known + &unknown);
    let model = |level: &str| {
        place
            .run(&format!(
                "train task.kind=text task.source=text.txt task.segment_length=9 \
                 task.level={level} model.architecture=recurrent_lm model.cell=gru model.layers=1 \
                 model.embedding=16 model.hidden=16 training.batch_size=8 training.steps=3 \
                 --out {level}"
            ))
            .succeeded()
    };
    model("word");
    let validations = place.metrics("word/metrics.jsonl", "validation");
    let count = validations.last().unwrap()["unspelt_tokens"].clone();
    let sentence = format!("what spells {count} unknown tokens is in no bit");
    for text in told(&place, "word") {
        assert!(text.contains(&sentence), "no {sentence} in {text}");
    }
    let found = groups(&place, "word");
    assert_eq!(
        found[0]["bits_per_character"]["unspelt_tokens"],
        json!([count])
    );
    // The remark names the group that has the unknown tokens.
    model("character");
    let [table, _] = told(&place, "word character");
    assert!(
        table.contains(&format!("task.level=word: {sentence}")),
        "{table}"
    );
}
