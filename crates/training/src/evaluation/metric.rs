//! List of a validation's metrics, by which they are shown, logged and compared.

use crate::Validation;

/// Metric of a validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// [`Validation::loss`]
    Loss,
    /// [`Validation::perplexity`]
    Perplexity,
    /// [`Validation::bits_per_character`]
    BitsPerCharacter,
    /// [`Validation::accuracy`]
    Accuracy,
    /// [`Validation::exact_match`]
    ExactMatch,
    /// [`Validation::f1`]
    F1,
    /// [`Validation::bleu_1`]
    Bleu1,
    /// [`Validation::bleu_4`]
    Bleu4,
    /// [`Validation::rouge_l`]
    RougeL,
    /// [`Validation::bleu`]
    Bleu,
}

impl Metric {
    /// All metrics, in the order in which they are shown.
    pub const ALL: [Self; 10] = [
        Self::Loss,
        Self::Perplexity,
        Self::BitsPerCharacter,
        Self::Accuracy,
        Self::ExactMatch,
        Self::F1,
        Self::Bleu1,
        Self::Bleu4,
        Self::RougeL,
        Self::Bleu,
    ];

    /// Name of the metric in files.
    pub fn key(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Perplexity => "perplexity",
            Self::BitsPerCharacter => "bits_per_character",
            Self::Accuracy => "accuracy",
            Self::ExactMatch => "exact_match",
            Self::F1 => "f1",
            Self::Bleu1 => "bleu_1",
            Self::Bleu4 => "bleu_4",
            Self::RougeL => "rouge_l",
            Self::Bleu => "bleu",
        }
    }

    /// Value of the metric; `None` if it was not measured.
    pub fn of(self, validation: &Validation) -> Option<f64> {
        match self {
            Self::Loss => Some(validation.loss),
            Self::Perplexity => Some(validation.perplexity),
            Self::BitsPerCharacter => validation.bits_per_character(),
            Self::Accuracy => Some(validation.accuracy),
            Self::ExactMatch => (validation.decoded > 0).then_some(validation.exact_match),
            Self::F1 => validation.f1(),
            Self::Bleu1 => validation.bleu_1(),
            Self::Bleu4 => validation.bleu_4(),
            Self::RougeL => validation.rouge_l(),
            Self::Bleu => validation.bleu,
        }
    }

    /// Iterates over the metrics that were measured, with their values.
    pub fn measured(validation: &Validation) -> impl Iterator<Item = (Self, f64)> {
        let figures = Self::ALL.map(|metric| metric.of(validation).map(|value| (metric, value)));
        figures.into_iter().flatten()
    }
}
