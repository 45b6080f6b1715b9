//! Runs that continue otherwise than they began: with more steps, at another rate, with data that
//! have moved.

use std::fs;
use std::process::Command;

use strata_tests::cli::{Ended, Workplace};

use crate::{TINY, train};

/// Writes sentence pairs as files in `folder`.
fn corpus(place: &Workplace, folder: &str) {
    fs::create_dir_all(place.path(folder)).unwrap();
    let lines = |words: [&str; 4]| -> String {
        let line = |n: usize| {
            let word = |k: usize| words[(n / 4_usize.pow(k as u32)) % 4];
            format!("{} {} {}\n", word(0), word(1), word(2))
        };
        (0..64).map(line).collect()
    };
    place.write(
        &format!("{folder}/de.txt"),
        lines(["rot", "blau", "hund", "haus"]),
    );
    place.write(
        &format!("{folder}/en.txt"),
        lines(["red", "blue", "dog", "house"]),
    );
}

/// Returns a `train` on these files, with `more` arguments.
fn train_on(folder: &str, more: &str) -> String {
    let (_, model) = TINY.split_once("model").unwrap();
    format!(
        "train task.kind=files task.source={folder}/de.txt task.target={folder}/en.txt \
         task.minimum_count=1 task.held_out=8 model{model} {more}"
    )
}

/// Runs the program in a subfolder.
fn run_in(place: &Workplace, folder: &str, arguments: &str) -> Ended {
    let mut command: Command = place.command(arguments);
    let output = command.current_dir(place.path(folder)).output();
    Ended::from(output.unwrap())
}

#[test]
fn a_quiet_run_that_goes_on_otherwise_says_so_in_one_note() {
    let place = Workplace::new();
    place.run(&train("training.steps=2 --out run")).succeeded();
    let further = place.run(&train("training.steps=3 --continue --out run --quiet"));
    assert!(!further.stderr.contains("other settings"), "{further:?}");
    further.succeeded();
    let settings = "training.steps=4 training.clip_norm=2 training.keep_best=3 model.dropout=0.25";
    let other = place.run(&train(&format!("{settings} --continue --out run --quiet")));
    let notes: Vec<&str> = other
        .stderr
        .lines()
        .filter(|it| it.contains("other settings"))
        .collect();
    assert!(
        notes.len() == 1
            && ["training.clip_norm", "training.keep_best", "model.dropout"]
                .iter()
                .all(|key| notes[0].contains(key)),
        "{other:?}"
    );
    other.succeeded();
}

/// Settings that are left out are those of the run, with a checkpoint or without; another setting is
/// refused, and the folder stays as it is.
#[test]
fn settings_left_out_are_those_of_the_run_and_others_are_refused() {
    let place = Workplace::new();
    place.run(&train("training.steps=2 --out run")).succeeded();
    let settings = || fs::read_to_string(place.path("run/experiment.toml")).unwrap();
    let first = settings();
    for has_checkpoint in [true, false] {
        if !has_checkpoint {
            fs::remove_file(place.path("run/checkpoint.safetensors")).unwrap();
        }
        for (asked, key) in [
            ("model.width=32", "model.width"),
            ("seed=4", "seed"),
            ("task.symbols=7", "task.symbols"),
            ("--preset reverse", "model"),
        ] {
            let more = format!("train --continue --out run training.steps=3 {asked}");
            let sentence = place.run(&more).refused();
            for part in [key, "in this run and cannot become"] {
                assert!(sentence.contains(part), "{asked}: {sentence}");
            }
            assert_eq!(settings(), first, "{asked}");
        }
    }
    place
        .run("train --continue --out run model.width=16 training.steps=3")
        .succeeded();
    let steps = first.replacen("steps = 2 ", "steps = 3 ", 1);
    assert_eq!(settings(), steps);
}

