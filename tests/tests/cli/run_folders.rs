//! The folder of a run: one process writes it, and nothing in it is lost.

use std::collections::HashMap;
use std::fs;

use safetensors::{SafeTensors, tensor::TensorView};
use strata_tests::cli::{Workplace, ended, signal};

use crate::train;

/// Settings of a run that takes longer than any test.
const ENDLESS: &str = "training.steps=100000000 training.validate_every=0";

#[test]
fn one_process_writes_a_run() {
    let place = Workplace::new();
    let first = place.start(&train(&format!(
        "{ENDLESS} training.checkpoint_every=20 --out run"
    )));
    place.wait_for("run/checkpoint.safetensors");
    let refused = place.run("train --resume run").refused();
    let who = format!("process {} has been writing", first.id());
    assert!(
        refused.contains(&who) && refused.contains("--out"),
        "{refused}"
    );
    place.run(&train("training.steps=1 --out run")).refused();
    // Commands that only read are not locked out.
    place.run("translate --model run a b").succeeded();
    place.run("inspect run").succeeded();
    place
        .run("average --out mean.safetensors run/checkpoint.safetensors")
        .succeeded();
    place
        .run("train --resume run training.steps=1000 training.checkpoint_every=0 --out other --quiet")
        .code
        .expect("it was not killed");

    // The system releases the lock when its process ends.
    signal(&first, "KILL");
    assert_eq!(ended(first).code, None);
    let steps = place.losses("run/metrics.jsonl").len();
    let again = place.start("train --resume run");
    while place.losses("run/metrics.jsonl").len() < steps + 20 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    signal(&again, "INT");
    assert_eq!(ended(again).code, Some(130));
    let numbers: Vec<u64> = place
        .losses("run/metrics.jsonl")
        .iter()
        .map(|it| it.0)
        .collect();
    assert!(numbers.windows(2).all(|two| two[1] == two[0] + 1));
}

#[test]
fn two_runs_do_not_begin_in_one_folder() {
    let place = Workplace::new();
    let endless = format!("{ENDLESS} training.checkpoint_every=0");
    let first = place.start(&train(&format!("{endless} --out run")));
    place.wait_for("run/metrics.jsonl");
    let refused = place.run(&train("training.steps=1 --out run")).refused();
    assert!(refused.contains("has been writing this run"), "{refused}");
    place.run("train --resume run").refused();
    signal(&first, "KILL");
    ended(first);
}

