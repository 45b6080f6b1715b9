//! Measures a model on examples that it was not trained on.

pub(crate) mod early_stopping;
pub(crate) mod metric;
pub(crate) mod telemetry;

mod flat;
mod together;

use burn::tensor::ExecutionError;
use serde::{Deserialize, Serialize};
use strata_models::{Logits, Tokens};

use crate::step::measure::read;
use crate::{Alone, Exchange, HeldOut, Inference, TrainingConfig, pipeline};
use flat::FlatValidation;
pub(crate) use together::Measured;

/// Scores of a model on held-out examples.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq)]
#[serde(from = "FlatValidation", into = "FlatValidation")]
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
    pub bleu: Option<f64>,
    /// Scores that not all kinds of work have.
    pub scores: Scores,
}

/// Scores that not all kinds of work have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Scores {
    /// Pairs of source and target: no further scores.
    #[default]
    Pairs,
    /// Scores of a text.
    Text {
        /// Loss in bits per character of the file; `None` if the file has no characters.
        bits_per_character: Option<f64>,
        /// Number of tokens of the text that the vocabulary lacks. Their loss is that of `<unk>`,
        /// so that no bits account for their spelling.
        unspelt_tokens: u64,
    },
    /// Scores of a reader's answers.
    Answers {
        /// Mean F1, from 0 to 1, by the rules of SQuAD or CMRC.
        f1: f64,
        /// Scores of free answers; `None` if answers are spans.
        free: Option<FreeScores>,
    },
}

/// Scores of a reader's free answers, from 0 to 1, by the rules of DuReader or MS MARCO.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeScores {
    /// BLEU-1.
    pub bleu_1: f64,
    /// BLEU-4.
    pub bleu_4: f64,
    /// Mean ROUGE-L.
    pub rouge_l: f64,
}

impl Validation {
    /// Mean F1 of a reader's answers; `None` for other models.
    pub fn f1(&self) -> Option<f64> {
        match self.scores {
            Scores::Answers { f1, .. } => Some(f1),
            Scores::Pairs | Scores::Text { .. } => None,
        }
    }

    /// BLEU-1 of a reader's free answers; `None` if there are none.
    pub fn bleu_1(&self) -> Option<f64> {
        self.free_scores().map(|free| free.bleu_1)
    }

    /// BLEU-4 of a reader's free answers; `None` if there are none.
    pub fn bleu_4(&self) -> Option<f64> {
        self.free_scores().map(|free| free.bleu_4)
    }

    /// Mean ROUGE-L of a reader's free answers; `None` if there are none.
    pub fn rouge_l(&self) -> Option<f64> {
        self.free_scores().map(|free| free.rouge_l)
    }

    fn free_scores(&self) -> Option<FreeScores> {
        match self.scores {
            Scores::Answers { free, .. } => free,
            Scores::Pairs | Scores::Text { .. } => None,
        }
    }

    /// Loss in bits per character of a text; `None` for other kinds of work.
    pub fn bits_per_character(&self) -> Option<f64> {
        match self.scores {
            Scores::Text {
                bits_per_character, ..
            } => bits_per_character,
            Scores::Pairs | Scores::Answers { .. } => None,
        }
    }

    /// Number of tokens of a text that the vocabulary lacks; 0 for other kinds of work.
    pub fn unspelt_tokens(&self) -> u64 {
        match self.scores {
            Scores::Text { unspelt_tokens, .. } => unspelt_tokens,
            Scores::Pairs | Scores::Answers { .. } => 0,
        }
    }
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
        pipeline::evaluate(self, exchange, held_out, batch_size, decode).await
    }

    /// Measures the model as a run's settings say: loss and accuracy on all held-out examples,
    /// exact match on the first `decode` of them, decoded greedily, and, if `bleu`, BLEU on the
    /// first `training.bleu_sentences`.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn validate(
        &self,
        held_out: HeldOut<'_>,
        training: &TrainingConfig,
        decode: usize,
        bleu: bool,
    ) -> Result<Validation, ExecutionError> {
        let report = self.evaluate(held_out, training.batch_size, decode).await?;
        let bleu = match bleu {
            true => Some(self.bleu(held_out, training).await?),
            false => None,
        };
        Ok(Validation { bleu, ..report })
    }
}

/// Returns the loss of targets and the number of them that are predicted correctly.
///
/// # Shapes
/// - target `[B, T]`
pub(crate) async fn loss_and_correct(
    logits: Logits,
    target: &Tokens,
) -> Result<[f64; 2], ExecutionError> {
    let found = logits.cross_entropy(target, 0.0);
    read([found.loss, found.correct]).await
}
