//! Copying: write down what was read. The task on which the poster on hierarchical
//! representations (Gupta and Ahmed) measures long sequences, with lengths from 10 to 100.

use serde::{Deserialize, Serialize};

use crate::config::Task;
use crate::symbols::{MAXIMUM_SYMBOLS, Sequences};
use crate::{Dataset, FieldDescription, TaskDescription, TaskError};

pub(crate) const DESCRIPTION: TaskDescription = TaskDescription {
    name: "copy",
    title: "Copy",
    help: "Write the sequence down again: attention must find one position after the other.",
    fields: &[
        FieldDescription::number("symbols", "Size of the alphabet.", (2, MAXIMUM_SYMBOLS), 20),
        FieldDescription::number("minimum_length", "Shortest sequence.", (1, 1000), 10),
        FieldDescription::number("maximum_length", "Longest sequence.", (1, 1000), 100),
        FieldDescription::number("examples", "Sequences to learn from.", (1, 200_000), 10_000),
        FieldDescription::number("held_out", "Sequences to measure on.", (1, 100_000), 500),
    ],
};

/// Settings of the task `copy`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CopyConfig {
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

impl Default for CopyConfig {
    fn default() -> Self {
        Self {
            symbols: 20,
            minimum_length: 10,
            maximum_length: 100,
            examples: 10_000,
            held_out: 500,
        }
    }
}

impl CopyConfig {
    fn sequences(&self) -> Sequences {
        let Self {
            symbols,
            minimum_length,
            maximum_length,
            examples,
            held_out,
        } = *self;
        Sequences {
            task: "copy",
            symbols,
            minimum_length,
            maximum_length,
            examples,
            held_out,
        }
    }
}

impl Task for CopyConfig {
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
        Ok(self.sequences().dataset(seed, <[u32]>::to_vec))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_target_is_the_source() {
        let data = CopyConfig {
            examples: 50,
            ..CopyConfig::default()
        }
        .load(1)
        .unwrap();
        assert!(
            data.training
                .iter()
                .chain(&data.validation)
                .all(|it| it.source == it.target)
        );
        assert_eq!(data.source_vocabulary.len(), 24);
    }
}
