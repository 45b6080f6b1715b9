//! Runs that are interrupted, and runs that go on from there.

use std::io::{BufRead, BufReader, Read};
use std::thread::sleep;
use std::time::Duration;

use strata_tests::cli::{Workplace, ended, signal};

use crate::train;

/// Settings of a run that is long enough to be interrupted.
const LONG: &str = "training.steps=300 training.validate_every=100 training.checkpoint_every=10 \
                    model.dropout=0.1";

/// Returns the losses of the run without interruption.
fn uninterrupted(place: &Workplace) -> Vec<(u64, u64)> {
    place
        .run(&train(&format!("{LONG} --out whole")))
        .succeeded();
    place.losses("whole/metrics.jsonl")
}

#[test]
fn a_run_that_was_killed_goes_on_with_the_same_losses() {
    let place = Workplace::new();
    let run = place.start(&train(&format!("{LONG} --out run")));
    place.wait_for("run/checkpoint.safetensors");
    signal(&run, "KILL");
    assert_eq!(ended(run).code, None);
    place
        .run("train --resume run/checkpoint.safetensors")
        .succeeded();
    assert_eq!(place.losses("run/metrics.jsonl"), uninterrupted(&place));
    let validations = place.metrics("run/metrics.jsonl", "validation");
    assert_eq!(validations.len(), 3);
}

#[test]
fn ctrl_c_saves_and_tells_how_to_go_on() {
    let place = Workplace::new();
    let run = place.start(&train(&format!("{LONG} --out run")));
    place.wait_for("run/checkpoint.safetensors");
    signal(&run, "INT");
    let stopped = ended(run);
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    let heard: Vec<&str> = stopped.stderr.lines().collect();
    assert_eq!(heard.len(), 1, "{heard:?}");
    assert!(
        heard[0].starts_with("Ends after the present step"),
        "{heard:?}"
    );
    let told = stopped.stdout.lines().last().unwrap();
    assert!(told.contains("train --resume run"), "{told}");
    let steps = place.losses("run/metrics.jsonl").len();
    assert!(steps < 300, "the run was over before it was interrupted");
    assert!(
        stopped.stdout.contains(&format!("after step {steps}.")),
        "{}",
        stopped.stdout
    );

    place.shell(told.trim()).succeeded();
    assert_eq!(place.losses("run/metrics.jsonl"), uninterrupted(&place));
}

/// As `timeout` sends them: to the program, and again to its process group.
#[test]
fn two_signals_at_once_save_as_one_does() {
    let place = Workplace::new();
    let run = place.start(&train(&format!("{LONG} --out run")));
    place.wait_for("run/checkpoint.safetensors");
    signal(&run, "TERM");
    signal(&run, "TERM");
    let stopped = ended(run);
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    assert!(
        stopped.stdout.contains("Stopped and saved after step"),
        "{}",
        stopped.stdout
    );
}

/// Settings with steps that take seconds, of many batches each.
const SLOW: &str = "training.steps=50 training.accumulate=5000 training.validate_every=0 \
                    training.checkpoint_every=0";

