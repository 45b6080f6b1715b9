//! `strata sweep`, `strata train --continue` and `strata compare`.

use std::fs;

use serde_json::Value;
use strata_tests::cli::{Workplace, ended, signal};

use crate::{TINY, train};

#[test]
fn a_sweep_prints_a_command_for_each_combination_and_each_runs() {
    let place = Workplace::new();
    let grid = "--grid model.width=8,16 --grid seed=1,2";
    let told = place
        .run(&format!("sweep {TINY} training.steps=2 {grid}"))
        .succeeded();
    let commands: Vec<&str> = told.lines().collect();
    assert_eq!(commands.len(), 4);
    assert!(commands[1].contains("width=8-seed=2"), "{}", commands[1]);
    place.shell(commands[1]).succeeded();
    assert!(
        place
            .path("runs/sweep/width=8-seed=2/checkpoint.safetensors")
            .exists()
    );
    // Repeated, the command has nothing to do, and does nothing.
    let told = place.shell(commands[1]).succeeded();
    assert!(told.contains("Nothing to do"), "{told}");
}

#[cfg(unix)]
#[test]
fn a_sweep_that_is_interrupted_begins_no_other_run_and_says_how_to_go_on() {
    let place = Workplace::new();
    let sweep = place.start(&format!(
        "sweep {TINY} training.steps=100 --grid seed=1,2,3 --out runs/s --run --jobs 1"
    ));
    place.wait_for("runs/s/seed=1/metrics.jsonl");
    signal(&sweep, "INT");
    let stopped = ended(sweep);
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    assert!(
        stopped
            .stderr
            .contains("The same command goes on from here"),
        "{stopped:?}"
    );
    assert!(!place.path("runs/s/seed=3").exists());
}

#[test]
fn a_sweep_runs_here_goes_on_and_is_compared() {
    let place = Workplace::new();
    let sweep = format!(
        "sweep {TINY} training.steps=3 --grid model.cross.kind=vanilla,linear --grid seed=1,2,3 \
         --out runs/s --run --jobs 2"
    );
    let told = place.run(&sweep).succeeded();
    assert!(told.contains("All 6 runs are done"), "{told}");
    let checkpoint = place.path("runs/s/kind=linear-seed=3/checkpoint.safetensors");
    let before = fs::read(&checkpoint).unwrap();
    fs::remove_dir_all(place.path("runs/s/kind=vanilla-seed=1")).unwrap();
    place.run(&sweep).succeeded();
    assert!(
        place
            .path("runs/s/kind=vanilla-seed=1/checkpoint.safetensors")
            .exists()
    );
    assert_eq!(fs::read(&checkpoint).unwrap(), before);

    let told = place.run("compare runs/s").succeeded();
    for part in ["model.cross.kind", "vanilla", "linear", " ± "] {
        assert!(told.contains(part), "no {part} in {told}");
    }
    let lines = place.run("compare runs/s --json").succeeded();
    let groups: Vec<Value> = lines
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    assert_eq!(groups.len(), 2);
    for group in &groups {
        assert_eq!(group["seeds"], serde_json::json!([1, 2, 3]));
        assert_eq!(group["finished"], 3);
        let losses: Vec<f64> = group["loss"]["values"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it.as_f64().unwrap())
            .collect();
        let mean = losses.iter().sum::<f64>() / 3.0;
        assert!((group["loss"]["mean"].as_f64().unwrap() - mean).abs() < 1e-12);
    }
}

#[test]
fn runs_are_compared_on_a_page() {
    let place = Workplace::new();
    let sweep = format!(
        "sweep {TINY} training.steps=4 training.validate_every=2 --grid model.width=8,16 --grid \
         seed=1,2 --out runs/s --run"
    );
    place.run(&sweep).succeeded();
    place.run("compare runs/s --html page.html").succeeded();
    let page = String::from_utf8(place.read("page.html")).unwrap();
    for part in ["src=", "href=", "<script", "url("] {
        assert!(!page.contains(part), "{part} in the page");
    }
    for part in [
        "model.width=16",
        "Held-out loss",
        " ± ",
        "width=8-seed=2",
        "<svg",
    ] {
        assert!(page.contains(part), "no {part}");
    }
    let refusal = place
        .run("compare runs/s --html nowhere/page.html")
        .refused();
    assert!(refusal.contains("nowhere"), "{refusal}");
}

#[test]
fn a_run_is_begun_or_gone_on_with_whichever_fits() {
    let place = Workplace::new();
    let steps = |steps: u32| {
        train(&format!(
            "training.steps={steps} --continue --out runs/x --quiet"
        ))
    };
    place.run(&steps(3)).succeeded();
    place.run(&steps(5)).succeeded();
    let whole = place.run(&train("training.steps=5 --out runs/y --quiet"));
    whole.succeeded();
    let losses = |run: &str| place.losses(&format!("runs/{run}/metrics.jsonl"));
    assert_eq!(losses("x"), losses("y"));
    let other = train("training.steps=9 model.width=8 --continue --out runs/x");
    let refusal = place.run(&other).refused();
    assert!(refusal.contains("model.width"), "{refusal}");
}

#[test]
fn steps_take_the_place_of_a_files_epochs_when_a_run_goes_on_too() {
    let place = Workplace::new();
    place.write("epochs.toml", "[training]\nepochs = 3\n");
    let run = |steps: u32| {
        let more = format!("--config epochs.toml training.steps={steps} --continue --out runs/x");
        place.run(&train(&more)).succeeded()
    };
    run(3);
    assert!(run(3).contains("Nothing to do"));
    run(5);
    assert_eq!(place.losses("runs/x/metrics.jsonl").len(), 5);
}

