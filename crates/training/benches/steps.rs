//! What the mechanisms cost in whole training steps: `cargo bench -p strata-training`.
//!
//! A step is batch, forward, loss, backward, Adam and the read-back, of a Transformer that copies
//! sequences of 31 symbols and their end, in batches of 32. `docs/benchmarks.md` has the figures.

#![allow(missing_docs, clippy::expect_used)]

use burn::tensor::Device;
use divan::Bencher;
use mimalloc::MiMalloc;
use pollster::block_on;
use strata_attention::{HamConfig, MechanismConfig, MultilevelConfig};
use strata_kernels::threads::run_in_pool;
use strata_models::{ModelConfig, TransformerConfig};
use strata_tasks::{CopyConfig, TaskConfig, Uploads};
use strata_training::{Experiment, Trainer, TrainingConfig};

/// As the native program has it.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() {
    run_in_pool(divan::main);
}

/// Sizes of the models that this is measured on.
#[derive(Clone, Copy)]
enum Size {
    /// Width 64, 4 heads, 2 + 2 layers, 64 tokens.
    Tiny,
    /// Width 256, 4 heads, 2 + 2 layers, 260 tokens.
    Small,
}

/// Steps of a Transformer with one mechanism at all three sites.
fn steps(bencher: Bencher, size: Size, mechanism: MechanismConfig) {
    let (width, symbols) = match size {
        Size::Tiny => (64, 61),
        Size::Small => (256, 257),
    };
    let experiment = Experiment {
        seed: 1,
        task: TaskConfig::Copy(CopyConfig {
            symbols,
            minimum_length: 31,
            maximum_length: 31,
            examples: 3200,
            held_out: 32,
        }),
        model: ModelConfig::Transformer(TransformerConfig {
            width,
            heads: 4,
            layers: 2,
            feed_forward: 4 * width,
            norm_first: false,
            encoder_self: mechanism,
            decoder_self: mechanism,
            cross: mechanism,
            ..TransformerConfig::default()
        }),
        training: TrainingConfig {
            steps: 1_000_000,
            batch_size: 32,
            validate_every: 0,
            checkpoint_every: 0,
            ..TrainingConfig::default()
        },
    };
    let device = Device::flex();
    let mut trainer =
        Trainer::new(experiment, &Uploads::default(), &device).expect("the experiment is sound");
    bencher.bench_local(|| block_on(trainer.step()).expect("the CPU does not fail"));
}

fn multilevel(levels: usize) -> MechanismConfig {
    MechanismConfig::Multilevel(MultilevelConfig {
        levels,
        ..MultilevelConfig::default()
    })
}

fn ham(depth: usize) -> MechanismConfig {
    MechanismConfig::HamV(HamConfig {
        depth,
        ..HamConfig::default()
    })
}

#[divan::bench(args = [1, 4, 16, 100])]
fn tiny_multilevel(bencher: Bencher, levels: usize) {
    steps(bencher, Size::Tiny, multilevel(levels));
}

#[divan::bench(args = [1, 4, 16, 100])]
fn small_multilevel(bencher: Bencher, levels: usize) {
    steps(bencher, Size::Small, multilevel(levels));
}

#[divan::bench(args = [1, 5, 20])]
fn tiny_ham_v(bencher: Bencher, depth: usize) {
    steps(bencher, Size::Tiny, ham(depth));
}

#[divan::bench(args = [1, 5, 20])]
fn small_ham_v(bencher: Bencher, depth: usize) {
    steps(bencher, Size::Small, ham(depth));
}
