//! Long runs: the best checkpoints, their average, an early end, many interruptions.

use std::collections::BTreeMap;
use std::fs;
use std::thread::sleep;
use std::time::Duration;

use strata_tests::cli::{Workplace, ended, signal};

use crate::train;

/// Returns steps and losses of the validations.
fn validations(place: &Workplace, run: &str) -> Vec<(u64, f64)> {
    let lines = place.metrics(&format!("{run}/metrics.jsonl"), "validation");
    lines
        .iter()
        .map(|it| (it["step"].as_u64().unwrap(), it["loss"].as_f64().unwrap()))
        .collect()
}

fn best_files(place: &Workplace, run: &str) -> Vec<String> {
    let entries = fs::read_dir(place.path(&format!("{run}/best"))).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn the_best_checkpoints_are_kept_and_averaged() {
    let place = Workplace::new();
    // A learning rate at which the loss goes up and down.
    let noisy = "training.steps=60 training.validate_every=5 training.checkpoint_every=0 \
                 training.keep_best=3 training.optimizer.learning_rate=0.1 \
                 training.schedule.kind=constant";
    let said = place.run(&train(&format!("{noisy} --out run"))).succeeded();
    let mut losses = validations(&place, "run");
    losses.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut steps: Vec<u64> = losses[..3].iter().map(|it| it.0).collect();
    steps.sort_unstable();
    let names: Vec<String> = steps
        .iter()
        .map(|step| format!("step-{step:08}.safetensors"))
        .collect();
    assert_eq!(best_files(&place, "run"), names);
    let best = format!("The best checkpoint is that of step {} in ", losses[0].0);
    assert!(said.contains(&best), "{said}");

    // Each file is the model of its step.
    let measured = place.run(&format!("eval --model run/best/{}", names[0]));
    let loss = losses.iter().find(|it| it.0 == steps[0]).unwrap().1;
    let measured = measured.succeeded();
    assert!(measured.contains(&format!("loss {loss:.3}")), "{measured}");

    let average = "average --out average.safetensors run";
    let said = place.run(average).succeeded();
    assert!(said.contains("3 checkpoints"), "{said}");
    place.shell(said.lines().last().unwrap().trim()).succeeded();
    place
        .run("translate --model average.safetensors a b")
        .succeeded();
    let measured_mean = place.run("eval --model average.safetensors").succeeded();
    let of_steps = format!("the steps {}, {}, {}", steps[0], steps[1], steps[2]);
    assert!(measured_mean.contains(&of_steps), "{measured_mean}");
    // The subfolder with the best checkpoints stands for them, too.
    let by_folder = place.run("average --out by_folder.safetensors run/best");
    assert!(by_folder.succeeded().contains("3 checkpoints"));
    let again = place.run(average).refused();
    assert!(again.contains("average.safetensors"), "{again}");
    let resumed = place.run("train --resume average.safetensors training.steps=100");
    let resumed = resumed.refused();
    assert!(
        resumed.contains(&format!("{}, {}", steps[0], steps[1])),
        "{resumed}"
    );

    // The average of one model is that model; the average of two is another one.
    let one = format!("average --out one.safetensors run/best/{}", names[0]);
    place.run(&one).succeeded();
    let line = |text: String| text.lines().next().unwrap_or_default().to_owned();
    let of_one = place.run("eval --model one.safetensors").succeeded();
    assert_eq!(line(of_one), line(measured));
}

#[test]
fn what_is_no_run_of_one_kind_is_not_averaged() {
    let place = Workplace::new();
    place.run(&train("training.steps=2 --out one")).succeeded();
    place
        .run(&train("training.steps=2 seed=5 --out two"))
        .succeeded();
    let kept = place.run("average --out out.safetensors one").refused();
    assert!(kept.contains("training.keep_best"), "{kept}");
    let files = "one/checkpoint.safetensors two/checkpoint.safetensors";
    let other = place
        .run(&format!("average --out out.safetensors {files}"))
        .refused();
    assert!(other.contains("`seed`"), "{other}");
    assert!(!place.path("out.safetensors").exists());
}

/// At a learning rate of 0 nothing improves: the first validation stays the best.
#[test]
fn a_run_without_hope_ends_early_and_goes_on_when_told() {
    let place = Workplace::new();
    let hopeless = "training.steps=100 training.optimizer.learning_rate=1e-12 \
                    training.bleu_every=5 training.measure=bleu training.patience=2 \
                    training.validate_every=0";
    let said = place
        .run(&train(&format!("{hopeless} --out run")))
        .succeeded();
    assert!(
        said.contains("Ended after step 15: 2 validations"),
        "{said}"
    );
    assert!(said.contains("BLEU"), "{said}");
    assert_eq!(place.losses("run/metrics.jsonl").len(), 15);
    let bleu = place.metrics("run/metrics.jsonl", "validation");
    assert!(bleu.iter().all(|it| it["bleu"].is_number()), "{bleu:?}");

    let over = place.run("train --resume run").refused();
    assert!(over.contains("training.patience=4"), "{over}");
    place
        .run("train --resume run training.patience=4")
        .succeeded();
    assert_eq!(place.losses("run/metrics.jsonl").len(), 25);
}

#[test]
fn dropout_may_change_when_a_run_goes_on_and_nothing_else_of_the_model() {
    let place = Workplace::new();
    place
        .run(&train("training.steps=4 model.dropout=0.5 --out run"))
        .succeeded();
    let go_on = |more: &str| {
        let more = format!("train --resume run training.steps=8 {more}");
        place.run(&more)
    };
    go_on("--out as-before").succeeded();
    go_on("model.dropout=0 --out without").succeeded();
    let [before, without] = ["as-before", "without"].map(|run| {
        let losses = place.losses(&format!("{run}/metrics.jsonl"));
        losses.into_iter().filter(|(step, _)| *step > 4).collect()
    });
    let (before, without): (Vec<_>, Vec<_>) = (before, without);
    assert_eq!((before.len(), without.len()), (4, 4));
    assert!(
        before.iter().zip(&without).all(|(a, b)| a != b),
        "{before:?}"
    );
    let configured = String::from_utf8(place.read("without/experiment.toml")).unwrap();
    assert!(configured.contains("dropout = 0.0"), "{configured}");

    let width = go_on("model.width=32").refused();
    assert!(width.contains("`model.width`"), "{width}");
    let all = go_on("model.dropout=1").refused();
    assert!(all.contains("`dropout`"), "{all}");
}

#[test]
fn a_measure_that_is_never_taken_is_refused() {
    let place = Workplace::new();
    let refused = place.run(&train("training.measure=bleu")).refused();
    assert!(refused.contains("training.bleu_every"), "{refused}");
    let refused = place.run(&train("training.precision=f8")).refused();
    assert!(refused.contains("`bf16`"), "{refused}");
}

#[test]
fn a_run_in_half_precision_with_all_savings_learns() {
    let place = Workplace::new();
    let settings = "training.steps=60 training.precision=f16 training.accumulate=2 \
                    training.checkpointing=true training.optimizer.learning_rate=0.01 \
                    model.dropout=0.1 --out run";
    place.run(&train(settings)).succeeded();
    let steps = place.metrics("run/metrics.jsonl", "step");
    let loss = |at: usize| steps[at]["loss"].as_f64().unwrap();
    assert!(loss(59) < loss(0) - 0.3, "{} {}", loss(0), loss(59));
}

/// Random times between two limits, the same in every run of the test (Marsaglia 2003).
struct Moments(u64);

impl Moments {
    fn next(&mut self, least: u64, most: u64) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        Duration::from_millis(least + self.0 % (most - least))
    }
}

