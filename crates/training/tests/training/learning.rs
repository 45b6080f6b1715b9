//! Models learn the copy task.

use pollster::block_on;
use strata_models::{CellKind, ModelConfig, Seq2SeqConfig};
use strata_training::Experiment;

use super::{experiment, seq2seq, trainer, transformer};

/// Trains to the end; returns the first loss and the last validation.
fn learn(experiment: &Experiment) -> (f64, strata_training::Validation) {
    let mut trainer = trainer(experiment);
    let first = block_on(trainer.step()).expect("a first step").loss;
    while !trainer.is_finished() {
        block_on(trainer.step()).expect("the run does not diverge");
    }
    let report = block_on(trainer.validate(50, true)).expect("the CPU does not fail");
    println!("{first} {report:?}");
    (first, report)
}

/// Asserts that the loss falls from more than 1.5 nats (ten equal classes: ln 10 ≈ 2.3) to less
/// than 0.1, and that almost all copies are right.
fn learns(experiment: &Experiment) {
    let (first, report) = learn(experiment);
    assert!(first > 1.5, "{first}");
    assert!(report.loss < 0.1, "{report:?}");
    assert!(report.accuracy > 0.97, "{report:?}");
    assert!(report.exact_match > 0.9, "{report:?}");
    assert_eq!(
        (report.decoded, report.step),
        (50, experiment.training.steps)
    );
    assert!((report.perplexity - report.loss.exp()).abs() < 1e-12);
    assert!(report.bleu.is_some_and(|bleu| bleu > 90.0), "{report:?}");
}

#[test]
fn a_transformer_learns_to_copy() {
    learns(&experiment(transformer(), 300));
}

#[test]
fn a_gru_with_attention_learns_to_copy() {
    learns(&experiment(seq2seq(), 400));
}

#[test]
fn an_lstm_learns_with_smoothing_and_weight_decay() {
    let model = ModelConfig::Seq2Seq(Seq2SeqConfig {
        cell: CellKind::Lstm,
        embedding: 16,
        encoder_hidden: 32,
        decoder_hidden: 32,
        ..Seq2SeqConfig::default()
    });
    let mut experiment = experiment(model, 400);
    experiment.training.label_smoothing = 0.1;
    experiment.training.optimizer.weight_decay = 0.01;
    let (first, report) = learn(&experiment);
    assert!(report.loss < first / 3.0, "{first} {report:?}");
    assert!(report.accuracy > 0.9, "{report:?}");
}
