//! What to know of a run's data before it begins, a sentence each.

use strata_training::Trainer;

/// What was left out of the data, what is held out and why, and what BLEU is of.
pub(crate) fn notes(trainer: &Trainer) -> Vec<String> {
    let task = &trainer.experiment().task;
    let (training, held_out) = (trainer.training_examples(), trainer.validation().len());
    let mut notes = trainer.dropped().sentences();
    notes.extend(task.why_held_out(training, held_out, trainer.dropped()));
    notes.extend(bleu(trainer));
    notes
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