#[test]
fn a_run_goes_on_with_data_that_were_moved() {
    let place = Workplace::new();
    corpus(&place, "data");
    place
        .run(&train_on("data", "training.steps=8 --out whole"))
        .succeeded();
    let shorter = "training.schedule.kind=constant training.steps=";
    place
        .run(&train_on("data", &format!("{shorter}4 --out run")))
        .succeeded();
    place
        .run(&train_on(
            "data",
            &format!("{shorter}8 --out whole-constant"),
        ))
        .succeeded();
    fs::rename(place.path("data"), place.path("elsewhere")).unwrap();

    let refused = place.run("train --resume run training.steps=8").refused();
    assert!(
        refused.contains("data/de.txt") && refused.contains("`task.source=…`"),
        "{refused}"
    );
    let moved = "task.source=elsewhere/de.txt task.target=elsewhere/en.txt";
    place
        .run(&format!("train --resume run training.steps=6 {moved}"))
        .succeeded();
    // From now on the run knows where its data are.
    place.run("train --resume run training.steps=8").succeeded();
    assert_eq!(
        place.losses("run/metrics.jsonl"),
        place.losses("whole-constant/metrics.jsonl")
    );

    // Measured on its own data, named anew; or on files.
    let gone = place.run("eval --model whole").refused();
    assert!(
        gone.contains("data/de.txt")
            && gone.contains("`--source`")
            && gone.contains("`task.source=…`"),
        "{gone}"
    );
    let named = place
        .run(&format!("eval --model whole {moved}"))
        .succeeded();
    assert!(named.contains("on 8 sentences"), "{named}");
    place
        .run("eval --model whole --source elsewhere/de.txt --target elsewhere/en.txt")
        .succeeded();
    let other = place
        .run(&format!("eval --model whole {moved} model.width=8"))
        .refused();
    assert!(
        other.contains("`model.width`") || other.contains("only the paths"),
        "{other}"
    );

    // Other contents are other data, wherever they are.
    let text = String::from_utf8(place.read("elsewhere/de.txt")).unwrap();
    let backwards: Vec<&str> = text.lines().rev().collect();
    place.write("elsewhere/de.txt", backwards.join("\n"));
    let changed = place.run("train --resume run training.steps=9").refused();
    assert!(changed.contains("the data have changed"), "{changed}");
}

#[test]
fn a_run_goes_on_from_another_folder() {
    let place = Workplace::new();
    corpus(&place, "project/data");
    fs::create_dir(place.path("elsewhere")).unwrap();
    let constant = "training.schedule.kind=constant training.steps=3 --out runs/run";
    run_in(&place, "project", &train_on("data", constant)).succeeded();
    let said = run_in(
        &place,
        "elsewhere",
        "train --resume ../project/runs/run training.steps=5",
    );
    let said = said.succeeded();
    assert!(said.contains("The data were found in "), "{said}");
    run_in(&place, "elsewhere", "eval --model ../project/runs/run").succeeded();

    // The folder in which the run was started is moved with everything in it.
    fs::rename(place.path("project"), place.path("moved")).unwrap();
    run_in(
        &place,
        "elsewhere",
        "train --resume ../moved/runs/run training.steps=7",
    )
    .succeeded();
    let steps: Vec<u64> = place
        .losses("moved/runs/run/metrics.jsonl")
        .iter()
        .map(|it| it.0)
        .collect();
    assert_eq!(steps, [1, 2, 3, 4, 5, 6, 7]);

    // The folder is moved once more, and then the data are nowhere.
    fs::rename(place.path("moved"), place.path("again")).unwrap();
    run_in(
        &place,
        "elsewhere",
        "train --resume ../again/runs/run training.steps=8",
    )
    .succeeded();
    fs::rename(place.path("again/data"), place.path("again/hidden")).unwrap();
    let refused = run_in(
        &place,
        "elsewhere",
        "train --resume ../again/runs/run training.steps=9",
    );
    let refused = refused.refused();
    assert!(refused.contains("data/de.txt"), "{refused}");
}

