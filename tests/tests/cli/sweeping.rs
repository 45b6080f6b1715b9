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
    // Again: there is nothing to do, and nothing is done.
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
}
