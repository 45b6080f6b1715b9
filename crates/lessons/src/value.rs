//! Values of measures: numbers and words.

use serde::{Deserialize, Serialize};

/// A number or a word.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(untagged, expecting = "a number or a text")]
pub enum Value {
    /// Any number; 1 or 0 if the measure is true or false.
    Number(f64),
    /// A token, a name or a whole answer.
    Word(String),
}

impl Value {
    /// Returns the number, or `None` if the value is a word.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Word(_) => None,
        }
    }

    /// True if both values are the same word, or numbers no farther apart than `within`.
    pub fn is(&self, other: &Self, within: f64) -> bool {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => (one - other).abs() <= within,
            (one, other) => one == other,
        }
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Value {
    fn from(word: &str) -> Self {
        Self::Word(word.to_owned())
    }
}

impl From<bool> for Value {
    fn from(is: bool) -> Self {
        Self::Number(f64::from(u8::from(is)))
    }
}
