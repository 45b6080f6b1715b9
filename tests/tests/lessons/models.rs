//! Recorded models: weights of runs with which steps begin, so that a page need not train them.

use std::env;
use std::fs;
use std::path::PathBuf;

use strata_lessons::model_name;
use strata_session::protocol::Command;
use strata_training::Checkpoint;

use crate::player::Player;
use crate::trained::Trained;
use crate::{folder, lessons};

/// Writes the models beside their lessons, where the repository ignores them;
/// `cargo xtask lessons --models` runs it. Uses runs that were trained before.
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

/// Returns the loss on held-out data.
fn held_out(player: &mut Player) -> f64 {
    player.say(Command::Validate).unwrap();
    player.facts.run().validations.last().unwrap().loss
}

#[test]
fn a_recorded_model_is_the_same_model_in_a_third_of_the_room() {
    let lessons = lessons();
    let leak = lessons.iter().find(|it| it.name == "leak").unwrap();
    let experiment = leak.lesson.experiment("keys").unwrap();
    let mut player = Player::new();
    player
        .say(Command::Load {
            experiment: Box::new(experiment),
        })
        .unwrap();
    for _ in 0..3 {
        player.say(Command::Step).unwrap();
    }
    let step = player.facts.run().step;
    assert_eq!(step, 3);
    let (loss, whole) = (held_out(&mut player), player.save().unwrap());
    let alone = weights(&whole, step);
    assert!(alone.len() * 2 < whole.len(), "{}", alone.len());
    let mut other = Player::new();
    other.say(Command::Restore { checkpoint: alone }).unwrap();
    assert_eq!(other.facts.run().step, 3);
    assert_eq!(held_out(&mut other), loss);
}

/// Returns the weights of a checkpoint, as of a run that ends at this step: the page only takes
/// runs at their ends.
fn weights(checkpoint: &[u8], step: u64) -> Vec<u8> {
    let opened = Checkpoint::open(checkpoint).unwrap();
    let mut experiment = opened.experiment().clone();
    experiment.training.steps = step;
    let ended = opened.going_on_as(&experiment);
    Checkpoint::open(&ended).unwrap().without_optimizer()
}
