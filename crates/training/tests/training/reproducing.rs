//! An experiment gives the same losses bit for bit, interrupted or not.

use std::sync::Mutex;

use burn::tensor::Device;
use pollster::block_on;
use strata_attention::{HamConfig, HamLevel, HardConfig, MechanismConfig};
use strata_models::{ModelConfig, Seq2SeqConfig, TransformerConfig};
use strata_text::Uploads;
use strata_training::{Experiment, Schedule, Trainer};

use super::{experiment, losses, seq2seq, trainer, transformer};

/// Lock for tests with dropout: the CPU has one random generator for all threads.
pub static GENERATOR: Mutex<()> = Mutex::new(());

fn dropping(model: ModelConfig) -> ModelConfig {
    match model {
        ModelConfig::Seq2Seq(config) => ModelConfig::Seq2Seq(Seq2SeqConfig {
            dropout: 0.2,
            ..config
        }),
        ModelConfig::Transformer(config) => ModelConfig::Transformer(TransformerConfig {
            dropout: 0.2,
            ..config
        }),
        other => unreachable!("{} is not tested here", other.name()),
    }
}

fn resumes_exactly(experiment: &Experiment) {
    let mut whole = trainer(experiment);
    let mut interrupted = trainer(experiment);
    assert_eq!(losses(&mut whole, 6), losses(&mut interrupted, 6));
    let file = block_on(interrupted.checkpoint()).expect("the CPU does not fail");
    drop(interrupted);
    let expected = losses(&mut whole, 40);
    let mut resumed = Trainer::restore(&file, &Uploads::default(), &Device::default())
        .expect("it was just written");
    assert_eq!(resumed.step_count(), 6);
    assert_eq!(losses(&mut resumed, 40), expected);
    let again = |trainer: &Trainer| block_on(trainer.checkpoint()).expect("the CPU does not fail");
    assert!(
        again(&resumed) == again(&whole),
        "the files differ in the end"
    );
}

#[test]
fn a_resumed_run_is_the_uninterrupted_one() {
    resumes_exactly(&experiment(transformer(), 100));
    resumes_exactly(&experiment(seq2seq(), 100));
}

#[test]
fn a_resumed_run_draws_the_keys_that_the_uninterrupted_one_does() {
    let hard = MechanismConfig::Hard(HardConfig::default());
    let hard_levels = MechanismConfig::HamV(HamConfig {
        level_kind: HamLevel::Hard,
        ..HamConfig::default()
    });
    let mut experiment = experiment(
        ModelConfig::Transformer(TransformerConfig {
            width: 32,
            heads: 2,
            layers: 1,
            feed_forward: 64,
            encoder_self: hard,
            decoder_self: hard,
            cross: hard_levels,
            ..TransformerConfig::default()
        }),
        100,
    );
    experiment.training.accumulate = 2;
    resumes_exactly(&experiment);
}

#[test]
fn a_resumed_run_drops_out_what_the_uninterrupted_one_does() {
    let _alone = GENERATOR.lock();
    resumes_exactly(&experiment(dropping(transformer()), 100));
    resumes_exactly(&experiment(dropping(seq2seq()), 100));
    // Dropout has an effect: without dropout, the first loss differs.
    let first = |model| losses(&mut trainer(&experiment(model, 100)), 1);
    assert_ne!(first(dropping(transformer())), first(transformer()));
}

/// Numbers without a short decimal fraction are stored in the checkpoint's text exactly.
#[test]
fn odd_settings_survive_a_checkpoint() {
    let mut experiment = experiment(transformer(), 100);
    experiment.seed = u64::MAX;
    experiment.training.optimizer.learning_rate = (0.1f64 + 0.2) / 31.0;
    experiment.training.optimizer.weight_decay = 0.1 / 3.0;
    experiment.training.clip_norm = std::f64::consts::PI / 7.0;
    experiment.training.schedule = Schedule::Noam { warmup: 13 };
    resumes_exactly(&experiment);
}

#[test]
fn a_reset_starts_over_and_a_new_seed_starts_otherwise() {
    let experiment = experiment(transformer(), 100);
    let mut trainer = trainer(&experiment);
    let first = losses(&mut trainer, 5);
    trainer.reset().expect("it was built before");
    assert_eq!(trainer.step_count(), 0);
    assert_eq!(losses(&mut trainer, 5), first);
    trainer
        .new_seed(8, &Uploads::default())
        .expect("any seed will do");
    assert_eq!(trainer.experiment().seed, 8);
    assert_ne!(losses(&mut trainer, 5), first);
    trainer
        .new_seed(7, &Uploads::default())
        .expect("any seed will do");
    assert_eq!(losses(&mut trainer, 5), first);
}
