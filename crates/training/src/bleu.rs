//! BLEU of a model's translations while it is trained.

use burn::tensor::ExecutionError;
use strata_metrics::{Bleu, BleuTokenizer};
use strata_tasks::Example;

use crate::{BleuWords, Encoded, Inference, TrainingConfig};

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
    /// Corpus BLEU, from 0 to 100, of the greedy translations of `examples`.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn bleu(
        &self,
        examples: &[Example],
        training: &TrainingConfig,
    ) -> Result<f64, ExecutionError> {
        let tokenizer = self.tokenizer();
        let mut pairs = Vec::with_capacity(examples.len());
        for examples in examples.chunks(training.batch_size.max(1)) {
            let sources: Vec<Encoded> = examples
                .iter()
                .map(|example| Encoded {
                    tokens: tokenizer.source_tokens(&example.source),
                    ids: example.source.clone(),
                    unknown: Vec::new(),
                })
                .collect();
            let translations = self.translate_all(&sources).await?;
            let references = examples
                .iter()
                .map(|example| [tokenizer.target_text(&example.target)]);
            pairs.extend(translations.into_iter().map(|it| it.text).zip(references));
        }
        let bleu = Bleu {
            tokenizer: training.bleu_words.into(),
            ..Bleu::default()
        };
        Ok(bleu.corpus(pairs).score)
    }
}
