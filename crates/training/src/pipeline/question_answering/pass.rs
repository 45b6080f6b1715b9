//! Pass of a reader over a batch of questions.

use burn::tensor::Tensor;
use strata_models::SpanBatch;
use strata_models::reader::Reader;

use crate::step::measure::correct_ends;
use crate::step::pass::{BatchOutput, PassSettings, scaled};

/// Passes over a batch of questions, forward.
pub(crate) fn pass(reader: &Reader, batch: &SpanBatch, settings: &PassSettings<'_>) -> BatchOutput {
    let PassSettings {
        share,
        scale,
        device,
        ..
    } = *settings;
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
