//! Properties of a prepared run, with notes on the data for the user.

use strata_training::Trainer;

use crate::pipeline::Samples;
use crate::protocol::{LacksView, Ready};

/// Number of held-out inputs that are offered to users to try.
const SAMPLES: usize = 8;

/// Returns the properties of a run; `device` names the device to a user.
pub(crate) fn ready(trainer: &Trainer, device: String) -> Ready {
    let vocabularies = trainer.tokenizer().vocabularies();
    let samples = Samples::of(trainer, SAMPLES);
    Ready {
        experiment: trainer.experiment().clone(),
        step: trainer.step_count(),
        parameters: trainer.parameters(),
        source_vocabulary: vocabularies.source,
        target_vocabulary: vocabularies.target,
        training_examples: trainer.training_examples(),
        validation_examples: trainer.validation_examples(),
        samples: samples.texts,
        passages: samples.passages,
        notes: notes(trainer),
        parts: trainer.parts(),
        levels: trainer.levels(),
        muted: trainer.muted().to_vec(),
        lacks: trainer.lacking().map(|lacking| LacksView {
            files: lacking.files().to_vec(),
            reason: lacking.reason(),
        }),
        device,
    }
}

/// Returns the notes that a user reads before training begins, a sentence each.
fn notes(trainer: &Trainer) -> Vec<String> {
    if trainer.lacking().is_some() {
        return Vec::new();
    }
    let facts = trainer.facts();
    notes_on_data(trainer)
        .into_iter()
        .chain(facts.sentences(&trainer.experiment().task))
        .chain(trainer.experiment().training.remark())
        .chain(trainer.memory_note())
        .collect()
}

/// Returns notes on the examples that were left out, on the held-out examples and the reason why
/// they are held out, and on the sentences on which BLEU is measured.
fn notes_on_data(trainer: &Trainer) -> Vec<String> {
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
