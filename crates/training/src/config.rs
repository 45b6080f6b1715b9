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
    /// Passes over the data, of which the number of steps follows once these are known; 0: as
    /// many steps as `steps` says.
    pub epochs: u64,
    /// Examples a batch.
    pub batch_size: usize,
    /// Instead of `batch_size` many, as many examples a batch as fit into so many tokens, those of
    /// source and target together and padding included; 0: by examples.
    pub batch_tokens: usize,
    /// Batches a step: their gradients are added up, as if all were one batch, in the memory of
    /// one.
    pub accumulate: usize,
    /// What a pass through the model computes in.
    pub precision: Precision,
    /// Compute cheap results a second time in the backward pass instead of keeping them (Chen et al.
    /// 2016): less memory, more time.
    pub checkpointing: bool,
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
    /// Steps between validations that also translate, for BLEU against the text of the file; 0: none.
    pub bleu_every: u64,
    /// Number of held-out sentences to translate at most.
    pub bleu_sentences: usize,
    /// What is a word for BLEU.
    pub bleu_words: BleuWords,
    /// What makes one validation better than another.
    pub measure: Measure,
    /// The run ends after this many validations without a better one; 0: only at its last step.
    pub patience: u64,
    /// Number of checkpoints of the best validations that are kept.
    pub keep_best: usize,
    /// Steps between checkpoints.
    pub checkpoint_every: u64,
}

/// What a pass through the model computes in. Parameters, optimiser, softmax and loss are always
/// in f32 (Micikevicius et al. 2018), and so are validation and translation.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// 32 bits.
    #[default]
    F32,
    /// 16 bits with the range of 32.
    Bf16,
    /// 16 bits with more digits and less range: the loss is scaled so that small gradients
    /// do not vanish.
    F16,
}

/// What is a word for BLEU, by sacreBLEU's names.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BleuWords {
    /// As WMT does it (mteval-v13a).
    #[default]
    #[serde(rename = "13a")]
    Western,
    /// mteval-v14's: all punctuation and symbols of Unicode stand alone.
    #[serde(rename = "intl")]
    International,
    /// Every Chinese character stands alone.
    #[serde(rename = "zh")]
    Chinese,
    /// Every character stands alone.
    #[serde(rename = "char")]
    Characters,
    /// What stands between white space.
    #[serde(rename = "none")]
    None,
}

/// What makes one validation better than another.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// A lower loss.
    #[default]
    Loss,
    /// A higher BLEU.
    Bleu,
}

/// AdamW (Loshchilov and Hutter 2019); without weight decay, Adam (Kingma and Ba 2015).
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct OptimizerConfig {
    /// Peak learning rate.
    pub learning_rate: f64,
    /// Decay of the first moment.
    pub beta_1: f64,
    /// Decay of the second moment.
    pub beta_2: f64,
    /// Added to the denominator.
    pub epsilon: f64,
    /// Decoupled weight decay.
    pub weight_decay: f64,
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
        #[serde(default = "warmup_of_cosine")]
        warmup: u64,
    },
    /// Linear warm-up, then 1/√step (Vaswani et al. 2017, 5.3); the peak is at the last warm-up step.
    Noam {
        /// Steps of warm-up.
        #[serde(default = "warmup_of_noam")]
        warmup: u64,
    },
}

/// That of the experiment where nothing is said.
fn warmup_of_cosine() -> u64 {
    200
}

/// As published (Vaswani et al. 2017, 5.3).
fn warmup_of_noam() -> u64 {
    4000
}

impl Default for TrainingConfig {
    fn default() -> Self {
        Self {
            steps: 2000,
            epochs: 0,
            batch_size: 64,
            batch_tokens: 0,
            accumulate: 1,
            precision: Precision::F32,
            checkpointing: false,
            optimizer: OptimizerConfig::default(),
            schedule: Schedule::Cosine {
                warmup: warmup_of_cosine(),
            },
            clip_norm: 1.0,
            label_smoothing: 0.0,
            validate_every: 250,
            bleu_every: 0,
            bleu_sentences: 500,
            bleu_words: BleuWords::Western,
            measure: Measure::Loss,
            patience: 0,
            keep_best: 0,
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