#[test]
fn a_rate_that_leaves_its_curve_is_told_with_both_numbers() {
    let place = Workplace::new();
    place
        .run(&train(
            "training.steps=5 training.schedule.warmup=2 --out run",
        ))
        .succeeded();
    let said = place
        .run("train --resume run training.steps=10")
        .succeeded();
    let rates: Vec<f64> = place
        .metrics("run/metrics.jsonl", "step")
        .iter()
        .map(|it| it["learning_rate"].as_f64().unwrap())
        .collect();
    assert!(rates[4] < 1e-9 && rates[5] > 1e-3, "{rates:?}");
    let next = format!("{:.5}", rates[5]);
    let told = format!(
        "from 0 in step 5 to {} in step 6",
        next.trim_end_matches('0')
    );
    assert!(said.contains(&told), "no {told:?} in: {said}");
    assert!(said.contains("cosine"), "{said}");

    // A constant rate is continued as it was, and a new one is reported.
    place
        .run(&train(
            "training.steps=3 training.schedule.kind=constant --out even",
        ))
        .succeeded();
    let said = place
        .run("train --resume even training.steps=5")
        .succeeded();
    assert!(!said.contains("learning rate goes"), "{said}");
    let said = place
        .run("train --resume even training.steps=7 training.optimizer.learning_rate=0.0004")
        .succeeded();
    assert!(
        said.contains("from 0.003 in step 5 to 0.0004 in step 6"),
        "{said}"
    );
    let last = &place.metrics("even/metrics.jsonl", "step")[6];
    assert_eq!(last["learning_rate"].as_f64(), Some(0.0004));
    let written = String::from_utf8(place.read("even/experiment.toml")).unwrap();
    assert!(written.contains("learning_rate = 0.0004"), "{written}");
}

#[test]
fn how_often_a_run_validates_and_saves_may_change() {
    let place = Workplace::new();
    place.run(&train("training.steps=2 --out run")).succeeded();
    place
        .run(
            "train --resume run training.steps=8 training.validate_every=2 training.keep_best=2 \
             training.checkpoint_every=3 training.bleu_every=4 training.patience=9",
        )
        .succeeded();
    let validated: Vec<_> = place
        .metrics("run/metrics.jsonl", "validation")
        .iter()
        .filter_map(|it| it["step"].as_u64())
        .collect();
    assert_eq!(validated, [2, 4, 6, 8]);
    assert_eq!(fs::read_dir(place.path("run/best")).unwrap().count(), 2);
    // Settings that the file leaves out stay as they are in the run.
    place.write("more.toml", "[training]\nsteps = 10\nbatch_size = 8\n");
    let refused = place.run("train --resume run --config more.toml").refused();
    assert!(
        refused.contains("in this run and cannot become"),
        "{refused}"
    );
    place
        .run("train --resume run training.epochs=1")
        .succeeded();
    assert_eq!(place.losses("run/metrics.jsonl").len(), 25);
}

#[test]
fn a_warm_up_longer_than_the_run_is_told_before_it_starts() {
    let place = Workplace::new();
    let said = place
        .run(&train(
            "training.steps=4 training.schedule.warmup=16 --out run",
        ))
        .succeeded();
    let at = said
        .find("only to 25 %")
        .unwrap_or_else(|| panic!("{said}"));
    assert!(at < said.find("validation after step").unwrap(), "{said}");
    let said = place
        .run(&train(
            "training.steps=4 training.schedule.warmup=4 --out other",
        ))
        .succeeded();
    assert!(!said.contains("only rises"), "{said}");
}

