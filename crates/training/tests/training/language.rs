//! Language models on small texts.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use burn::tensor::Device;
use pollster::block_on;
use strata_models::{CellKind, ModelConfig, RecurrentLmConfig, TransformerLmConfig};
use strata_tasks::{TaskConfig, TextConfig};
use strata_text::{TokenUnit, Uploads};
use strata_training::{Experiment, Inference, Trainer, Validation};

use super::checkpoints::rewritten;
use super::{copying, experiment, losses, trainer, transformer};

/// Text in a file, deleted when dropped.
pub(super) struct Text {
    pub(super) path: PathBuf,
}

impl Text {
    pub(super) fn new(name: &str, text: &str) -> Self {
        let name = format!("strata-text-{name}-{}.txt", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, text).expect("the system's folder can be written");
        Self { path }
    }

    /// Text that repeats the same lines.
    fn periodic(name: &str) -> Self {
        Self::new(name, &"one two three\nfour two five six\n\n".repeat(60))
    }

    fn experiment(&self, model: ModelConfig, level: TokenUnit, steps: u64) -> Experiment {
        let mut experiment = experiment(model, steps);
        experiment.task = TaskConfig::Text(TextConfig {
            source: self.path.clone(),
            level,
            segment_length: 7,
            ..TextConfig::default()
        });
        experiment.training.batch_size = 8;
        experiment
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.path));
    }
}

pub(super) fn recurrent(cell: CellKind, layers: usize) -> ModelConfig {
    ModelConfig::RecurrentLm(RecurrentLmConfig {
        cell,
        embedding: 16,
        hidden: 16,
        layers,
        ..RecurrentLmConfig::default()
    })
}

pub(super) fn attending() -> ModelConfig {
    ModelConfig::TransformerLm(TransformerLmConfig {
        width: 16,
        heads: 2,
        layers: 1,
        feed_forward: 32,
        ..TransformerLmConfig::default()
    })
}

fn validated(trainer: &Trainer) -> Validation {
    block_on(trainer.validate(50, false)).expect("the CPU does not fail")
}

/// The token before `two` determines the token after it. The period of 9 tokens is no multiple of
/// the segment length, 7, so the Transformer cannot predict the first tokens of a segment.
#[test]
fn a_periodic_text_is_learned() {
    let text = Text::periodic("periodic");
    let models = [
        (recurrent(CellKind::Rnn, 1), 1.2),
        (recurrent(CellKind::Gru, 1), 1.2),
        (recurrent(CellKind::Lstm, 1), 1.2),
        (attending(), 1.25),
    ];
    for (model, perplexity) in models {
        let mut trainer = trainer(&text.experiment(model.clone(), TokenUnit::Word, 250));
        let before = validated(&trainer);
        losses(&mut trainer, 250);
        let report = validated(&trainer);
        assert!(before.perplexity > 6.0, "{before:?}");
        assert!(
            report.perplexity < perplexity,
            "{}: {report:?}",
            model.name()
        );
        assert_eq!((report.decoded, report.exact_match), (0, 0.0));
    }
}

#[test]
fn a_resumed_run_carries_on_the_state() {
    let text = Text::periodic("resumed");
    for cell in [CellKind::Rnn, CellKind::Lstm] {
        let experiment = text.experiment(recurrent(cell, 2), TokenUnit::Character, 100);
        let mut whole = trainer(&experiment);
        let per_epoch = whole.batches_per_epoch();
        for taken in [3, per_epoch - 3, 2] {
            losses(&mut whole, taken);
            let file = block_on(whole.checkpoint()).expect("the CPU does not fail");
            let mut resumed = Trainer::restore(&file, &Uploads::default(), &Device::default())
                .expect("just written");
            let again = block_on(resumed.checkpoint()).expect("the CPU does not fail");
            assert!(file == again, "after {} steps", whole.step_count());
            assert_eq!(losses(&mut resumed, 4), losses(&mut whole, 4));
        }
        assert!(whole.position().epoch > 0, "an end of the text was passed");
    }
}

