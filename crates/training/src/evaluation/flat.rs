//! Form in which a validation is stored: one list of optional scores.

use serde::{Deserialize, Serialize};

use super::{FreeScores, Scores, Validation};

/// Validation as in checkpoints, logs and messages.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default)]
#[serde(rename = "Validation")]
pub(super) struct FlatValidation {
    pub step: u64,
    pub loss: f64,
    pub perplexity: f64,
    pub accuracy: f64,
    pub exact_match: f64,
    pub decoded: usize,
    #[serde(default)]
    pub bleu: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub f1: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bleu_1: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bleu_4: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rouge_l: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bits_per_character: Option<f64>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unspelt_tokens: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl From<Validation> for FlatValidation {
    fn from(validation: Validation) -> Self {
        Self {
            step: validation.step,
            loss: validation.loss,
            perplexity: validation.perplexity,
            accuracy: validation.accuracy,
            exact_match: validation.exact_match,
            decoded: validation.decoded,
            bleu: validation.bleu,
            f1: validation.f1(),
            bleu_1: validation.bleu_1(),
            bleu_4: validation.bleu_4(),
            rouge_l: validation.rouge_l(),
            bits_per_character: validation.bits_per_character(),
            unspelt_tokens: validation.unspelt_tokens(),
        }
    }
}

impl From<FlatValidation> for Validation {
    fn from(flat: FlatValidation) -> Self {
        Self {
            step: flat.step,
            loss: flat.loss,
            perplexity: flat.perplexity,
            accuracy: flat.accuracy,
            exact_match: flat.exact_match,
            decoded: flat.decoded,
            bleu: flat.bleu,
            scores: flat.scores(),
        }
    }
}

impl FlatValidation {
    /// Scores of the kind of work to which the scores that are there belong.
    fn scores(&self) -> Scores {
        if let Some(f1) = self.f1 {
            return Scores::Answers {
                f1,
                free: self.free_scores(),
            };
        }
        if self.bits_per_character.is_some() || self.unspelt_tokens > 0 {
            return Scores::Text {
                bits_per_character: self.bits_per_character,
                unspelt_tokens: self.unspelt_tokens,
            };
        }
        Scores::Pairs
    }

    fn free_scores(&self) -> Option<FreeScores> {
        Some(FreeScores {
            bleu_1: self.bleu_1?,
            bleu_4: self.bleu_4?,
            rouge_l: self.rouge_l?,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// JSON that earlier programs wrote, one validation of each kind of work.
    const WRITTEN: [&str; 4] = [
        r#"{"step":7,"loss":0.5,"perplexity":1.5,"accuracy":0.25,"exact_match":0.5,"decoded":64,"bleu":12.5}"#,
        r#"{"step":7,"loss":0.5,"perplexity":1.5,"accuracy":0.25,"exact_match":0.0,"decoded":0,"bleu":null,"bits_per_character":1.5,"unspelt_tokens":3}"#,
        r#"{"step":7,"loss":0.5,"perplexity":1.5,"accuracy":0.25,"exact_match":0.5,"decoded":64,"bleu":null,"f1":0.75}"#,
        r#"{"step":7,"loss":0.5,"perplexity":1.5,"accuracy":0.25,"exact_match":0.5,"decoded":64,"bleu":null,"f1":0.75,"bleu_1":0.5,"bleu_4":0.125,"rouge_l":0.25}"#,
    ];

    #[test]
    fn a_validation_is_stored_as_before() {
        for written in WRITTEN {
            let read: Validation = serde_json::from_str(written).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), written);
        }
        let read = |at: usize| serde_json::from_str::<Validation>(WRITTEN[at]).unwrap();
        assert_eq!(read(0).scores, Scores::Pairs);
        assert_eq!(read(1).bits_per_character(), Some(1.5));
        assert_eq!(read(1).unspelt_tokens(), 3);
        assert_eq!((read(2).f1(), read(2).rouge_l()), (Some(0.75), None));
        assert_eq!(
            (read(3).bleu_1(), read(3).bleu_4()),
            (Some(0.5), Some(0.125))
        );
    }
}
