//! Learns a segmenter and a vocabulary from text.

use std::path::Path;

use super::subwords::{self, Subwords};
use super::{Segmenter, TextForm, TokenUnit, each_character, each_unit};
use crate::{TextError, TokenCounts, Uploads, Vocabulary, progress};

/// Builder of a segmenter and a vocabulary from text.
pub struct Learner {
    level: TokenUnit,
    form: TextForm,
    counts: TokenCounts,
    /// SentencePiece model, if the level uses one; then nothing is learned.
    model: Option<Subwords>,
}

/// SentencePiece model of a side.
#[derive(Clone, Debug)]
pub struct SentencePieceModel(Subwords);

impl SentencePieceModel {
    pub(super) fn of_pieces(pieces: Subwords) -> Self {
        Self(pieces)
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// If the file is no SentencePiece model, or of another type than unigram or BPE.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, TextError> {
        Subwords::of_sentencepiece(name, bytes).map(Self)
    }

    /// Reads the model file at a path.
    ///
    /// # Errors
    /// Those of [`read`](Self::read), and if the file cannot be read.
    pub fn of_path(path: &Path, uploads: &Uploads) -> Result<Self, TextError> {
        Self::read(&path.display().to_string(), &uploads.read(path)?)
    }
}

impl Learner {
    /// Creates a learner that has counted no tokens yet.
    ///
    /// # Errors
    /// If this build lacks the level.
    pub fn new(level: TokenUnit, form: impl Into<TextForm>) -> Result<Self, TextError> {
        level.check()?;
        Ok(Self {
            level,
            form: form.into(),
            counts: TokenCounts::default(),
            model: None,
        })
    }

    /// Sets the model of the level `sentencepiece`, if there is a model.
    pub fn with_model(self, model: Option<SentencePieceModel>) -> Self {
        let model = model.map(|SentencePieceModel(model)| model);
        Self { model, ..self }
    }

    /// Passes the units of a text that are counted before learning: its tokens, or the words that
    /// will be split into subwords.
    pub fn each_unit(&self, text: &str, take: &mut dyn FnMut(&str)) {
        match self.model.as_ref().and_then(Subwords::sentencepiece) {
            Some(model) => model.pieces(&self.form.apply(text), take),
            None => each_unit(self.level, self.form, text, take),
        }
    }

    /// Counts the units of a text.
    pub fn add(&mut self, text: &str) {
        if self.model.is_some() {
            return;
        }
        let Self { level, counts, .. } = self;
        let level = *level;
        each_unit(level, self.form, text, &mut |unit| {
            counts.add(to_learn_from(level, unit))
        });
    }

    /// Counts the units of a line of running text.
    pub fn add_line(&mut self, line: &str) {
        let counts = &mut self.counts;
        match self.level {
            TokenUnit::Character => each_character(self.form, line, &mut |it| counts.add(it)),
            _ => self.add(line),
        }
    }

    /// Counts units that were passed on by [`each_unit`](Self::each_unit).
    pub fn add_units<'a>(&mut self, units: impl Iterator<Item = &'a str>) {
        if self.model.is_none() {
            units.for_each(|unit| self.counts.add(to_learn_from(self.level, unit)));
        }
    }

    /// Returns the segmenter, and the vocabulary of tokens that occurred at least `minimum_count`
    /// times (for subwords, the learned pieces).
    pub fn learn(
        self,
        minimum_count: usize,
        maximum_vocabulary: usize,
    ) -> Result<(Segmenter, Vocabulary), TextError> {
        let Self {
            level,
            form,
            counts,
            model,
        } = self;
        let pieces = model.as_ref().and_then(Subwords::sentencepiece);
        if let Some(vocabulary) = pieces.map(|pieces| pieces.vocabulary()) {
            let segmenter = Segmenter {
                level,
                form,
                subwords: model,
            };
            return Ok((segmenter, vocabulary));
        }
        let (subwords, vocabulary) = if level.is_subword() {
            let learn = || Subwords::learn(level, &counts, minimum_count, maximum_vocabulary);
            let learned = progress::during("Learning pieces of words", learn)?;
            (Some(learned.0), learned.1)
        } else {
            let vocabulary = Vocabulary::of_counts(&counts, minimum_count, maximum_vocabulary);
            (None, vocabulary)
        };
        let segmenter = Segmenter {
            level,
            form,
            subwords,
        };
        Ok((segmenter, vocabulary))
    }
}

/// Returns the part of a unit that is used for learning: of a word for subwords, its first
/// [`LONGEST_WORD`] characters.
fn to_learn_from(level: TokenUnit, unit: &str) -> &str {
    if level.is_subword() {
        subwords::split_long(unit).0
    } else {
        unit
    }
}
