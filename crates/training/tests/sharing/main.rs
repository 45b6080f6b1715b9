//! A run shared by several processes gives the results of a run of one process.

mod refusals;
mod threads;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use burn::tensor::Device;
use pollster::block_on;
use strata_attention::{HardConfig, MechanismConfig};
use strata_models::{ModelConfig, TransformerConfig};
use strata_tasks::{CopyConfig, TaskConfig};
use strata_text::Uploads;
use strata_training::{Exchange, Experiment, Trainer, Validation};

/// Locks the CPU's only random generator, so that tests that draw run one after the other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Transformer with dropout and hard attention, both of which draw random numbers.
fn drawing() -> ModelConfig {
    ModelConfig::Transformer(TransformerConfig {
        width: 32,
        heads: 2,
        layers: 1,
        feed_forward: 64,
        dropout: 0.2,
        cross: MechanismConfig::Hard(HardConfig::default()),
        ..TransformerConfig::default()
    })
}

/// Experiment with batches of different lengths.
fn experiment(model: ModelConfig, accumulate: usize) -> Experiment {
    let task = TaskConfig::Copy(CopyConfig {
        symbols: 6,
        minimum_length: 1,
        maximum_length: 7,
        examples: 300,
        held_out: 50,
    });
    let mut experiment = Experiment {
        seed: 7,
        task,
        model,
        ..Experiment::default()
    };
    experiment.training.steps = 20;
    experiment.training.batch_size = 8;
    experiment.training.accumulate = accumulate;
    experiment.training.label_smoothing = 0.1;
    experiment.training.optimizer.weight_decay = 0.01;
    experiment
}

fn trainer(experiment: &Experiment) -> Trainer {
    Trainer::new(experiment.clone(), &Uploads::default(), &Device::flex())
        .expect("the experiment is a good one")
}

/// Results of a run: its losses, its validation and its last checkpoint.
#[derive(Debug, PartialEq)]
struct Ran {
    checkpoint: Vec<u8>,
    losses: Vec<f64>,
    validation: Validation,
}

/// Takes `count` steps together with the other processes of `exchange`.
fn steps(mut trainer: Trainer, exchange: Arc<dyn Exchange>, count: usize) -> Ran {
    block_on(trainer.join(exchange)).expect("the processes are alike");
    let losses = (0..count).map(|_| block_on(trainer.step()).expect("the run does not diverge"));
    let losses = losses.map(|report| report.loss).collect();
    let bleu = trainer.experiment().training.bleu_every > 0;
    Ran {
        losses,
        validation: block_on(trainer.validate(20, bleu)).expect("the CPU does not fail"),
        checkpoint: block_on(trainer.checkpoint()).expect("the run is sound"),
    }
}

/// Runs an experiment with `size` processes, and asserts that all have the same results.
fn run(experiment: &Experiment, size: usize) -> Ran {
    go_on(|| trainer(experiment), size, 6)
}

fn go_on(begin: impl Fn() -> Trainer + Sync, size: usize, count: usize) -> Ran {
    let mut ran = threads::run(size, |exchange| steps(begin(), exchange, count));
    let first = ran.swap_remove(0);
    assert!(ran.iter().all(|other| *other == first));
    first
}

fn restored(checkpoint: &[u8]) -> Trainer {
    Trainer::restore(checkpoint, &Uploads::default(), &Device::flex()).expect("a whole checkpoint")
}

/// Compares checkpoints byte by byte; the moments of the optimiser are part of a checkpoint.
#[test]
fn as_many_processes_as_batches_give_the_bits_of_one() {
    let _alone = alone();
    for size in [2, 3] {
        let mut experiment = experiment(drawing(), size);
        experiment.training.bleu_every = 100;
        let single = run(&experiment, 1);
        let shared = run(&experiment, size);
        assert_eq!(shared.losses, single.losses);
        assert_eq!(shared.validation, single.validation);
        assert!(shared.checkpoint == single.checkpoint, "{size}");
    }
}

#[test]
fn readers_and_language_models_are_shared_to_the_bit() {
    let _alone = alone();
    for (task, architecture) in [("toy_reading", "bidaf"), ("sentences", "transformer_lm")] {
        let mut experiment = experiment(drawing(), 2);
        experiment.task = TaskConfig::of_kind(task).expect("a task of this name");
        experiment.training.label_smoothing = 0.0;
        experiment.model = ModelConfig::all()
            .into_iter()
            .find(|model| model.name() == architecture)
            .expect("an architecture of this name");
        let count = 2;
        let single = go_on(|| trainer(&experiment), 1, count);
        let shared = go_on(|| trainer(&experiment), 2, count);
        assert_eq!(shared.losses, single.losses, "{architecture}");
        assert_eq!(shared.validation, single.validation, "{architecture}");
        assert!(shared.checkpoint == single.checkpoint, "{architecture}");
    }
}

/// Two processes add the gradients of four batches in another order than one process does.
#[test]
fn fewer_processes_than_batches_give_the_losses_of_one() {
    let _alone = alone();
    let experiment = experiment(drawing(), 4);
    let single = run(&experiment, 1);
    let shared = run(&experiment, 2);
    for (shared, single) in shared.losses.iter().zip(&single.losses) {
        assert!((shared / single - 1.0).abs() < 1e-5, "{shared} {single}");
    }
    assert_eq!(run(&experiment, 4), single);
}

#[test]
fn a_run_goes_on_with_another_number_of_processes() {
    let _alone = alone();
    let experiment = experiment(drawing(), 4);
    let whole = go_on(|| trainer(&experiment), 1, 6);
    // Four processes give the bits of one; two give the losses of one up to the order of summation.
    for (sizes, most) in [([4, 1, 4], 0.0), ([2, 1, 4], 1e-5)] {
        let begun = go_on(|| trainer(&experiment), sizes[0], 2);
        let middle = go_on(|| restored(&begun.checkpoint), sizes[1], 2);
        let end = go_on(|| restored(&middle.checkpoint), sizes[2], 2);
        let losses = [begun.losses, middle.losses, end.losses].concat();
        for (found, expected) in losses.iter().zip(&whole.losses) {
            assert!((found / expected - 1.0).abs() <= most, "{sizes:?}: {found}");
        }
        assert_eq!(end.checkpoint == whole.checkpoint, most == 0.0);
    }
}
