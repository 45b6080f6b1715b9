//! Processes that cannot share a run are refused at its start, with one sentence.

use std::fs::{self, OpenOptions};
use std::io::Write;

use strata_tests::cli::Workplace;

use crate::train;

/// Returns the refusal of a run of two processes.
fn refused(settings: &str) -> String {
    let place = Workplace::of_processes();
    let said = place
        .run(&format!("{} --out run --processes 2", train(settings)))
        .refused();
    assert!(!place.path("run").exists(), "{said}");
    said
}

#[test]
fn a_number_of_batches_that_does_not_fit_is_refused_with_those_that_do() {
    let said = refused("training.accumulate=3");
    assert!(said.contains("`training.accumulate` is 3"), "{said}");
    assert!(
        said.contains("`training.accumulate=2`, 4 or another multiple"),
        "{said}"
    );
}

#[test]
fn what_one_process_refuses_is_told_once() {
    let said = refused("training.steps=0 training.accumulate=2");
    assert!(said.contains("`training.steps` is 0"), "{said}");
    let said = refused("training.accumulate=2 task.no_such_key=1");
    assert!(said.contains("no_such_key"), "{said}");
}

#[test]
fn a_state_that_is_carried_on_is_refused() {
    let place = Workplace::of_processes();
    let said = place
        .run("train task.kind=sentences model.architecture=recurrent_lm training.accumulate=2 --processes 2")
        .refused();
    assert!(said.contains("carries its state"), "{said}");
}

#[test]
fn another_number_than_the_launcher_started_is_refused() {
    let place = Workplace::of_processes();
    let run = train("training.accumulate=4 --processes 4");
    let said = place.shell(&format!("mpiexec -n 2 $STRATA {run}"));
    assert_eq!(said.code, Some(1), "{said:?}");
    let sentence = "`--processes 4` was asked for, but 2 processes were started";
    assert_eq!(said.stderr.matches(sentence).count(), 1, "{said:?}");
}

/// Returns the refusal of two different commands that share a run.
fn unlike(place: &Workplace, commands: [String; 2]) -> String {
    let [first, second] = commands;
    let ended = place.shell(&format!("mpiexec -n 1 {first} : -n 1 {second}"));
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(ended.stderr.matches("error:").count(), 1, "{ended:?}");
    ended.stderr
}

#[test]
fn other_arguments_are_refused() {
    let place = Workplace::of_processes();
    let command = |seed| {
        format!(
            "$STRATA {}",
            train(&format!("seed={seed} training.accumulate=2"))
        )
    };
    let said = unlike(&place, [1, 2].map(command));
    assert!(
        said.contains("process 1 has other arguments than process 0"),
        "{said}"
    );
}

#[test]
fn another_program_is_refused() {
    let place = Workplace::of_processes();
    let other = place.path("other");
    fs::copy(place.program(), &other).unwrap();
    // Bytes behind the program's own end change nothing but its digest.
    let mut file = OpenOptions::new().append(true).open(&other).unwrap();
    file.write_all(b"\n").unwrap();
    drop(file);
    let run = train("training.accumulate=2");
    let said = unlike(
        &place,
        ["$STRATA", "./other"].map(|program| format!("{program} {run}")),
    );
    assert!(
        said.contains("process 1 has another program than process 0"),
        "{said}"
    );
}

#[test]
fn other_data_are_refused() {
    let place = Workplace::of_processes();
    for (folder, last) in [("a", "z"), ("b", "y")] {
        fs::create_dir(place.path(folder)).unwrap();
        let letters = "a b c d e f g h";
        let lines: String = (0..40)
            .map(|at| format!("{} {last}\n", &letters[..1 + 2 * (at % 8)]))
            .collect();
        place.write(&format!("{folder}/de"), &lines);
        place.write(&format!("{folder}/en"), &lines);
    }
    let run = "train task.kind=files task.source=de task.target=en task.held_out=4 \
               training.steps=2 training.accumulate=2";
    let said = unlike(
        &place,
        ["a", "b"].map(|folder| format!("-wdir {} $STRATA {run}", place.path(folder).display())),
    );
    assert!(
        said.contains("process 1 has other data than process 0"),
        "{said}"
    );
}
