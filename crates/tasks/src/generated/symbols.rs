//! Random sequences of symbols, from which tasks without a language are made.
//!
//! Such tasks differ only in their words, lengths and answers; the macro `sequence_task` generates
//! everything else.

use std::collections::HashSet;

use strata_text::{Segmenter, Vocabulary, special};

use crate::identity::identity_of_all;
use crate::random::Random;
use crate::{Dataset, Example, Examples, Facts, Identities, LeftOut, SequenceExamples, TaskError};

/// Size of the largest alphabet: `a` to `z`, then `a1` to `z1`, up to `z9`.
pub(crate) const MAXIMUM_SYMBOLS: usize = 260;

/// Settings of a task's random sequences.
pub(crate) struct Sequences {
    pub(crate) task: &'static str,
    pub(crate) symbols: usize,
    pub(crate) minimum_length: usize,
    pub(crate) maximum_length: usize,
    pub(crate) examples: usize,
    pub(crate) held_out: usize,
}

impl Sequences {
    /// # Errors
    /// If the lengths cross, or there are not enough different sequences to hold out.
    pub(crate) fn validate(&self) -> Result<(), TaskError> {
        let Self { task, held_out, .. } = *self;
        if self.minimum_length > self.maximum_length {
            return Err(TaskError::LengthsCrossed {
                task,
                minimum: self.minimum_length,
                maximum: self.maximum_length,
            });
        }
        let available = (self.minimum_length..=self.maximum_length)
            .map(|length| self.most_held_out(length))
            .fold(0, usize::saturating_add);
        if available < held_out {
            return Err(TaskError::TooFewSequences {
                task,
                available,
                held_out,
            });
        }
        Ok(())
    }

    /// Generates examples, where the target is `answer` of the source.
    pub(crate) fn dataset(&self, seed: u64, answer: impl Fn(&[u32]) -> Vec<u32>) -> Dataset {
        let vocabulary = Vocabulary::of_distinct((0..self.symbols).map(symbol));
        let mut random = Random::new(seed, self.task, 0);
        // The held-out sequences come first; `validate` has checked that there are enough.
        let mut held_out = HashSet::new();
        let mut of_length = vec![0; self.maximum_length + 1];
        let mut validation = Vec::new();
        while validation.len() < self.held_out {
            let source = self.draw(&mut random);
            let taken = &mut of_length[source.len()];
            if *taken < self.most_held_out(source.len()) && held_out.insert(source.clone()) {
                *taken += 1;
                validation.push(source);
            }
        }
        let mut training = Vec::new();
        while training.len() < self.examples {
            let source = self.draw(&mut random);
            if !held_out.contains(&source) {
                training.push(source);
            }
        }
        let identity = |source: &Vec<u32>| {
            let tokens: Vec<&str> = source.iter().map(|&id| vocabulary.token(id)).collect();
            identity_of_all(&tokens)
        };
        let identities = Identities::of(
            training.iter().map(identity),
            validation.iter().map(identity),
        );
        let example = |source: Vec<u32>| Example {
            target: answer(&source),
            source,
        };
        Dataset {
            source_segmenter: Segmenter::of_words(),
            target_segmenter: Segmenter::of_words(),
            source_vocabulary: vocabulary.clone(),
            target_vocabulary: vocabulary,
            examples: Examples::Translation(SequenceExamples {
                training: training.into_iter().map(example).collect(),
                validation: validation.into_iter().map(example).collect(),
                ..SequenceExamples::default()
            }),
            stored: None,
            dropped: LeftOut::default(),
            facts: Facts::default(),
            identities: Some(identities),
        }
    }

    /// Returns the largest number of held-out sequences of a length: half of all, so that short
    /// ones also occur in training.
    fn most_held_out(&self, length: usize) -> usize {
        self.symbols.saturating_pow(length as u32) / 2
    }

    fn draw(&self, random: &mut Random) -> Vec<u32> {
        let lengths = (self.maximum_length - self.minimum_length) as u32 + 1;
        let length = self.minimum_length as u32 + random.below(lengths);
        let first = special::TEXTS.len() as u32;
        (0..length)
            .map(|_| first + random.below(self.symbols as u32))
            .collect()
    }
}

