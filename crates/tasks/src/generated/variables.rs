//! Task `variables`: a text for language models, in which a chain of assignments must be followed.
//!
//! A line such as `b = 7 ; c = b ; a = c ; a ? 7` states in shuffled order what variables are, then
//! asks for one. The chain of the asked variable has 1 to `links` assignments; others distract. A
//! segment holds whole lines.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use strata_describe::{Description, Words, settings};
use strata_text::{
    Segmenter, Uploads, Vocabulary,
    special::{EOS, PAD},
};

use crate::generated::drawn;
use crate::random::Random;
use crate::task::Task;
use crate::text::identities_of_lines;
use crate::{Dataset, Example, Examples, Identities, Pipeline, SequenceExamples, TaskError};

/// Names of variables, `a` to `z`.
const NAMES: usize = 26;
/// Number of values, 0 to 9.
const VALUES: usize = 10;
/// Tokens of an assignment, with the mark at the end.
const ASSIGNMENT: usize = 4;
/// Tokens of the question, with answer and line end.
const QUESTION: usize = 4;

settings! {
    /// Settings of the task `variables`.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct VariablesConfig {
        /// Most assignments between a question and the answer.
        #[title = "Links"]
        #[help = "Most assignments from the asked variable to its value; each line draws 1 to this number."]
        pub links: usize in 1..=12 = 3,
        /// Other assignments of a line.
        #[title = "Distractors"]
        #[help = "Assignments of other variables in each line, which the answer does not need."]
        pub distractors: usize in 0..=14 = 2,
        /// True if only answers are learned and measured.
        #[title = "Answers only"]
        #[help = "Loss and accuracy count the answers alone; off, every token."]
        pub answers_only: bool = false,
        /// Lines to learn from.
        #[title = "Examples"]
        pub examples: usize in 1..=200_000 = 20_000,
        /// Lines to measure on.
        #[title = "Held out"]
        pub held_out: usize in 1..=10_000 = 500,
        /// Tokens of a segment.
        #[title = "Segment length"]
        #[help = "Most tokens that are read at once; a segment holds as many whole lines as fit."]
        pub segment_length: usize in 8..=1000 = 64,
    }
}

pub(crate) const DESCRIPTION: Description = Description {
    words: Words::new(
        "variables",
        "Variables",
        "Write on lines that assign variables and ask for one: b = 7 ; c = b ; c ? 7. For language models.",
        "",
        "",
    ),
    settings: VariablesConfig::SETTINGS,
};

impl VariablesConfig {
    /// Tokens of the longest line, with the end.
    fn longest(&self) -> usize {
        (self.links + self.distractors) * ASSIGNMENT + QUESTION
    }

    /// Smallest number of different lines: lines whose distractors are all values.
    fn lines(&self) -> usize {
        let of_chain = |links: usize| {
            let names = (0..links).map(|drawn| NAMES - drawn);
            let values = (0..=self.distractors).map(|_| VALUES);
            names.chain(values).fold(1, usize::saturating_mul)
        };
        (1..=self.links)
            .map(of_chain)
            .fold(0, usize::saturating_add)
    }

    /// Draws a line, without the end.
    fn draw(&self, random: &mut Random) -> String {
        let mut names: Vec<char> = ('a'..='z').collect();
        random.shuffle(&mut names);
        let links = 1 + random.below(self.links as u32) as usize;
        let value = random.below(VALUES as u32);
        let mut assignments = vec![format!("{} = {value} ;", names[0])];
        for at in 1..links {
            assignments.push(format!("{} = {} ;", names[at], names[at - 1]));
        }
        let asked = names[links - 1];
        for at in links..links + self.distractors {
            // Half of them have a value, the others are what some variable before them is.
            assignments.push(if random.chance(50) {
                format!("{} = {} ;", names[at], random.below(VALUES as u32))
            } else {
                let other = random.below(at as u32) as usize;
                format!("{} = {} ;", names[at], names[other])
            });
        }
        random.shuffle(&mut assignments);
        format!("{} {asked} ? {value}", assignments.join(" "))
    }

