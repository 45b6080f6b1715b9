//! Task `hops`: follow arrows from place to place.
//!
//! The source is a permutation p of n places: token i is the name of p(i), the place to which place
//! i points. The target is pᵏ: token i is the name of the place that k arrows lead to. If each row
//! of an attention matrix A points, A V brings to place i what stands at p(i), and Aᵏ V what k
//! arrows lead to.
//!
//! A permutation is held out or learned from by its own hash, so that the held-out permutations of
//! one number of hops are those of every other.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use strata_describe::{Description, Words, options, settings};
use strata_text::{Uploads, Vocabulary, special};

mod permutation;
#[cfg(test)]
mod tests;

use crate::generated::drawn;
use crate::generated::symbols::symbol;
use crate::identity::identity_of_all;
use crate::random::Random;
use crate::task::Task;
use crate::{
    Dataset, Example, Examples, Facts, Identities, SequenceExamples, TaskError, WholeRange,
};
use permutation::{Permutation, available};

const MOST_PLACES: usize = 64;

options! {
    /// Cycles of a random permutation.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Cycles {
        /// The arrows lead through all places before they come back.
        #[title = "One"]
        One = "one",
        /// Any permutation. Short cycles leak: many arrows often lead back to the start.
        #[title = "Any"]
        Any = "any",
    }
}

settings! {
    /// Settings of the task `hops`.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct HopsConfig {
        /// Number n of places.
        #[title = "Places"]
        #[help = "How many places there are; an arrow leads from each to another one."]
        #[formula = "n"]
        pub places: usize in 3..=MOST_PLACES = 12,
        /// Cycles of the arrows.
        #[title = "Cycles"]
        #[help = "Whether the arrows lead through all places before they come back."]
        pub cycles: Cycles = Cycles::One,
        /// Number k of arrows to follow, or a range.
        #[title = "Hops"]
        #[help = "How many arrows to follow, at most as many as there are places. A range such as 2..5 draws the number for each batch, or with `ask` for each sample."]
        #[formula = "k"]
        pub hops: WholeRange in 1..=MOST_PLACES = WholeRange::one(2),
        /// True if the source says how many arrows to follow.
        #[title = "Ask"]
        #[help = "The number of hops stands before the source, as the token +2, and before the target, where it is counted like the places."]
        pub ask: bool = false,
        /// Permutations to learn from.
        #[title = "Examples"]
        pub examples: usize in 1..=200_000 = 20_000,
        /// Permutations to measure on.
        #[title = "Held out"]
        pub held_out: usize in 1..=10_000 = 500,
    }
}

pub(crate) const DESCRIPTION: Description = Description {
    words: Words::new(
        "hops",
        "Hops",
        "Follow arrows from place to place: each level of attention can follow one more.",
        "yᵢ = pᵏ(i)",
        "",
    ),
    settings: HopsConfig::SETTINGS,
};

/// Permutations with the number of hops of each.
type Drawn = Vec<(Permutation, u64)>;

impl HopsConfig {
    /// Returns the place, from 0, that each token of a source or target names; `None` for a token
    /// that names none. The number of hops before the places is left out.
    pub fn named_places(&self, tokens: &[u32]) -> Vec<Option<usize>> {
        let first = special::TEXTS.len();
        let place = |&token: &u32| {
            let place = (token as usize).checked_sub(first)?;
            (place < self.places).then_some(place)
        };
        let named = tokens.iter().skip(self.tokens_before());
        named.map(place).collect()
    }

    /// Number of tokens before the places of a source or target.
    pub fn tokens_before(&self) -> usize {
        usize::from(self.ask)
    }

    /// Returns the name of a place, counted from 0.
    pub fn name_of(&self, place: usize) -> String {
        symbol(place)
    }

