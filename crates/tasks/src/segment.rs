//! Text to tokens, and tokens back to text.
//!
//! - `level`: the levels of segmentation, by name
//! - `words`, `chinese`, `subwords` (`learn`), `sentencepiece`: the segmentation of each level
//! - `text_form`: the form into which text is brought before
//! - `counts`: token counts, from which a vocabulary or a model of subwords is learned

pub(crate) mod chinese;
mod counts;
mod learn;
mod level;
mod sentencepiece;
mod subwords;
#[cfg(test)]
mod tests;
mod text_form;
pub(crate) mod words;

pub(crate) use counts::Counts;
pub use level::{TargetLevel, TokenUnit};
pub use subwords::SubwordModel;
pub use text_form::{Normalize, TextForm};

use std::path::Path;

use crate::{TaskError, Uploads, Vocabulary, progress};
use subwords::{Subwords, WORD_START};

/// Largest number of characters of a word from which subwords are learned, and which is segmented
/// as a whole: a line of a million letters would otherwise take hours.
pub(crate) const LONGEST_WORD: usize = 1000;

/// Stands for white space among the tokens of [`TokenUnit::Character`].
const SPACE: &str = "␣";

/// Segments one side's text into tokens, and joins tokens into text.
#[derive(Clone, Debug, PartialEq)]
pub struct Segmenter {
    level: TokenUnit,
    form: TextForm,
    /// Model of subwords, at the levels that have one.
    subwords: Option<Subwords>,
}

impl Segmenter {
    /// Segments at white space, as in tasks without written language.
    pub fn of_words() -> Self {
        Self::without_model(TokenUnit::Word)
    }

    /// Character by character.
    pub(crate) fn of_characters() -> Self {
        Self::without_model(TokenUnit::Character)
    }

    fn without_model(level: TokenUnit) -> Self {
        Self {
            level,
            form: false.into(),
            subwords: None,
        }
    }

    /// A segmenter for a vocabulary that was made before, with the model that was kept beside it.
    ///
    /// # Errors
    /// If the level is not available here, or it needs a model and this is not it.
    pub fn restore(
        level: TokenUnit,
        form: impl Into<TextForm>,
        kept: Option<SubwordModel>,
        vocabulary: &Vocabulary,
    ) -> Result<Self, TaskError> {
        level.check()?;
        let subwords = match (level, kept) {
            (TokenUnit::Bpe, Some(kept @ SubwordModel::Bpe { .. }))
            | (TokenUnit::Unigram, Some(kept @ SubwordModel::Unigram { .. }))
            | (TokenUnit::Sentencepiece, Some(kept @ SubwordModel::Sentencepiece { .. })) => {
                Some(Subwords::restore(kept, vocabulary)?)
            }
            (TokenUnit::Bpe | TokenUnit::Unigram | TokenUnit::Sentencepiece, _) => {
                return Err(TaskError::DamagedSubwords {
                    reason: "the model that cuts words into pieces is missing",
                });
            }
            _ => None,
        };
        Ok(Self {
            level,
            form: form.into(),
            subwords,
        })
    }

    /// Form into which text is brought before.
    pub fn text_form(&self) -> TextForm {
        self.form
    }

    /// Level of segmentation.
    pub(crate) fn level(&self) -> TokenUnit {
        self.level
    }

    /// Model of subwords, which must be kept beside the vocabulary to segment text in the same way.
    pub fn subwords(&self) -> Option<&SubwordModel> {
        self.subwords.as_ref().map(Subwords::kept)
    }

    /// Model of SentencePiece, if it cuts by one.
    pub(crate) fn given_pieces(&self) -> Option<GivenPieces> {
        let pieces = self.subwords.as_ref()?;
        pieces.sentencepiece()?;
        Some(GivenPieces(pieces.clone()))
    }

    /// Cuts text into tokens.
    pub fn split(&self, text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        self.each_token(text, &mut |token| tokens.push(token.to_owned()));
        tokens
    }

    /// Passes each token of a text to `take`.
    pub fn each_token(&self, text: &str, take: &mut dyn FnMut(&str)) {
        let model = self.subwords.as_ref().and_then(Subwords::sentencepiece);
        if let Some(model) = model {
            return model.pieces(&self.form.apply(text), take);
        }
        each_unit(
            self.level,
            self.form,
            text,
            &mut |unit| match &self.subwords {
                Some(subwords) => subwords.pieces(unit, take),
                None => take(unit),
            },
        );
    }

