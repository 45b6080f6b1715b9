//! The generated task `toy_reading`: questions on who found what, and where.
//!
//! A passage is 3 to 5 sentences like `anna found the red ball in the kitchen .`, in which no name,
//! no place and no coloured thing occurs twice. A question asks for the name, the thing or the
//! place in one of these sentences.
//!
//! With more than one link the answer follows from several facts: `chains`.

use std::collections::HashSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use strata_describe::{Description, Words, settings};
use strata_text::{Segmenter, Uploads, Vocabulary};

mod chains;

use super::data::AnswerLengths;
use super::{
    AnswerSpan, Passage, Question, ReadingData, ReadingFormat, ReadingLevel, ReadingLimits,
    ReadingTokenizer,
};
use crate::random::Random;
use crate::task::Task;
use crate::{Dataset, Examples, Facts, LeftOut, Pipeline, TaskError};

/// Most chains beside the asked one: with 4 links, 6 chains take all 24 names.
const MOST_DISTRACTORS: usize = 5;

settings! {
    /// Settings of the task `toy_reading`.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct ToyReadingConfig {
        /// Number of questions to learn from.
        #[title = "Examples"]
        #[help = "Questions to learn from."]
        pub examples: usize in 1..=100_000 = 10_000,
        /// Number of others to measure on.
        #[title = "Held out"]
        #[help = "Questions to measure on."]
        pub held_out: usize in 1..=10_000 = 500,
        /// Number of facts from which an answer follows.
        #[title = "Links"]
        #[help = "Facts from which an answer follows: with 2, who was given a thing, and where this person is."]
        pub links: usize in 1..=4 = 1,
        /// Number of chains of facts beside the asked one.
        #[title = "Distractors"]
        #[help = "Chains of facts on other things, where there are 2 links or more; with 1 link, passages have 2 to 4 other sentences."]
        pub distractors: usize in 0..=MOST_DISTRACTORS = 2,
    }
}

pub(crate) const DESCRIPTION: Description = Description {
    words: Words::new(
        "toy_reading",
        "Toy reading",
        "Find the answer to a question in a few sentences: who found what, and where.",
        "",
        "",
    ),
    settings: ToyReadingConfig::SETTINGS,
};

const NAMES: [&str; 8] = [
    "anna", "ben", "clara", "david", "emma", "felix", "greta", "henry",
];
/// Verbs in the past tense, which equals the participle.
const VERBS: [&str; 6] = ["found", "lost", "bought", "sold", "left", "kept"];
const COLOURS: [&str; 6] = ["red", "blue", "green", "yellow", "black", "white"];
const THINGS: [&str; 8] = ["ball", "book", "key", "cup", "hat", "lamp", "coat", "box"];
const PLACES: [&str; 8] = [
    "kitchen", "garden", "garage", "attic", "cellar", "office", "hall", "barn",
];
const OTHERS: [&str; 8] = ["who", "what", "where", "has", "the", "in", ".", "?"];

/// Number of tokens of a sentence.
const SENTENCE: usize = 9;

struct Sentence {
    name: &'static str,
    verb: &'static str,
    colour: &'static str,
    thing: &'static str,
    place: &'static str,
}

/// Draws a passage of single facts, a question, and the answer's first and last token.
fn draw(random: &mut Random) -> (String, String, [usize; 2]) {
    let count = 3 + random.below(3) as usize;
    let mut names = NAMES;
    let mut places = PLACES;
    let mut things: Vec<usize> = (0..COLOURS.len() * THINGS.len()).collect();
    random.shuffle(&mut names);
    random.shuffle(&mut places);
    random.shuffle(&mut things);
    let sentences: Vec<Sentence> = (0..count)
        .map(|at| Sentence {
            name: names[at],
            verb: VERBS[random.below(VERBS.len() as u32) as usize],
            colour: COLOURS[things[at] / THINGS.len()],
            thing: THINGS[things[at] % THINGS.len()],
            place: places[at],
        })
        .collect();
    let written = sentences.iter().map(|sentence| {
        let Sentence {
            name,
            verb,
            colour,
            thing,
            place,
        } = sentence;
        format!("{name} {verb} the {colour} {thing} in the {place} .")
    });
    let passage = written.collect::<Vec<_>>().join(" ");
    let at = random.below(count as u32) as usize;
    let Sentence {
        name,
        verb,
        colour,
        thing,
        ..
    } = sentences[at];
    let (question, [start, end]) = match random.below(3) {
        0 => (format!("who {verb} the {colour} {thing} ?"), [0, 0]),
        1 => (format!("what has {name} {verb} ?"), [2, 4]),
        _ => (
            format!("where has {name} {verb} the {colour} {thing} ?"),
            [5, 7],
        ),
    };
    let first = at * SENTENCE;
    (passage, question, [first + start, first + end])
}

