//! Pass through the model, forward and backward: loss, correct tokens and gradients of the batches
//! of a step, all left on the device.

use std::sync::{Mutex, PoisonError};

use burn::optim::{GradientsAccumulator, GradientsParams};
use burn::tensor::{Device, Tensor};
use strata_attention::Draws;
use strata_models::{CarriedState, Model};

use crate::TrainingConfig;
use crate::pipeline::TrainingBatch;
use crate::step::precision::in_precision;

/// Lock held while a batch draws from the random generator that a process's devices share.
static DRAWING: Mutex<()> = Mutex::new(());

/// Result of the passes over the batches of one step.
pub(crate) struct PassOutput {
    /// Mean loss over all target tokens without padding, in nats, without label smoothing; for a
    /// reader, over all questions: `[1]`.
    pub loss: Tensor<1>,
    /// Number of target tokens predicted correctly, padding excluded: `[1]`.
    pub correct: Tensor<1>,
    /// Gradients of the mean over all target tokens without padding, times the loss scale; in F32.
    pub gradients: GradientsParams,
    /// State after the last batch, detached from autodiff; `None` if the model carries no state.
    pub carried: Option<CarriedState>,
}

/// Batch of a step, with its random numbers.
pub(crate) struct StepBatch<'a> {
    pub batch: &'a TrainingBatch,
    /// Random draws by which hard attention samples its keys.
    pub draws: Option<Draws>,
    /// Seed for the device's random generator, from which dropout draws.
    pub seed: Option<u64>,
}

/// Passes over `batches` in order, as if they were one batch. Loss and gradients are their share of
/// the mean over all `weight` predictions of the step. The gradients are multiplied by `scale`, the
/// loss scale.
pub(crate) fn pass_all(
    model: &Model,
    batches: &[StepBatch<'_>],
    carried: Option<&CarriedState>,
    weight: usize,
    training: &TrainingConfig,
    scale: f64,
    device: &Device,
) -> PassOutput {
    let mut accumulator = GradientsAccumulator::new();
    let mut carried = carried.cloned();
    let mut sums: Option<[Tensor<1>; 2]> = None;
    for StepBatch { batch, draws, seed } in batches {
        // All GPUs of a process share one random generator: the lock lets a batch draw all that it
        // needs before another GPU's batch reseeds the generator.
        let _drawing = seed.map(|_| DRAWING.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(seed) = seed {
            device.seed(*seed);
        }
        // Casting is part of the autodiff graph, so that gradients reach the parameters themselves,
        // in F32. Each batch needs its own casts, since its backward pass consumes them.
        let computing = in_precision(model, training.precision);
        // A batch weighs as much as its share of the step's predictions, so that the sum over
        // batches is the mean over predictions and not a mean of means.
        let settings = PassSettings {
            training,
            share: batch.weight() as f64 / weight.max(1) as f64,
            scale,
            device,
        };
        let found = batch.pass(&computing, carried.as_ref(), draws.as_ref(), &settings);
        carried = found.carried;
        // Backward now, so that the graph of one batch is freed before the next batch is computed.
        let gradients = GradientsParams::from_grads(found.loss.backward(), model);
        accumulator.accumulate(model, gradients);
        sums = Some(match sums {
            None => found.sums,
            Some([loss, correct]) => {
                let [further_loss, further_correct] = found.sums;
                [loss + further_loss, correct + further_correct]
            }
        });
    }
    let [loss, correct] = sums.expect("a step has a batch");
    PassOutput {
        loss,
        correct,
        gradients: accumulator.grads(),
        carried,
    }
}

/// Settings of a pass over one batch.
#[derive(Clone, Copy)]
pub(crate) struct PassSettings<'a> {
    pub training: &'a TrainingConfig,
    /// Share of the step's predictions that the batch has.
    pub share: f64,
    /// Loss scale.
    pub scale: f64,
    pub device: &'a Device,
}

/// Result of the forward pass over one batch.
pub(crate) struct BatchOutput {
    /// Loss to differentiate: the batch's share, times the loss scale, auxiliary losses included.
    pub loss: Tensor<1>,
    /// Batch's share of the reported loss, and its number of correct tokens; without autodiff.
    pub sums: [Tensor<1>; 2],
    pub carried: Option<CarriedState>,
}

/// Multiplies a loss by `factor`.
pub(crate) fn scaled(tensor: Tensor<1>, factor: f64) -> Tensor<1> {
    if factor == 1.0 {
        tensor
    } else {
        tensor * factor
    }
}