    /// The text that is left of a line once it is cut into tokens, all of them known, and joined: what
    /// a model can write of it at best.
    pub fn rejoined(&self, line: &str) -> String {
        self.join(&self.split(line))
    }

    /// The same of a line of running text.
    pub fn rejoined_line(&self, line: &str) -> String {
        let mut tokens = Vec::new();
        self.each_token_of_line(line, &mut |token| tokens.push(token.to_owned()));
        self.join(&tokens)
    }

    /// The segmenter of a level whose pieces are still to be learned: words are cut at their marks alone,
    /// which loses as much.
    pub fn of_level(level: TokenUnit, form: TextForm) -> Self {
        Self {
            form,
            ..Self::without_model(level)
        }
    }

    /// Gives the tokens of a line of running text: of characters, the white space at its ends too.
    pub fn each_token_of_line(&self, line: &str, take: &mut dyn FnMut(&str)) {
        match self.level {
            TokenUnit::Character => each_character(self.form, line, take),
            _ => self.each_token(line, take),
        }
    }

    /// Puts tokens together again. What [`split`](Self::split) forgets, as the kind of white
    /// space, comes back as it is usually written.
    pub fn join<T: AsRef<str>>(&self, tokens: &[T]) -> String {
        let texts = tokens.iter().map(AsRef::as_ref);
        match self.level {
            TokenUnit::Word => texts.collect::<Vec<_>>().join(" "),
            TokenUnit::Punctuation => words::join(texts, false),
            TokenUnit::Jieba => words::join(texts, true),
            TokenUnit::Character => texts.map(|it| if it == SPACE { " " } else { it }).collect(),
            TokenUnit::Bpe | TokenUnit::Unigram => {
                let text: String = texts.collect();
                let text = text.replace(WORD_START, " ");
                text.strip_prefix(' ').map_or(text.clone(), str::to_owned)
            }
            TokenUnit::Sentencepiece => {
                let model = self.subwords.as_ref().and_then(Subwords::sentencepiece);
                model.map_or_else(String::new, |model| model.text(texts))
            }
        }
    }
}

/// Makes a segmenter and its vocabulary from text.
pub(crate) struct Learner {
    level: TokenUnit,
    form: TextForm,
    counts: Counts,
    /// Model of SentencePiece, from which there is nothing to learn.
    given: Option<Subwords>,
}

/// Model of SentencePiece of a side.
#[derive(Clone, Debug)]
pub(crate) struct GivenPieces(Subwords);

impl GivenPieces {
    /// Reads a model file.
    ///
    /// # Errors
    /// If it is none, or of another type than unigram or BPE.
    pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<Self, TaskError> {
        Subwords::of_sentencepiece(name, bytes).map(Self)
    }

    /// The same of a path.
    ///
    /// # Errors
    /// If the file cannot be read, too.
    pub(crate) fn of_path(path: &Path, uploads: &Uploads) -> Result<Self, TaskError> {
        Self::read(&path.display().to_string(), &uploads.read(path)?)
    }
}

impl Learner {
    /// # Errors
    /// If the level is not available here.
    pub(crate) fn new(level: TokenUnit, form: impl Into<TextForm>) -> Result<Self, TaskError> {
        level.check()?;
        Ok(Self {
            level,
            form: form.into(),
            counts: Counts::default(),
            given: None,
        })
    }

    /// The same with the model of the level `sentencepiece`.
    pub(crate) fn with(self, given: Option<GivenPieces>) -> Self {
        let given = given.map(|GivenPieces(pieces)| pieces);
        Self { given, ..self }
    }

    /// Passes the units of a text that are counted before learning: its tokens, or the words that
    /// will be split into subwords.
    pub(crate) fn each_unit(&self, text: &str, take: &mut dyn FnMut(&str)) {
        match self.given.as_ref().and_then(Subwords::sentencepiece) {
            Some(model) => model.pieces(&self.form.apply(text), take),
            None => each_unit(self.level, self.form, text, take),
        }
    }

