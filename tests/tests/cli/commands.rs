//! Each command doing its work.

use std::fs;

use strata_tests::cli::Workplace;

use crate::train;

const RUN: &str = "runs/copy-transformer-seed0";

#[test]
fn a_run_ends_with_samples_and_leaves_three_files() {
    let place = Workplace::new();
    let steps = "training.steps=6 training.validate_every=4 training.checkpoint_every=4";
    let said = place.run(&train(steps)).succeeded();
    for part in [
        "Sample translations",
        "output",
        "translated exactly",
        "target tokens/s",
        "memory",
    ] {
        assert!(said.contains(part), "no {part} in {said}");
    }
    assert!(
        !said.contains('\x1b') && !said.contains('\r'),
        "control codes in {said:?}"
    );

    let metrics = format!("{RUN}/metrics.jsonl");
    let steps: Vec<u64> = place
        .losses(&metrics)
        .into_iter()
        .map(|(step, _)| step)
        .collect();
    assert_eq!(steps, [1, 2, 3, 4, 5, 6]);
    let validations = place.metrics(&metrics, "validation");
    let steps: Vec<_> = validations.iter().map(|it| it["step"].as_u64()).collect();
    assert_eq!(steps, [Some(4), Some(6)]);

    // The next command that `train` prints translates the sample.
    let told = said.lines().last().unwrap();
    assert!(told.contains("translate --model"), "{told}");
    place.shell(told.trim()).succeeded();

    // The written configuration is the same experiment, wherever it came from.
    let written = format!("train --quiet --config {RUN}/experiment.toml");
    place.run(&written).succeeded();
    assert_eq!(
        place.losses(&metrics),
        place.losses(&format!("{RUN}-2/metrics.jsonl"))
    );
}

#[test]
fn quiet_shows_the_end_only() {
    let place = Workplace::new();
    let loud = place.run(&train("training.steps=2")).succeeded();
    let quiet = place.run(&train("training.steps=2 --quiet")).succeeded();
    assert!(loud.contains("validation after step 2") && !quiet.contains("validation after"));
    assert!(
        quiet.trim_start().starts_with("Sample translations"),
        "{quiet}"
    );
}

#[test]
fn a_run_is_never_written_over_another() {
    let place = Workplace::new();
    for _ in 0..2 {
        place.run(&train("training.steps=1")).succeeded();
    }
    let mut runs: Vec<_> = fs::read_dir(place.path("runs"))
        .unwrap()
        .map(|it| it.unwrap().file_name())
        .collect();
    runs.sort();
    assert_eq!(runs, ["copy-transformer-seed0", "copy-transformer-seed0-2"]);

    let checkpoint = format!("{RUN}/checkpoint.safetensors");
    let before = place.read(&checkpoint);
    let again = place
        .run(&train(&format!("training.steps=1 seed=7 --out {RUN}")))
        .refused();
    assert!(again.contains(RUN) && again.contains("--resume"), "{again}");
    assert_eq!(place.read(&checkpoint), before);
}

#[test]
fn a_model_translates_text_and_lines() {
    let place = Workplace::new();
    place.run(&train("training.steps=2 --out run")).succeeded();
    let one = place.run("translate --model run a b").succeeded();
    assert_eq!(one.lines().count(), 1, "{one}");

    // Line by line; an empty line stays empty.
    let input = "a b\n\n b  a \n";
    let lines = place
        .run_with("translate --model run/checkpoint.safetensors", input)
        .succeeded();
    let lines: Vec<&str> = lines.split('\n').collect();
    assert_eq!((lines.len(), lines[1], lines[3]), (4, "", ""));
    assert_eq!(lines[0], one.trim_end_matches('\n'));

    let strange = place.run("translate --model run a xyzzy");
    assert!(
        strange.stderr.contains("does not know `xyzzy`"),
        "{}",
        strange.stderr
    );
    strange.succeeded();
    let empty = place.run_with("translate --model run", "").succeeded();
    assert_eq!(empty, "");
}

