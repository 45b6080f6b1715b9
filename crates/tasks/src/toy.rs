//! What languages have in common whose sentences are drawn: their words and their data.

use std::collections::HashSet;
use std::sync::OnceLock;

use crate::random::Random;
use crate::{Dataset, Dropped, Example, Segmenter, Vocabulary};

/// Enough that every word of a language occurs many times.
const SENTENCES_FOR_WORDS: usize = 20_000;

/// Sentences without end, each with its translation: words and marks with spaces between them.
pub(crate) type Sentences = Box<dyn Iterator<Item = (String, String)>>;

/// A language whose sentences are drawn together with their translations.
pub(crate) struct ToyLanguage {
    /// The task's name: what is drawn depends on it.
    pub(crate) name: &'static str,
    /// Draws its sentences.
    pub(crate) sentences: fn(Random) -> Sentences,
    /// How both sides are cut.
    pub(crate) segmenter: fn() -> Segmenter,
    words: OnceLock<[Vocabulary; 2]>,
}

impl ToyLanguage {
    /// A language whose text `segmenter` cuts.
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

    /// The tokens of both sides, whatever the seed and however few the sentences drawn: models
    /// trained on different samples stay comparable. They are drawn once.
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

    /// Distinct sentences of `seed`: those held out, then those to learn from.
    pub(crate) fn dataset(&self, seed: u64, examples: usize, held_out: usize) -> Dataset {
        let [source, target] = self.vocabularies();
        let segmenter = (self.segmenter)();
        let mut seen = HashSet::new();
        let mut validation = Vec::with_capacity(held_out + examples);
        for (from, to) in (self.sentences)(Random::new(seed, self.name, 0)) {
            if validation.len() == held_out + examples {
                break;
            }
            let example = Example {
                source: source.encode(&segmenter.split(&from)),
                target: target.encode(&segmenter.split(&to)),
            };
            if seen.insert(from) {
                validation.push(example);
            }
        }
        let training = validation.split_off(held_out);
        Dataset {
            source_segmenter: segmenter.clone(),
            target_segmenter: segmenter,
            source_vocabulary: source.clone(),
            target_vocabulary: target.clone(),
            training,
            stored: None,
            validation,
            dropped: Dropped::default(),
        }
    }
}

/// Lower-case text with its punctuation marks set apart, each by itself or by what stands for it
/// in the language; where it has no end, it ends with the first of `ends`.
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