    /// Learns from one more text.
    pub(crate) fn add(&mut self, text: &str) {
        if self.given.is_some() {
            return;
        }
        let Self { level, counts, .. } = self;
        let level = *level;
        each_unit(level, self.form, text, &mut |unit| {
            counts.add(to_learn_from(level, unit))
        });
    }

    /// Learns from one more line of running text.
    pub(crate) fn add_line(&mut self, line: &str) {
        let counts = &mut self.counts;
        match self.level {
            TokenUnit::Character => each_character(self.form, line, &mut |it| counts.add(it)),
            _ => self.add(line),
        }
    }

    /// Learns from units that [`each_unit`](Self::each_unit) gave.
    #[cfg_attr(
        target_family = "wasm",
        expect(dead_code, reason = "large corpora are files")
    )]
    pub(crate) fn add_units<'a>(&mut self, units: impl Iterator<Item = &'a str>) {
        if self.given.is_none() {
            units.for_each(|unit| self.counts.add(to_learn_from(self.level, unit)));
        }
    }

    /// The segmenter, and the tokens seen at least `minimum_count` times (of subwords: the
    /// pieces).
    pub(crate) fn learn(
        self,
        minimum_count: usize,
        maximum_vocabulary: usize,
    ) -> Result<(Segmenter, Vocabulary), TaskError> {
        let Self {
            level,
            form,
            counts,
            given,
        } = self;
        let model = given.as_ref().and_then(Subwords::sentencepiece);
        if let Some(vocabulary) = model.map(|model| model.vocabulary()) {
            let segmenter = Segmenter {
                level,
                form,
                subwords: given,
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

/// Passes each token of [`TokenUnit::Punctuation`] to `take`.
pub fn words_and_marks(text: &str, take: &mut dyn FnMut(&str)) {
    each_unit(TokenUnit::Punctuation, false.into(), text, take);
}

impl TokenUnit {
    /// Checks that this program can segment text at this level.
    ///
    /// # Errors
    /// If this program was built without the dictionary that the level needs.
    pub fn check(self) -> Result<(), TaskError> {
        match self {
            Self::Jieba => chinese::check(),
            _ => Ok(()),
        }
    }
}

/// The part of a unit that is learned from: of a word for pieces, its first [`LONGEST_WORD`]
/// characters.
fn to_learn_from(level: TokenUnit, unit: &str) -> &str {
    match level.is_subword() {
        true => subwords::split_long(unit).0,
        false => unit,
    }
}

/// Passes each token of a text (for subwords, each word or mark to be split further) to `take`.
fn each_unit(level: TokenUnit, form: TextForm, text: &str, take: &mut dyn FnMut(&str)) {
    let text = &*form.apply(text);
    match level {
        // Without its model there are words.
        TokenUnit::Word | TokenUnit::Sentencepiece => text.split_whitespace().for_each(take),
        TokenUnit::Punctuation => text
            .split_whitespace()
            .for_each(|word| words::pieces(word, take)),
        TokenUnit::Jieba => {
            for word in text.split_whitespace() {
                // jieba would cut the words of other languages at letters that are not English.
                if word.contains(words::is_chinese) {
                    chinese::words(word, take);
                } else {
                    words::pieces(word, take);
                }
            }
        }
        TokenUnit::Character => characters(text.trim(), take),
        TokenUnit::Bpe | TokenUnit::Unigram => {
            let mut marked = String::new();
            for word in text.split_whitespace() {
                let mut is_first = true;
                words::pieces(word, &mut |piece| {
                    marked.clear();
                    if std::mem::take(&mut is_first) {
                        marked.push(WORD_START);
                    }
                    // In the text itself it is a character like any other.
                    marked.extend(
                        piece
                            .chars()
                            .map(|it| if it == WORD_START { '_' } else { it }),
                    );
                    take(&marked);
                });
            }
        }
    }
}

/// Gives the characters of a text, white space as `␣`.
fn each_character(form: TextForm, text: &str, take: &mut dyn FnMut(&str)) {
    characters(&form.apply(text), take);
}

fn characters(text: &str, take: &mut dyn FnMut(&str)) {
    for (start, character) in text.char_indices() {
        if character.is_whitespace() {
            take(SPACE);
        } else {
            take(&text[start..start + character.len_utf8()]);
        }
    }
}
