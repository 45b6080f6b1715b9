//! `strata receipt`: prints what a run has come to, and checks what others say by running again.

use serde_json::{Value, json};
use strata_tests::cli::Workplace;

/// A small run that takes a second.
const RUN: &str = "train --preset copy task.examples=300 task.held_out=40 model.width=16 model.heads=2 \
    model.layers=1 training.steps=24 training.validate_every=8 --out run --quiet";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_receipt_is_checked_by_running_again() {
    let place = Workplace::new();
    place.run(RUN).succeeded();
    let receipt = json(&place.run("receipt --of run").succeeded());
    assert_eq!(receipt["step"], 24);
    assert_eq!(receipt["validations"].as_array().map(Vec::len), Some(3));
    place.write("good.json", receipt.to_string());
    let said = place.run("receipt good.json").succeeded();
    assert!(said.contains("step 24: same"), "{said}");
    assert!(said.contains("1 receipt: 1 same."), "{said}");

    // A file of a lesson, with an honest receipt, one with a better loss, one with other parameters,
    // and ones that nobody should run.
    let changed = |key: &str, value: Value| {
        let mut changed = receipt.clone();
        changed[key] = value;
        json!({ "how": "did", "receipt": changed })
    };
    let steps = json!({
        "a": { "how": "did", "receipt": receipt },
        "b": changed("validations", json!([[8, 0.001, 1.0]])),
        "c": changed("digest", json!("0123456789abcdef")),
        "d": changed("address", json!("?v=1&task.kind=files&task.source=/etc/passwd")),
        "e": changed("step", json!(u64::MAX)),
        "f": { "how": "did", "receipt": 42 },
        "g": { "how": "skipped" },
    });
    let file = json!({ "strata": "lessons", "version": 1, "lessons": {
        "levels": { "version": 1, "steps": steps },
    } });
    place.write("class.json", file.to_string());
    let checked = place.run("receipt class.json --json");
    assert_eq!(checked.code, Some(1), "{}", checked.stderr);
    let out = checked.stdout;
    let verdicts: Vec<Value> = out.lines().map(|it| json(it)["verdict"].clone()).collect();
    let expected = [
        "same",
        "false",
        "near",
        "not checked",
        "not checked",
        "not checked",
    ];
    assert_eq!(verdicts, expected.map(Value::from), "{out}");
    for words in [
        "validation loss after step 8 is 0.001",
        "levels/b",
        "passwd",
    ] {
        assert!(out.contains(words), "no {words:?} in {out}");
    }
}

#[test]
fn a_file_without_receipts_is_refused_in_a_sentence() {
    let place = Workplace::new();
    for text in [
        "",
        "{",
        "[]",
        "{\"lessons\": 3}",
        "{\"strata\":\"lessons\",\"lessons\":{}}",
    ] {
        place.write("other.json", text);
        let said = place.run("receipt other.json").refused();
        assert!(said.contains("there is no receipt"), "{text}: {said}");
    }
    place.run("receipt nowhere.json").refused();
}