/// Declares a task on random sequences: its settings with descriptions and defaults.
///
/// `lengths` are the default lengths of the shortest and the longest sequence; `answer` computes
/// the target from the source.
macro_rules! sequence_task {
    (
        $(#[$documentation:meta])* $config:ident, $name:literal, $title:literal, $help:literal,
        lengths: ($minimum:literal, $maximum:literal), answer: $answer:expr
    ) => {
        use $crate::generated::symbols::MAXIMUM_SYMBOLS;

        strata_describe::settings! {
            $(#[$documentation])*
            #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
            #[serde(default, deny_unknown_fields)]
            pub struct $config {
                /// Size of the alphabet.
                #[title = "Symbols"]
                pub symbols: usize in 2..=MAXIMUM_SYMBOLS = 20,
                /// Tokens of the shortest sequence.
                #[title = "Minimum length"]
                #[help = "Shortest sequence."]
                pub minimum_length: usize in 1..=1000 = $minimum,
                /// Tokens of the longest sequence.
                #[title = "Maximum length"]
                #[help = "Longest sequence."]
                pub maximum_length: usize in 1..=1000 = $maximum,
                /// Sequences to learn from.
                #[title = "Examples"]
                pub examples: usize in 1..=200_000 = 10_000,
                /// Sequences to measure on.
                #[title = "Held out"]
                pub held_out: usize in 1..=100_000 = 500,
            }
        }

        pub(crate) const DESCRIPTION: strata_describe::Description = strata_describe::Description {
            words: strata_describe::Words::new($name, $title, $help, "", ""),
            settings: $config::SETTINGS,
        };

        impl $config {
            fn sequences(&self) -> $crate::generated::symbols::Sequences {
                let Self { symbols, minimum_length, maximum_length, examples, held_out } = *self;
                $crate::generated::symbols::Sequences {
                    task: $name,
                    symbols,
                    minimum_length,
                    maximum_length,
                    examples,
                    held_out,
                }
            }
        }

        impl $crate::task::Task for $config {
            fn description(&self) -> &'static strata_describe::Description {
                &DESCRIPTION
            }

            fn validate(&self) -> Result<(), $crate::TaskError> {
                self.sequences().validate()
            }

            fn load(
                &self,
                seed: u64,
                _: &strata_text::Uploads,
            ) -> Result<$crate::Dataset, $crate::TaskError> {
                Ok(self.sequences().dataset(seed, $answer))
            }
        }
    };
}
pub(crate) use sequence_task;

/// Name of a symbol: `a` to `z`, then `a1` to `z1`, and so on.
pub(crate) fn symbol(index: usize) -> String {
    let letter = char::from(b'a' + (index % 26) as u8);
    match index / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const SMALL: Sequences = Sequences {
        task: "test",
        symbols: 3,
        minimum_length: 1,
        maximum_length: 4,
        examples: 300,
        held_out: 58,
    };

    #[test]
    fn symbols_are_distinct() {
        let symbols: HashSet<String> = (0..MAXIMUM_SYMBOLS).map(symbol).collect();
        assert_eq!(symbols.len(), MAXIMUM_SYMBOLS);
        assert!(symbols.contains("a") && symbols.contains("z9"));
    }

    #[test]
    fn held_out_sequences_are_distinct_and_never_trained() {
        SMALL.validate().unwrap();
        let data = SMALL.dataset(4, <[u32]>::to_vec);
        assert_eq!((data.training().len(), data.validation().len()), (300, 58));
        let trained: HashSet<_> = data
            .training()
            .iter()
            .map(|example| &example.source)
            .collect();
        let held_out: HashSet<_> = data
            .validation()
            .iter()
            .map(|example| &example.source)
            .collect();
        assert_eq!(held_out.len(), 58);
        assert!(trained.is_disjoint(&held_out));
    }

    #[test]
    fn lengths_and_symbols_stay_in_range_and_reach_their_ends() {
        let data = SMALL.dataset(4, <[u32]>::to_vec);
        let lengths: HashSet<usize> = data.training().iter().map(|it| it.source.len()).collect();
        assert_eq!(lengths, HashSet::from([1, 2, 3, 4]));
        let symbols: HashSet<u32> = data
            .training()
            .iter()
            .flat_map(|it| it.source.iter().copied())
            .collect();
        assert_eq!(symbols, HashSet::from([4, 5, 6]));
    }

    #[test]
    fn too_few_sequences_are_refused() {
        // Half of 3, 9, 27 and 81 sequences can be held out: 1 + 4 + 13 + 40.
        SMALL.validate().unwrap();
        let error = Sequences {
            held_out: 59,
            ..SMALL
        }
        .validate()
        .unwrap_err();
        assert!(error.to_string().contains("at most 58"), "{error}");
        let error = Sequences {
            minimum_length: 5,
            ..SMALL
        }
        .validate()
        .unwrap_err();
        assert!(
            error.to_string().contains("`task.minimum_length` is 5"),
            "{error}"
        );
        Sequences {
            symbols: 260,
            maximum_length: 1000,
            ..SMALL
        }
        .validate()
        .unwrap();
    }
}
