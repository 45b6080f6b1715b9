//! Task `sentences`: a language model of toy English, the English side of the toy German.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use strata_describe::{Description, Words, settings};
use strata_text::{Segmenter, Uploads, special::EOS};

use crate::generated::german_english::{self, LANGUAGE};
use crate::random::Random;
use crate::task::Task;
use crate::text::{identities_of_lines, in_segments};
use crate::{Dataset, Examples, Facts, Identities, LeftOut, Pipeline, SequenceExamples, TaskError};

settings! {
    /// Settings of the task `sentences`.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct SentencesConfig {
        /// Sentences to learn from.
        #[title = "Examples"]
        pub examples: usize in 1..=200_000 = 20_000,
        /// Sentences to measure on.
        #[title = "Held out"]
        pub held_out: usize in 1..=20_000 = 500,
        /// Tokens of a segment.
        #[title = "Segment length"]
        #[help = "Words that are read at once; gradients reach no further back."]
        pub segment_length: usize in 1..=1000 = 32,
    }
}

pub(crate) const DESCRIPTION: Description = Description {
    words: Words::new(
        "sentences",
        "English sentences",
        "Write a toy English on, for language models: what begins a sentence decides its end.",
        "",
        "",
    ),
    settings: SentencesConfig::SETTINGS,
};

impl Task for SentencesConfig {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn load(&self, seed: u64, _: &Uploads) -> Result<Dataset, TaskError> {
        let [_, vocabulary] = LANGUAGE.vocabularies();
        let segmenter = Segmenter::of_words();
        let drawn = (LANGUAGE.sentences)(Random::new(seed, DESCRIPTION.words.name, 0));
        let mut seen = HashSet::new();
        let distinct = drawn
            .map(|(_, english)| english)
            .filter(|it| seen.insert(it.clone()));
        let sentences: Vec<String> = distinct.take(self.held_out + self.examples).collect();
        let segments = |sentences: &[String]| {
            let mut ids = Vec::new();
            for sentence in sentences {
                segmenter.each_token(sentence, &mut |token| ids.push(vocabulary.id(token)));
                ids.push(EOS);
            }
            in_segments(&ids, self.segment_length)
        };
        let (held_out, training) = sentences.split_at(self.held_out);
        let identities =
            |sentences: &[String]| identities_of_lines(sentences.iter().map(String::as_str));
        Ok(Dataset {
            examples: Examples::TextGeneration(SequenceExamples {
                training: segments(training),
                validation: segments(held_out),
                ..SequenceExamples::default()
            }),
            stored: None,
            source_segmenter: segmenter.clone(),
            target_segmenter: segmenter.clone(),
            source_vocabulary: vocabulary.clone(),
            target_vocabulary: vocabulary.clone(),
            dropped: LeftOut::default(),
            facts: Facts::default(),
            identities: Some(Identities {
                held_out: identities(held_out),
                ..Identities::of(identities(training).into_iter().flatten(), [])
            }),
        })
    }

    fn pipeline(&self) -> Pipeline {
        Pipeline::TextGeneration
    }

    /// Normalises text like the toy German, but adds no full stop, because a user types a
    /// beginning.
    fn normalise(&self, text: &str) -> String {
        let normal = german_english::normalise(text);
        if text.trim_end().ends_with(['.', '!', '?']) {
            normal
        } else {
            normal.trim_end_matches([' ', '.']).to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use strata_text::special::UNK;

    fn lines(examples: &[crate::Example]) -> Vec<Vec<u32>> {
        let ids: Vec<u32> = examples.iter().flat_map(|it| it.target.clone()).collect();
        let lines = ids.split_inclusive(|&id| id == EOS).map(<[u32]>::to_vec);
        lines.collect()
    }

    #[test]
    fn every_line_is_a_new_sentence_of_known_words() {
        let config = SentencesConfig {
            examples: 400,
            held_out: 50,
            ..SentencesConfig::default()
        };
        let data = config.load(5, &Uploads::default()).unwrap();
        let (training, held_out) = (lines(data.training()), lines(data.validation()));
        assert_eq!((training.len(), held_out.len()), (400, 50));
        let distinct: HashSet<_> = training.iter().chain(&held_out).collect();
        assert_eq!(distinct.len(), 450);
        assert!(training.iter().flatten().all(|&id| id != UNK));
        assert!(data.training()[..10].iter().all(|it| it.target.len() == 32));
        assert_ne!(
            config.load(6, &Uploads::default()).unwrap().training(),
            data.training()
        );
    }

    #[test]
    fn a_beginning_stays_open() {
        let config = SentencesConfig::default();
        assert_eq!(config.normalise("The man"), "the man");
        assert_eq!(config.normalise("Does he"), "does he");
        assert_eq!(config.normalise("He sleeps.").trim(), "he sleeps .");
        assert_eq!(config.normalise("  ").trim(), "");
    }
}