/// Kills a run at many times, also before its first checkpoint and while one is written, and
/// resumes it each time. `STRATA_KILLS` sets how often, for longer than a test may take.
#[test]
fn a_run_killed_again_and_again_ends_with_the_same_losses() {
    let least: u64 = match std::env::var("STRATA_KILLS") {
        Ok(kills) => kills.parse().expect("STRATA_KILLS is a number"),
        Err(_) => 8,
    };
    // A checkpoint after each step, so that many kills meet one.
    let settings = format!(
        "training.steps={} training.validate_every=40 model.dropout=0.1 \
         training.checkpoint_every=1 training.keep_best=2 training.accumulate=2",
        least * 40
    );
    let place = Workplace::new();
    place
        .run(&train(&format!("{settings} --out whole")))
        .succeeded();

    let mut moments = Moments(0x5eed);
    let begin = train(&format!("{settings} --out run"));
    let take_up = || match place.path("run/experiment.toml").exists() {
        true => place.start("train --resume run"),
        false => place.start(&begin),
    };
    let mut kills = 0;
    while kills < least {
        let run = take_up();
        sleep(moments.next(5, 150));
        signal(&run, "KILL");
        if ended(run).code.is_some() {
            // The run had ended: it has no more steps to take.
            break;
        }
        kills += 1;
    }
    println!("killed {kills} times");
    assert!(2 * kills >= least, "the run was over after {kills} kills");
    // The last process is left alone; it may have nothing to do.
    ended(take_up());

    assert_eq!(
        place.losses("run/metrics.jsonl"),
        place.losses("whole/metrics.jsonl")
    );
    assert_eq!(validations(&place, "run"), validations(&place, "whole"));
    assert_eq!(best_files(&place, "run"), best_files(&place, "whole"));
    let model = |run: &str| place.read(&format!("{run}/checkpoint.safetensors"));
    assert!(model("run") == model("whole"), "the models differ");
    assert_eq!(curve(&place, "run"), curve(&place, "whole"));
    assert_eq!(curve(&place, "run").len(), 40 * least as usize);
}

