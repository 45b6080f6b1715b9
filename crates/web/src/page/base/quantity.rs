//! Quantities that the charts of learning show.

use crate::page::base::format;
use crate::state::history::{History, Point};

/// A quantity that a chart shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Loss, in nats per token.
    Loss,
    /// Accuracy: share of tokens predicted.
    Accuracy,
    /// Exact match: share of answers that are right.
    Exact,
    /// Mean F1 of answers.
    F1,
    /// Speed, in target tokens per second.
    Speed,
}

impl Quantity {
    /// True if only validations measure the quantity.
    pub fn is_validated(self) -> bool {
        match self {
            Self::Exact | Self::F1 => true,
            Self::Loss | Self::Accuracy | Self::Speed => false,
        }
    }

    /// True if steps of training measure the quantity, and validations do not.
    pub fn is_of_training(self) -> bool {
        match self {
            Self::Speed => true,
            Self::Loss | Self::Accuracy | Self::Exact | Self::F1 => false,
        }
    }

    /// True if the quantity is a share, from 0 to 1, which is shown in percent.
    pub fn is_share(self) -> bool {
        match self {
            Self::Accuracy | Self::Exact | Self::F1 => true,
            Self::Loss | Self::Speed => false,
        }
    }

    /// Returns the points of a run that have the quantity.
    pub fn points(self, history: &History) -> &[Point] {
        if self.is_validated() {
            &history.validation
        } else {
            &history.training
        }
    }

    /// Returns the quantity's value at a point.
    pub fn of(self, point: &Point) -> Option<f64> {
        match self {
            Self::Loss => Some(point.loss),
            Self::Accuracy => Some(point.accuracy),
            Self::Exact => point.answers.map(|[exact, _]| exact),
            Self::F1 => point.answers.map(|[_, f1]| f1),
            Self::Speed => point.speed,
        }
    }

    /// Returns the lowest and the highest value within the steps for which a point stands.
    pub fn range(self, point: &Point) -> Option<(f64, f64)> {
        match self {
            Self::Loss => Some(point.loss_range),
            Self::Accuracy => Some(point.accuracy_range),
            Self::Exact | Self::F1 | Self::Speed => self.of(point).map(|value| (value, value)),
        }
    }

    /// Returns the quantity's name.
    pub fn title(self) -> &'static str {
        match self {
            Self::Loss => "Loss",
            Self::Accuracy => "Accuracy",
            Self::Exact => "Exact",
            Self::F1 => "F1",
            Self::Speed => "Speed",
        }
    }

    /// Returns the heading of a table column, where values have no unit.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Speed => "Tokens/s",
            other => other.title(),
        }
    }

    /// Returns the quantity's definition, a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::Loss => {
                "How surprised the model is by the right token. It falls while the model learns."
            }
            Self::Accuracy => {
                "The share of tokens that it gets right, given the right ones before them. It rises."
            }
            Self::Exact => "The share of questions that it answers in the right words.",
            Self::F1 => "How many words its answers share with the right ones.",
            Self::Speed => "How many tokens it learns from in a second, on this device.",
        }
    }

    /// Returns the unit of the quantity's values.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Loss => "nats per token",
            Self::Accuracy => "of tokens",
            Self::Exact => "of answers",
            Self::F1 => "words shared with the right answer",
            Self::Speed => "tokens a second",
        }
    }

    /// Writes a value of the quantity.
    pub fn read(self, value: f64) -> String {
        match self {
            Self::Loss => format::loss(value),
            Self::Accuracy | Self::Exact | Self::F1 => format::percent(value),
            Self::Speed => format::count(value.round().max(0.0) as u64),
        }
    }
}
