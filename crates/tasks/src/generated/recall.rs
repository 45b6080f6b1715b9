//! Task `recall`: multi-query associative recall (Arora et al. 2023), drawn as in zoology's
//! `multiquery_ar`.
//!
//! A sequence begins with pairs of a key and its value; then each key stands again once, at a gap
//! drawn by a power law, and the model must answer with the value at the place of that query. The
//! target is as long as the source, and every other place has [`PAD`], which is not counted: neither
//! the loss nor the accuracy sees the place, and any token there is right.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use strata_describe::{Description, Words, settings};
use strata_text::{
    Uploads, Vocabulary,
    special::{PAD, TEXTS},
};

use crate::generated::drawn;
use crate::random::Random;
use crate::task::Task;
use crate::{Dataset, Example, Examples, Pipeline, TaskError};

/// Exponent a of the power law a·xᵃ⁻¹ of the gaps, `power_a` of zoology.
const POWER: f64 = 0.01;
/// Largest weight of a gap, so that the sum of all weights fits into 32 bits.
const WEIGHT: f64 = (1 << 20) as f64;
/// Token of the places that are neither pair nor query, if these are not random.
const BLANK: &str = "_";

settings! {
    /// Settings of the task `recall`.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct RecallConfig {
        /// Number of tokens.
        #[title = "Vocabulary"]
        #[help = "Number of tokens: keys are drawn from the first half, values from the second."]
        #[source = "Arora et al. 2023"]
        pub vocabulary: usize in 8..=65_536 = 8192,
        /// Tokens of a sequence.
        #[title = "Length"]
        #[help = "Tokens of a sequence, at least four for each pair."]
        #[source = "Arora et al. 2023"]
        pub length: usize in 4..=1024 = 64,
        /// Pairs of a key and its value.
        #[title = "Pairs"]
        #[help = "Pairs of key and value at the beginning; each key is asked for once."]
        #[source = "Arora et al. 2023"]
        pub pairs: usize in 1..=256 = 4,
        /// True if all other places hold random tokens.
        #[title = "Random non-queries"]
        #[help = "Random tokens between the queries, which may be keys too; off, they are blank."]
        #[source = "Arora et al. 2023"]
        pub random_non_queries: bool = true,
        /// True if language models read the sequence.
        #[title = "Causal"]
        #[help = "For language models, which see only what stands before a query, as in the paper; off, for models that answer in place."]
        #[source = "Arora et al. 2023"]
        pub causal: bool = false,
        /// Sequences to learn from.
        #[title = "Examples"]
        pub examples: usize in 1..=100_000 = 20_000,
        /// Sequences to measure on.
        #[title = "Held out"]
        pub held_out: usize in 1..=10_000 = 500,
    }
}

pub(crate) const DESCRIPTION: Description = Description {
    words: Words::new(
        "recall",
        "Associative recall",
        "Read pairs of key and value; whenever a key comes again, answer with its value.",
        "",
        "Arora et al. 2023",
    ),
    settings: RecallConfig::SETTINGS,
};

impl RecallConfig {
    /// Number of places at which a query may stand: every second one after the pairs.
    fn gaps(&self) -> usize {
        (self.length - 2 * self.pairs) / 2
    }

    /// Number of keys; token 0 is blank.
    fn keys(&self) -> usize {
        self.vocabulary / 2 - 1
    }

    fn values(&self) -> usize {
        self.vocabulary - self.vocabulary / 2
    }

    /// Smallest number of different sequences.
    fn sequences(&self) -> usize {
        let draws = [self.keys(), self.values(), self.gaps()];
        let orders = draws
            .into_iter()
            .flat_map(|of| (0..self.pairs).map(move |drawn| of - drawn));
        orders.fold(1, usize::saturating_mul)
    }

    /// Draws a sequence; `weights` has the weight of each gap.
    fn draw(&self, random: &mut Random, weights: &[u32]) -> Example {
        let first = TEXTS.len() as u32;
        let keys = different(random, self.pairs, self.keys());
        let values = different(random, self.pairs, self.values());
        let mut source = vec![first; self.length];
        let mut target = vec![PAD; self.length];
        let mut weights = weights.to_vec();
        for (at, (key, value)) in keys.into_iter().zip(values).enumerate() {
            let key = first + 1 + key;
            let value = first + (self.vocabulary / 2) as u32 + value;
            source[2 * at] = key;
            source[2 * at + 1] = value;
            let gap = random.weighted(&weights);
            weights[gap] = 0;
            let query = 2 * self.pairs + 2 * gap;
            source[query] = key;
            target[query] = value;
        }
        if self.random_non_queries {
            for token in source.iter_mut().filter(|token| **token == first) {
                *token = first + random.below(self.vocabulary as u32);
            }
        }
        Example { source, target }
    }
}