    /// Draws the lines: first the held-out ones, which all differ, then others to learn from.
    fn draw_lines(&self, seed: u64) -> [Vec<String>; 2] {
        let mut random = Random::new(seed, DESCRIPTION.words.name, 0);
        let mut seen = HashSet::new();
        let mut held_out = Vec::with_capacity(self.held_out);
        while held_out.len() < self.held_out {
            let line = self.draw(&mut random);
            if seen.insert(line.clone()) {
                held_out.push(line);
            }
        }
        let mut training = Vec::with_capacity(self.examples);
        while training.len() < self.examples {
            let line = self.draw(&mut random);
            if !seen.contains(&line) {
                training.push(line);
            }
        }
        [training, held_out]
    }

    /// Cuts lines into segments of whole lines.
    fn segments(&self, lines: &[String], vocabulary: &Vocabulary) -> Vec<Example> {
        let segmenter = Segmenter::of_words();
        let mut segments = Vec::new();
        let mut text = Vec::new();
        for line in lines {
            let start = text.len();
            segmenter.each_token(line, &mut |token| text.push(vocabulary.id(token)));
            text.push(EOS);
            if text.len() > self.segment_length {
                let rest = text.split_off(start);
                segments.push(self.segment(&text, vocabulary));
                text = rest;
            }
        }
        segments.push(self.segment(&text, vocabulary));
        segments
    }

    /// Makes a segment of whole lines. With `answers_only`, all tokens but the answers are [`PAD`] in
    /// the target, which is not counted.
    fn segment(&self, text: &[u32], vocabulary: &Vocabulary) -> Example {
        let asks = vocabulary.id("?");
        let source = [&[EOS], &text[..text.len() - 1]].concat();
        let counts = |read: u32| !self.answers_only || read == asks;
        let target = source.iter().zip(text);
        let target = target.map(|(&read, &next)| if counts(read) { next } else { PAD });
        Example {
            target: target.collect(),
            source,
        }
    }
}

fn vocabulary() -> Vocabulary {
    let names = ('a'..='z').map(String::from);
    let values = (0..VALUES).map(|value| value.to_string());
    let marks = ["=", ";", "?"].map(str::to_owned).into_iter();
    Vocabulary::of_distinct(names.chain(values).chain(marks))
}

impl Task for VariablesConfig {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn validate(&self) -> Result<(), TaskError> {
        let longest = self.longest();
        if longest > self.segment_length {
            return Err(TaskError::ShortSegments {
                segment_length: self.segment_length,
                longest,
            });
        }
        let available = self.lines() / 2;
        if available < self.held_out {
            return Err(TaskError::TooFewToHoldOut {
                task: DESCRIPTION.words.name,
                available,
                held_out: self.held_out,
                raise: "links",
            });
        }
        Ok(())
    }

    fn load(&self, seed: u64, _: &Uploads) -> Result<Dataset, TaskError> {
        let vocabulary = vocabulary();
        let [training, held_out] = self.draw_lines(seed);
        let examples = Examples::TextGeneration(SequenceExamples {
            training: self.segments(&training, &vocabulary),
            validation: self.segments(&held_out, &vocabulary),
            ..SequenceExamples::default()
        });
        let identities = |lines: &[String]| identities_of_lines(lines.iter().map(String::as_str));
        let identities = Identities {
            held_out: identities(&held_out),
            ..Identities::of(identities(&training).into_iter().flatten(), [])
        };
        Ok(drawn::dataset(vocabulary, examples, identities))
    }

    fn pipeline(&self) -> Pipeline {
        Pipeline::TextGeneration
    }

