//! Presets of poems: a user's own file, and the sample that is served with the page.

use strata_attention::{HamConfig, MechanismConfig};
use strata_models::{ModelConfig, Seq2SeqConfig};
use strata_tasks::{PoemsConfig, Script, TaskConfig};
use strata_training::{Experiment, OptimizerConfig, Schedule, TrainingConfig};

/// File that is served with the page, so that a preset learns from texts without a user's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Name of the file, beside the page.
    pub name: &'static str,
    /// SHA-256 of the file's contents, in hexadecimal digits.
    pub sha256: &'static str,
}

/// 115 quatrains of the Tang dynasty.
pub const QUATRAINS: Sample = Sample {
    name: "tang-quatrains.tsv",
    sha256: "a597949e1838773e37d6a5bf1bf841246024dbe92f67490ae0af694963cea7eb",
};

impl Sample {
    /// Returns the sample that a task reads; `None` for a task on other files, or on none.
    pub fn of(task: &TaskConfig) -> Option<Self> {
        let paths = task.paths();
        (paths.len() == 1 && paths[0].as_os_str() == QUATRAINS.name).then_some(QUATRAINS)
    }
}

/// Same as the CLI preset `ppg_ham_5_smoke`, but keeps the file's script (simplified or
/// traditional).
pub(super) fn on_own_file() -> Experiment {
    Experiment {
        seed: 1,
        task: TaskConfig::Poems(PoemsConfig {
            script: Script::AsRead,
            vocabulary: 3000,
            training_poems: 8000,
            held_out_poems: 500,
            ..PoemsConfig::default()
        }),
        model: ModelConfig::Seq2Seq(Seq2SeqConfig {
            embedding: 96,
            encoder_hidden: 192,
            decoder_hidden: 192,
            dropout: 0.2,
            attention: MechanismConfig::HamV(HamConfig {
                depth: 5,
                ..HamConfig::default()
            }),
            ..Seq2SeqConfig::default()
        }),
        training: TrainingConfig {
            steps: 1500,
            batch_size: 128,
            schedule: Schedule::Constant { warmup: 0 },
            validate_every: 50,
            optimizer: OptimizerConfig {
                learning_rate: 1e-3,
                ..OptimizerConfig::default()
            },
            ..TrainingConfig::default()
        },
    }
}

/// A model that learns the sample within seconds: of half the width, without dropout, since so few
/// poems are learned by heart at best.
pub(super) fn on_sample() -> Experiment {
    let own = on_own_file();
    Experiment {
        task: TaskConfig::Poems(PoemsConfig {
            source: QUATRAINS.name.into(),
            script: Script::AsRead,
            vocabulary: 3000,
            minimum_count: 2,
            ..PoemsConfig::default()
        }),
        model: ModelConfig::Seq2Seq(Seq2SeqConfig {
            embedding: 64,
            encoder_hidden: 96,
            decoder_hidden: 96,
            attention: MechanismConfig::HamV(HamConfig {
                depth: 5,
                ..HamConfig::default()
            }),
            ..Seq2SeqConfig::default()
        }),
        training: TrainingConfig {
            steps: 400,
            batch_size: 16,
            validate_every: 100,
            optimizer: OptimizerConfig {
                learning_rate: 8e-3,
                ..OptimizerConfig::default()
            },
            ..own.training
        },
        ..own
    }
}