/// Draws `count` different numbers in `0..bound`, in order.
fn different(random: &mut Random, count: usize, bound: usize) -> Vec<u32> {
    let mut seen = HashSet::new();
    let mut drawn = Vec::with_capacity(count);
    while drawn.len() < count {
        let number = random.below(bound as u32);
        if seen.insert(number) {
            drawn.push(number);
        }
    }
    drawn
}

/// Returns the weight of each of `gaps` gaps, xᵃ⁻¹ for gap x from 1, as whole numbers.
fn weights(gaps: usize) -> Vec<u32> {
    let weight = |gap: usize| {
        let gap = gap as f64;
        (WEIGHT * power(gap, POWER) / gap) as u32
    };
    (1..=gaps).map(weight).collect()
}

/// Computes `base` to a power from 0 to 1 by square roots alone, whose last bit is the same on every
/// platform.
fn power(base: f64, mut exponent: f64) -> f64 {
    let (mut root, mut product) = (base, 1.0);
    for _ in 0..40 {
        root = root.sqrt();
        exponent *= 2.0;
        if exponent >= 1.0 {
            exponent -= 1.0;
            product *= root;
        }
    }
    product
}

impl Task for RecallConfig {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn validate(&self) -> Result<(), TaskError> {
        let Self {
            vocabulary,
            length,
            pairs,
            examples,
            held_out,
            ..
        } = *self;
        if 4 * pairs > length {
            return Err(TaskError::ShortForPairs { length, pairs });
        }
        if self.keys() < pairs || vocabulary <= length {
            return Err(TaskError::SmallVocabulary {
                vocabulary,
                least: (length + 1).max(2 * pairs + 2),
            });
        }
        let available = self.sequences() / 2;
        if available < held_out {
            return Err(TaskError::TooFewToHoldOut {
                task: DESCRIPTION.words.name,
                available,
                held_out,
                raise: "vocabulary",
            });
        }
        drawn::check_tokens(DESCRIPTION.words.name, examples + held_out, length)
    }

    fn load(&self, seed: u64, _: &Uploads) -> Result<Dataset, TaskError> {
        let mut random = Random::new(seed, DESCRIPTION.words.name, 0);
        let weights = weights(self.gaps());
        let draw = || self.draw(&mut random, &weights);
        let examples = drawn::held_out_first(self.examples, self.held_out, draw);
        let keys = (1..=self.keys()).map(|key| format!("k{key}"));
        let values = (1..=self.values()).map(|value| format!("v{value}"));
        let blank = std::iter::once(BLANK.to_owned());
        let vocabulary = Vocabulary::of_distinct(blank.chain(keys).chain(values));
        let identities = drawn::identities(&vocabulary, &examples);
        let examples = if self.causal {
            Examples::TextGeneration(examples)
        } else {
            Examples::Translation(examples)
        };
        Ok(drawn::dataset(vocabulary, examples, identities))
    }