    /// Sets marks apart: `b=7;b?` as `b = 7 ; b ?`.
    fn normalise(&self, text: &str) -> String {
        let mut normal = String::with_capacity(text.len() * 2);
        for character in text.to_lowercase().chars() {
            if "=;?".contains(character) {
                normal.extend([' ', character, ' ']);
            } else {
                normal.push(character);
            }
        }
        normal
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::HashMap;

    use super::*;
    use crate::TaskConfig;

    fn small() -> VariablesConfig {
        VariablesConfig {
            examples: 2000,
            held_out: 300,
            ..VariablesConfig::default()
        }
    }

    fn load(config: &VariablesConfig, seed: u64) -> Dataset {
        let task = TaskConfig::Variables(config.clone());
        task.load(seed, &Uploads::default()).unwrap()
    }

    /// Lines of a text, as tokens.
    fn lines(data: &Dataset, segments: &[Example]) -> Vec<Vec<String>> {
        let word = |&id: &u32| data.target_vocabulary.token(id).to_owned();
        let ids: Vec<u32> = segments.iter().flat_map(|it| it.target.clone()).collect();
        let lines = ids.split_inclusive(|&id| id == EOS);
        lines
            .map(|line| line[..line.len() - 1].iter().map(word).collect())
            .collect()
    }

    /// Follows the asked variable; returns the number of assignments and the value.
    fn followed(line: &[String]) -> (usize, &str) {
        let (told, asked) = line.split_at(line.len() - 3);
        let is: HashMap<&str, &str> = told.chunks(4).map(|it| (&*it[0], &*it[2])).collect();
        assert_eq!(is.len() * 4, told.len(), "{line:?}");
        let (mut at, mut links) = (&*asked[0], 0);
        while let Some(next) = is.get(at) {
            at = next;
            links += 1;
        }
        (links, at)
    }

    #[test]
    fn the_answer_is_what_the_chain_leads_to() {
        let data = load(&small(), 1);
        let mut chains = HashMap::new();
        let mut first = 0;
        let all = [
            lines(&data, data.training()),
            lines(&data, data.validation()),
        ];
        assert_eq!(all.each_ref().map(Vec::len), [2000, 300]);
        for line in all.iter().flatten() {
            let (links, value) = followed(line);
            assert_eq!(line[line.len() - 1], value, "{line:?}");
            assert_eq!(line.len(), (links + 2) * 4 + 3);
            *chains.entry(links).or_insert(0) += 1;
            first += usize::from(line[0] == line[line.len() - 3]);
        }
        assert_eq!(chains.len(), 3);
        assert!(chains.values().all(|&count| count > 600), "{chains:?}");
        // Assignments are shuffled: the asked one comes first in a part of the lines.
        assert!((300..1000).contains(&first), "{first}");
    }

    #[test]
    fn held_out_lines_are_new_and_a_seed_gives_the_same_ones() {
        let [training, held_out] = small().draw_lines(1);
        let learned: HashSet<_> = training.iter().collect();
        assert!(held_out.iter().all(|line| !learned.contains(line)));
        assert_eq!(held_out.iter().collect::<HashSet<_>>().len(), 300);
        assert_eq!(small().draw_lines(1), [training, held_out.clone()]);
        assert_ne!(small().draw_lines(2)[1], held_out);
    }

    #[test]
    fn segments_hold_whole_lines() {
        let data = load(&small(), 1);
        for segment in data.training() {
            assert!(segment.target.len() <= 64);
            assert_eq!(
                (segment.source[0], segment.target.last()),
                (EOS, Some(&EOS))
            );
            assert_eq!(
                segment.source[1..],
                segment.target[..segment.target.len() - 1]
            );
        }
    }

    #[test]
    fn of_answers_only_the_answers_are_counted() {
        let whole = load(&small(), 1);
        let config = VariablesConfig {
            answers_only: true,
            ..small()
        };
        let data = load(&config, 1);
        let asks = data.source_vocabulary.id("?");
        for (segment, whole) in data.training().iter().zip(whole.training()) {
            assert_eq!(segment.source, whole.source);
            for ((&read, &counted), &next) in segment
                .source
                .iter()
                .zip(&segment.target)
                .zip(&whole.target)
            {
                assert_eq!(counted, if read == asks { next } else { PAD });
            }
        }
    }

    #[test]
    fn what_cannot_be_is_refused_with_a_sentence() {
        let refused = |config: VariablesConfig| config.validate().unwrap_err().to_string();
        let error = refused(VariablesConfig {
            segment_length: 20,
            ..small()
        });
        assert!(
            error.contains("`task.segment_length` is 20") && error.contains("24"),
            "{error}"
        );
        let one = VariablesConfig {
            links: 1,
            distractors: 0,
            ..small()
        };
        let error = refused(one.clone());
        assert!(error.contains("at most 130"), "{error}");
        let most = VariablesConfig {
            held_out: 130,
            ..one
        };
        assert_eq!(
            lines(&load(&most, 1), load(&most, 1).validation()).len(),
            130
        );
        // The largest settings have enough names.
        let large = VariablesConfig {
            links: 12,
            distractors: 14,
            segment_length: 200,
            ..small()
        };
        assert_eq!(
            lines(&load(&large, 1), load(&large, 1).training()).len(),
            2000
        );
    }

    #[test]
    fn marks_need_no_spaces() {
        let config = VariablesConfig::default();
        let normal = config.normalise("B=7;c = b ;c?");
        assert_eq!(
            Segmenter::of_words().split(&normal).join(" "),
            "b = 7 ; c = b ; c ?"
        );
    }
}
