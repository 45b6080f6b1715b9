//! Logits that the Python examples compute from a checkpoint equal Strata's.
//!
//! `STRATA_PYTHON` names a Python with numpy and safetensors; `cargo xtask test` installs such a
//! Python. `STRATA_TORCH` may name a Python that also has PyTorch (a download of 3 GB).

#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::process::Command;

use burn::tensor::Device;
use pollster::block_on;
use serde_json::{Value, json};
use strata_text::Uploads;
use strata_training::{Experiment, Inference, Trainer};

/// Token at the end of a line.
const EOS: u32 = 2;
/// Sentence of the toy German, and the English translation.
const PAIR: [&str; 2] = ["der mann liest das buch .", "the man reads the book ."];
/// Sequence of the task `copy`, and its copy.
const COPIED: [&str; 2] = ["c a d d b", "c a d d b"];

#[test]
fn numpy_computes_the_logits_of_a_transformer() {
    with_numpy(&[
        transformer(json!({})),
        transformer(json!({
            "norm_first": false, "tied": true, "positions": "learned", "longest": 20,
            "encoder_self": {"kind": "vanilla", "score": "additive"},
            "decoder_self": {"kind": "vanilla", "score": "bilinear"},
            "cross": {"kind": "vanilla", "score": "dot"},
        })),
    ]);
}

#[test]
fn numpy_computes_the_logits_of_a_recurrent_encoder_and_decoder() {
    with_numpy(&[
        seq2seq(json!({})),
        seq2seq(additive_lstm()),
        seq2seq(json!({
            "cell": "rnn", "bidirectional": false, "input_feeding": true, "layers": 2,
            "attention": {"kind": "vanilla", "score": "scaled_dot"},
        })),
        seq2seq(json!({"cell": "lstm", "attend": false, "head": "concat"})),
    ]);
}

#[test]
fn numpy_computes_the_logits_of_language_models() {
    with_numpy(&[
        language(json!({"architecture": "transformer_lm", "width": 16, "heads": 2})),
        language(json!({
            "architecture": "transformer_lm", "width": 16, "heads": 2, "norm_first": false,
            "positions": "learned", "tied": true,
        })),
        language(json!({"architecture": "recurrent_lm", "embedding": 12, "hidden": 16})),
        language(json!({
            "architecture": "recurrent_lm", "cell": "gru", "embedding": 16, "hidden": 16,
            "tied": true,
        })),
    ]);
}

#[test]
fn numpy_computes_the_logits_of_taggers() {
    with_numpy(&[
        tagger(json!({})),
        tagger(json!({
            "norm_first": false, "tied": true, "positions": "learned", "longest": 100,
            "encoder_self": {"kind": "vanilla", "score": "additive"},
        })),
        tagger(json!({"cell": "lstm"})),
        tagger(json!({"cell": "gru", "bidirectional": false, "tied": true})),
    ]);
}

#[test]
fn pytorch_computes_the_same_logits() {
    agree(
        "STRATA_TORCH",
        "read_checkpoint_torch.py",
        &[
            transformer(json!({})),
            transformer(json!({
                "norm_first": false, "tied": true, "positions": "learned", "longest": 20,
            })),
            seq2seq(json!({})),
            seq2seq(additive_lstm()),
            seq2seq(json!({
                "cell": "rnn", "bidirectional": false,
                "attention": {"kind": "vanilla", "score": "scaled_dot"},
            })),
        ],
    );
}

/// Bridges between widths that differ, in two layers.
fn additive_lstm() -> Value {
    json!({
        "cell": "lstm", "layers": 2, "encoder_hidden": 24, "head": "concat",
        "attention": {"kind": "vanilla", "score": "additive"},
    })
}

fn transformer(settings: Value) -> Experiment {
    let small = json!({"architecture": "transformer", "width": 16, "heads": 2});
    experiment("german_english", &[small, settings])
}

fn seq2seq(settings: Value) -> Experiment {
    let small = json!({
        "architecture": "seq2seq", "embedding": 12, "encoder_hidden": 16, "decoder_hidden": 16,
    });
    experiment("german_english", &[small, settings])
}

fn tagger(settings: Value) -> Experiment {
    let small = json!({"architecture": "tagger", "width": 16, "heads": 2});
    experiment("copy", &[small, settings])
}

fn language(settings: Value) -> Experiment {
    experiment("sentences", &[settings])
}

/// An experiment whose model has all of these settings.
fn experiment(task: &str, settings: &[Value]) -> Experiment {
    let settings = settings.iter().filter_map(Value::as_object).flatten();
    let model: Value = settings
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    serde_json::from_value(json!({
        "task": {"kind": task, "examples": 200, "held_out": 10},
        "model": model,
        "training": {
            "steps": 5, "batch_size": 8,
            "optimizer": {"learning_rate": 0.01}, "schedule": {"kind": "constant"},
        },
    }))
    .unwrap()
}

fn with_numpy(experiments: &[Experiment]) {
    agree("STRATA_PYTHON", "read_checkpoint.py", experiments);
}

/// Trains for a few steps, so that no parameter is where it began, and lets both compute.
fn agree(variable: &str, script: &str, experiments: &[Experiment]) {
    let Some(python) = std::env::var_os(variable) else {
        println!("Not tested: {variable} names no Python for {script}.");
        return;
    };
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap());
    for experiment in experiments {
        let mut trainer =
            Trainer::new(experiment.clone(), &Uploads::default(), &Device::default()).unwrap();
        while !trainer.is_finished() {
            block_on(trainer.step()).unwrap();
        }
        let checkpoint = block_on(trainer.checkpoint()).unwrap();
        let run = tempfile::tempdir().unwrap();
        std::fs::write(run.path().join("checkpoint.safetensors"), &checkpoint).unwrap();

        let texts = match experiment.model.name() {
            "tagger" => &COPIED[..],
            _ if experiment.model.is_language_model() => &PAIR[1..],
            _ => &PAIR[..],
        };
        let mut command = Command::new(&python);
        command.arg(here.join(script)).arg(run.path());
        command.args(texts).arg("--json");
        let output = command
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let theirs: Vec<Vec<f32>> = serde_json::from_slice(&output.stdout).unwrap();

        let ours = logits(&checkpoint, texts);
        let theirs = theirs.concat();
        assert_eq!(ours.len(), theirs.len());
        let differences = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs());
        let largest = differences.fold(0.0, f32::max);
        assert!(largest < 1e-5, "{largest} in {:?}", experiment.model);
    }
}

/// Strata's own logits, `[T, V]` row by row.
fn logits(checkpoint: &[u8], texts: &[&str]) -> Vec<f32> {
    let inference = Inference::from_checkpoint(checkpoint, &Device::default()).unwrap();
    let tokenizer = inference.tokenizer();
    let source = tokenizer.encode(texts[0]).unwrap().ids;
    let attended = match texts {
        [_, target] => inference.attend(&source, &tokenizer.encode_target(target)),
        // A language model reads one token behind what it writes.
        _ => inference.attend(&[&[EOS], &source[..]].concat(), &source),
    };
    attended.unwrap().logits.into_data().try_to_vec().unwrap()
}
