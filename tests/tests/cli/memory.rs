//! Too little memory is reported beforehand; memory that runs out, in a sentence.

use strata_tests::cli::{Ended, Workplace};

use crate::{TINY, train};

/// Runs the program with a limit of this many KiB; `None` if the system has no such limit.
fn limited(place: &Workplace, kibibytes: u64, arguments: &str) -> Option<Ended> {
    if !cfg!(target_os = "linux") {
        println!("left out: this system has no limit of memory for a process");
        return None;
    }
    let line = format!("ulimit -v {kibibytes}; exec $STRATA {arguments}");
    Some(place.shell(&line))
}

#[test]
fn a_model_that_no_memory_holds_is_refused_before_it_is_built() {
    let place = Workplace::new();
    let wide = "train task.kind=copy task.examples=100 task.held_out=10 model.width=4096 \
                model.heads=8 model.feed_forward=8192 training.steps=1 --out run";
    let Some(ended) = limited(&place, 2_500_000, wide) else {
        return;
    };
    let sentence = ended.refused();
    for part in ["million parameters", "GiB of memory", "`model.width`"] {
        assert!(sentence.contains(part), "no {part} in: {sentence}");
    }
    assert!(!place.path("run").exists());
}

#[test]
fn memory_that_runs_out_in_a_step_is_told_with_what_to_do() {
    let place = Workplace::new();
    // Pairs of thousands of tokens among short ones, in batches of 64.
    let long = "a ".repeat(9000);
    let long = (0..30).map(|n| format!("x{n} x{n} {long}\n"));
    let lines = "a b c d\n".repeat(100) + &long.collect::<String>();
    place.write("s.txt", &lines);
    place.write("t.txt", &lines);
    let model = TINY.split_once("model").map(|(_, model)| model).unwrap();
    let settings = format!(
        "train task.kind=files task.source=s.txt task.target=t.txt task.maximum_length=10000 \
         task.minimum_count=1 task.held_out=1 model{model} training.batch_size=64 \
         training.steps=9 training.validate_every=0 --out long"
    );
    let Some(ended) = limited(&place, 500_000, &settings) else {
        return;
    };
    // Predicted with the size of the batch,
    assert!(
        ended
            .stdout
            .contains("Memory may run out: the largest batch, 64 examples"),
        "{ended:?}"
    );
    // and reported.
    let sentence = ended.refused();
    for part in [
        "memory ran out at step ",
        "`training.batch_size`",
        "`task.maximum_length`",
        "`model.width`",
    ] {
        assert!(sentence.contains(part), "no {part} in: {sentence}");
    }
}

#[test]
fn what_fits_is_not_warned_of() {
    let place = Workplace::new();
    let ended = place.run(&train("training.steps=1 --out run"));
    assert!(!ended.succeeded().contains("Memory may run out"));
}