#[test]
fn a_model_is_measured_as_it_was_at_the_end_of_training() {
    let place = Workplace::new();
    let trained = place.run(&train("training.steps=2 --out run")).succeeded();
    let measured = place.run("eval --model run").succeeded();
    let line = |text: &str| {
        let line = text
            .lines()
            .find(|line| line.starts_with("Held-out sentences: "));
        line.unwrap_or_else(|| panic!("nothing was measured: {text}"))
            .to_owned()
    };
    assert_eq!(line(&measured), line(&trained));
    let undecoded = place.run("eval --model run --decode 0").succeeded();
    assert!(
        line(&undecoded).starts_with("Held-out sentences: loss"),
        "{undecoded}"
    );

    place.write("source", "a b\n\nc d\n");
    place.write("target", "a b\nx\nc d\n");
    let files = place
        .run("eval --model run --source source --target target")
        .succeeded();
    assert!(
        files.contains("on 2 sentences") && files.contains("Left out: 1"),
        "{files}"
    );
    place.write("pairs.tsv", "a b\ta b\nc d\tc d\n");
    let typed = place.run("eval --model run --source pairs.tsv task.source=x");
    let refusal = typed.refused();
    assert!(
        refusal.contains("`task.source=x`") && refusal.contains("`--source`"),
        "{refusal}"
    );
    let columns = place.run("eval --model run --source pairs.tsv").succeeded();
    assert_eq!(line(&columns), line(&files));
}

/// A preset is the beginning of a file in which the corpus is named later.
#[test]
fn a_preset_is_printed_before_its_corpus_is_named() {
    let place = Workplace::new();
    let done = place.run("config --preset rnnsearch");
    assert!(done.stderr.contains("set `task.source`"), "{done:?}");
    let printed = done.succeeded();
    assert!(printed.contains("encoder_hidden = 1024"), "{printed}");
    fs::write(place.path("experiment.toml"), printed).unwrap();
    let refused = place.run("train --config experiment.toml").refused();
    assert!(refused.contains("no source file is named"), "{refused}");
}

#[test]
fn the_printed_configuration_is_read_back() {
    let place = Workplace::new();
    let settings = "task.kind=reverse model.cross.kind=multilevel model.cross.levels=3 seed=5";
    let printed = place.run(&format!("config {settings}")).succeeded();
    assert!(
        printed.contains("levels = 3") && printed.contains("# "),
        "{printed}"
    );
    place.write("experiment.toml", &printed);
    assert_eq!(
        place.run("config --config experiment.toml").succeeded(),
        printed
    );
}

/// Names of the field that are no settings are answered by what there is instead.
#[test]
fn names_of_the_field_are_answered() {
    let place = Workplace::new();
    let explained = |name: &str| place.run(&format!("config --explain {name}")).succeeded();
    for (name, instead) in [
        ("onnx", "--to onnx"),
        ("push_to_hub", "--to hub"),
        ("LayerNorm", "layer normalisation"),
        ("causal", "padding is masked everywhere"),
        ("padding_idx", "longest text"),
        ("perplexity", "nats"),
        ("docker", "one file"),
        ("npm", "JavaScript package"),
        ("fine-tune", "--from RUN"),
        ("linear-attention", "kind=linear"),
        ("oom", "training.accumulate"),
        ("export", "strata export --help"),
    ] {
        let printed = explained(name);
        assert!(printed.contains(instead), "{name}: {printed}");
    }
}

#[test]
fn mechanisms_settings_and_options_are_explained() {
    let place = Workplace::new();
    let explained = |name: &str| place.run(&format!("config --explain {name}")).succeeded();
    let all = explained("");
    let multilevel = explained("multilevel");
    assert!(
        all.contains(&multilevel) && all.contains("kind = \"ham_s\""),
        "{all}"
    );
    for part in [
        "Aᴺ V (Zhou and Li, Multilevel Attention)",
        "levels: 1 to 1000 [default: 4]",
        "chain: keys, causal, paper_leaky [default: keys]",
        "  paper_leaky: ",
    ] {
        assert!(multilevel.contains(part), "no {part:?} in: {multilevel}");
    }
    // A setting as `strata config` names it, and one of its options.
    let score = explained("model.cross.score");
    assert_eq!(score, explained("bilinear"));
    assert!(
        score.contains("Bahdanau") && score.contains("A setting of: vanilla, local"),
        "{score}"
    );
    assert!(!score.contains("levels"), "{score}");
}

#[test]
fn an_address_of_the_page_and_its_presets_are_taken() {
    let place = Workplace::new();
    let of_address = "config --from-url http://127.0.0.1:8080/?v=1&preset=reverse&seed=3#top";
    let of_address = place.run(of_address).succeeded();
    assert_eq!(
        of_address,
        place.run("config --preset reverse seed=3").succeeded()
    );
    assert!(of_address.contains("kind = \"reverse\""), "{of_address}");
    let listed = place.run("config --presets").succeeded();
    assert!(
        listed.contains("\nreverse\n") && listed.contains("\nrnnsearch\n"),
        "{listed}"
    );
}
