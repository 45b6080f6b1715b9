//! The terminal view, in a terminal of its own.

use std::process::Command;

use strata_tests::cli::{Ended, Workplace};

use crate::train;

/// Settings of a run that only a key stops.
const LONG: &str = "training.steps=100000 training.validate_every=20000 --out run --tui";

/// Runs `strata` with `arguments` in a pseudo-terminal of 100 columns and 30 lines; `typing` is a
/// shell command whose output is typed. `None` if util-linux is missing.
fn in_terminal(place: &Workplace, arguments: &str, typing: &str) -> Option<Ended> {
    let version = Command::new("script").arg("--version").output().ok()?;
    if !String::from_utf8_lossy(&version.stdout).contains("util-linux") {
        return None;
    }
    let command = format!("stty cols 100 rows 30; exec $STRATA {arguments}");
    let line = format!("({typing}) | TERM=xterm timeout 60 script -qefc '{command}' /dev/null");
    Some(place.shell(&line))
}

const ENTERS: &str = "\x1b[?1049h";
const LEAVES: &str = "\x1b[?1049l";

/// Returns a shell command that waits for the first step, types `keys`, and stays until the view is
/// gone. After `p` it waits until no more steps are logged, and the view has had time to show that.
fn typing(keys: &str) -> String {
    let size = "$(wc -c < run/metrics.jsonl)";
    let rests =
        format!("before=; until [ \"$before\" = \"{size}\" ]; do before={size}; sleep 1; done");
    format!(
        "until [ -s run/metrics.jsonl ]; do sleep 0.05; done; sleep 0.3; for key in {keys}; do \
         printf \"$key\"; if [ \"$key\" = p ]; then {rests}; else sleep 0.3; fi; done; sleep 0.5"
    )
}

#[test]
fn the_view_is_drawn_and_a_key_saves_and_stops() {
    let place = Workplace::new();
    let Some(stopped) = in_terminal(&place, &train(LONG), &typing("v q")) else {
        println!("left out: there is no `script` of util-linux here");
        return;
    };
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    let (before, after) = stopped.stdout.split_once(LEAVES).expect("the view is left");
    let (_, drawn) = before.split_once(ENTERS).expect("the view is entered");
    for part in ["loss", "accuracy", "tokens/s", "save and stop"] {
        assert!(drawn.contains(part), "no {part} in {drawn:?}");
    }
    assert!(after.contains("Stopped and saved after step"), "{after:?}");
    assert!(place.path("run/checkpoint.safetensors").exists());
    assert_eq!(place.metrics("run/metrics.jsonl", "validation").len(), 1);
}

#[test]
fn ctrl_c_and_a_pause_are_heard() {
    let place = Workplace::new();
    // A paused run takes no step, so its metrics do not grow; it can be stopped all the same.
    let lines = "$(wc -l < run/metrics.jsonl)";
    let at_rest = format!(r#"until a={lines}; sleep 0.5; [ "$a" = "{lines}" ]; do :; done"#);
    let paused = format!(r"{}; {at_rest}; printf '\003'; sleep 0.5", typing("p"));
    let Some(stopped) = in_terminal(&place, &train(LONG), &paused) else {
        println!("left out: there is no `script` of util-linux here");
        return;
    };
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    let (_, after) = stopped.stdout.split_once(LEAVES).expect("the view is left");
    assert!(after.contains("Stopped and saved after step"), "{after:?}");
}

#[test]
fn without_a_terminal_there_is_no_view() {
    let place = Workplace::new();
    let refused = place.run(&train("--tui --out run")).refused();
    assert!(refused.contains("`--tui`"), "{refused}");
    assert!(!place.path("run").exists());
}
