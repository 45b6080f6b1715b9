//! Levels changed after training (`--set`), and curricula.

use serde_json::Value;
use strata_tests::cli::Workplace;

/// A layer that learns to follow one arrow more than the source says, in a second.
const ARROWS: &str = "train --quiet --out run task.kind=hops task.places=8 task.examples=3000 \
                      task.held_out=100 model.architecture=tagger model.width=48 model.heads=2 \
                      model.layers=1 model.feed_forward=96 model.positions=learned model.longest=16 \
                      training.batch_size=64 training.optimizer.learning_rate=4e-3 \
                      seed=1 training.schedule.warmup=40 training.steps=400 training.validate_every=0";

fn lines(output: &str) -> Vec<Value> {
    let lines = output.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().unwrap()
}

#[test]
fn a_layer_that_has_learned_one_arrow_follows_seven_with_more_levels() {
    let place = Workplace::new();
    let multilevel = "model.encoder_self.kind=multilevel model.encoder_self.levels=1";
    place.run(&format!("{ARROWS} {multilevel}")).succeeded();
    let checkpoint = place.read("run/checkpoint.safetensors");
    let command =
        "eval --model run --json --set task.hops=2..8 --set model.encoder_self.levels=1..7";
    let rows = lines(&place.run(command).succeeded());
    assert_eq!(rows.len(), 7);
    for (row, levels) in rows.iter().zip(1..) {
        assert_eq!(row["set"]["model.encoder_self.levels"], levels.to_string());
        let right = row["token_accuracy"].as_f64().unwrap();
        assert!(right >= 0.99, "{levels} levels: {right}");
    }
    // With the levels of its training the model does not follow three arrows.
    let command = "eval --model run --json --set task.hops=3";
    let row = &lines(&place.run(command).succeeded())[0];
    assert!(row["token_accuracy"].as_f64().unwrap() < 0.5, "{row}");
    // a → b → c → … → h → a.
    let translate = |set: &str| {
        let command = format!("translate --model run {set}");
        place.run_with(&command, "b c d e f g h a\n").succeeded()
    };
    assert_eq!(translate(""), "c d e f g h a b\n");
    assert_eq!(
        translate("--set model.encoder_self.levels=2"),
        "d e f g h a b c\n"
    );
    assert_eq!(
        translate("--set model.encoder_self.levels=1"),
        translate("")
    );
    assert_eq!(place.read("run/checkpoint.safetensors"), checkpoint);
    let scores = "eval --model run --set model.encoder_self.levels=1..2 --decode 5 --bleu --rouge";
    let scores = place.run(scores).succeeded();
    for title in ["BLEU", "ROUGE-1", "ROUGE-2", "ROUGE-L"] {
        assert!(scores.contains(title), "{scores}");
    }
    let table = place.run("eval --model run --set model.encoder_self.levels=1..3 --decode 5");
    let table = table.succeeded();
    for part in [
        "The model of step 400",
        "model.encoder_self.levels",
        "exact of 5",
    ] {
        assert!(table.contains(part), "no {part} in {table}");
    }
    let whole = |set: &str| {
        let told = place
            .run(&format!("ablate run --parts sites --json {set}"))
            .succeeded();
        lines(&told)[0]["loss"].as_f64().unwrap()
    };
    assert!(whole("--set model.encoder_self.levels=3") > whole("") + 1.0);
}

#[test]
fn what_cannot_change_after_training_is_refused_with_what_can() {
    let place = Workplace::new();
    let short = "training.steps=3 model.encoder_self.kind=ham_v model.encoder_self.depth=3";
    place.run(&format!("{ARROWS} {short}")).succeeded();
    for (command, part) in [
        (
            "translate --model run a --set model.width=8",
            "`model.width` cannot change after training; `--set` changes levels and `model.loops`, and \
             this model takes `model.encoder_self.depth`",
        ),
        (
            "translate --model run a --set model.encoder_self.levels=2",
            "this model takes `model.encoder_self.depth`",
        ),
        (
            "translate --model run a --set model.encoder_self.depth=4",
            "encoder.0.self: this attention cannot have 4 levels: choose 1 to 3",
        ),
        (
            "translate --model run a --set model.encoder_self.depth=0",
            "must be a whole number, 1 or above",
        ),
        (
            "translate --model run a --set model.encoder_self.depth=1..3",
            "give one value here",
        ),
        ("translate --model run a --set depth", "is no setting"),
        (
            "translate --model run a --set task.hops=3",
            "only `strata eval --set` changes",
        ),
        (
            "eval --model run --set model.encoder_self.depth=1..3 --set task.hops=2..3",
            "advance together",
        ),
        ("eval --model run --set task.hops=3..2", "is no range"),
        ("eval --model run --set task.hops=9", "task.hops"),
        ("eval --model run --set task.places=9", "other tokens"),
        (
            "eval --model run --set task.kind=copy",
            "cannot change the data",
        ),
        (
            "eval --model run --source a.txt --set task.hops=3",
            "leave out one of the two",
        ),
    ] {
        let refusal = place.run(command).refused();
        assert!(refusal.contains(part), "{command}: {refusal}");
    }
    // Fewer levels of a mix share its weight anew; loops have no parameters.
    for set in ["model.encoder_self.depth=1", "model.loops=3"] {
        place
            .run(&format!("eval --model run --set {set} --decode 1"))
            .succeeded();
    }
}

#[test]
fn a_curriculum_interrupted_and_continued_has_the_same_losses() {
    let curriculum = r#"
        [training]
        curriculum = [
            { from = 0, "task.hops" = 2, "model.encoder_self.levels" = 1 },
            { from = 6, "task.hops" = 4, "model.encoder_self.levels" = 3 },
        ]
    "#;
    let [whole, parts] = [Workplace::new(), Workplace::new()];
    let command = |steps: u64| {
        let arrows = ARROWS.replace("train --quiet", "train --config c.toml --continue");
        format!(
            "{arrows} model.encoder_self.kind=multilevel training.schedule.kind=constant \
             training.steps={steps}"
        )
    };
    for place in [&whole, &parts] {
        place.write("c.toml", curriculum);
    }
    let told = whole.run(&command(10)).succeeded();
    assert!(
        told.contains("After step 6: model.encoder_self.levels=3 task.hops=4"),
        "{told}"
    );
    for steps in [4, 6, 7, 10] {
        parts.run(&command(steps)).succeeded();
    }
    assert_eq!(
        parts.losses("run/metrics.jsonl"),
        whole.losses("run/metrics.jsonl")
    );
    // The same run asked for again is done; another curriculum is another run.
    let again = whole.run(&command(10)).succeeded();
    assert!(again.contains("10"), "{again}");
    whole.write("c.toml", curriculum.replace("from = 6", "from = 7"));
    let refusal = whole.run(&command(10)).refused();
    assert!(refusal.contains("training.curriculum"), "{refusal}");
}
