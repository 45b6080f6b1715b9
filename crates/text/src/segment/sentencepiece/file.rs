//! The model file of SentencePiece: a message of its `sentencepiece_model.proto`, with the fields
//! that determine pieces and text.

use prost::Message;

#[derive(Clone, PartialEq, Message)]
pub(super) struct ModelFile {
    #[prost(message, repeated, tag = "1")]
    pub pieces: Vec<PieceEntry>,
    #[prost(message, required, tag = "2")]
    pub trainer_spec: TrainerSpec,
    #[prost(message, required, tag = "3")]
    pub normalizer_spec: NormalizerSpec,
    #[prost(message, optional, tag = "5")]
    pub denormalizer_spec: Option<NormalizerSpec>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct PieceEntry {
    #[prost(string, optional, tag = "1")]
    piece: Option<String>,
    #[prost(float, optional, tag = "2")]
    score: Option<f32>,
    #[prost(enumeration = "Kind", optional, tag = "3", default = "Normal")]
    kind: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, prost::Enumeration)]
#[repr(i32)]
pub(super) enum Kind {
    Normal = 1,
    Unknown = 2,
    Control = 3,
    UserDefined = 4,
    Unused = 5,
    Byte = 6,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TrainerSpec {
    #[prost(enumeration = "Type", optional, tag = "3", default = "Unigram")]
    model_type: Option<i32>,
    #[prost(bool, optional, tag = "24")]
    treat_whitespace_as_suffix: Option<bool>,
    #[prost(bool, optional, tag = "35")]
    byte_fallback: Option<bool>,
    #[prost(string, optional, tag = "44", default = " ⁇ ")]
    unk_surface: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, prost::Enumeration)]
#[repr(i32)]
pub(super) enum Type {
    Unigram = 1,
    Bpe = 2,
    Word = 3,
    Char = 4,
}

impl Type {
    /// Name of the type in SentencePiece.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Unigram => "unigram",
            Self::Bpe => "bpe",
            Self::Word => "word",
            Self::Char => "char",
        }
    }

    /// Name of the level of Strata that cuts text in the same way.
    pub(super) fn level(self) -> &'static str {
        match self {
            Self::Char => "character",
            other => other.name(),
        }
    }
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct NormalizerSpec {
    #[prost(bytes = "vec", optional, tag = "2")]
    precompiled_charsmap: Option<Vec<u8>>,
    #[prost(bool, optional, tag = "3", default = "true")]
    add_dummy_prefix: Option<bool>,
    #[prost(bool, optional, tag = "4", default = "true")]
    remove_extra_whitespaces: Option<bool>,
    #[prost(bool, optional, tag = "5", default = "true")]
    escape_whitespaces: Option<bool>,
}

impl ModelFile {
    /// Reads the bytes of a file; the error is a clause.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let advice = "name the file `….model` that SentencePiece wrote, not its `….vocab`";
        match Self::decode(bytes) {
            Ok(file) if !file.pieces.is_empty() => Ok(file),
            Ok(_) => Err(format!("it has no pieces; {advice}")),
            Err(reason) => Err(format!(
                "it is no model of SentencePiece ({reason}); {advice}"
            )),
        }
    }
}
