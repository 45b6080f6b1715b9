//! Everything that decides a run.

use serde::{Deserialize, Serialize};
use strata_models::ModelConfig;
use strata_tasks::TaskConfig;

/// Task, model, training and seed: the same experiment gives the same losses.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct Experiment {
    /// Decides data, initial parameters, order of batches and dropout.
    pub seed: u64,
    /// What is learned.
    pub task: TaskConfig,
    /// What learns it.
    pub model: ModelConfig,
    /// How.
    pub training: TrainingConfig,
}

/// How a model is trained.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct TrainingConfig {
    /// Optimiser steps in all.
    pub steps: u64,
    /// Examples a step.
    pub batch_size: usize,
    /// The optimiser.
    pub optimizer: OptimizerConfig,
    /// How the learning rate changes.
    pub schedule: Schedule,
    /// Largest norm of all gradients together; larger ones are scaled down. 0: no limit.
    pub clip_norm: f64,
    /// ε: each class gets ε/V of the target's probability (Szegedy et al. 2016).
    pub label_smoothing: f64,
    /// Steps between validations.
    pub validate_every: u64,
    /// Steps between checkpoints.
    pub checkpoint_every: u64,
}

/// AdamW (Loshchilov and Hutter 2019); without weight decay, Adam (Kingma and Ba 2015).
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct OptimizerConfig {
    /// Peak learning rate.
    pub learning_rate: f64,
    /// Decay of the first moment.
    pub beta_1: f32,
    /// Decay of the second moment.
    pub beta_2: f32,
    /// Added to the denominator.
    pub epsilon: f32,
    /// Decoupled weight decay.
    pub weight_decay: f32,
}

/// How the learning rate changes over the steps, as a share of its peak.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Schedule {
    /// Linear warm-up, then the peak.
    Constant {
        /// Steps of warm-up.
        #[serde(default)]
        warmup: u64,
    },
    /// Linear warm-up, then half a cosine down to 0 at the last step.
    Cosine {
        /// Steps of warm-up.
        #[serde(default)]
        warmup: u64,
    },
    /// Linear warm-up, then 1/√step (Vaswani et al. 2017, 5.3); the peak is at the last warm-up step.
    Noam {
        /// Steps of warm-up.
        warmup: u64,
    },
}

impl Default for TrainingConfig {
    fn default() -> Self {
        Self {
            steps: 2000,
            batch_size: 64,
            optimizer: OptimizerConfig::default(),
            schedule: Schedule::Cosine { warmup: 200 },
            clip_norm: 1.0,
            label_smoothing: 0.0,
            validate_every: 250,
            checkpoint_every: 500,
        }
    }
}

impl Default for OptimizerConfig {
    fn default() -> Self {
        Self {
            learning_rate: 3e-3,
            beta_1: 0.9,
            beta_2: 0.98,
            epsilon: 1e-9,
            weight_decay: 0.0,
        }
    }
}
