//! Reversing: write down backwards what was read.

use serde::{Deserialize, Serialize};

use crate::config::Task;
use crate::symbols::{MAXIMUM_SYMBOLS, Sequences};
use crate::{Dataset, FieldDescription, TaskDescription, TaskError};

pub(crate) const DESCRIPTION: TaskDescription = TaskDescription {
    name: "reverse",
    title: "Reverse",
    help: "Write the sequence down backwards: attention must run against the order of reading.",
    fields: &[
        FieldDescription::number("symbols", "Size of the alphabet.", (2, MAXIMUM_SYMBOLS), 20),
        FieldDescription::number("minimum_length", "Shortest sequence.", (1, 1000), 5),
        FieldDescription::number("maximum_length", "Longest sequence.", (1, 1000), 20),
        FieldDescription::number("examples", "Sequences to learn from.", (1, 200_000), 10_000),
        FieldDescription::number("held_out", "Sequences to measure on.", (1, 100_000), 500),
    ],
};

/// Settings of the task `reverse`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReverseConfig {
    /// Size of the alphabet.
    pub symbols: usize,
    /// Tokens of the shortest sequence.
    pub minimum_length: usize,
    /// Tokens of the longest sequence.
    pub maximum_length: usize,
    /// How many sequences to learn from.
    pub examples: usize,
    /// How many other sequences to measure on.
    pub held_out: usize,
}

impl Default for ReverseConfig {
    fn default() -> Self {
        Self {
            symbols: 20,
            minimum_length: 5,
            maximum_length: 20,
            examples: 10_000,
            held_out: 500,
        }
    }
}

impl ReverseConfig {
    fn sequences(&self) -> Sequences {
        let Self {
            symbols,
            minimum_length,
            maximum_length,
            examples,
            held_out,
        } = *self;
        Sequences {
            task: "reverse",
            symbols,
            minimum_length,
            maximum_length,
            examples,
            held_out,
        }
    }
}

impl Task for ReverseConfig {
    fn description(&self) -> &'static TaskDescription {
        &DESCRIPTION
    }

    fn validate(&self) -> Result<(), TaskError> {
        DESCRIPTION.check(&[
            ("symbols", self.symbols),
            ("minimum_length", self.minimum_length),
            ("maximum_length", self.maximum_length),
            ("examples", self.examples),
            ("held_out", self.held_out),
        ])?;
        self.sequences().validate()
    }

    fn load(&self, seed: u64) -> Result<Dataset, TaskError> {
        Ok(self
            .sequences()
            .dataset(seed, |source| source.iter().rev().copied().collect()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_target_is_the_source_backwards() {
        let data = ReverseConfig {
            examples: 50,
            ..ReverseConfig::default()
        }
        .load(1)
        .unwrap();
        for example in data.training.iter().chain(&data.validation) {
            assert!(example.source.iter().eq(example.target.iter().rev()));
        }
    }
}