/// Builds the tokenizer of the sentences; its vocabulary has all words, whatever the seed. Chains
/// have words of their own.
fn tokenizer(has_chains: bool) -> ReadingTokenizer {
    let mut lists: Vec<&[&str]> = vec![&OTHERS, &NAMES, &VERBS, &COLOURS, &THINGS, &PLACES];
    if has_chains {
        lists.extend([&chains::OTHER_NAMES[..], &chains::OTHER_WORDS]);
    }
    let letters = ('a'..='z').chain(".?".chars());
    ReadingTokenizer {
        level: ReadingLevel::Fine,
        lowercase: true,
        limits: ReadingLimits {
            passage: 400,
            question: 60,
            passages: 1,
        },
        vocabulary: Vocabulary::of_distinct(lists.concat()),
        characters: Vocabulary::of_distinct(letters),
    }
}

impl ToyReadingConfig {
    /// Draws a passage, a question, and the answer's first and last token.
    fn draw(&self, random: &mut Random) -> (String, String, [usize; 2]) {
        if self.links == 1 {
            return draw(random);
        }
        let mut names = [&NAMES[..], &chains::OTHER_NAMES].concat();
        let drawn = chains::draw(random, self.links, self.distractors, &mut names);
        (drawn.passage, drawn.question, drawn.answer)
    }

    /// Draws different questions by `seed`: first the held-out ones, then the training ones.
    fn questions(&self, seed: u64) -> ReadingData {
        let tokenizer = tokenizer(self.links > 1);
        let mut random = Random::new(seed, "toy reading", 0);
        let mut seen = HashSet::new();
        let mut validation = Vec::with_capacity(self.held_out + self.examples);
        while validation.len() < self.held_out + self.examples {
            let (passage, question, [start, end]) = self.draw(&mut random);
            if !seen.insert((passage.clone(), question.clone())) {
                continue;
            }
            let target = AnswerSpan {
                passage: 0,
                start,
                end,
            };
            let mut asked = Question {
                id: validation.len().to_string(),
                question: tokenizer.text(&question),
                passages: vec![Passage::whole(Arc::new(tokenizer.text(&passage)), 0)],
                target: Some(target),
                answers: Vec::new(),
            };
            asked.answers.push(asked.answer(target).to_owned());
            validation.push(asked);
        }
        let training = validation.split_off(self.held_out);
        let mut lengths = AnswerLengths::default();
        training.iter().for_each(|it| lengths.add(it));
        ReadingData {
            usual_answer: lengths.usual(),
            training,
            validation,
            tested: 0,
            format: ReadingFormat::Squad,
            tokenizer,
            vectors: None,
        }
    }
}

impl Task for ToyReadingConfig {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn load(&self, seed: u64, _: &Uploads) -> Result<Dataset, TaskError> {
        Ok(Dataset::of_questions(
            self.questions(seed),
            Facts::default(),
        ))
    }

    fn pipeline(&self) -> Pipeline {
        Pipeline::QuestionAnswering
    }
}

