//! Comparison of the declared types with real messages.

#![allow(clippy::unwrap_used)]

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::*;

/// Reads `json` as the type of a message and as the type declared here: neither may know a
/// field that the other does not.
fn agree<Real: Serialize + DeserializeOwned, Mirror: Serialize + DeserializeOwned>(json: Value) {
    let real: Real = serde_json::from_value(json.clone()).unwrap();
    let written = serde_json::to_value(real).unwrap();
    assert_eq!(written, json);
    let mirror: Mirror = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(mirror).unwrap(), json);
}

#[test]
fn the_declared_types_of_other_crates_are_those_of_the_messages() {
    agree::<crate::protocol::StepReport, StepReport>(json!({
        "step": 1, "loss": 2.5, "accuracy": 0.5, "learning_rate": 0.25, "gradient_norm": 1.5,
        "tokens": 7, "milliseconds": 3.5, "overflows": 2
    }));
    let scores = json!({
        "step": 1, "loss": 2.5, "perplexity": 3.5, "accuracy": 0.5, "exact_match": 0.25,
        "decoded": 4, "bleu": 50.0
    });
    agree::<crate::protocol::Validation, Validation>(scores.clone());
    for more in [
        json!({ "f1": 0.5, "bleu_1": 1.5, "bleu_4": 2.5, "rouge_l": 3.5 }),
        json!({ "bits_per_character": 1.5, "unspelt_tokens": 3 }),
    ] {
        let mut scores = scores.clone();
        scores["bleu"] = Value::Null;
        let more = more.as_object().unwrap().clone();
        scores.as_object_mut().unwrap().extend(more);
        agree::<crate::protocol::Validation, Validation>(scores);
    }
    agree::<crate::protocol::Telemetry, Telemetry>(json!({
        "step": 1, "examples": 2, "sites": [{ "site": "decoder.0.cross", "heads": [{
            "levels": [{
                "level": 1, "entropy": 0.5, "peak": 0.25, "diagonal": 0.75, "previous": 0.125,
                "permutation": 1.0
            }],
            "effective_depth": 1.5
        }] }]
    }));
    agree::<super::super::SiteLevels, SiteLevels>(json!({
        "site": "encoder.0.self", "trained": 2, "maximum": 16
    }));
    for part in [
        json!({ "site": { "site": "encoder.0.self" } }),
        json!({ "head": { "site": "encoder.0.self", "head": 1 } }),
        json!({ "level": { "site": "encoder.0.self", "level": 1 } }),
        json!({ "levels": { "site": "encoder.0.self", "count": 3 } }),
        json!({ "feed_forward": { "layer": "decoder.1" } }),
        json!({ "row": { "site": "decoder.cross", "head": 1, "row": null, "to": { "key": 2 } } }),
        json!({ "row": { "site": "decoder.cross", "head": null, "row": 3, "to": "uniform" } }),
        json!({ "node": { "site": "encoder.0.self", "level": 1, "index": 2 } }),
    ] {
        agree::<super::super::Part, Part>(part);
    }
    for kind in strata_attention_kinds() {
        agree::<strata_models::ScoreKind, ScoreKind>(kind);
    }
    for origin in ["text", "knowledge", "neighbour", "drawn", "given"] {
        agree::<strata_poems::Origin, Origin>(origin.into());
    }
    for distinct in ["none", "line", "poem"] {
        agree::<crate::protocol::Distinct, Distinct>(distinct.into());
    }
    agree::<strata_training::workload::WorkloadReport, WorkloadReport>(json!({
        "peer": "strata", "workload": "tiny", "device": "CPU", "ms_per_step": 1.5,
        "tokens_per_s": 2.5, "peak_memory_mb": 3.5, "baseline_memory_mb": null,
        "loss_first": 4.5, "loss_last": 5.5, "ms_min": 6.5, "ms_max": 7.5, "steps": 8,
        "warmup": 9, "precision": "f32", "params": 10, "version": "1"
    }));
    let task = serde_json::to_value(strata_tasks::TaskConfig::default()).unwrap();
    agree::<strata_tasks::CorpusReport, CorpusReport>(json!({
        "task": task, "texts": [{ "name": "a", "bytes": 1, "lines": 2 }],
        "preview": [["a", "b"]], "training": 3, "held_out": 4, "why_held_out": null,
        "vocabularies": [5, 6], "dropped": ["c"], "notes": ["d"]
    }));
}

fn strata_attention_kinds() -> impl Iterator<Item = Value> {
    let all = strata_models::ScoreKind::ALL;
    all.into_iter()
        .map(|kind| serde_json::to_value(kind).unwrap())
}

#[test]
fn every_type_that_is_named_is_declared() {
    let text = declarations();
    for declared in [
        "type Command =",
        "type Event =",
        "type ViewData =",
        "type Part =",
    ] {
        assert!(text.contains(declared), "{declared} is missing in {text}");
    }
    assert!(!text.contains("bigint") && !text.contains("null"), "{text}");
    // Each type is declared once.
    let names = text
        .lines()
        .filter_map(|line| line.strip_prefix("export type "));
    let names: Vec<_> = names.filter_map(|it| it.split(' ').next()).collect();
    let distinct: HashSet<_> = names.iter().collect();
    assert_eq!(names.len(), distinct.len(), "{names:?}");
}
