//! `strata ablate`: scores of a model without its parts.

use serde_json::Value;
use strata_tests::cli::Workplace;

use crate::train;

const RUN: &str = "runs/copy-transformer-seed0";

fn trained(more: &str) -> Workplace {
    let place = Workplace::new();
    let steps = "training.steps=40 training.validate_every=40 --quiet";
    place.run(&train(&format!("{steps} {more}"))).succeeded();
    place
}

fn lines(output: &str) -> Vec<Value> {
    let lines = output.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().unwrap()
}

#[test]
fn each_head_level_and_block_is_taken_away_in_turn() {
    let place = trained("model.encoder_self.kind=ham_s model.encoder_self.depth=3");
    let lines = lines(&place.run(&format!("ablate {RUN} --json")).succeeded());
    // The whole model; then 3 sites with 2 heads each, 3 levels, 2 feed-forward blocks.
    assert_eq!(lines.len(), 1 + 3 + 6 + 3 + 2);
    let whole = lines[0]["loss"].as_f64().unwrap();
    assert!(lines[0]["without"].is_null());
    for line in &lines[1..] {
        assert_ne!(line["loss"].as_f64().unwrap(), whole, "{line}");
        assert!(line["bleu"].is_f64(), "{line}");
    }
    let shares: Vec<f64> = lines.iter().filter_map(|it| it["share"].as_f64()).collect();
    assert_eq!(shares.len(), 3);
    assert!(
        (shares.iter().sum::<f64>() - 1.0).abs() < 1e-5,
        "{shares:?}"
    );
    // The figures of the whole model are those of `eval`.
    let eval = place.run(&format!("eval --model {RUN} --json")).succeeded();
    let eval: Value = serde_json::from_str(eval.trim()).unwrap();
    assert!((eval["loss"].as_f64().unwrap() - whole).abs() < 1e-9);
}

#[test]
fn the_table_names_what_is_missed_most() {
    let place = trained("");
    let told = place.run(&format!(
        "ablate {RUN} --parts heads,feed-forward --decode 5"
    ));
    let told = told.succeeded();
    for part in [
        "encoder.0.self head 2",
        "decoder.0 feed-forward",
        "BLEU",
        "Missed most: ",
    ] {
        assert!(told.contains(part), "no {part} in {told}");
    }
    assert!(!told.contains("level 1"), "{told}");
}

#[test]
fn a_language_model_is_measured_without_its_parts() {
    let place = Workplace::new();
    place.write(
        "text.txt",
        "the cat sees the dog and the dog sees the cat\n".repeat(60),
    );
    let model = "--preset transformer_lm task.source=text.txt model.width=16 model.heads=2 \
                 model.layers=1 model.feed_forward=32 training.steps=3 --quiet --out runs/lm";
    place.run(&format!("train {model}")).succeeded();
    let told = place.run("ablate runs/lm").succeeded();
    assert!(
        told.contains("decoder.0.self head 1") && !told.contains("BLEU"),
        "{told}"
    );
}

#[test]
fn what_cannot_be_taken_away_is_said() {
    let place = trained("");
    let told = place.run(&format!("ablate {RUN} --parts levels")).refused();
    assert!(told.contains("no part of this kind"), "{told}");
    let plain = Workplace::new();
    let model = "model.architecture=seq2seq model.attend=false";
    let task = "train task.kind=copy task.symbols=6 task.minimum_length=2 task.maximum_length=4 \
                task.examples=200 task.held_out=20 training.steps=2 --quiet --out runs/plain";
    plain.run(&format!("{task} {model}")).succeeded();
    let told = plain.run("ablate runs/plain").refused();
    assert!(told.contains("no attention"), "{told}");
    let told = plain.run("ablate nowhere").refused();
    assert!(told.contains("nowhere"), "{told}");
}