impl Dataset {
    /// Builds the data of a task of questions.
    pub(crate) fn of_questions(reading: ReadingData, facts: Facts) -> Self {
        let vocabulary = reading.tokenizer.vocabulary.clone();
        Self {
            source_segmenter: Segmenter::of_words(),
            target_segmenter: Segmenter::of_words(),
            source_vocabulary: vocabulary.clone(),
            target_vocabulary: vocabulary,
            examples: Examples::QuestionAnswering(reading),
            stored: None,
            identities: None,
            dropped: LeftOut::default(),
            facts,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use strata_text::special::UNK;

    fn data(seed: u64) -> ReadingData {
        let config = ToyReadingConfig {
            examples: 3000,
            held_out: 200,
            ..ToyReadingConfig::default()
        };
        config
            .load(seed, &Uploads::default())
            .unwrap()
            .examples
            .into_questions()
            .unwrap()
    }

    #[test]
    fn every_question_has_one_answer_and_it_stands_where_the_target_says() {
        let data = data(1);
        assert_eq!((data.training.len(), data.validation.len()), (3000, 200));
        let mut asked = [0; 3];
        for question in data.training.iter().chain(&data.validation) {
            let passage = question.passages[0].paragraph.text();
            let text = question.question.text();
            let sentences: Vec<&str> = passage.split_inclusive(" . ").map(str::trim).collect();
            assert!((3..=5).contains(&sentences.len()), "{passage}");
            let words: Vec<&str> = text.split(' ').collect();
            let told = sentences.iter().filter_map(|sentence| {
                let told: Vec<&str> = sentence.split(' ').collect();
                match words[..] {
                    ["who", verb, _, colour, thing, _] => (told[1] == verb
                        && told[3..5] == [colour, thing])
                    .then(|| (0, told[..1].join(" "))),
                    ["what", _, name, verb, _] => {
                        (told[..2] == [name, verb]).then(|| (1, told[2..5].join(" ")))
                    }
                    ["where", _, name, verb, _, colour, thing, _] => (told[..2] == [name, verb]
                        && told[3..5] == [colour, thing])
                    .then(|| (2, told[5..8].join(" "))),
                    _ => panic!("{text}"),
                }
            });
            let told: Vec<_> = told.collect();
            assert_eq!(told.len(), 1, "{passage} {text}");
            asked[told[0].0] += 1;
            assert_eq!(question.answers, [told[0].1.as_str()]);
            assert_eq!(question.answer(question.target.unwrap()), told[0].1);
        }
        assert!(asked.iter().all(|&count| count > 900), "{asked:?}");
    }

    #[test]
    fn held_out_is_new_and_every_word_known() {
        let data = data(2);
        let texts = |question: &Question| {
            let passage = question.passages[0].paragraph.text().to_owned();
            (passage, question.question.text().to_owned())
        };
        let trained: HashSet<_> = data.training.iter().map(texts).collect();
        assert_eq!(trained.len(), 3000);
        for question in &data.validation {
            assert!(!trained.contains(&texts(question)));
            assert!(!question.question.ids().contains(&UNK));
            assert!(!question.passages[0].ids().contains(&UNK));
        }
        assert_eq!(data.usual_answer, 3);
    }

    fn chained(links: usize, distractors: usize) -> ReadingData {
        let config = ToyReadingConfig {
            examples: 1000,
            held_out: 200,
            links,
            distractors,
        };
        let data = config.load(1, &Uploads::default()).unwrap();
        data.examples.into_questions().unwrap()
    }

    /// Follows the facts from the asked thing to the place, as a reader must.
    #[test]
    fn the_answer_follows_from_as_many_facts_as_there_are_links() {
        for links in 2..=4 {
            for distractors in [0, 1, MOST_DISTRACTORS] {
                let data = chained(links, distractors);
                let mut last = 0;
                for question in data.training.iter().chain(&data.validation) {
                    let passage = question.passages[0].paragraph.text();
                    let facts: Vec<Vec<&str>> = passage
                        .split_inclusive(" .")
                        .map(|fact| fact.split_whitespace().collect())
                        .collect();
                    assert_eq!(facts.len(), links * (1 + distractors), "{passage}");
                    let asked: Vec<&str> = question.question.text().split(' ').collect();
                    let [at] = facts
                        .iter()
                        .enumerate()
                        .filter(|(_, fact)| fact[1] == "gave" && fact[3..5] == asked[3..5])
                        .map(|(at, _)| at)
                        .collect::<Vec<_>>()[..]
                    else {
                        panic!("{passage}")
                    };
                    let (mut holder, mut read) = (facts[at][6], 1);
                    let place = loop {
                        let fact = facts
                            .iter()
                            .find(|fact| fact[0] == holder && fact[1] == "is");
                        let fact = fact.unwrap();
                        read += 1;
                        match fact[2] {
                            "with" => holder = fact[3],
                            _ => break fact[2..5].join(" "),
                        }
                    };
                    assert_eq!(read, links);
                    assert_eq!(question.answers, [place.as_str()]);
                    assert_eq!(question.answer(question.target.unwrap()), place);
                    assert!(!question.question.ids().contains(&UNK));
                    assert!(!question.passages[0].ids().contains(&UNK));
                    last += usize::from(passage.ends_with(&format!("{place} .")));
                }
                // The place does not stand last more often than by chance.
                let expected = 1200 / (links * (1 + distractors));
                assert!(last < expected * 3 / 2, "{last} of {expected}");
            }
        }
    }

    #[test]
    fn held_out_chains_are_new() {
        let data = chained(2, 0);
        let text = |question: &Question| question.passages[0].paragraph.text().to_owned();
        let learned: HashSet<_> = data.training.iter().map(text).collect();
        assert!(
            data.validation
                .iter()
                .all(|it| !learned.contains(&text(it)))
        );
        // Written down once, like the questions below.
        assert_eq!(data.fingerprint(), 9_301_744_061_664_868_251);
    }

    /// The expected questions were written down once: the seed must give the same ones on every
    /// platform.
    #[test]
    fn questions_are_pinned() {
        let first = &data(3).validation[0];
        assert_eq!(first.question.text(), "where has clara found the red hat ?");
        assert_eq!(data(3).fingerprint(), 4_624_747_869_434_679_563);
        assert_ne!(data(3).fingerprint(), data(4).fingerprint());
    }
}
