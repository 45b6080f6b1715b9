//! Shares a validation among several processes: the loss batch by batch, while process 0 decodes.

use burn::tensor::ExecutionError;
use strata_metrics::Running;

use super::{FlatValidation, Validation};
use crate::{Exchange, Trainer};

/// Loss and correct predictions of batches that the processes of an exchange measure by turns. The
/// sums equal those of a single process to the bit.
pub(crate) struct Measured<'a> {
    exchange: &'a dyn Exchange,
    /// Loss and number of correct predictions of each batch, F32 as devices return them; 0 for
    /// batches of other processes.
    found: Vec<[f32; 2]>,
    /// Number of predictions of each batch.
    predictions: Vec<u64>,
}

impl<'a> Measured<'a> {
    pub fn new(exchange: &'a dyn Exchange) -> Self {
        Self {
            exchange,
            found: Vec::new(),
            predictions: Vec::new(),
        }
    }

    /// True if this process measures the next batch.
    pub fn is_own(&self) -> bool {
        self.predictions.len() % self.exchange.size() == self.exchange.rank()
    }

    /// Adds the loss and the number of correct predictions of the next batch.
    pub fn add(&mut self, found: [f64; 2], predictions: usize) {
        self.found.push(found.map(|number| number as f32));
        self.predictions.push(predictions as u64);
    }

    /// Returns loss and accuracy over the batches of all processes.
    pub fn sums(mut self) -> [Running; 2] {
        self.exchange.sum(self.found.as_flattened_mut());
        let [mut loss, mut accuracy] = [Running::default(); 2];
        for (&[mean, correct], &predictions) in self.found.iter().zip(&self.predictions) {
            loss.add_mean(mean.into(), predictions);
            accuracy.add(correct.into(), predictions);
        }
        [loss, accuracy]
    }
}

impl Trainer {
    /// Measures the validation set with all processes. Every process returns the same result.
    pub(crate) async fn validate_together(
        &self,
        decode: usize,
        bleu: bool,
    ) -> Result<Validation, ExecutionError> {
        let exchange = &*self.exchange;
        let leads = exchange.rank() == 0;
        let (inference, held_out) = (self.inference(), self.held_out());
        let training = &self.experiment.training;
        let mut report = Validation::default();
        if leads || self.tokenizer().reader().is_none() {
            let decode = if leads { decode } else { 0 };
            let measured = inference.evaluate_with(exchange, held_out, training.batch_size, decode);
            report = measured.await?;
        }
        if leads && bleu {
            report.bleu = Some(inference.bleu(held_out, training).await?);
        }
        Ok(spread(report, exchange))
    }
}

/// Returns the validation of process 0 in every process.
fn spread(own: Validation, exchange: &dyn Exchange) -> Validation {
    let own = FlatValidation::from(own);
    let optional = |number: Option<f64>| number.unwrap_or(f64::NAN);
    let numbers = [
        own.loss,
        own.perplexity,
        own.accuracy,
        own.exact_match,
        optional(own.bleu),
        optional(own.f1),
        optional(own.bleu_1),
        optional(own.bleu_4),
        optional(own.rouge_l),
        optional(own.bits_per_character),
    ];
    let mut words = [0; 13];
    words[..3].copy_from_slice(&[own.step, own.decoded as u64, own.unspelt_tokens]);
    for (word, number) in words[3..].iter_mut().zip(numbers) {
        *word = number.to_bits();
    }
    let mut bytes: Vec<u8> = words.iter().flat_map(|it| it.to_le_bytes()).collect();
    exchange.spread(&mut bytes);
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    let [step, decoded, unspelt_tokens, numbers @ ..] = words;
    let [loss, perplexity, accuracy, exact_match, optional @ ..] = numbers.map(f64::from_bits);
    let [bleu, f1, bleu_1, bleu_4, rouge_l, bits_per_character] =
        optional.map(|it| (!it.is_nan()).then_some(it));
    let flat = FlatValidation {
        step,
        loss,
        perplexity,
        accuracy,
        exact_match,
        decoded: decoded as usize,
        bleu,
        f1,
        bleu_1,
        bleu_4,
        rouge_l,
        bits_per_character,
        unspelt_tokens,
    };
    flat.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Alone;
    use crate::evaluation::{FreeScores, Scores};

    #[test]
    fn a_validation_arrives_as_it_was_sent() {
        let report = |scores| Validation {
            step: 7,
            loss: 800.0,
            perplexity: f64::INFINITY,
            accuracy: 0.1 + 0.2,
            exact_match: 0.25,
            decoded: 64,
            bleu: Some(0.0),
            scores,
        };
        let free = FreeScores {
            bleu_1: 0.5,
            bleu_4: 0.125,
            rouge_l: 0.25,
        };
        for scores in [
            Scores::Pairs,
            Scores::Text {
                bits_per_character: Some(1.5),
                unspelt_tokens: 3,
            },
            Scores::Text {
                bits_per_character: None,
                unspelt_tokens: 3,
            },
            Scores::Answers {
                f1: 0.75,
                free: None,
            },
            Scores::Answers {
                f1: 0.75,
                free: Some(free),
            },
        ] {
            assert_eq!(spread(report(scores), &Alone), report(scores));
        }
    }
}
