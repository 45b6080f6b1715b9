//! Runs that several processes share by MPI: the same as with one process, to the bit.

#![allow(clippy::unwrap_used)]

mod ends;
mod refusals;

use strata_tests::cli::Workplace;

/// Settings of a task and a model so small that a step takes milliseconds, with everything that
/// draws random numbers: dropout and hard attention.
const TINY: &str = "task.kind=copy task.symbols=6 task.minimum_length=2 task.maximum_length=4 \
                    task.examples=200 task.held_out=20 model.width=16 model.heads=2 \
                    model.layers=1 model.feed_forward=32 model.dropout=0.1 model.cross.kind=hard \
                    training.batch_size=8 training.schedule.kind=constant \
                    training.schedule.warmup=0";

/// Returns a `train` on the tiny task, with `more` arguments.
fn train(more: &str) -> String {
    format!("train {TINY} {more}")
}

/// Returns the lines of a run's validations.
fn validations(place: &Workplace, run: &str) -> Vec<String> {
    let lines = place.metrics(&format!("{run}/metrics.jsonl"), "validation");
    lines.iter().map(ToString::to_string).collect()
}

fn losses(place: &Workplace, run: &str) -> Vec<(u64, u64)> {
    place.losses(&format!("{run}/metrics.jsonl"))
}

fn checkpoint(place: &Workplace, run: &str) -> Vec<u8> {
    place.read(&format!("{run}/checkpoint.safetensors"))
}

#[test]
fn two_processes_give_the_bits_of_one() {
    let place = Workplace::of_processes();
    let settings = "training.steps=30 training.accumulate=2 training.validate_every=10 \
                    training.bleu_every=10 training.keep_best=2 training.checkpoint_every=10";
    place
        .run(&train(&format!("{settings} --out one")))
        .succeeded();
    let told = place
        .run(&train(&format!("{settings} --out two --processes 2")))
        .succeeded();
    assert_eq!(told.matches("by 2 processes").count(), 1, "{told}");
    assert_eq!(losses(&place, "two"), losses(&place, "one"));
    assert_eq!(losses(&place, "two").len(), 30);
    assert_eq!(validations(&place, "two"), validations(&place, "one"));
    assert!(checkpoint(&place, "two") == checkpoint(&place, "one"));
    // Process 1 has written no file, in any folder.
    let files = |run: &str| {
        let entries = std::fs::read_dir(place.path(run)).unwrap();
        entries.count()
    };
    assert_eq!(files("two"), files("one"));
    assert_eq!(files("."), 2);
}

/// Gradients are summed a part at a time; these 834,122 numbers are four parts.
#[test]
fn a_model_of_several_parts_has_the_bits_of_one_process() {
    let place = Workplace::of_processes();
    let settings =
        "training.steps=4 training.accumulate=3 model.width=256 training.checkpoint_every=0";
    place
        .run(&train(&format!("{settings} --out one")))
        .succeeded();
    place
        .run(&train(&format!("{settings} --out three --processes 3")))
        .succeeded();
    assert_eq!(losses(&place, "three"), losses(&place, "one"));
    assert!(checkpoint(&place, "three") == checkpoint(&place, "one"));
}

/// As clusters start them: without `--processes`.
#[test]
fn a_launcher_starts_a_run_of_several_processes() {
    let place = Workplace::of_processes();
    let run = train("training.steps=5 training.accumulate=2 --out run");
    let told = place
        .shell(&format!("mpiexec -n 2 $STRATA {run}"))
        .succeeded();
    assert_eq!(told.matches("by 2 processes").count(), 1, "{told}");
    let alone = run.replace("--out run", "--out alone");
    place.run(&alone).succeeded();
    assert!(checkpoint(&place, "run") == checkpoint(&place, "alone"));
}

#[test]
fn a_run_goes_on_with_another_number_of_processes() {
    let place = Workplace::of_processes();
    let begin = |out: &str, steps: u64, processes: usize| {
        let run = format!(
            "training.steps={steps} training.accumulate=4 training.validate_every=0 --out {out} \
             --processes {processes}"
        );
        place.run(&train(&run)).succeeded();
    };
    let go_on = |out: &str, steps: u64, processes: usize| {
        let run = format!("train --resume {out} training.steps={steps} --processes {processes}");
        place.run(&run).succeeded();
    };
    begin("whole", 12, 1);
    // Two processes add the sums of four batches in another order.
    for (out, [first, second, third], most) in [("four", [4, 1, 4], 0.0), ("two", [2, 1, 4], 1e-5)]
    {
        begin(out, 4, first);
        go_on(out, 8, second);
        go_on(out, 12, third);
        let (found, expected) = (losses(&place, out), losses(&place, "whole"));
        assert_eq!(found.len(), 12);
        for ((step, found), (_, expected)) in found.into_iter().zip(expected) {
            let [found, expected] = [found, expected].map(f64::from_bits);
            let off = (found / expected - 1.0).abs();
            assert!(off <= most, "{out}: step {step}: {found} {expected}");
        }
        let same = checkpoint(&place, out) == checkpoint(&place, "whole");
        assert_eq!(same, most == 0.0);
    }
}