/// Returns `training/loss` of the event files in a folder, as a reader combines them: a file that
/// begins anew makes the earlier ones out of date from that step on.
fn curve(place: &Workplace, run: &str) -> BTreeMap<i64, u32> {
    let mut files: Vec<_> = fs::read_dir(place.path(run))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains("tfevents"))
        .collect();
    files.sort();
    let mut curve = BTreeMap::new();
    for file in files {
        for event in events(&fs::read(file).unwrap()) {
            let step = event
                .iter()
                .find(|field| field.0 == 2)
                .map_or(0, |it| it.1 as i64);
            if event.iter().any(|field| field.0 == 7) {
                curve.split_off(&step);
            }
            for summary in event.iter().filter(|field| field.0 == 5) {
                for value in fields(&summary.2) {
                    let value = fields(&value.2);
                    if value[0].2 == b"training/loss" {
                        curve.insert(step, value[1].1 as u32);
                    }
                }
            }
        }
    }
    curve
}

/// Number, value and bytes of each field of a Protocol Buffers message.
type Fields = Vec<(u64, u64, Vec<u8>)>;

fn fields(mut message: &[u8]) -> Fields {
    fn take<'a>(message: &mut &'a [u8], count: usize) -> &'a [u8] {
        let (taken, rest) = message.split_at(count);
        *message = rest;
        taken
    }
    fn varint(message: &mut &[u8]) -> u64 {
        let mut number = 0;
        for shift in (0..).step_by(7) {
            let byte = take(message, 1)[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        number
    }
    let mut fields = Vec::new();
    while !message.is_empty() {
        let key = varint(&mut message);
        let (number, bytes) = match key & 7 {
            0 => (varint(&mut message), Vec::new()),
            1 => {
                let bytes = take(&mut message, 8);
                (u64::from_le_bytes(bytes.try_into().unwrap()), Vec::new())
            }
            2 => {
                let length = varint(&mut message) as usize;
                (0, take(&mut message, length).to_vec())
            }
            5 => {
                let bytes: [u8; 4] = take(&mut message, 4).try_into().unwrap();
                (u32::from_le_bytes(bytes).into(), Vec::new())
            }
            kind => panic!("a field of kind {kind}"),
        };
        fields.push((key >> 3, number, bytes));
    }
    fields
}

/// Returns the events of a file up to its end, or to where it is cut off; checksums must be right.
fn events(mut file: &[u8]) -> Vec<Fields> {
    let mut events = Vec::new();
    let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
    while let Some((head, rest)) = file.split_at_checked(12) {
        let length = u64::from_le_bytes(head[..8].try_into().unwrap()) as usize;
        assert_eq!(number(&head[8..]), masked(&head[..8]));
        let Some((data, rest)) = rest.split_at_checked(length) else {
            break;
        };
        let Some((checksum, rest)) = rest.split_at_checked(4) else {
            break;
        };
        assert_eq!(number(checksum), masked(data));
        events.push(fields(data));
        file = rest;
    }
    events
}

/// Returns the masked CRC-32C, computed by its polynomial.
fn masked(bytes: &[u8]) -> u32 {
    let mut state = !0u32;
    for byte in bytes {
        state ^= u32::from(*byte);
        for _ in 0..8 {
            let carry = state & 1;
            state >>= 1;
            if carry == 1 {
                state ^= 0x82f6_3b78;
            }
        }
    }
    (!state).rotate_right(15).wrapping_add(0xa282_ead8)
}
