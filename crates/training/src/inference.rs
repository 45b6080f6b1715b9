//! A trained model without its training: translates, and shows where it looks.

use std::sync::Arc;

use burn::module::Module;
use burn::tensor::{Device, ExecutionError};
use strata_models::{Batch, Model, SiteWeights, Tokens};

use crate::{Encoded, Tokenizer, TranslationError};

/// A trained model without its training.
#[derive(Clone, Debug)]
pub struct Inference {
    pub(crate) model: Model,
    pub(crate) tokenizer: Arc<Tokenizer>,
    /// Without autodiff.
    pub(crate) device: Device,
    pub(crate) step: u64,
}

/// What greedy decoding wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    /// Without BOS and EOS.
    pub ids: Vec<u32>,
    /// Whether it ended by itself; if not, it was cut at the limit.
    pub finished: bool,
    /// As text.
    pub text: String,
}

/// What a teacher-forced pass over one pair shows.
#[derive(Clone, Debug)]
pub struct Attended {
    /// Attention of every site, for a batch of one; still on the device.
    pub sites: Vec<SiteWeights>,
    /// The token that the model predicts at each row, EOS included.
    pub predicted: Vec<u32>,
}

impl Inference {
    /// A model and the words that it knows.
    pub(crate) fn new(
        model: &Model,
        tokenizer: Arc<Tokenizer>,
        device: &Device,
        step: u64,
    ) -> Self {
        Self {
            model: model.valid(),
            tokenizer,
            device: device.clone().without_autodiff(),
            step,
        }
    }

    /// Text to token identifiers and back.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Steps that the model was trained for.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// How many numbers the model has learned.
    pub fn parameters(&self) -> usize {
        self.model.num_params()
    }

    /// Translates one text greedily.
    ///
    /// # Errors
    /// If the text is empty or too long, or the device fails.
    pub async fn translate(&self, text: &str) -> Result<Translation, TranslationError> {
        let encoded = self.tokenizer.encode(text)?;
        let mut all = self.translate_all(&[encoded]).await?;
        Ok(all.remove(0))
    }

    /// Translates several texts greedily, as one batch.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn translate_all(
        &self,
        sources: &[Encoded],
    ) -> Result<Vec<Translation>, ExecutionError> {
        let ids: Vec<&[u32]> = sources.iter().map(|source| &source.ids[..]).collect();
        let source = Tokens::pad(&ids);
        let limit = self.tokenizer.decoding_limit(source.columns());
        let decoded = self
            .model
            .greedy(&source, limit, false, &self.device)
            .await?;
        let translation = |ids: Vec<u32>| Translation {
            finished: ids.len() < limit,
            text: self.tokenizer.target_text(&ids),
            ids,
        };
        Ok(decoded.targets.into_iter().map(translation).collect())
    }

    /// A teacher-forced pass over one pair: where the model looks while it reads `source` and
    /// writes `target` (both without BOS and EOS).
    ///
    /// # Errors
    /// If the device fails.
    pub async fn attend(&self, source: &[u32], target: &[u32]) -> Result<Attended, ExecutionError> {
        let batch = Batch::new(&[(source, target)]);
        let output = self.model.forward(&batch, &self.device);
        let predicted = output.logits.argmax(2).into_data_async().await?;
        Ok(Attended {
            sites: output.attention,
            predicted: predicted.iter::<i64>().map(|id| id as u32).collect(),
        })
    }
}
