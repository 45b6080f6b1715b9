//! Pieces of words, learned from text: byte-pair encoding (Sennrich et al. 2016) and the unigram
//! language model (Kudo 2018), both by the crate `tokenizers`; or pieces of texts by a
//! SentencePiece model.
//!
//! A word with its punctuation is cut at the marks first, and `▁` marks the beginning of text after
//! white space, so that joined pieces give the text again. Characters that occur fewer than
//! `minimum_count` times are no pieces: they become `<unk>`.

use std::collections::HashSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tokenizers::Model;
use tokenizers::models::bpe::BPE;
use tokenizers::models::unigram::Unigram;

use super::learn;
use super::sentencepiece::SentencePiece;
use super::{LONGEST_WORD, TokenUnit};
use crate::special::{TEXTS, UNK};
use crate::token_counts::{TokenCounts, sort_by_frequency};
use crate::{TextError, Vocabulary};

/// Mark at the start of a word.
pub(super) const WORD_START: char = '▁';

/// Most different words from which subwords are learned; the most frequent ones are chosen.
const MOST_WORDS: usize = 200_000;

/// Model of subwords without the subwords themselves, which are the vocabulary. A checkpoint must
/// contain both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum SubwordModel {
    /// Byte-pair encoding.
    Bpe {
        /// Pairs of token ids to merge, in order.
        merges: Vec<(u32, u32)>,
    },
    /// The unigram language model.
    Unigram {
        /// Log-probability of each subword, in the order of the vocabulary, without special tokens.
        scores: Vec<f32>,
    },
    /// A SentencePiece model that a user brought.
    Sentencepiece {
        /// Contents of the model file, in base64.
        #[serde(with = "as_base64")]
        model: Arc<[u8]>,
    },
}

/// Bytes as base64 text in JSON.
mod as_base64 {
    use std::sync::Arc;

    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(bytes: &Arc<[u8]>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD.encode(bytes))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<[u8]>, D::Error> {
        let text = String::deserialize(from)?;
        let bytes = STANDARD.decode(text).map_err(D::Error::custom)?;
        Ok(bytes.into())
    }
}

/// Segmenter of words into the pieces of a vocabulary.
#[derive(Clone)]
pub(super) struct Subwords {
    kept: SubwordModel,
    /// Model of `tokenizers` or SentencePiece; shared, because a run's tokenizer is sometimes
    /// cloned.
    model: Arc<Pieces>,
}

enum Pieces {
    Bpe(BPE),
    Unigram(Unigram),
    Sentencepiece(SentencePiece),
}

impl std::fmt::Debug for Subwords {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kept.fmt(formatter)
    }
}

impl PartialEq for Subwords {
    fn eq(&self, other: &Self) -> bool {
        self.kept == other.kept
    }
}

impl Subwords {
    /// Learns pieces from counted words.
    ///
    /// # Errors
    /// If `tokenizers` fails.
    pub(super) fn learn(
        level: TokenUnit,
        words: &TokenCounts,
        minimum_count: usize,
        maximum_vocabulary: usize,
    ) -> Result<(Self, Vocabulary), TextError> {
        let most_pieces = maximum_vocabulary.saturating_sub(TEXTS.len()).max(1);
        let words = without_rare_characters(words, minimum_count, most_pieces);
        if words.is_empty() {
            // The caller reports which side has no token.
            let vocabulary = Vocabulary::of_distinct(Vec::<String>::new());
            let merges = Vec::new();
            return Ok((
                Self::restore(SubwordModel::Bpe { merges }, &vocabulary)?,
                vocabulary,
            ));
        }
        let (kept, vocabulary) = match level {
            TokenUnit::Unigram => learn::unigram(words, most_pieces)?,
            _ => learn::bpe(words, minimum_count, most_pieces)?,
        };
        Ok((Self::restore(kept, &vocabulary)?, vocabulary))
    }

    /// Reads a SentencePiece model from the bytes of its file.
    ///
    /// # Errors
    /// If the file is no SentencePiece model, or of another type than unigram or BPE.
    pub(super) fn of_sentencepiece(name: &str, bytes: &[u8]) -> Result<Self, TextError> {
        let model = SentencePiece::read(name, bytes)?;
        Ok(Self {
            kept: SubwordModel::Sentencepiece {
                model: Arc::clone(model.bytes()),
            },
            model: Arc::new(Pieces::Sentencepiece(model)),
        })
    }

    /// Returns the SentencePiece model, if this is one.
    pub(super) fn sentencepiece(&self) -> Option<&SentencePiece> {
        match &*self.model {
            Pieces::Sentencepiece(model) => Some(model),
            Pieces::Bpe(_) | Pieces::Unigram(_) => None,
        }
    }

