//! SentencePiece models (Kudo and Richardson 2018) that a user brings: pieces and text are the same
//! as those of the original program (version 0.2.3).
//!
//! - `file`: the model file, read by `prost`
//! - `normaliser`: normal form of text, in which pieces are searched
//! - `unigram`, `bpe`: the two segmentation algorithms
//! - `text`: pieces back to text
//!
//! Crates that read such models either take time quadratic in the length of a line
//! (`sentencepiece-rs`), or differ in the normalisation (`tokenizers`).

mod bpe;
mod file;
mod normaliser;
mod text;
mod unigram;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use ahash::AHashMap;

use crate::special::{TEXTS, UNK};
use crate::{TextError, Vocabulary};
use file::{Kind, ModelFile, Type};
use normaliser::{Normaliser, Symbols};

/// Character that stands for a space.
const SPACE: &str = "▁";

/// A SentencePiece model.
pub(super) struct SentencePiece {
    /// Contents of the model file.
    bytes: Arc<[u8]>,
    is_bpe: bool,
    pieces: Vec<Piece>,
    /// Ids of the pieces of which text consists.
    plain: AHashMap<String, u32>,
    /// Ids of all other pieces: control symbols, bytes, the unknown piece.
    reserved: AHashMap<String, u32>,
    /// Id of the unknown piece.
    unknown: u32,
    /// Lowest score of a normal piece.
    lowest: f32,
    /// Number of bytes of the longest piece of which text consists.
    longest: usize,
    /// User-defined pieces, which are cut out first.
    symbols: Arc<Symbols>,
    /// True if unknown characters become bytes.
    byte_fallback: bool,
    /// Text of the unknown piece.
    unknown_text: String,
    /// True if the space of the first piece does not belong to the text.
    strips_first: bool,
    /// True if further pieces lose their space, until there is text.
    strips_all: bool,
    normaliser: Normaliser,
    denormaliser: Option<Normaliser>,
}

/// A piece of the model.
struct Piece {
    text: String,
    score: f32,
    kind: Kind,
}

/// Segmentation of a text: ranges of bytes, each with the id of its piece.
type Cut = Vec<(Range<usize>, u32)>;

impl SentencePiece {
    /// Reads a model file; messages call the file `name`.
    ///
    /// # Errors
    /// If the file is no SentencePiece model, or of a type other than unigram or BPE.
    pub(super) fn read(name: &str, bytes: &[u8]) -> Result<Self, TextError> {
        let refused = |reason: String| TextError::SentencePieceFile {
            name: name.to_owned(),
            reason,
        };
        Self::of_file(bytes).map_err(refused)
    }

