//! A model measured on examples that it was not trained on.

use serde::{Deserialize, Serialize};
use strata_metrics::{Running, exact_match, perplexity};
use strata_models::{Batch, Search, SearchRequest, cross_entropy};
use strata_tasks::Example;

use burn::tensor::ExecutionError;

use crate::Inference;
use crate::data::batch;
use crate::measure::{correct, read};

/// A model measured on held-out examples.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub struct ValidationReport {
    /// Steps taken by then.
    pub step: u64,
    /// Mean over real target tokens, in nats; without label smoothing.
    pub loss: f64,
    /// exp of the loss.
    pub perplexity: f64,
    /// Share of real target tokens predicted, teacher-forced.
    pub accuracy: f64,
    /// Share of sentences that greedy decoding gets right, of `decoded` many; 0 if none was.
    pub exact_match: f64,
    /// How many sentences were decoded.
    pub decoded: usize,
    /// BLEU of greedy translations, from 0 to 100, where it was measured.
    #[serde(default)]
    pub bleu: Option<f64>,
}

impl Inference {
    /// Measures the model: loss and accuracy on all of `examples`, greedy decoding on the first
    /// `decode` of them.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn evaluate(
        &self,
        examples: &[Example],
        batch_size: usize,
        decode: usize,
    ) -> Result<ValidationReport, ExecutionError> {
        let (mut loss, mut accuracy) = (Running::default(), Running::default());
        for indices in by_length(examples).chunks(batch_size.max(1)) {
            let batch = batch(examples, indices);
            let tokens = batch.target_out.count();
            let [batch_loss, right] = self.teacher_forced(&batch).await?;
            loss.add_mean(batch_loss, tokens as u64);
            accuracy.add(right, tokens as u64);
        }
        let decoded = &examples[..decode.min(examples.len())];
        let mut exact = Running::default();
        for indices in by_length(decoded).chunks(batch_size.max(1)) {
            let batch = batch(decoded, indices);
            let longest = batch.target_out.columns();
            let request = SearchRequest::new(&batch.source, longest);
            let searched = self.model.search(&Search::Greedy, &request, &self.device);
            for (found, &index) in searched.await?.items.iter().zip(indices) {
                let written = &found.hypotheses[0].ids;
                exact += exact_match(written, &decoded[index].target);
            }
        }
        let loss = loss.mean().unwrap_or(0.0);
        Ok(ValidationReport {
            step: self.step,
            loss,
            perplexity: perplexity(loss),
            accuracy: accuracy.mean().unwrap_or(0.0),
            exact_match: exact.mean().unwrap_or(0.0),
            decoded: decoded.len(),
            bleu: None,
        })
    }

    /// Loss and number of right tokens.
    async fn teacher_forced(&self, batch: &Batch) -> Result<[f64; 2], ExecutionError> {
        let logits = self.model.forward(batch, &self.device).logits;
        let right = correct(logits.clone(), &batch.target_out, &self.device);
        let loss = cross_entropy(logits, &batch.target_out, 0.0, &self.device);
        read([loss, right]).await
    }
}

/// Indices of examples, those of like length together, so that batches carry little padding.
fn by_length(examples: &[Example]) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..examples.len()).collect();
    indices.sort_by_key(|&index| (examples[index].target.len(), examples[index].source.len()));
    indices
}
