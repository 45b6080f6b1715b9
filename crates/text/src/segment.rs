//! Segmentation of text into tokens, and tokens back to text.
//!
//! - `level`: the levels of segmentation, by name
//! - `words`, `chinese`, `subwords` (`learn`), `sentencepiece`: the segmentation of each level
//! - `learner`: learns segmenter and vocabulary from text
//! - `text_form`: the normal form of text before segmentation

mod chinese;
mod learn;
mod learner;
mod level;
mod sentencepiece;
mod subwords;
#[cfg(test)]
mod tests;
mod text_form;
mod words;

pub use learner::{Learner, SentencePieceModel};
pub use level::{TargetLevel, TokenUnit};
pub use subwords::SubwordModel;
pub use text_form::{Normalize, TextForm};
pub use words::is_chinese;

use crate::{TextError, Vocabulary};
use subwords::{Subwords, WORD_START};

/// Most characters of a word from which subwords are learned and which is segmented as a whole: a
/// line of a million letters would otherwise take hours.
pub const LONGEST_WORD: usize = 1000;

/// Token for white space at the level [`TokenUnit::Character`].
const SPACE: &str = "␣";

/// Segmenter of one side: cuts text into tokens, and joins tokens to text.
#[derive(Clone, Debug, PartialEq)]
pub struct Segmenter {
    level: TokenUnit,
    form: TextForm,
    /// Model of subwords, at the levels that use one.
    subwords: Option<Subwords>,
}

impl Segmenter {
    /// Creates a segmenter at white space, as for tasks without written language.
    pub fn of_words() -> Self {
        Self::without_model(TokenUnit::Word)
    }

    /// Creates a segmenter into characters.
    pub fn of_characters() -> Self {
        Self::without_model(TokenUnit::Character)
    }

    fn without_model(level: TokenUnit) -> Self {
        Self {
            level,
            form: false.into(),
            subwords: None,
        }
    }

    /// Restores a segmenter from a saved vocabulary and the model of subwords saved with it.
    ///
    /// # Errors
    /// If this build lacks the level, or the level needs a model and `kept` does not fit.
    pub fn restore(
        level: TokenUnit,
        form: impl Into<TextForm>,
        kept: Option<SubwordModel>,
        vocabulary: &Vocabulary,
    ) -> Result<Self, TextError> {
        level.check()?;
        let subwords = match (level, kept) {
            (TokenUnit::Bpe, Some(kept @ SubwordModel::Bpe { .. }))
            | (TokenUnit::Unigram, Some(kept @ SubwordModel::Unigram { .. }))
            | (TokenUnit::Sentencepiece, Some(kept @ SubwordModel::Sentencepiece { .. })) => {
                Some(Subwords::restore(kept, vocabulary)?)
            }
            (TokenUnit::Bpe | TokenUnit::Unigram | TokenUnit::Sentencepiece, _) => {
                return Err(TextError::DamagedSubwords {
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

    /// Normal form of text before segmentation.
    pub fn text_form(&self) -> TextForm {
        self.form
    }

    /// Level of segmentation.
    pub fn level(&self) -> TokenUnit {
        self.level
    }

    /// Model of subwords, which must be saved with the vocabulary to segment text in the same way.
    pub fn subwords(&self) -> Option<&SubwordModel> {
        self.subwords.as_ref().map(Subwords::kept)
    }

    /// Returns the SentencePiece model, if the segmenter uses one.
    pub fn sentencepiece_model(&self) -> Option<SentencePieceModel> {
        let pieces = self.subwords.as_ref()?;
        pieces.sentencepiece()?;
        Some(SentencePieceModel::of_pieces(pieces.clone()))
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

    /// Returns a line after it was cut into tokens, all of them known, and joined again: the best
    /// that a model can generate for the line.
    pub fn rejoined(&self, line: &str) -> String {
        self.join(&self.split(line))
    }

    /// Returns a line of running text after it was cut into tokens and joined again.
    pub fn rejoined_line(&self, line: &str) -> String {
        let mut tokens = Vec::new();
        self.each_token_of_line(line, &mut |token| tokens.push(token.to_owned()));
        self.join(&tokens)
    }

    /// Creates the segmenter of a level whose subwords are not learned yet. It cuts words only at
    /// punctuation marks, but changes text in the same way as the final one.
    pub fn of_level(level: TokenUnit, form: TextForm) -> Self {
        Self {
            form,
            ..Self::without_model(level)
        }
    }

    /// Passes the tokens of a line of running text to `take`; at the level of characters, including
    /// white space at the ends of the line.
    pub fn each_token_of_line(&self, line: &str, take: &mut dyn FnMut(&str)) {
        match self.level {
            TokenUnit::Character => each_character(self.form, line, take),
            _ => self.each_token(line, take),
        }
    }

    /// Joins tokens to text. Properties that [`split`](Self::split) loses, such as the kind of
    /// white space, are restored as they are usually written.
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

/// Passes each token of [`TokenUnit::Punctuation`] to `take`.
pub fn words_and_marks(text: &str, take: &mut dyn FnMut(&str)) {
    each_unit(TokenUnit::Punctuation, false.into(), text, take);
}

impl TokenUnit {
    /// Checks that this build can segment text at this level.
    ///
    /// # Errors
    /// If this build lacks the dictionary that the level needs.
    pub fn check(self) -> Result<(), TextError> {
        match self {
            Self::Jieba => chinese::check(),
            _ => Ok(()),
        }
    }

    /// Passes the tokens of a stretch of text without white space to `take`; for a level with a
    /// model of subwords, the whole stretch.
    pub fn cut_word(self, word: &str, take: &mut dyn FnMut(&str)) {
        match self {
            Self::Punctuation => words::pieces(word, take),
            // jieba would cut words of other languages at letters that English lacks.
            Self::Jieba if word.contains(is_chinese) => chinese::words(word, take),
            Self::Jieba => words::pieces(word, take),
            Self::Character => characters(word, take),
            Self::Word | Self::Bpe | Self::Unigram | Self::Sentencepiece => take(word),
        }
    }
}

/// Passes each token of a text (for subwords, each word or mark to be split further) to `take`.
fn each_unit(level: TokenUnit, form: TextForm, text: &str, take: &mut dyn FnMut(&str)) {
    let text = &*form.apply(text);
    match level {
        TokenUnit::Word
        | TokenUnit::Punctuation
        | TokenUnit::Jieba
        // Without its model, the level `sentencepiece` cuts text into words.
        | TokenUnit::Sentencepiece => text
            .split_whitespace()
            .for_each(|word| level.cut_word(word, take)),
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
                    // In the text itself, the mark becomes an ordinary character.
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

/// Passes the characters of a text to `take`, with white space as `␣`.
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