    fn pipeline(&self) -> Pipeline {
        if self.causal {
            Pipeline::TextGeneration
        } else {
            Pipeline::Translation
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::HashMap;

    use super::*;
    use crate::TaskConfig;

    fn small() -> RecallConfig {
        RecallConfig {
            vocabulary: 128,
            examples: 2000,
            held_out: 200,
            ..RecallConfig::default()
        }
    }

    fn load(config: &RecallConfig, seed: u64) -> Dataset {
        let task = TaskConfig::Recall(config.clone());
        task.load(seed, &Uploads::default()).unwrap()
    }

    /// Places whose target is counted.
    fn queries(example: &Example) -> Vec<usize> {
        let counted = |&at: &usize| example.target[at] != PAD;
        (0..example.target.len()).filter(counted).collect()
    }

    #[test]
    fn a_query_is_answered_by_the_value_of_its_key() {
        for random_non_queries in [true, false] {
            let config = RecallConfig {
                random_non_queries,
                ..small()
            };
            let data = load(&config, 1);
            assert_eq!(data.source_vocabulary.len(), 4 + 128);
            assert_eq!(
                (data.training().len(), data.validation().len()),
                (2000, 200)
            );
            let word = |id: u32| data.source_vocabulary.token(id);
            for example in data.training().iter().chain(data.validation()) {
                assert_eq!((example.source.len(), example.target.len()), (64, 64));
                let pairs: HashMap<u32, u32> = example.source[..8]
                    .chunks(2)
                    .map(|pair| (pair[0], pair[1]))
                    .collect();
                assert_eq!(pairs.len(), 4);
                assert!(pairs.keys().all(|&key| word(key).starts_with('k')));
                assert!(pairs.values().all(|&value| word(value).starts_with('v')));
                assert_eq!(pairs.values().collect::<HashSet<_>>().len(), 4);
                let queries = queries(example);
                let asked: HashSet<u32> = queries.iter().map(|&at| example.source[at]).collect();
                assert_eq!((queries.len(), asked.len()), (4, 4));
                for at in queries {
                    assert!(at >= 8 && at % 2 == 0);
                    assert_eq!(example.target[at], pairs[&example.source[at]]);
                }
                let blank = example
                    .source
                    .iter()
                    .filter(|&&id| word(id) == BLANK)
                    .count();
                assert!(if random_non_queries {
                    blank < 20
                } else {
                    blank == 64 - 12
                });
            }
        }
    }

    /// The first gap has weight 1, gap x the weight x^−0.99.
    #[test]
    fn gaps_follow_the_power_law_of_the_paper() {
        let found = weights(28);
        for (at, &weight) in found.iter().enumerate() {
            let expected = WEIGHT * ((at + 1) as f64).powf(POWER - 1.0);
            assert!(
                (f64::from(weight) - expected).abs() <= 1.0,
                "{at}: {weight}, {expected}"
            );
        }
        // With one pair, every gap is drawn as often as its weight says.
        let config = RecallConfig {
            pairs: 1,
            length: 18,
            examples: 20_000,
            ..small()
        };
        let mut drawn = [0.0; 8];
        for example in load(&config, 1).training() {
            drawn[(queries(example)[0] - 2) / 2] += 1.0;
        }
        let weights = weights(8);
        let sum = f64::from(weights.iter().sum::<u32>());
        for (count, weight) in drawn.into_iter().zip(weights) {
            let expected = 20_000.0 * f64::from(weight) / sum;
            assert!(
                (count - expected).abs() < 5.0 * expected.sqrt(),
                "{count}, {expected}"
            );
        }
    }

    #[test]
    fn held_out_sequences_are_new_and_a_seed_gives_the_same_ones() {
        let config = RecallConfig {
            vocabulary: 9,
            length: 8,
            pairs: 1,
            random_non_queries: false,
            examples: 500,
            held_out: 22,
            ..small()
        };
        let data = load(&config, 1);
        let learned: HashSet<_> = data.training().iter().map(|it| &it.source).collect();
        let held_out: HashSet<_> = data.validation().iter().map(|it| &it.source).collect();
        assert_eq!(held_out.len(), 22);
        assert!(learned.is_disjoint(&held_out));
        assert_eq!(data.training(), load(&config, 1).training());
        assert_ne!(data.training(), load(&config, 2).training());
        // Language models read the same sequences.
        let causal = RecallConfig {
            causal: true,
            ..config
        };
        assert_eq!(load(&causal, 1).training(), data.training());
    }

    #[test]
    fn what_cannot_be_is_refused_with_a_sentence() {
        let refused = |config: RecallConfig| config.validate().unwrap_err().to_string();
        let error = refused(RecallConfig {
            pairs: 17,
            ..small()
        });
        assert!(
            error.contains("`task.pairs` is 17") && error.contains("64"),
            "{error}"
        );
        let error = refused(RecallConfig {
            vocabulary: 64,
            ..small()
        });
        assert!(
            error.contains("`task.vocabulary` is 64") && error.contains("65"),
            "{error}"
        );
        let error = refused(RecallConfig {
            vocabulary: 9,
            length: 8,
            pairs: 1,
            ..small()
        });
        // 3 keys, 5 values, 3 gaps.
        assert!(error.contains("at most 22"), "{error}");
        let error = refused(RecallConfig {
            length: 1024,
            examples: 100_000,
            vocabulary: 8192,
            ..small()
        });
        assert!(error.contains("at most 65536"), "{error}");
    }
}