    /// Restores the segmenter from a saved model and the vocabulary that was learned with it.
    ///
    /// # Errors
    /// If the saved model and the vocabulary do not belong together.
    pub(super) fn restore(kept: SubwordModel, vocabulary: &Vocabulary) -> Result<Self, TextError> {
        let pieces = vocabulary.tokens();
        let first = TEXTS.len();
        let model = match &kept {
            SubwordModel::Bpe { merges } => {
                let piece = |id: u32| pieces.get(id as usize).filter(|_| id as usize >= first);
                let mut pairs = Vec::with_capacity(merges.len());
                for &(left, right) in merges {
                    let pair = piece(left).zip(piece(right));
                    let pair = pair
                        .filter(|(left, right)| vocabulary.id(&format!("{left}{right}")) != UNK);
                    let (left, right) = pair.ok_or(TextError::DamagedSubwords {
                        reason: "it merges pieces that its vocabulary does not have",
                    })?;
                    pairs.push((left.clone(), right.clone()));
                }
                let known = (0..).zip(pieces).skip(UNK as usize);
                let known = known
                    .map(|(id, piece)| (piece.clone(), id))
                    .collect::<Vec<_>>();
                let model = BPE::builder()
                    .vocab_and_merges(
                        known
                            .into_iter()
                            .collect::<tokenizers::models::bpe::Vocab>(),
                        pairs,
                    )
                    .unk_token(TEXTS[UNK as usize].to_owned())
                    .build();
                Pieces::Bpe(model.map_err(TextError::subwords)?)
            }
            SubwordModel::Unigram { scores } => {
                if scores.len() + first != pieces.len() || !scores.iter().all(|it| it.is_finite()) {
                    return Err(TextError::DamagedSubwords {
                        reason: "its pieces and their probabilities do not match",
                    });
                }
                if pieces.iter().any(String::is_empty) {
                    return Err(TextError::DamagedSubwords {
                        reason: "one of its pieces is empty",
                    });
                }
                let scored = pieces[first..].iter().cloned();
                let scored = scored.zip(scores.iter().map(|&score| f64::from(score)));
                let unknown = (TEXTS[UNK as usize].to_owned(), 0.0);
                let scored = std::iter::once(unknown).chain(scored).collect();
                let model = Unigram::from(scored, Some(0), false);
                Pieces::Unigram(model.map_err(TextError::subwords)?)
            }
            SubwordModel::Sentencepiece { model } => {
                let damaged = |reason| TextError::DamagedSubwords { reason };
                let model = SentencePiece::of_file(model)
                    .map_err(|_| damaged("its model of SentencePiece is none"))?;
                if model.vocabulary() != *vocabulary {
                    return Err(damaged(
                        "its vocabulary is not that of its model of SentencePiece",
                    ));
                }
                Pieces::Sentencepiece(model)
            }
        };
        Ok(Self {
            kept,
            model: Arc::new(model),
        })
    }

    /// Returns the model that a checkpoint must contain.
    pub(super) fn kept(&self) -> &SubwordModel {
        &self.kept
    }

    /// Passes the pieces of a word or punctuation mark to `take`. The word has its [`WORD_START`]
    /// already; the pieces together spell it.
    ///
    /// Words longer than [`LONGEST_WORD`] are first cut into stretches of that length, so that the
    /// time grows only linearly with the text.
    pub(super) fn pieces(&self, word: &str, take: &mut dyn FnMut(&str)) {
        let (mut part, mut rest) = split_long(word);
        while !part.is_empty() {
            self.pieces_of_part(part, take);
            (part, rest) = split_long(rest);
        }
    }

    fn pieces_of_part(&self, word: &str, take: &mut dyn FnMut(&str)) {
        let tokens = match &*self.model {
            Pieces::Bpe(model) => model.tokenize(word),
            Pieces::Unigram(model) => model.tokenize(word),
            Pieces::Sentencepiece(model) => return model.pieces(word, take),
        };
        match tokens {
            // Pieces are taken by offset, because the token of an unknown character would be
            // `<unk>`.
            Ok(tokens) => tokens
                .iter()
                .for_each(|token| take(&word[token.offsets.0..token.offsets.1])),
            // Not reached: the only error is a missing unknown token, which both models have.
            Err(_) => take(word),
        }
    }
}

/// Splits a word behind its first [`LONGEST_WORD`] characters.
pub(super) fn split_long(word: &str) -> (&str, &str) {
    // Every character has at least one byte.
    let end = if word.len() > LONGEST_WORD {
        word.char_indices().nth(LONGEST_WORD)
    } else {
        None
    };
    word.split_at(end.map_or(word.len(), |(end, _)| end))
}

/// Returns the most frequent words; words are cut at characters that are not frequent enough.
fn without_rare_characters(
    words: &TokenCounts,
    minimum_count: usize,
    most_characters: usize,
) -> Vec<(String, u64)> {
    let mut words = words.by_frequency(1);
    words.truncate(MOST_WORDS);
    let mut of_character = std::collections::HashMap::new();
    for (word, count) in &words {
        for character in word.chars() {
            *of_character.entry(character).or_default() += count;
        }
    }
    let mut characters: Vec<(char, u64)> = of_character.into_iter().collect();
    // NUL separates the words when pieces are learned.
    characters.retain(|&(it, count)| it != '\0' && count >= minimum_count as u64);
    sort_by_frequency(&mut characters);
    characters.truncate(most_characters);
    let known: HashSet<char> = characters
        .into_iter()
        .map(|(character, _)| character)
        .collect();
    let mut kept = Vec::with_capacity(words.len());
    for (word, count) in words {
        let parts = word.split(|character| !known.contains(&character));
        kept.extend(
            parts
                .filter(|part| !part.is_empty())
                .map(|part| (part.to_owned(), count)),
        );
    }
    kept
}
