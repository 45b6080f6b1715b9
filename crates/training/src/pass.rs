//! Pass through the model, forward and backward: loss, correct tokens and gradients of the batches
//! of a step, all left on the device.

use std::sync::{Mutex, PoisonError};

use burn::optim::{GradientsAccumulator, GradientsParams};
use burn::tensor::{DType, Device, Tensor};
use strata_attention::Draws;
use strata_models::reader::Reader;
use strata_models::{
    Batch, CarriedState, Model, SequenceModel, SpanBatch, auxiliary_loss, cross_entropy,
};

use crate::TrainingConfig;
use crate::measure::{correct, correct_ends};
use crate::pipeline::TrainingBatch;
use crate::precision::in_precision;

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
        let shares = [batch.weight() as f64 / weight.max(1) as f64, scale];
        let found = match (&computing, batch) {
            (Model::Sequence(model), TrainingBatch::Sequences(batch)) => {
                let (carried, draws) = (carried.as_ref(), draws.as_ref());
                pass(model, batch, carried, draws, training, shares, device)
            }
            (Model::Reader(reader), TrainingBatch::Spans(batch)) => {
                pass_spans(reader, batch, shares, device)
            }
            (Model::Sequence(_), TrainingBatch::Spans(_))
            | (Model::Reader(_), TrainingBatch::Sequences(_)) => {
                unreachable!("an experiment is checked: its model can learn its task")
            }
        };
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

struct BatchOutput {
    /// Loss to differentiate: the batch's share, times the loss scale, auxiliary losses included.
    loss: Tensor<1>,
    /// Batch's share of the reported loss, and its number of correct tokens; without autodiff.
    sums: [Tensor<1>; 2],
    carried: Option<CarriedState>,
}

fn pass(
    model: &SequenceModel,
    batch: &Batch,
    carried: Option<&CarriedState>,
    draws: Option<&Draws>,
    training: &TrainingConfig,
    [share, scale]: [f64; 2],
    device: &Device,
) -> BatchOutput {
    let target = &batch.target_out;
    let (output, carried) = model.forward_from(carried, batch, draws, device);
    // The loss is computed in F32 at any precision.
    let logits = output.logits.cast(DType::F32); // [B, T, V]
    let observed = logits.clone().inner();
    let plain_device = device.clone().inner();
    let auxiliary = auxiliary_loss(&logits, &output.attention, batch, device);
    let loss = cross_entropy(logits, target, training.label_smoothing);
    // The reported loss is without label smoothing, to be comparable with the validation's.
    let plain_loss = if training.label_smoothing > 0.0 {
        cross_entropy(observed.clone(), target, 0.0)
    } else {
        loss.clone().inner()
    };
    let loss = match auxiliary {
        Some(auxiliary) => loss + auxiliary,
        None => loss,
    };
    BatchOutput {
        loss: scaled(loss, share * scale),
        sums: [
            scaled(plain_loss, share),
            correct(observed, target, &plain_device),
        ],
        carried: carried.map(CarriedState::detach),
    }
}

/// Passes over a batch of questions with a reader.
fn pass_spans(
    reader: &Reader,
    batch: &SpanBatch,
    [share, scale]: [f64; 2],
    device: &Device,
) -> BatchOutput {
    let output = reader.forward(batch, device);
    let observed = output.log_probabilities.clone().map(Tensor::inner);
    let plain_device = device.clone().inner();
    let loss = batch.loss(&output, device);
    let plain_loss = loss.clone().inner();
    let costs = output.attention.into_iter();
    let costs = costs.filter_map(|site| site.auxiliary.cost);
    let loss = costs.fold(loss, |sum, cost| sum + cost);
    BatchOutput {
        loss: scaled(loss, share * scale),
        sums: [
            scaled(plain_loss, share),
            correct_ends(&observed, &batch.targets, &plain_device),
        ],
        carried: None,
    }
}

fn scaled(tensor: Tensor<1>, factor: f64) -> Tensor<1> {
    if factor == 1.0 {
        tensor
    } else {
        tensor * factor
    }
}