#[test]
fn a_grid_that_makes_no_sense_is_refused_before_anything_runs() {
    let place = Workplace::new();
    for (grid, part) in [
        ("--grid model.widht=8,16", "model.width"),
        ("--grid model.width=8,x", "model.width"),
        ("--grid seed", "has no `=`"),
        ("--grid seed=1 --grid seed=2", "twice"),
        ("--grid model.heads=2,3", "heads"),
    ] {
        let refusal = place.run(&format!("sweep {TINY} {grid} --run")).refused();
        assert!(refusal.contains(part), "{refusal}");
    }
    assert!(!place.path("runs").exists());
    let refusal = place.run("compare nowhere").refused();
    assert!(refusal.contains("nowhere"), "{refusal}");
    place.write("file", "");
    let refusal = place.run("compare file").refused();
    assert!(refusal.contains("no run to compare"), "{refusal}");
    let refusal = place.run("compare file/run").refused();
    assert!(
        refusal.contains("a part of its path is a file"),
        "{refusal}"
    );
    let sweep = format!("sweep {TINY} --grid seed=1,2 --out file --run");
    let refusal = place.run(&sweep).refused();
    assert!(
        refusal.contains("file") && !refusal.contains("tries them again"),
        "{refusal}"
    );
}

/// Writes four pairs, often enough to train on, into `s.txt` and `t.txt`; returns settings for
/// them.
fn files(place: &Workplace) -> String {
    place.write(
        "s.txt",
        "rot hund\nblau haus\nrot katze\nblau hund\n".repeat(10),
    );
    place.write(
        "t.txt",
        "red dog\nblue house\nred cat\nblue dog\n".repeat(10),
    );
    "task.kind=files task.source=s.txt task.target=t.txt task.minimum_count=1 task.held_out=2 \
     model.width=16 model.heads=2 model.layers=1 model.feed_forward=32 training.batch_size=8"
        .to_owned()
}

#[test]
fn a_sweep_takes_no_other_runs_for_its_own() {
    let place = Workplace::new();
    let sweep = |rate: &str| {
        let rate = format!("training.optimizer.learning_rate={rate}");
        place.run(&format!(
            "sweep {TINY} {rate} training.steps=3 --grid seed=1,2 --run --out s"
        ))
    };
    sweep("1e-4").succeeded();
    let before = place.run("compare s --json").succeeded();
    let refusal = sweep("0.1").refused();
    for part in [
        "learning_rate` is 0.0001",
        "0.1 was asked for",
        "s/seed=1",
        "--out",
    ] {
        assert!(refusal.contains(part), "no {part} in {refusal}");
    }
    // Also if the setting is not given, and has its default.
    let default = format!("sweep {TINY} training.steps=3 --grid seed=1,2 --run --out s");
    let refusal = place.run(&default).refused();
    assert!(refusal.contains("learning_rate"), "{refusal}");
    assert_eq!(place.run("compare s --json").succeeded(), before);
    sweep("1e-4").succeeded();
    let twice = format!("sweep {TINY} --grid model.dropout=0.1,.1 --out s");
    let refusal = place.run(&twice).refused();
    assert!(refusal.contains("one experiment"), "{refusal}");
}

#[test]
fn a_finished_run_is_done_only_if_it_is_the_one_asked_for() {
    let place = Workplace::new();
    let settings = files(&place);
    let again = |more: &str| {
        place.run(&format!(
            "train --continue --out r {settings} training.steps=3 {more}"
        ))
    };
    again("").succeeded();
    assert!(again("").succeeded().contains("Nothing to do"));
    for (more, part) in [
        ("training.optimizer.learning_rate=0.5", "learning_rate"),
        ("model.dropout=0.5", "model.dropout"),
        ("training.keep_best=2", "keep_best"),
        ("training.steps=2", "training.steps"),
        ("task.source=nowhere.txt", "nowhere.txt"),
        ("task.source=t.txt", "task.source"),
    ] {
        let refusal = again(more).refused();
        assert!(refusal.contains(part), "{more}: {refusal}");
    }
    // Other contents at the same path, and the same contents at another path.
    let text = place.read("s.txt");
    place.write("copy.txt", &text);
    assert!(
        again("task.source=copy.txt")
            .succeeded()
            .contains("Nothing to do")
    );
    place.write(
        "s.txt",
        String::from_utf8(text).unwrap().replace("rot", "rosa"),
    );
    let refusal = again("").refused();
    assert!(
        refusal.contains("s.txt (`task.source`) has other contents"),
        "{refusal}"
    );
    // A run of an earlier program has no digests, so its tokens are compared.
    fs::remove_file(place.path("r/origin.json")).unwrap();
    let refusal = again("").refused();
    assert!(
        refusal.contains("changed") || refusal.contains("differ"),
        "{refusal}"
    );
    assert!(
        again("task.source=copy.txt")
            .succeeded()
            .contains("Nothing to do")
    );
}

#[cfg(target_os = "linux")]
#[test]
fn runs_end_with_the_sweep_that_started_them() {
    let place = Workplace::new();
    let sweep = place.start(&format!(
        "sweep {TINY} training.steps=100000 --grid seed=1,2 --out s --run --jobs 2"
    ));
    place.wait_for("s/seed=1/metrics.jsonl");
    place.wait_for("s/seed=2/metrics.jsonl");
    signal(&sweep, "KILL");
    ended(sweep);
    for seed in [1, 2] {
        place.wait_for(&format!("s/seed={seed}/checkpoint.safetensors"));
        // Waits until the folder is free again.
        let mut tries = 0;
        while !place
            .run(&format!("train --resume s/seed={seed} training.steps=1"))
            .stderr
            .contains("taken")
        {
            tries += 1;
            assert!(tries < 100, "seed {seed} trains on");
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    }
}
