//! Measures a model on examples that it was not trained on.

mod spans;
mod together;

use std::borrow::Cow;

use burn::tensor::{ExecutionError, Tensor};
use serde::{Deserialize, Serialize};
use strata_metrics::{Running, bits_per_character, perplexity};
use strata_models::{Batch, Model, Search, SearchRequest, cross_entropy};
use strata_tasks::{Example, Pipeline, Written, in_streams};

use crate::data::{Sequences, batch};
use crate::measure::{correct, read};
use crate::{Alone, Exchange, HeldOut, Inference};
pub use spans::{ScoredAnswer, SpanRules, free_answers};
use together::Measured;

/// Largest number of streams into which a held-out text is split for a model that carries its
/// state. A single stream takes long, but each further stream starts without context. PyTorch's
/// example `word_language_model` uses the same number.
const STREAMS: usize = 10;
/// Smallest number of segments per stream.
const SEGMENTS: usize = 20;

/// Scores of a model on held-out examples.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq)]
pub struct Validation {
    /// Number of steps taken before the validation.
    pub step: u64,
    /// Mean cross-entropy over target tokens without padding, in nats, without label smoothing; for
    /// a reader, over questions whose answer has a place.
    pub loss: f64,
    /// Exponential of the loss.
    pub perplexity: f64,
    /// Share of target tokens predicted correctly, teacher-forced; for a reader, of starts and
    /// ends.
    pub accuracy: f64,
    /// Share of the `decoded` sentences whose greedy decoding equals the text in the file; 0 if no
    /// sentence was decoded. For a reader, share of answers that are right by the rules of SQuAD or
    /// CMRC.
    pub exact_match: f64,
    /// Number of sentences that were decoded.
    pub decoded: usize,
    /// BLEU of greedy translations against the text of the file, from 0 to 100; `None` if not
    /// measured.
    #[serde(default)]
    pub bleu: Option<f64>,
    /// Mean F1 of a reader's answers, from 0 to 1, by the rules of SQuAD or CMRC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub f1: Option<f64>,
    /// BLEU-1 of a reader's free answers, by the rules of DuReader or MS MARCO, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bleu_1: Option<f64>,
    /// BLEU-4 of a reader's free answers, by the rules of DuReader or MS MARCO, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bleu_4: Option<f64>,
    /// Mean ROUGE-L of a reader's free answers, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rouge_l: Option<f64>,
    /// Loss in bits per character of the file; `None` unless the task is one text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bits_per_character: Option<f64>,
    /// Number of tokens of the text that the vocabulary lacks. Their loss is that of `<unk>`, so
    /// that no bits account for their spelling.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unspelt_tokens: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Inference {
    /// Measures the model: loss and accuracy on all held-out examples, exact match on the first
    /// `decode` of them, decoded greedily.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn evaluate(
        &self,
        held_out: HeldOut<'_>,
        batch_size: usize,
        decode: usize,
    ) -> Result<Validation, ExecutionError> {
        self.evaluate_with(&Alone, held_out, batch_size, decode)
            .await
    }

    /// Like [`evaluate`](Self::evaluate), with the loss shared among the processes of `exchange`;
    /// `decode` may differ between them. Readers are not shared.
    async fn evaluate_with(
        &self,
        exchange: &dyn Exchange,
        held_out: HeldOut<'_>,
        batch_size: usize,
        decode: usize,
    ) -> Result<Validation, ExecutionError> {
        let examples = held_out.examples();
        let form = self.tokenizer.task.pipeline();
        match form {
            Pipeline::TextGeneration => {
                return self.evaluate_text(exchange, held_out, batch_size).await;
            }
            Pipeline::QuestionAnswering => {
                let (questions, free) = (held_out.questions(), held_out.free_answers());
                let measured = self.evaluate_questions(questions, free, batch_size);
                return Ok(measured.await?.0);
            }
            Pipeline::Translation | Pipeline::Poetry => {}
        }
        let sequences = Sequences::of(form, self.model.continues_lines());
        let mut measured = Measured::new(exchange);
        for indices in by_length(examples).chunks(batch_size.max(1)) {
            let batch = batch(sequences, examples, indices);
            let found = match measured.is_own() {
                true => self.measure(self.logits(&batch), &batch).await?,
                false => [0.0; 2],
            };
            measured.add(found, batch.target_out.count());
        }
        let [loss, accuracy] = measured.sums();
        let decoded = &examples[..decode.min(examples.len())];
        let mut exact = Running::default();
        for indices in by_length(decoded).chunks(batch_size.max(1)) {
            let batch = batch(sequences, decoded, indices);
            let longest = batch.target_out.columns();
            let request = SearchRequest::new(&batch.source, longest);
            let searched = self.search_request(&Search::Greedy, &request);
            for (found, &index) in searched.await?.items.iter().zip(indices) {
                let right = held_out.is_right(index, &found.hypotheses[0].ids);
                exact.add(f64::from(u8::from(right)), 1);
            }
        }
        let loss = loss.mean().unwrap_or(0.0);
        Ok(Validation {
            step: self.step,
            loss,
            perplexity: perplexity(loss),
            accuracy: accuracy.mean().unwrap_or(0.0),
            exact_match: exact.mean().unwrap_or(0.0),
            decoded: decoded.len(),
            ..Validation::default()
        })
    }

    /// Measures all segments of a text. A model that carries its state reads several streams in
    /// parallel; other models read each segment alone.
    async fn evaluate_text(
        &self,
        exchange: &dyn Exchange,
        held_out: HeldOut<'_>,
        batch_size: usize,
    ) -> Result<Validation, ExecutionError> {
        let segments = held_out.examples();
        let carries = matches!(self.model, Model::RecurrentLm(_));
        let (streams, batch_size) = if carries {
            let streams = (segments.len() / SEGMENTS).clamp(1, STREAMS);
            (Cow::Owned(in_streams(segments, streams)), streams)
        } else {
            (Cow::Borrowed(segments), batch_size.max(1))
        };
        let indices: Vec<usize> = (0..streams.len()).collect();
        let mut measured = Measured::new(exchange);
        let mut carried = None;
        for indices in indices.chunks(batch_size) {
            let batch = batch(Sequences::Text, &streams, indices);
            let found = if measured.is_own() {
                let (output, left) =
                    self.model
                        .forward_from(carried.as_ref(), &batch, None, &self.device);
                carried = left;
                self.measure(output.logits, &batch).await?
            } else {
                [0.0; 2]
            };
            measured.add(found, batch.target_out.count());
        }
        let [loss, accuracy] = measured.sums();
        let mean = loss.mean().unwrap_or(0.0);
        Ok(Validation {
            step: self.step,
            loss: mean,
            perplexity: perplexity(mean),
            accuracy: accuracy.mean().unwrap_or(0.0),
            bits_per_character: bits_per_character(loss.sum, held_out.characters()),
            unspelt_tokens: match held_out.written() {
                Written::Text(written) => written.unknown_tokens() as u64,
                Written::AsTokens | Written::Pairs(_) => 0,
            },
            ..Validation::default()
        })
    }

    /// Returns the loss of a batch and its number of correct tokens.
    async fn measure(&self, logits: Tensor<3>, batch: &Batch) -> Result<[f64; 2], ExecutionError> {
        let correct = correct(logits.clone(), &batch.target_out, &self.device);
        let loss = cross_entropy(logits, &batch.target_out, 0.0);
        read([loss, correct]).await
    }
}

/// Sorts examples by length, so that batches have little padding. Returns their indices.
fn by_length(examples: &[Example]) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..examples.len()).collect();
    indices.sort_by_key(|&index| (examples[index].target.len(), examples[index].source.len()));
    indices
}
