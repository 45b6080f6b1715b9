//! Notes on a run's data for the user, a sentence each, shown before training begins.

use strata_training::Trainer;

/// Returns notes on the examples that were left out, on the held-out examples and the reason why
/// they are held out, and on the sentences on which BLEU is measured.
pub(crate) fn notes(trainer: &Trainer) -> Vec<String> {
    let task = &trainer.experiment().task;
    let (training, held_out) = (trainer.training_examples(), trainer.validation_examples());
    let tested = trainer.tested().map_or(0, |it| it.len());
    let mut notes = trainer.dropped().sentences();
    notes.extend(task.why_held_out(training, [held_out, tested], trainer.dropped()));
    notes.extend(trainer.remembered());
    notes.extend(bleu(trainer));
    notes
}

/// Returns a note on the number of sentences on which BLEU is measured while training, unless all
/// are.
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