/// Without the carried state, the next step has another loss.
#[test]
fn the_state_counts() {
    let text = Text::periodic("counts");
    let experiment = text.experiment(recurrent(CellKind::Lstm, 1), TokenUnit::Character, 100);
    let mut trainer = trainer(&experiment);
    losses(&mut trainer, 3);
    let file = block_on(trainer.checkpoint()).expect("the CPU does not fail");
    let expected = losses(&mut trainer, 1);
    let forgetful = rewritten(&file, |_, tensors| {
        let carried = tensors.iter_mut().filter(|it| it.0.starts_with("carried."));
        carried.for_each(|(_, _, bytes)| bytes.fill(0));
    });
    let mut resumed = Trainer::restore(&forgetful, &Uploads::default(), &Device::default())
        .expect("a whole file");
    assert_ne!(losses(&mut resumed, 1), expected);

    let without = rewritten(&file, |_, tensors| {
        tensors.retain(|it| it.0 != "carried.0.cell");
    });
    let Err(error) = Trainer::restore(&without, &Uploads::default(), &Device::default()) else {
        panic!("restored")
    };
    assert!(error.to_string().contains("`carried.0.cell`"), "{error}");
    // Writing needs no carried state.
    Inference::from_checkpoint(&without, &Device::default()).expect("a model");
}

/// Checks the perplexity of a model with the same distribution at every position.
#[test]
fn the_perplexity_of_a_known_distribution_is_known() {
    let text = Text::new("known", &"ab a\nbb cab\n".repeat(40));
    for (model, level) in [
        (recurrent(CellKind::Gru, 1), TokenUnit::Character),
        (attending(), TokenUnit::Character),
        (recurrent(CellKind::Lstm, 1), TokenUnit::Word),
        (attending(), TokenUnit::Word),
    ] {
        let mut trainer = trainer(&text.experiment(model, level, 100));
        let file = block_on(trainer.checkpoint()).expect("the CPU does not fail");
        let entries = trainer.tokenizer().vocabularies().target;
        let logits: Vec<f64> = (0..entries).map(|i| 0.3 * i as f64).collect();
        let known = rewritten(&file, |_, tensors| {
            for (name, _, bytes) in tensors {
                bytes.fill(0);
                if name == "model.output_bias" {
                    let of_entry = logits.iter().flat_map(|&it| (it as f32).to_le_bytes());
                    *bytes = of_entry.collect();
                }
            }
        });
        let mut counts: HashMap<u32, f64> = HashMap::new();
        for &id in trainer.validation().iter().flat_map(|it| &it.target) {
            *counts.entry(id).or_default() += 1.0;
        }
        let all = logits.iter().map(|it| it.exp()).sum::<f64>().ln();
        let nats = |(&id, count): (&u32, &f64)| count * (all - logits[id as usize]);
        let nats: f64 = counts.iter().map(nats).sum();
        let tokens: f64 = counts.values().sum();
        trainer = Trainer::restore(&known, &Uploads::default(), &Device::default())
            .expect("a whole file");
        let report = validated(&trainer);
        assert!((report.loss - nats / tokens).abs() < 1e-5, "{report:?}");
        assert!((report.perplexity - (nats / tokens).exp()).abs() < 1e-3);
        // The validation text is the last tenth: eight lines of 48 characters in all, for both
        // units of tokens.
        let characters = 48.0;
        let bits = nats / 2f64.ln() / characters;
        let found = report.bits_per_character().expect("of a text");
        assert!((found - bits).abs() < 1e-4, "{found}, not {bits}");
    }
}

#[test]
fn a_model_that_does_not_fit_its_task_is_refused() {
    let text = Text::periodic("unfit");
    let mut experiment = text.experiment(transformer(), TokenUnit::Word, 100);
    let error = experiment.check().expect_err("a translator").to_string();
    assert!(error.contains("transformer_lm"), "{error}");
    experiment.task = copying();
    experiment.model = attending();
    let error = experiment
        .check()
        .expect_err("a language model")
        .to_string();
    assert!(error.contains("task.kind=text"), "{error}");
}
