//! Task `needle`: find the marked block of a long source.
//!
//! The source is cut into blocks, each begun by `|`; one block has the mark `*` behind this token.
//! The target is what follows the mark. Pyramids read such sources block by block.

use serde::{Deserialize, Serialize};
use strata_describe::{Description, Words, settings};
use strata_text::{Uploads, Vocabulary, special::TEXTS};

use crate::generated::drawn;
use crate::generated::symbols::{MAXIMUM_SYMBOLS, symbol};
use crate::random::Random;
use crate::task::Task;
use crate::{Dataset, Example, Examples, TaskError};

/// Token that begins a block.
const BEGIN: &str = "|";
/// Token that marks a block.
const MARK: &str = "*";

settings! {
    /// Settings of the task `needle`.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct NeedleConfig {
        /// Tokens of a source.
        #[title = "Length"]
        #[help = "Tokens of a source."]
        pub length: usize in 256..=16_384 = 256,
        /// Tokens of a block.
        #[title = "Block"]
        #[help = "Tokens of a block, with the token | that begins it."]
        pub block: usize in 4..=256 = 16,
        /// Tokens of a target.
        #[title = "Answer"]
        #[help = "Tokens behind the mark that the model must write."]
        pub answer: usize in 1..=64 = 3,
        /// Size of the alphabet.
        #[title = "Symbols"]
        #[help = "Size of the alphabet."]
        pub symbols: usize in 2..=MAXIMUM_SYMBOLS = 20,
        /// Sources to learn from.
        #[title = "Examples"]
        pub examples: usize in 1..=200_000 = 10_000,
        /// Sources to measure on.
        #[title = "Held out"]
        pub held_out: usize in 1..=10_000 = 500,
    }
}

pub(crate) const DESCRIPTION: Description = Description {
    words: Words::new(
        "needle",
        "Needle",
        "Find the marked block of a long source and write down what follows the mark.",
        "",
        "",
    ),
    settings: NeedleConfig::SETTINGS,
};

impl NeedleConfig {
    fn draw(&self, random: &mut Random) -> Example {
        let begin = TEXTS.len() as u32;
        let [mark, first] = [begin + 1, begin + 2];
        let marked = random.below((self.length / self.block) as u32) as usize * self.block + 1;
        let token = |at: usize| match at % self.block {
            0 => begin,
            _ if at == marked => mark,
            _ => first + random.below(self.symbols as u32),
        };
        let source: Vec<u32> = (0..self.length).map(token).collect();
        let target = source[marked + 1..][..self.answer].to_vec();
        Example { source, target }
    }
}

impl Task for NeedleConfig {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn validate(&self) -> Result<(), TaskError> {
        if self.answer + 2 > self.block {
            return Err(TaskError::LongAnswer {
                answer: self.answer,
                block: self.block,
            });
        }
        let examples = self.examples + self.held_out;
        drawn::check_tokens(DESCRIPTION.words.name, examples, self.length)
    }

    fn load(&self, seed: u64, _: &Uploads) -> Result<Dataset, TaskError> {
        let mut random = Random::new(seed, DESCRIPTION.words.name, 0);
        let draw = || self.draw(&mut random);
        let examples = drawn::held_out_first(self.examples, self.held_out, draw);
        let marks = [BEGIN, MARK].map(str::to_owned).into_iter();
        let vocabulary = Vocabulary::of_distinct(marks.chain((0..self.symbols).map(symbol)));
        let identities = drawn::identities(&vocabulary, &examples);
        Ok(drawn::dataset(
            vocabulary,
            Examples::Translation(examples),
            identities,
        ))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::HashSet;

    use super::*;
    use crate::TaskConfig;

    fn load(config: &NeedleConfig, seed: u64) -> Dataset {
        let task = TaskConfig::Needle(config.clone());
        task.load(seed, &Uploads::default()).unwrap()
    }

    #[test]
    fn the_target_follows_the_only_mark_within_its_block() {
        for (length, block, answer) in [(256, 16, 3), (300, 7, 5), (260, 256, 64)] {
            let config = NeedleConfig {
                length,
                block,
                answer,
                examples: 300,
                held_out: 50,
                ..NeedleConfig::default()
            };
            let data = load(&config, 1);
            assert_eq!((data.training().len(), data.validation().len()), (300, 50));
            let mut blocks = HashSet::new();
            for example in data.training().iter().chain(data.validation()) {
                assert_eq!(example.source.len(), length);
                let places = |token: &str| -> Vec<usize> {
                    let id = data.source_vocabulary.id(token);
                    let of_token = |&at: &usize| example.source[at] == id;
                    (0..length).filter(of_token).collect()
                };
                assert_eq!(
                    places(BEGIN),
                    (0..length).step_by(block).collect::<Vec<_>>()
                );
                let [mark] = places(MARK)[..] else { panic!() };
                assert_eq!(mark % block, 1);
                assert_eq!(example.target, example.source[mark + 1..][..answer]);
                assert!(mark + answer < length && mark % block + answer < block);
                blocks.insert(mark / block);
            }
            assert_eq!(blocks.len(), length / block);
        }
    }

    #[test]
    fn held_out_sources_are_new_and_a_seed_gives_the_same_ones() {
        let config = NeedleConfig {
            examples: 500,
            held_out: 100,
            ..NeedleConfig::default()
        };
        let data = load(&config, 1);
        let learned: HashSet<_> = data.training().iter().map(|it| &it.source).collect();
        assert!(
            data.validation()
                .iter()
                .all(|it| !learned.contains(&it.source))
        );
        assert_eq!(data.training(), load(&config, 1).training());
        assert_ne!(data.training(), load(&config, 2).training());
    }

    #[test]
    fn what_cannot_be_is_refused_with_a_sentence() {
        let refused = |config: NeedleConfig| config.validate().unwrap_err().to_string();
        let error = refused(NeedleConfig {
            block: 8,
            answer: 7,
            ..NeedleConfig::default()
        });
        assert!(
            error.contains("`task.answer` is 7") && error.contains("at most 6"),
            "{error}"
        );
        let error = refused(NeedleConfig {
            length: 16_384,
            examples: 200_000,
            ..NeedleConfig::default()
        });
        assert!(error.contains("at most 4096"), "{error}");
    }
}
