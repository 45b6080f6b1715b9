//! One step of training: the same code in the browser and natively.

use burn::optim::GradientsParams;
use strata_models::{ModelConfig, cross_entropy};

use crate::data::batch;
use crate::measure::{correct, read};
use crate::optimizer::gradient_norm;
use crate::{Trainer, TrainingError};

/// One training step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Counted from 1.
    pub step: u64,
    /// Mean over the batch's real target tokens, in nats, before the update. Without label
    /// smoothing, so that it can be compared with the validation's.
    pub loss: f64,
    /// Share of real target tokens predicted, teacher-forced, before the update.
    pub accuracy: f64,
    /// Learning rate of the step.
    pub learning_rate: f64,
    /// Norm of all gradients together, before clipping.
    pub gradient_norm: f64,
    /// Real target tokens.
    pub tokens: usize,
}

impl Trainer {
    /// Takes the next batch and one step of the optimiser.
    ///
    /// # Errors
    /// If loss or gradient are not finite, or the device fails. The step was then not taken:
    /// parameters, optimiser and place in the data are those of the step before.
    pub async fn step(&mut self) -> Result<StepReport, TrainingError> {
        let position = self.batches.position();
        let taken = self.next_step().await;
        if taken.is_err() {
            self.batches = self.batches.clone().at(position)?;
        }
        taken
    }

    async fn next_step(&mut self) -> Result<StepReport, TrainingError> {
        let training = &self.experiment.training;
        let step = self.step + 1;
        let batch = batch(&self.data.training, &self.batches.next_batch());
        if dropout(&self.experiment.model) > 0.0 {
            // Dropout draws from the device's one generator. Seeding each step makes a resumed
            // run draw what the uninterrupted one did.
            self.device.seed(step_seed(self.experiment.seed, step));
        }

        let target = &batch.target_out;
        let logits = self.model.forward(&batch, &self.device).logits; // [B, T, V]
        let observed = logits.clone().inner();
        let device = self.device.clone().inner();
        let loss = cross_entropy(logits, target, training.label_smoothing, &self.device);
        let plain_loss = if training.label_smoothing > 0.0 {
            cross_entropy(observed.clone(), target, 0.0, &device)
        } else {
            loss.clone().inner()
        };
        let right = correct(observed, target, &device);
        let gradients = GradientsParams::from_grads(loss.backward(), &self.model);
        let norm = gradient_norm(&self.model, &gradients, &device);

        // The step's only GPU–CPU sync point.
        let [loss, right, norm] = read([plain_loss, right, norm]).await?;
        for (value, what) in [(loss, "loss"), (norm, "gradient")] {
            if !value.is_finite() {
                return Err(TrainingError::Diverged { step, what });
            }
        }

        let learning_rate = training.learning_rate(step);
        let scale = clip_scale(norm, training.clip_norm);
        let model = self.model.clone();
        self.model = self
            .optimizer
            .update(model, gradients, scale, learning_rate);
        self.step = step;
        let tokens = target.count();
        Ok(StepReport {
            step,
            loss,
            accuracy: right / tokens.max(1) as f64,
            learning_rate,
            gradient_norm: norm,
            tokens,
        })
    }
}

/// What gradients of norm `norm` are multiplied by so that they have at most norm `limit`
/// (Pascanu et al. 2013, algorithm 1); a limit of 0 is none.
fn clip_scale(norm: f64, limit: f64) -> f64 {
    if limit > 0.0 && norm > limit {
        limit / norm
    } else {
        1.0
    }
}

fn dropout(model: &ModelConfig) -> f64 {
    match model {
        ModelConfig::Seq2Seq(config) => config.dropout,
        ModelConfig::Transformer(config) => config.dropout,
    }
}

/// A seed for each step of each run, by the finaliser of SplitMix64 (Steele et al. 2014).
fn step_seed(seed: u64, step: u64) -> u64 {
    let mut bits = seed.wrapping_add(step.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