#[test]
fn a_run_that_was_killed_before_its_first_checkpoint_begins_anew() {
    let place = Workplace::new();
    place
        .run(&train("training.steps=5 --out whole"))
        .succeeded();
    for again in [
        train("training.steps=5 --out run"),
        "train --resume run training.steps=5".to_owned(),
        "train --resume run/checkpoint.safetensors training.steps=5".to_owned(),
    ] {
        let killed = format!("{ENDLESS} training.checkpoint_every=0 --out run");
        let killed = place.start(&train(&killed));
        while !place.path("run/metrics.jsonl").exists()
            || place.read("run/metrics.jsonl").is_empty()
        {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        signal(&killed, "KILL");
        ended(killed);
        let measured = place.read("run/metrics.jsonl");
        let said = place.run(&again).succeeded();
        assert!(said.contains("run/unfinished"), "{said}");
        assert_eq!(
            place.losses("run/metrics.jsonl"),
            place.losses("whole/metrics.jsonl")
        );
        // Even the unfinished metrics are kept.
        assert!(place.read("run/unfinished/metrics.jsonl") == measured);
        fs::remove_dir_all(place.path("run")).unwrap();
    }
    let nothing = place.run("train --resume run").refused();
    assert!(nothing.contains("no such file"), "{nothing}");
    fs::create_dir(place.path("run")).unwrap();
    let nothing = place.run("train --resume run").refused();
    assert!(nothing.contains("no run to go on with"), "{nothing}");
}

/// A process may be killed between writing the best checkpoint and the last one.
#[test]
fn a_run_that_was_killed_with_a_best_checkpoint_alone_goes_on_from_that() {
    let place = Workplace::new();
    let settings = "training.steps=6 training.validate_every=2 training.keep_best=3";
    place
        .run(&train(&format!("{settings} --out run")))
        .succeeded();
    let expected = place.losses("run/metrics.jsonl");
    fs::remove_file(place.path("run/checkpoint.safetensors")).unwrap();
    fs::remove_file(place.path("run/best/step-00000006.safetensors")).unwrap();
    let occupied = place.run(&train("training.steps=1 --out run")).refused();
    assert!(occupied.contains("--resume run"), "{occupied}");
    place.run("train --resume run").succeeded();
    assert_eq!(place.losses("run/metrics.jsonl"), expected);
    // A run that goes on from an earlier checkpoint does not replace the last one.
    let last = place.read("run/checkpoint.safetensors");
    place
        .run("train --resume run/best/step-00000004.safetensors training.steps=5 --out branch")
        .succeeded();
    assert!(place.read("run/checkpoint.safetensors") == last);
}

#[test]
fn a_checkpoint_alone_in_its_folder_goes_on_there() {
    let place = Workplace::new();
    place.run(&train("training.steps=2 --out run")).succeeded();
    fs::remove_file(place.path("run/metrics.jsonl")).unwrap();
    fs::remove_file(place.path("run/experiment.toml")).unwrap();
    place.run("train --resume run training.steps=4").succeeded();
    let steps: Vec<u64> = place
        .losses("run/metrics.jsonl")
        .iter()
        .map(|it| it.0)
        .collect();
    assert_eq!(steps, [3, 4]);
    // A checkpoint outside of a run's folder goes on in another folder, which is reported at the
    // start.
    place.write("lone.safetensors", place.read("run/checkpoint.safetensors"));
    let said = place
        .run("train --resume lone.safetensors training.steps=6")
        .succeeded();
    let at = said
        .find("The run goes on in runs/copy-")
        .unwrap_or_else(|| panic!("{said}"));
    assert!(at < said.find("validation after").unwrap());
    assert!(!place.path("metrics.jsonl").exists());
}

#[test]
fn a_folder_that_is_removed_meanwhile_is_made_again() {
    let place = Workplace::new();
    let settings = "training.steps=2000 training.checkpoint_every=50 training.validate_every=0";
    let run = place.start(&train(&format!("{settings} --out run")));
    place.wait_for("run/checkpoint.safetensors");
    fs::remove_dir_all(place.path("run")).unwrap();
    let ended = ended(run);
    assert!(
        ended.stderr.contains("was removed; it is made again"),
        "{ended:?}"
    );
    ended.succeeded();
    assert_eq!(place.losses("run/metrics.jsonl").len(), 2000);
    place
        .run("train --resume run training.steps=2001")
        .succeeded();
}

/// A disk of its own that fills up, if one can be mounted; otherwise a limit on every file.
#[test]
fn a_disk_without_room_loses_nothing() {
    let place = Workplace::new();
    fs::create_dir(place.path("disk")).unwrap();
    fs::create_dir(place.path("temporary")).unwrap();
    let settings = "training.steps=1500 training.checkpoint_every=100 training.validate_every=0";
    let command = train(&format!("{settings} --out disk/run"));
    let line = format!(
        "if mount -t tmpfs -o size=300k tmpfs disk 2> mounting; then full=disk; else \
         trap '' XFSZ; ulimit -f 200; full=limit; fi; \
         TMPDIR=$PWD/temporary $STRATA {command} > said 2> errors; code=$?; \
         echo $full; cat disk/run/checkpoint.safetensors > last; find disk -name '*.partial'; \
         [ $full = limit ] || umount disk; exit $code"
    );
    let full = place.shell(&line);
    assert_eq!(full.code, Some(1), "{full:?}");
    let errors = String::from_utf8(place.read("errors")).unwrap();
    assert!(
        errors.contains("they are kept in memory until there is room"),
        "{errors}"
    );
    let last = errors.lines().last().unwrap();
    assert!(
        last.starts_with("error: ") && last.contains("make room"),
        "{errors}"
    );
    assert_eq!(
        full.stdout.lines().count(),
        1,
        "parts were left: {}",
        full.stdout
    );
    place.write("last.safetensors", place.read("last"));
    place
        .run("translate --model last.safetensors a b")
        .succeeded();
    if full.stdout.trim() == "disk" {
        // The last step was saved to another folder.
        assert!(last.contains("step 1500 is saved as "), "{errors}");
        let saved = fs::read_dir(place.path("temporary"))
            .unwrap()
            .next()
            .unwrap();
        let saved = saved.unwrap().path();
        let inspected = place
            .run(&format!("inspect {}", saved.display()))
            .succeeded();
        assert!(
            inspected.contains("after step 1,500 of 1,500"),
            "{inspected}"
        );
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_the_data_are_read() {
    let place = Workplace::new();
    place.run(&train("training.steps=1 --out run")).succeeded();
    let refused = place
        .run(&train("training.steps=1 --out /proc/run"))
        .refused();
    assert!(
        refused.contains("/proc/run") && refused.contains("--out"),
        "{refused}"
    );
    let refused = place
        .run("train --resume run training.steps=2 --out /proc/run")
        .refused();
    assert!(refused.contains("/proc/run"), "{refused}");
}

/// Returns a checkpoint in which one number has another value.
fn broken(file: &[u8], name: &str, number: f32) -> Vec<u8> {
    let (_, header) = SafeTensors::read_metadata(file).unwrap();
    let metadata: HashMap<String, String> = header.metadata().clone().unwrap();
    let opened = SafeTensors::deserialize(file).unwrap();
    let tensors: Vec<_> = opened
        .tensors()
        .into_iter()
        .map(|(found, tensor)| {
            let mut bytes = tensor.data().to_vec();
            if found == name {
                bytes[..4].copy_from_slice(&number.to_le_bytes());
            }
            (found, tensor.dtype(), tensor.shape().to_vec(), bytes)
        })
        .collect();
    let views = tensors.iter().map(|(name, dtype, shape, bytes)| {
        let view = TensorView::new(*dtype, shape.clone(), bytes).unwrap();
        (name, view)
    });
    safetensors::serialize(views, Some(metadata)).unwrap()
}

#[test]
fn numbers_that_are_not_finite_are_refused_everywhere() {
    let place = Workplace::new();
    place.run(&train("training.steps=2 --out run")).succeeded();
    let whole = place.read("run/checkpoint.safetensors");
    for (name, number) in [
        ("model.output_bias", f32::NAN),
        ("optimizer.output_bias.moment_1", f32::INFINITY),
    ] {
        place.write("broken.safetensors", broken(&whole, name, number));
        for command in [
            "translate --model broken.safetensors a b",
            "eval --model broken.safetensors",
            "train --resume broken.safetensors training.steps=4",
            "average --out mean.safetensors broken.safetensors",
            "average --out mean.safetensors run/checkpoint.safetensors broken.safetensors",
        ] {
            let refused = place.run(command).refused();
            assert!(
                refused.contains("broken.safetensors") && refused.contains(&format!("`{name}`")),
                "{command}: {refused}"
            );
        }
        let inspected = place.run("inspect broken.safetensors").succeeded();
        assert!(
            inspected.contains("WARNING") && inspected.contains(&format!("`{name}`")),
            "{inspected}"
        );
    }
    assert!(!place.path("mean.safetensors").exists());
}

/// The last checkpoint is worth more than a state without a finite loss.
#[test]
fn a_run_that_diverges_keeps_its_last_checkpoint() {
    let place = Workplace::new();
    // At a rate of 1000, each step multiplies every parameter by 1 - 1000.
    let calm = "training.steps=3 training.schedule.kind=constant training.checkpoint_every=0 \
                training.optimizer.weight_decay=1";
    place.run(&train(&format!("{calm} --out run"))).succeeded();
    let before = place.read("run/checkpoint.safetensors");
    let wild = "train --resume run training.steps=1000 training.optimizer.learning_rate=1000";
    let sentence = place.run(wild).refused();
    assert!(
        sentence.contains("checkpoint of step 3 is as it was"),
        "{sentence}"
    );
    assert!(place.read("run/checkpoint.safetensors") == before);
    place
        .run("train --resume run training.steps=5 training.optimizer.learning_rate=0.001")
        .succeeded();
}

#[test]
fn a_folder_stands_for_its_best_model_where_that_is_kept() {
    let place = Workplace::new();
    // After the second validation the model learns only noise.
    let settings = "training.steps=20 training.validate_every=5 training.keep_best=1 \
                    training.schedule.kind=constant training.optimizer.learning_rate=0.3";
    place
        .run(&train(&format!("{settings} --out run")))
        .succeeded();
    let validations = place.metrics("run/metrics.jsonl", "validation");
    let loss = |it: &serde_json::Value| it["loss"].as_f64().unwrap();
    let best = validations
        .iter()
        .min_by(|a, b| loss(a).total_cmp(&loss(b)))
        .and_then(|it| it["step"].as_u64())
        .unwrap();
    assert_ne!(best, 20, "the last one is the best: {validations:?}");

    let file = format!("run/best/step-{best:08}.safetensors");
    let of_folder = place.run("translate --model run a b c");
    assert!(
        of_folder
            .stderr
            .contains(&format!("the model of step {best}, the best"))
            && of_folder.stderr.contains("run/checkpoint.safetensors"),
        "{}",
        of_folder.stderr
    );
    let of_best = place.run(&format!("translate --model {file} a b c"));
    assert_eq!(of_best.stderr, "");
    assert_eq!(of_folder.succeeded(), of_best.succeeded());
    let last = place.run("translate --model run/checkpoint.safetensors a b c");
    assert_eq!(last.stderr, "");
    // The model that is measured is the one that translates.
    let measured = place.run("eval --model run").succeeded();
    assert!(measured.contains(&format!("step {best},")), "{measured}");

    // If the better checkpoint was not kept, that is reported; if the last one is the best, nothing
    // is.
    fs::remove_dir_all(place.path("run/best")).unwrap();
    let without = place.run("translate --model run a b c");
    assert!(
        without
            .stderr
            .contains("the model of step 20, the last one"),
        "{}",
        without.stderr
    );
    place
        .run(&train("training.steps=2 --out short"))
        .succeeded();
    assert_eq!(place.run("translate --model short a b").stderr, "");
}

#[test]
fn processes_of_slurm_that_do_not_know_each_other_are_told_so() {
    let place = Workplace::new();
    let said = |variables: &str| {
        let train = train("training.steps=1");
        let ended = place.shell(&format!("{variables} $STRATA {train}"));
        assert_eq!(ended.code, Some(0), "{ended:?}");
        ended.stderr
    };
    let told = said("SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0");
    assert!(told.contains("srun started 2 processes"), "{told}");
    for silent in [
        "SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1",
        "SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0",
    ] {
        assert_eq!(said(silent), "");
    }
}