    /// Draws the permutations: first the held-out ones, all different, then those to learn from.
    /// Permutations and numbers of hops have streams of their own, so that another number of hops
    /// changes no permutation.
    fn draw(&self, seed: u64) -> [Drawn; 2] {
        let mut random = Random::new(seed, DESCRIPTION.words.name, 0);
        let mut numbers = Random::new(seed, DESCRIPTION.words.name, 1);
        let (first, count) = (self.hops.first(), self.hops.last() - self.hops.first() + 1);
        let mut with_hops = |permutation| {
            let hops = first + u64::from(numbers.below(count as u32));
            (permutation, hops)
        };
        let mut seen = HashSet::new();
        let mut validation = Vec::with_capacity(self.held_out);
        while validation.len() < self.held_out {
            let permutation = Permutation::draw(self.places, self.cycles, &mut random);
            if permutation.is_held_out() && seen.insert(permutation.clone()) {
                validation.push(with_hops(permutation));
            }
        }
        let mut training = Vec::with_capacity(self.examples);
        while training.len() < self.examples {
            let permutation = Permutation::draw(self.places, self.cycles, &mut random);
            if !permutation.is_held_out() {
                training.push(with_hops(permutation));
            }
        }
        [training, validation]
    }

    /// Vocabulary: the names of the places, then, with `ask`, the numbers of hops.
    fn vocabulary(&self) -> Vocabulary {
        let names = (0..self.places).map(symbol);
        let numbers = (1..=self.places).map(|hops| format!("+{hops}"));
        let asked = if self.ask { self.places } else { 0 };
        Vocabulary::of_distinct(names.chain(numbers.take(asked)))
    }

    fn example(&self, permutation: &Permutation, hops: u64) -> Example {
        let first = special::TEXTS.len() as u32;
        let number = first + self.places as u32 + hops as u32 - 1;
        let sequence = |places: &[u32]| {
            let asked = self.ask.then_some(number).into_iter();
            asked
                .chain(places.iter().map(|place| first + place))
                .collect()
        };
        Example {
            source: sequence(&permutation.pointers),
            target: sequence(&permutation.power(hops)),
        }
    }
}

impl Task for HopsConfig {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn validate(&self) -> Result<(), TaskError> {
        let Self {
            places, held_out, ..
        } = *self;
        if self.hops.last() > places as u64 {
            return Err(TaskError::TooManyHops {
                hops: self.hops,
                places,
            });
        }
        match available(places, self.cycles) {
            Some([available, _]) if available < held_out => Err(TaskError::TooFewPermutations {
                available,
                held_out,
            }),
            _ => Ok(()),
        }
    }

    fn load(&self, seed: u64, _: &Uploads) -> Result<Dataset, TaskError> {
        let vocabulary = self.vocabulary();
        let [training, validation] = self.draw(seed);
        let identity = |(permutation, _): &(Permutation, u64)| {
            let names: Vec<String> = permutation
                .pointers
                .iter()
                .map(|&place| symbol(place as usize))
                .collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            identity_of_all(&names)
        };
        let identities = Identities::of(
            training.iter().map(identity),
            validation.iter().map(identity),
        );
        let examples = |drawn: &Drawn| -> Vec<Example> {
            let of_one =
                |(permutation, hops): &(Permutation, u64)| self.example(permutation, *hops);
            drawn.iter().map(of_one).collect()
        };
        let mixes = !self.ask && !self.hops.is_one();
        let mut facts = Facts::default();
        facts.remarks.extend(mixes.then(|| {
            format!(
                "Each batch has its own number of hops ({}), which the sources do not tell: only a \
                 model whose levels change with the batch can learn all of them; `task.ask=true` \
                 tells.",
                self.hops
            )
        }));
        let examples = Examples::Translation(SequenceExamples {
            groups: if mixes {
                training.iter().map(|(_, hops)| *hops as u32).collect()
            } else {
                Vec::new()
            },
            training: examples(&training),
            validation: examples(&validation),
            ..SequenceExamples::default()
        });
        Ok(Dataset {
            facts,
            ..drawn::dataset(vocabulary, examples, identities)
        })
    }
}
