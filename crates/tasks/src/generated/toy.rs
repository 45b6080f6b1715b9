//! Common parts of the toy languages: their words, their data, and, by the macro `toy_task`, the
//! settings of their tasks.

use std::collections::HashSet;
use std::sync::OnceLock;

use strata_text::{Segmenter, Vocabulary};

use crate::random::Random;
use crate::{Dataset, Example, Examples, Facts, Identities, LeftOut, SequenceExamples, identity};

/// Number of sentences in which every word of a language occurs many times.
const SENTENCES_FOR_WORDS: usize = 20_000;

/// Infinite sequence of sentences with their translations: words and punctuation marks, separated
/// by spaces.
pub(crate) type Sentences = Box<dyn Iterator<Item = (String, String)>>;

/// A language whose sentences are drawn together with their translations.
pub(crate) struct ToyLanguage {
    /// Name of the task, on which the random draws depend.
    pub(crate) name: &'static str,
    /// Generator of the language's sentences.
    pub(crate) sentences: fn(Random) -> Sentences,
    /// Creates the segmenter of both sides.
    pub(crate) segmenter: fn() -> Segmenter,
    words: OnceLock<[Vocabulary; 2]>,
}

impl ToyLanguage {
    /// Creates a language whose text is cut by `segmenter`.
    pub(crate) const fn new(
        name: &'static str,
        segmenter: fn() -> Segmenter,
        sentences: fn(Random) -> Sentences,
    ) -> Self {
        Self {
            name,
            sentences,
            segmenter,
            words: OnceLock::new(),
        }
    }

    /// Returns the vocabularies of both sides. They do not depend on the seed or on the number of
    /// sentences, so that models trained on different samples stay comparable. They are computed
    /// once.
    pub(crate) fn vocabularies(&self) -> &[Vocabulary; 2] {
        self.words.get_or_init(|| {
            let random = Random::new(0, "vocabulary", 0);
            let sample = (self.sentences)(random).take(SENTENCES_FOR_WORDS);
            let segmenter = (self.segmenter)();
            let (source, target): (Vec<_>, Vec<_>) = sample
                .map(|(source, target)| (segmenter.split(&source), segmenter.split(&target)))
                .unzip();
            [source, target].map(|side| {
                let sentences = side.iter().map(|it| it.iter().map(String::as_str));
                Vocabulary::build(sentences, 1, usize::MAX)
            })
        })
    }

    /// Draws different sentences by `seed`: first the held-out ones, then the training ones.
    pub(crate) fn dataset(&self, seed: u64, examples: usize, held_out: usize) -> Dataset {
        let [source, target] = self.vocabularies();
        let segmenter = (self.segmenter)();
        let mut seen = HashSet::new();
        let mut validation = Vec::with_capacity(held_out + examples);
        let mut sentences = Vec::with_capacity(held_out + examples);
        for (from, to) in (self.sentences)(Random::new(seed, self.name, 0)) {
            if validation.len() == held_out + examples {
                break;
            }
            let example = Example {
                source: source.encode(&segmenter.split(&from)),
                target: target.encode(&segmenter.split(&to)),
            };
            let sentence = identity(&from);
            if seen.insert(from) {
                validation.push(example);
                sentences.push(sentence);
            }
        }
        let training = validation.split_off(held_out);
        let learned = sentences.split_off(held_out);
        Dataset {
            source_segmenter: segmenter.clone(),
            target_segmenter: segmenter,
            source_vocabulary: source.clone(),
            target_vocabulary: target.clone(),
            examples: Examples::Translation(SequenceExamples {
                training,
                validation,
                ..SequenceExamples::default()
            }),
            stored: None,
            dropped: LeftOut::default(),
            facts: Facts::default(),
            identities: Some(Identities::of(learned, sentences)),
        }
    }
}

/// Converts typed text to lower case and sets its punctuation marks apart, each replaced by the
/// mark that the language uses. A text without an end gets the first of `ends`.
pub(crate) fn typed(text: &str, marks: &[(char, char)], ends: [char; 2]) -> String {
    let mut normal = String::with_capacity(text.len() + 4);
    for character in text.to_lowercase().chars() {
        match marks.iter().find(|(mark, _)| *mark == character) {
            Some((_, mark)) => normal.extend([' ', *mark, ' ']),
            None => normal.push(character),
        }
    }
    let end = normal.trim_end();
    if !end.is_empty() && !end.ends_with(ends) {
        normal.extend([' ', ends[0]]);
    }
    normal
}

