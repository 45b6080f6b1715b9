//! Notes on a run's data, told before it begins, a sentence each.

use strata_training::Trainer;

/// Notes on the examples left out of the data, on the held-out ones and why they are held out, and
/// on the sentences that BLEU is measured on.
pub(crate) fn notes(trainer: &Trainer) -> Vec<String> {
    let task = &trainer.experiment().task;
    let (training, held_out) = (trainer.training_examples(), trainer.validation_examples());
    let mut notes = trainer.dropped().sentences();
    notes.extend(task.why_held_out(training, held_out, trainer.dropped()));
    notes.extend(trainer.remembered());
    notes.extend(bleu(trainer));
    notes
}

/// The number of sentences that BLEU is measured on while training, if not all.
fn bleu(trainer: &Trainer) -> Option<String> {
    let training = &trainer.experiment().training;
    let (all, translated) = (trainer.validation_examples(), training.bleu_sentences);
    (training.bleu_every > 0 && translated < all).then(|| {
        format!(
            "BLEU while training is that of the first {translated} of {all} held-out sentences, as \
             `training.bleu_sentences` says."
        )
    })
}
