//! Time of the mechanisms in whole training steps: `cargo bench --workspace --bench steps`.
//!
//! A step is batch, forward, loss, backward, Adam and the read-back, of a Transformer that copies
//! sequences of 31 symbols and their end, in batches of 32. `docs/benchmarks.md` has the figures.

use std::time::Duration;

use burn::tensor::Device;
use mimalloc::MiMalloc;
use pollster::block_on;
use strata_attention::{HamConfig, MechanismConfig, MultilevelConfig};
use strata_kernels::threads::run_in_pool;
use strata_models::{ModelConfig, TransformerConfig};
use strata_tasks::{CopyConfig, TaskConfig};
use strata_tests::timing::Bench;
use strata_text::Uploads;
use strata_training::{Experiment, StepReport, Trainer, TrainingConfig};

/// The allocator of the native program.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() {
    run_in_pool(0, |_| {
        let bench = Bench::from_arguments();
        // Width 64 with 64 tokens, and width 256 with 260 tokens.
        for (size, width, symbols) in [("tiny", 64, 61), ("small", 256, 257)] {
            let measure = |name: &str, levels: usize, mechanism| {
                let name = format!("steps/{size}_{name}/{levels}");
                bench.measure(&name, Duration::MAX, || steps(width, symbols, mechanism));
            };
            for levels in [1, 4, 16, 100] {
                let config = MultilevelConfig {
                    levels,
                    ..MultilevelConfig::default()
                };
                measure("multilevel", levels, MechanismConfig::Multilevel(config));
            }
            for depth in [1, 5, 20] {
                let config = HamConfig {
                    depth,
                    ..HamConfig::default()
                };
                measure("ham_v", depth, MechanismConfig::HamV(config));
            }
        }
    });
}

/// Prepares steps of a Transformer of 4 heads and 2 + 2 layers, with one mechanism at all three
/// sites.
fn steps(width: usize, symbols: usize, mechanism: MechanismConfig) -> impl FnMut() -> StepReport {
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
    let trainer = Trainer::new(experiment, &Uploads::default(), &device);
    let mut trainer = trainer.expect("the experiment is sound");
    move || block_on(trainer.step()).expect("the CPU does not fail")
}