/// Declares a task whose examples are drawn from a [`ToyLanguage`]; methods of its own stand in
/// braces.
macro_rules! toy_task {
    (
        $(#[$documentation:meta])* $config:ident, $name:literal, $title:literal, $help:literal,
        language: $language:ident, of: $examples:literal,
        at_most: ($most:literal, $most_held_out:literal), by_default: $default:literal
        $(, { $($own:tt)* })?
    ) => {
        strata_describe::settings! {
            $(#[$documentation])*
            #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
            #[serde(default, deny_unknown_fields)]
            pub struct $config {
                /// Number of examples to learn from.
                #[title = "Examples"]
                #[help = concat!($examples, " to learn from.")]
                pub examples: usize in 1..=$most = $default,
                /// Number of others to measure on.
                #[title = "Held out"]
                #[help = concat!($examples, " to measure on.")]
                pub held_out: usize in 1..=$most_held_out = 500,
            }
        }

        pub(crate) const DESCRIPTION: strata_describe::Description = strata_describe::Description {
            words: strata_describe::Words::new($name, $title, $help, "", ""),
            settings: $config::SETTINGS,
        };

        impl $crate::task::Task for $config {
            fn description(&self) -> &'static strata_describe::Description {
                &DESCRIPTION
            }

            fn load(
                &self,
                seed: u64,
                _: &strata_text::Uploads,
            ) -> Result<$crate::Dataset, $crate::TaskError> {
                Ok($language.dataset(seed, self.examples, self.held_out))
            }

            $($($own)*)?
        }
    };
}
pub(crate) use toy_task;

/// Assertions on samples of any toy language.
#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::HashMap;

    use super::*;
    use crate::{Fingerprint, TaskConfig};
    use strata_text::Uploads;
    use strata_text::special::UNK;

    /// Draws sentences of a language with their translations.
    pub(crate) fn sample(language: &ToyLanguage, seed: u64, count: usize) -> Vec<(String, String)> {
        let random = Random::new(seed, language.name, 0);
        (language.sentences)(random).take(count).collect()
    }

    /// Asserts the fingerprints of the first 10,000 sentence pairs for each seed: a resumed run
    /// must get the same sentences.
    pub(crate) fn assert_sentences_stay(language: &ToyLanguage, fingerprints: [(u64, u64); 3]) {
        let found = fingerprints.map(|(seed, _)| {
            let mut fingerprint = Fingerprint::default();
            for (source, target) in sample(language, seed, 10_000) {
                fingerprint.add_bytes(format!("{source}\n{target}\n").as_bytes());
            }
            (seed, fingerprint.value())
        });
        assert!(found == fingerprints, "{found:#x?}");
    }

    /// Asserts that three quarters of 200,000 sentences differ, and that none has two translations.
    pub(crate) fn assert_one_translation_each(language: &ToyLanguage) {
        let mut translations: HashMap<String, String> = HashMap::new();
        for (source, target) in sample(language, 11, 200_000) {
            let known = translations.entry(source.clone()).or_insert(target.clone());
            assert_eq!(*known, target, "{source}");
        }
        let distinct = translations.len();
        assert!(distinct > 150_000, "{distinct} distinct sentences");
    }

    /// Asserts that each side of the default data has at least `words` tokens, each frequent enough
    /// to be learned.
    pub(crate) fn assert_every_word_is_frequent(task: &TaskConfig, words: usize, often: usize) {
        let data = task.load(1, &Uploads::default()).unwrap();
        let check = |side: fn(&Example) -> &[u32], vocabulary: &Vocabulary| {
            let mut counts = vec![0; vocabulary.len()];
            for id in data.training().iter().flat_map(side) {
                counts[*id as usize] += 1;
            }
            assert_eq!(counts[UNK as usize], 0);
            assert!(vocabulary.len() >= words, "{} tokens", vocabulary.len());
            let rarest = (4..vocabulary.len()).min_by_key(|&id| counts[id]).unwrap();
            let word = vocabulary.token(rarest as u32);
            assert!(counts[rarest] >= often, "{word}: {} times", counts[rarest]);
        };
        check(|example| &example.source, &data.source_vocabulary);
        check(|example| &example.target, &data.target_vocabulary);
    }

    /// Asserts that 5,000 examples differ from each other and from the 500 held-out ones.
    pub(crate) fn assert_held_out_is_new(task: &TaskConfig) {
        let data = task.load(2, &Uploads::default()).unwrap();
        assert_eq!(
            (data.training().len(), data.validation().len()),
            (5000, 500)
        );
        let trained: HashSet<_> = data.training().iter().map(|it| &it.source).collect();
        assert_eq!(trained.len(), 5000);
        let mut held_out = data.validation().iter();
        assert!(held_out.all(|it| !trained.contains(&it.source)));
    }
}
