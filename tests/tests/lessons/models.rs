//! Recorded models: weights of runs that steps begin with, so that a page need not train them.

use std::env;
use std::fs;
use std::path::PathBuf;

use strata_lessons::model_name;
use strata_training::Checkpoint;

use crate::trained::Trained;
use crate::{folder, lessons};

/// Writes them beside their lessons, where no repository takes them; `cargo xtask lessons --models`.
/// Takes runs that were trained before.
#[test]
#[ignore = "trains for a long time; cargo xtask lessons --models"]
fn write() {
    let only = env::var("STRATA_LESSON").ok();
    let mut trained = Trained::kept_in(env::var_os("STRATA_LESSON_MODELS").map(PathBuf::from));
    for files in lessons() {
        if only.as_ref().is_some_and(|only| *only != files.name) {
            continue;
        }
        for (name, step) in files.lesson.models() {
            let experiment = files.lesson.experiment(name).unwrap();
            let (checkpoint, _) = trained.at(&experiment, step).unwrap();
            let bytes = weights(checkpoint, step);
            let name = model_name(&files.name, name, step);
            println!("{name}: {} kB", bytes.len() / 1000);
            fs::write(folder().join(name + ".safetensors"), bytes).unwrap();
        }
    }
}

/// The weights of a checkpoint, as of a run whose last step this is: the page takes runs at their
/// ends alone.
fn weights(checkpoint: &[u8], step: u64) -> Vec<u8> {
    let opened = Checkpoint::open(checkpoint).unwrap();
    let mut experiment = opened.experiment().clone();
    experiment.training.steps = step;
    let ended = opened.going_on_as(&experiment);
    Checkpoint::open(&ended).unwrap().without_optimizer()
}