/// Waits until this number of steps is in the metrics.
fn wait_for_steps(place: &Workplace, count: usize) {
    place.wait_for("run/metrics.jsonl");
    while place.losses("run/metrics.jsonl").len() < count {
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_second_ctrl_c_ends_at_once_and_loses_the_present_step_alone() {
    let place = Workplace::new();
    let mut run = place.start(&train(&format!("{SLOW} --out run")));
    wait_for_steps(&place, 1);
    let mut errors = BufReader::new(run.stderr.take().unwrap());
    let mut heard = String::new();
    signal(&run, "INT");
    // The answer comes before the end of the step, which takes its time.
    errors.read_line(&mut heard).unwrap();
    assert!(heard.starts_with("Ends after the present step"), "{heard}");
    assert_eq!(place.losses("run/metrics.jsonl").len(), 1);
    sleep(Duration::from_millis(1100));
    signal(&run, "INT");
    errors.read_to_string(&mut heard).unwrap();
    assert_eq!(ended(run).code, Some(130));
    assert!(
        heard.contains("Ended at once and saved after step 1."),
        "{heard}"
    );
    assert!(heard.contains("train --resume run"), "{heard}");
    let inspected = place.run("inspect run").succeeded();
    assert!(inspected.contains("after step 1 of 50"), "{inspected}");
}

#[test]
fn ctrl_c_before_the_first_step_ends_at_once() {
    let place = Workplace::new();
    // A text that never arrives.
    place.shell("mkfifo text").succeeded();
    let run = place
        .start("train task.kind=text task.source=text model.architecture=transformer_lm --quiet");
    sleep(Duration::from_millis(700));
    signal(&run, "INT");
    let stopped = ended(run);
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    assert!(
        stopped.stderr.contains("Ended before the first step"),
        "{stopped:?}"
    );
    assert!(!place.path("runs").exists());
}

/// A closed terminal ends a run, unless the run was started with nohup.
#[test]
fn nohup_is_respected() {
    let place = Workplace::new();
    let hang_up = |before: &str, steps: u64, out: &str| {
        let command = train(&format!(
            "training.steps={steps} training.validate_every=0 --out {out}"
        ));
        place.shell(&format!(
            "{before} $STRATA {command} > said 2> errors & run=$!; \
             until [ -s {out}/metrics.jsonl ]; do sleep 0.02; done; kill -HUP $run; wait $run"
        ))
    };
    hang_up("trap '' HUP;", 300, "run").succeeded();
    assert_eq!(place.losses("run/metrics.jsonl").len(), 300);
    assert!(place.read("errors").is_empty());
    // Resets the signal, in case that these tests were started with nohup.
    let usual = "env --default-signal=HUP";
    assert_eq!(hang_up(usual, 100_000_000, "other").code, Some(130));
    assert!(place.path("other/checkpoint.safetensors").exists());
}

/// As clusters send it before they take a machine away.
#[test]
fn sigusr1_saves_and_goes_on() {
    let place = Workplace::new();
    let endless = "training.steps=100000000 training.checkpoint_every=0 training.validate_every=0";
    let run = place.start(&train(&format!("{endless} --out run")));
    wait_for_steps(&place, 1);
    for name in ["USR1", "USR2"] {
        signal(&run, name);
        place.wait_for("run/checkpoint.safetensors");
        let steps = place.losses("run/metrics.jsonl").len();
        wait_for_steps(&place, steps + 10);
        std::fs::remove_file(place.path("run/checkpoint.safetensors")).unwrap();
    }
    signal(&run, "TERM");
    let stopped = ended(run);
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    assert_eq!(
        stopped
            .stderr
            .matches("Asked by a signal: saved after step")
            .count(),
        2
    );
}

#[test]
fn a_finished_run_is_extended_by_its_steps_alone() {
    let place = Workplace::new();
    let constant = "training.schedule.kind=constant training.schedule.warmup=3";
    place
        .run(&train(&format!("{constant} training.steps=12 --out whole")))
        .succeeded();
    place
        .run(&train(&format!("{constant} training.steps=5 --out run")))
        .succeeded();

    let over = place.run("train --resume run").refused();
    assert!(over.contains("training.steps=10"), "{over}");
    place
        .run("train --resume run training.steps=12 --out ./run")
        .succeeded();
    assert_eq!(
        place.losses("run/metrics.jsonl"),
        place.losses("whole/metrics.jsonl")
    );
    let written = String::from_utf8(place.read("run/experiment.toml")).unwrap();
    assert!(written.contains("steps = 12 "), "{written}");
}

#[test]
fn a_run_goes_on_in_another_folder_and_leaves_the_old_one() {
    let place = Workplace::new();
    place.run(&train("training.steps=3 --out run")).succeeded();
    let before = place.read("run/checkpoint.safetensors");
    place
        .run("train --resume run training.steps=5 --out later")
        .succeeded();
    assert_eq!(place.read("run/checkpoint.safetensors"), before);
    let steps: Vec<u64> = place
        .losses("later/metrics.jsonl")
        .iter()
        .map(|it| it.0)
        .collect();
    assert_eq!(steps, [4, 5]);
}
