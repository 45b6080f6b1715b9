//! Models that answer in place, from `train` to `translate`, `eval` and `ablate`.

use serde_json::Value;
use strata_tests::cli::Workplace;

use crate::train;

const TAGGER: &str = "model.architecture=tagger training.steps=150 training.validate_every=0 \
                      training.optimizer.learning_rate=0.02 training.schedule.warmup=20 --quiet";

#[test]
fn a_tagger_is_trained_asked_measured_and_taken_apart() {
    let place = Workplace::new();
    place
        .run(&train(&format!("{TAGGER} --out run")))
        .succeeded();
    place
        .run(&train(&format!("{TAGGER} seed=2 --out other")))
        .succeeded();
    let translate = |options: &str| {
        let command = format!("translate --model {options}");
        place.run_with(&command, "c a b\na\nb b a a\n").succeeded()
    };
    let greedy = translate("run");
    assert_eq!(greedy, "c a b\na\nb b a a\n");
    for options in ["run --beam 4", "run,other", "run --sample --temperature 0"] {
        assert_eq!(translate(options), greedy, "{options}");
    }
    let several = place.run("translate --model run --beam 3 --nbest 3 abc");
    assert_ne!(several.succeeded(), "");
    let eval = place.run("eval --model run --json").succeeded();
    let eval: Value = serde_json::from_str(eval.trim()).unwrap();
    assert!(eval["token_accuracy"].as_f64().unwrap() > 0.99, "{eval}");
    let lines = place.run("ablate run --json").succeeded();
    // The whole model, one site with two heads, and a feed-forward block.
    assert_eq!(lines.lines().count(), 1 + 1 + 2 + 1);
    let refusal = place
        .run("translate --model run --replace-unknown c")
        .refused();
    assert!(refusal.contains("does not attend"), "{refusal}");
    let refusal = place
        .run("translate --model run --min-length 2 c")
        .refused();
    assert!(refusal.contains("answers in place"), "{refusal}");
}

#[test]
fn a_run_goes_on_and_begins_with_another() {
    let place = Workplace::new();
    let short = "model.architecture=tagger training.steps=3 training.validate_every=0 --quiet";
    place.run(&train(&format!("{short} --out run"))).succeeded();
    place
        .run(&train(&format!(
            "{short} task.symbols=8 --from run --out more"
        )))
        .succeeded();
    place
        .run("train --resume run training.steps=6 --quiet")
        .succeeded();
}

#[test]
fn data_that_do_not_fit_are_refused_in_a_sentence() {
    let place = Workplace::new();
    let refusal = place.run("train model.architecture=tagger").refused();
    assert!(refusal.contains("`german_english`"), "{refusal}");
    assert!(refusal.contains("in place"), "{refusal}");
    let mut lines: Vec<String> = (0..60).map(|at| format!("a{at} b\tb a{at}")).collect();
    lines[29] = "a29 b\tb".to_owned();
    place.write("pairs.tsv", lines.join("\n"));
    let refusal = place
        .run(
            "train model.architecture=tagger task.kind=files task.source=pairs.tsv task.held_out=5",
        )
        .refused();
    assert!(refusal.contains("line 30 of "), "{refusal}");
    assert!(
        refusal.contains("2 source and 1 target tokens"),
        "{refusal}"
    );
}