    /// Reads a model from the bytes of its file; the error is a clause.
    pub(super) fn of_file(bytes: &[u8]) -> Result<Self, String> {
        let file = ModelFile::read(bytes)?;
        let trainer = file.trainer_spec;
        let is_bpe = match trainer.model_type() {
            Type::Unigram => false,
            Type::Bpe => true,
            other => {
                return Err(format!(
                    "its type is `{}`, but models of the types `unigram` and `bpe` are read; train one \
                     of these, or choose the level `{}`",
                    other.name(),
                    other.level(),
                ));
            }
        };
        let mut pieces = Vec::with_capacity(file.pieces.len());
        let (mut plain, mut reserved) = (AHashMap::new(), AHashMap::new());
        let (mut unknown, mut bytes_found, mut longest) = (None, 0, 0);
        let mut lowest = f32::MAX;
        let mut symbols = Vec::new();
        for (id, piece) in (0..).zip(file.pieces) {
            let (text, score, kind) = (piece.piece().to_owned(), piece.score(), piece.kind());
            if text.is_empty() || !score.is_finite() {
                return Err(format!("piece {id} of it is empty, or without a score"));
            }
            let is_plain = matches!(kind, Kind::Normal | Kind::UserDefined | Kind::Unused);
            let known = if is_plain { &mut plain } else { &mut reserved };
            if known.insert(text.clone(), id).is_some() {
                return Err(format!("it has the piece `{text}` twice"));
            }
            match kind {
                Kind::Normal => lowest = score.min(lowest),
                Kind::UserDefined => symbols.push(text.clone()),
                Kind::Unknown => unknown = Some(id),
                Kind::Byte if text::byte(&text).is_some() => bytes_found += 1,
                Kind::Byte => return Err(format!("`{text}` in it is no byte")),
                Kind::Control | Kind::Unused => {}
            }
            if is_plain {
                longest = text.len().max(longest);
            }
            pieces.push(Piece { text, score, kind });
        }
        let unknown = unknown.ok_or("it has no unknown piece")?;
        if trainer.byte_fallback() && bytes_found != 256 {
            return Err("it lacks pieces of bytes".to_owned());
        }
        let symbols = Arc::new(Symbols::new(symbols));
        let rules = file.normalizer_spec;
        let suffix = trainer.treat_whitespace_as_suffix();
        let denormaliser = match file.denormalizer_spec {
            Some(rules) if !rules.precompiled_charsmap().is_empty() => {
                Some(Normaliser::new(&rules, false, Arc::default())?)
            }
            _ => None,
        };
        Ok(Self {
            is_bpe,
            plain,
            reserved,
            unknown,
            lowest,
            longest,
            byte_fallback: trainer.byte_fallback(),
            unknown_text: trainer.unk_surface().to_owned(),
            strips_first: rules.add_dummy_prefix() || rules.remove_extra_whitespaces(),
            strips_all: rules.remove_extra_whitespaces(),
            normaliser: Normaliser::new(&rules, suffix, Arc::clone(&symbols))?,
            denormaliser,
            symbols,
            pieces,
            bytes: bytes.into(),
        })
    }

    /// Returns the contents of the model file.
    pub(super) fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    /// Returns the vocabulary: the special tokens of Strata, then all pieces except control
    /// symbols.
    pub(super) fn vocabulary(&self) -> Vocabulary {
        let mut known: HashSet<&str> = TEXTS.into_iter().collect();
        let is_token = |piece: &&Piece| !matches!(piece.kind, Kind::Control | Kind::Unknown);
        let tokens = self.pieces.iter().filter(is_token);
        let tokens = tokens.map(|piece| piece.text.as_str());
        Vocabulary::of_distinct(tokens.filter(|&token| known.insert(token)))
    }

    /// Passes the pieces of a text to `take`. A stretch of unknown characters is one piece, in its
    /// normal form.
    pub(super) fn pieces(&self, text: &str, take: &mut dyn FnMut(&str)) {
        let text = self.normaliser.apply(text);
        let cut = if self.is_bpe {
            self.bpe(&text)
        } else {
            self.unigram(&text)
        };
        let mut unknown: Option<Range<usize>> = None;
        for (place, id) in cut {
            if id != self.unknown {
                unknown.take().into_iter().for_each(|it| take(&text[it]));
                take(&text[place]);
            } else if self.byte_fallback {
                let bytes = text[place].bytes();
                bytes.for_each(|byte| take(&format!("<0x{byte:02X}>")));
            } else {
                let start = unknown.map_or(place.start, |it| it.start);
                unknown = Some(start..place.end);
            }
        }
        unknown.into_iter().for_each(|it| take(&text[it]));
    }

    /// Returns the id of a piece, or that of the unknown piece.
    fn id(&self, piece: &str) -> u32 {
        let id = self.reserved.get(piece).or_else(|| self.plain.get(piece));
        id.copied().unwrap_or(self.unknown)
    }

    fn is_unused(&self, id: u32) -> bool {
        self.pieces[id as usize].kind == Kind::Unused
    }
}

/// True for `<unk>`, the token for everything that a vocabulary lacks.
fn is_unknown_token(token: &str) -> bool {
    token == TEXTS[UNK as usize]
}
