//! BLEU of a model's translations during training, against the text as it is in the file.

use burn::tensor::ExecutionError;
use strata_metrics::{Bleu, BleuTokenizer};

use crate::{BleuWords, Encoded, HeldOut, Inference, TrainingConfig, Validation};

impl From<BleuWords> for BleuTokenizer {
    fn from(words: BleuWords) -> Self {
        match words {
            BleuWords::Western => Self::Western,
            BleuWords::International => Self::International,
            BleuWords::Chinese => Self::Chinese,
            BleuWords::Characters => Self::Characters,
            BleuWords::None => Self::None,
        }
    }
}

impl Inference {
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

    /// Computes corpus BLEU, from 0 to 100, of greedy translations of the first
    /// `training.bleu_sentences` held-out examples against their text in the file.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn bleu(
        &self,
        held_out: HeldOut<'_>,
        training: &TrainingConfig,
    ) -> Result<f64, ExecutionError> {
        let count = training.bleu_sentences.min(held_out.examples().len());
        let examples: Vec<usize> = (0..count).collect();
        let mut pairs = Vec::with_capacity(count);
        for examples in examples.chunks(training.batch_size.max(1)) {
            let sources: Vec<Encoded> = examples
                .iter()
                .map(|&at| Encoded {
                    tokens: Vec::new(),
                    ids: held_out.examples()[at].source.clone(),
                    unknown: Vec::new(),
                })
                .collect();
            let translations = self.translate_all(&sources).await?;
            let references = examples.iter().map(|&at| [held_out.target(at)]);
            pairs.extend(translations.into_iter().map(|it| it.text).zip(references));
        }
        let bleu = Bleu {
            tokenizer: training.bleu_words.into(),
            ..Bleu::default()
        };
        Ok(bleu.corpus(pairs).score)
    }
}
