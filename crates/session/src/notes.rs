//! What to know of a run's data before it begins, a sentence each.

use strata_tasks::{FilesConfig, TaskConfig};
use strata_training::Trainer;

/// What was left out of the data, what is held out and why, and what BLEU is of.
pub(crate) fn notes(trainer: &Trainer) -> Vec<String> {
    let mut notes = trainer.dropped().sentences();
    notes.extend(held_out(trainer));
    notes.extend(bleu(trainer));
    notes
}

/// What is measured on, where that is taken from a person's own text.
fn held_out(trainer: &Trainer) -> Option<String> {
    let count = trainer.validation().len();
    match &trainer.experiment().task {
        TaskConfig::Files(FilesConfig {
            validation_source: Some(path),
            ..
        }) => Some(format!(
            "Held out: {count} sentence pairs, those of {}.",
            path.display()
        )),
        TaskConfig::Files(task) => {
            let all = trainer.training_examples() + count;
            let wanted = task.held_out;
            let dropped = trainer.dropped().validation.too_long;
            Some(if count + dropped < wanted {
                format!(
                    "Held out: {count} of {all} sentence pairs, for at most half of the sentences \
                     are, though `task.held_out` = {wanted}; lower it to learn from more."
                )
            } else {
                format!(
                    "Held out: {count} of {all} sentence pairs, as `task.held_out` = {wanted} says."
                )
            })
        }
        TaskConfig::Text(task) => Some(match &task.validation_source {
            Some(path) => format!("Held out: the text of {}.", path.display()),
            None => "Held out: the end of the text, at most a tenth of it.".to_owned(),
        }),
        // Drawn beside what is learned from.
        _ => None,
    }
}

/// Of how many sentences BLEU is, if not of all.
fn bleu(trainer: &Trainer) -> Option<String> {
    let training = &trainer.experiment().training;
    let (all, translated) = (trainer.validation().len(), training.bleu_sentences);
    (training.bleu_every > 0 && translated < all).then(|| {
        format!(
            "BLEU while training is that of the first {translated} of {all} held-out sentences, as \
             `training.bleu_sentences` says."
        )
    })
}