#[test]
fn a_run_begins_with_the_parameters_of_another() {
    let place = Workplace::new();
    let task = |symbols: u32| {
        format!(
            "train task.kind=copy task.symbols={symbols} task.minimum_length=2 task.maximum_length=4 \
             task.examples=200 task.held_out=20 model.width=16 model.heads=2 model.layers=1 \
             model.feed_forward=32 training.batch_size=8 training.validate_every=0"
        )
    };
    let run = |more: &str| place.run(&format!("{} {more}", task(6))).succeeded();
    run(
        "training.steps=200 training.optimizer.learning_rate=0.01 training.schedule.warmup=10 --out runs/a",
    );
    run("training.steps=1 seed=5 --out runs/fresh");
    let told = run("training.steps=1 seed=5 --from runs/a --out runs/b");
    assert!(
        told.contains("knows 10 of 10 source and 10 of 10 target tokens"),
        "{told}"
    );
    let first = |run: &str| {
        let (step, loss) = place.losses(&format!("runs/{run}/metrics.jsonl"))[0];
        (step, f64::from_bits(loss))
    };
    assert_eq!(first("b").0, 1);
    assert!(
        first("b").1 < 0.5 * first("fresh").1,
        "{:?} {:?}",
        first("b"),
        first("fresh")
    );

    let more = format!("{} training.steps=1 --from runs/a --out runs/c", task(9));
    let told = place.run(&more).succeeded();
    assert!(
        told.contains("knows 10 of 13 source and 10 of 13 target tokens"),
        "{told}"
    );
    // In the folder where it began, the run goes on, and is not begun again.
    let more = format!(
        "{} training.steps=3 --from runs/a --continue --out runs/c",
        task(9)
    );
    place.run(&more).succeeded();
    assert_eq!(place.losses("runs/c/metrics.jsonl").len(), 3);

    let wider = format!("{} model.width=32 --from runs/a --out runs/d", task(6));
    let refusal = place.run(&wider).refused();
    assert!(refusal.contains("`model.width` is 16"), "{refusal}");
    let refusal = place
        .run(&format!("{} --from nowhere --out runs/d", task(6)))
        .refused();
    assert!(refusal.contains("nowhere"), "{refusal}");
    assert!(!place.path("runs/d").exists());
}

/// Theorem 2 of *Hierarchical Attention* as a run: a level with a small share is added, the loss
/// stays, and training goes on.
#[test]
fn a_run_goes_on_with_one_level_more() {
    let place = Workplace::new();
    let task = |mechanism: &str| {
        format!(
            "train task.kind=copy task.symbols=6 task.minimum_length=2 task.maximum_length=4 \
             task.examples=200 task.held_out=20 model.width=16 model.heads=2 model.layers=1 \
             model.feed_forward=32 training.batch_size=8 training.validate_every=0 \
             training.optimizer.learning_rate=0.01 training.schedule.warmup=10 {mechanism}"
        )
    };
    let ham = |depth: u32| {
        task(&format!(
            "model.encoder_self.kind=ham_v model.encoder_self.depth={depth}"
        ))
    };
    let run = |task: String, more: &str| place.run(&format!("{task} {more}"));
    let loss = |of: &str| -> f64 {
        let report = place.run(&format!("eval --model {of} --json")).succeeded();
        let report: serde_json::Value = serde_json::from_str(report.trim()).unwrap();
        report["loss"].as_f64().unwrap()
    };
    run(ham(2), "training.steps=150 --out two").succeeded();
    // A rate of nearly nothing, so that what is measured is the model as it begins.
    let begin = "training.steps=1 training.optimizer.learning_rate=1e-9";
    let told = run(ham(3), &format!("{begin} --from two --out begun")).succeeded();
    let sentence = "`model.encoder_self.depth` is 3 in place of 2: the level that is added has a \
                    share of at most 1 % at first, the others share the rest as they did.";
    assert!(told.contains(sentence), "{told}");
    let (before, begun) = (loss("two"), loss("begun"));
    assert!((before - begun).abs() < 0.01, "{before} {begun}");
    run(ham(3), "training.steps=150 --from two --out three").succeeded();
    assert!(loss("three") < before, "{} {before}", loss("three"));

    let told = run(ham(1), &format!("{begin} --from two --out one")).succeeded();
    assert!(told.contains("the last levels are left out"), "{told}");
    let told = run(
        task("model.loops=2"),
        &format!("{begin} --from two --out loops"),
    )
    .refused();
    assert!(told.contains("model.encoder_self"), "{told}");
    run(task("model.loops=1"), "training.steps=1 --out plain").succeeded();
    let told = run(
        task("model.loops=2"),
        &format!("{begin} --from plain --out loops"),
    );
    let told = told.succeeded();
    assert!(
        told.contains("`model.loops` is 2 in place of 1: its parameters stay"),
        "{told}"
    );
}
