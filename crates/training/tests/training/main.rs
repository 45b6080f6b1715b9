//! Whole runs of small models on the CPU.

mod checkpoints;
mod curriculum;
mod held_out;
mod language;
mod learning;
mod poems;
mod reading;
mod reproducing;
mod segmenting;
mod tagging;
mod token_batches;
mod uncounted;
mod vectors;

use burn::tensor::Device;
use pollster::block_on;
use strata_models::{ModelConfig, Seq2SeqConfig, TransformerConfig};
use strata_tasks::{CopyConfig, TaskConfig};
use strata_text::Uploads;
use strata_training::{Experiment, Schedule, Trainer};

fn copying() -> TaskConfig {
    TaskConfig::Copy(CopyConfig {
        symbols: 6,
        minimum_length: 2,
        maximum_length: 5,
        examples: 1000,
        held_out: 50,
    })
}

fn transformer() -> ModelConfig {
    ModelConfig::Transformer(TransformerConfig {
        width: 32,
        heads: 2,
        layers: 1,
        feed_forward: 64,
        ..TransformerConfig::default()
    })
}

fn seq2seq() -> ModelConfig {
    ModelConfig::Seq2Seq(Seq2SeqConfig {
        embedding: 16,
        encoder_hidden: 32,
        decoder_hidden: 32,
        ..Seq2SeqConfig::default()
    })
}

fn experiment(model: ModelConfig, steps: u64) -> Experiment {
    let mut experiment = Experiment {
        seed: 7,
        task: copying(),
        model,
        ..Experiment::default()
    };
    experiment.training.steps = steps;
    experiment.training.batch_size = 32;
    experiment.training.optimizer.learning_rate = 0.01;
    experiment.training.schedule = Schedule::Cosine { warmup: 20 };
    experiment
}

fn trainer(experiment: &Experiment) -> Trainer {
    Trainer::new(experiment.clone(), &Uploads::default(), &Device::default())
        .expect("the experiment is a good one")
}

/// Takes steps; returns number, loss and gradient norm of each, the latter two as bits, so that
/// equality is exact.
fn losses(trainer: &mut Trainer, steps: u64) -> Vec<(u64, u64, u64)> {
    (0..steps)
        .map(|_| {
            let report = block_on(trainer.step()).expect("the run does not diverge");
            (
                report.step,
                report.loss.to_bits(),
                report.gradient_norm.to_bits(),
            )
        })
        .collect()
}
