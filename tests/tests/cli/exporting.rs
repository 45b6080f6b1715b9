//! `strata export`: exported programs compute the logits of Strata, and write the same texts.
//!
//! `STRATA_TORCH` names a Python with PyTorch and safetensors, which are 3 GB to fetch; without it
//! these tests are skipped.
//!
//! - `pytorch`, `hub`, `onnx`: the forms, for models that write; `readers`: all forms of readers
//! - `pyramid`: all forms of a pyramid

mod hub;
mod onnx;
mod pyramid;
mod pytorch;
mod readers;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use burn::tensor::Device;
use serde_json::Value;
use strata_tests::cli::Workplace;
use strata_training::Inference;

/// Token that begins a target.
const BOS: u32 = 1;
/// Token that ends a line.
const EOS: u32 = 2;
const PAIR: [&str; 2] = ["der mann liest das buch .", "the man reads the book ."];
/// Sequence of the task `copy`.
const COPIED: &str = "c a d d b";

const TRANSFORMER: &str = "task.kind=german_english model.width=16 model.heads=2 model.layers=2 \
                           model.feed_forward=24";
const SEQ2SEQ: &str = "task.kind=german_english model.architecture=seq2seq model.embedding=12 \
                       model.encoder_hidden=16 model.decoder_hidden=16";
const TEXT: &str = "task.kind=sentences";
const TAGGER: &str = "task.kind=copy model.architecture=tagger model.width=16 model.heads=2 \
                      model.layers=2 model.feed_forward=24";

/// Trains a few steps, so that all parameters have changed, and exports the model.
fn exported(settings: &str) -> Workplace {
    let place = Workplace::new();
    let training = "task.examples=200 task.held_out=10 training.steps=4 training.batch_size=8 \
                    training.optimizer.learning_rate=0.02 training.schedule.kind=constant";
    place
        .run(&format!("train {settings} {training} --quiet --out run"))
        .succeeded();
    place.run("export run --to pytorch --out out").succeeded();
    place
}

/// Returns Strata's own logits, row by row.
fn logits(place: &Workplace) -> Vec<f32> {
    let checkpoint = place.read("run/checkpoint.safetensors");
    let inference = Inference::from_checkpoint(&checkpoint, &Device::default()).unwrap();
    let tokenizer = inference.tokenizer();
    let attended = match texts(place)[..] {
        [text] if tokenizer.answers_in_place() => {
            let source = tokenizer.encode(text).unwrap().ids;
            inference.attend(&source, &source)
        }
        [source, target] => {
            let source = tokenizer.encode(source).unwrap().ids;
            inference.attend(&source, &tokenizer.encode_target(target))
        }
        _ => {
            let text = tokenizer.encode(PAIR[1]).unwrap().ids;
            inference.attend(&[&[EOS], &text[..]].concat(), &text)
        }
    };
    attended.unwrap().logits.into_data().try_to_vec().unwrap()
}

/// Returns the texts that the exported program is called with.
fn texts(place: &Workplace) -> Vec<&'static str> {
    let program = String::from_utf8(place.read("out/model.py")).unwrap();
    if program.contains("_lm\"") {
        vec![PAIR[1]]
    } else if program.contains("\"tagger\"") {
        vec![COPIED]
    } else {
        PAIR.to_vec()
    }
}

/// Returns a Python with PyTorch; `None`, told, if there is none.
fn torch() -> Option<OsString> {
    let python = std::env::var_os("STRATA_TORCH");
    if python.is_none() {
        println!("Not tested: STRATA_TORCH names no Python that has PyTorch.");
    }
    python
}

/// Runs the exported script that writes ONNX.
fn traced(python: &OsString, place: &Workplace) {
    let output = Command::new(python)
        .args(["-W", "ignore"])
        .arg(place.path("onnx/to_onnx.py"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// Fails unless each item gives in a padded batch what the item gives alone.
fn batches_agree(python: &OsString, place: &Workplace, settings: &str) {
    let mut command = Command::new(python);
    let folder = place.path("out");
    let difference = printed(command.arg(beside("pad_batch.py")).arg(folder));
    assert!(
        difference.as_f64().unwrap() < 1e-5,
        "{difference} in {settings}"
    );
}

/// Exports the run again, in another form.
pub fn exported_to(place: &Workplace, form: &str) {
    place
        .run(&format!("export run --to {form} --out {form}"))
        .succeeded();
}

/// Path of a program beside this test.
pub fn beside(name: &str) -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
    PathBuf::from(here).join("tests/cli").join(name)
}

/// Runs a Python program to the end, and returns the printed JSON.
pub fn printed(command: &mut Command) -> Value {
    let output = command
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

pub fn same(ours: &[f32], theirs: &[f32], settings: &str) {
    assert_eq!(ours.len(), theirs.len(), "{settings}");
    let differences = ours.iter().zip(theirs).map(|(a, b)| (a - b).abs());
    let largest = differences.fold(0.0, f32::max);
    assert!(largest < 1e-5, "{largest} in {settings}");
}

fn each(base: &str, settings: &[&str]) -> Vec<String> {
    settings.iter().map(|it| format!("{base} {it}")).collect()
}
