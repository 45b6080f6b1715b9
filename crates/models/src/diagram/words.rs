//! Names of blocks for users.

use strata_attention::{MechanismConfig, RelativePositions, Site};

use super::{AttentionBlock, Block, BlockKind, Carries, NormPlacement, Stack};

impl Stack {
    /// Name of the stack with the number of loops: `Encoder`, `Encoder × 3`.
    pub fn heading(&self) -> String {
        match self.loops {
            1 => self.title.to_owned(),
            loops => format!("{} × {loops}", self.title),
        }
    }
}

impl Block {
    /// Short name of the block's kind: `Self-attention`.
    pub fn title(&self) -> &'static str {
        match &self.kind {
            BlockKind::Embedding => "Embedding",
            BlockKind::Positions { .. } => "Positions",
            BlockKind::Attention(attention) => match attention.site.place {
                Site::EncoderSelf | Site::DecoderSelf => "Self-attention",
                Site::Cross => "Cross-attention",
                Site::ContextToQuery => "Reads question",
                Site::QueryToContext => "Question reads",
                Site::Matching => "Word by word",
                Site::SelfMatching => "Self-matching",
            },
            BlockKind::FeedForward { .. } => "Feed-forward",
            BlockKind::Norm => "LayerNorm",
            BlockKind::Recurrent { cell, .. } => cell.words().title,
            BlockKind::Convolution { .. } => "Convolution",
            BlockKind::LineVector => "Convolutions",
            BlockKind::Bridge => "Bridge",
            BlockKind::Output { .. } => "Output",
            BlockKind::Span => "Start and end",
        }
    }

    /// Place and kind of the block: `Encoder 1, self-attention`.
    pub fn words(&self) -> String {
        format!("{}, {}", self.place, in_sentence(self.title()))
    }

    /// Says in one line what the block computes.
    pub fn help(&self) -> String {
        match &self.kind {
            BlockKind::Embedding => "a row of a trained table for each token".to_owned(),
            BlockKind::Positions { learned: false } => "waves of the position, added".to_owned(),
            BlockKind::Positions { learned: true } => {
                "a trained row for each position, added".to_owned()
            }
            BlockKind::Attention(attention) => {
                let reads = match attention.site.place {
                    Site::EncoderSelf => "each source token reads the whole source",
                    Site::DecoderSelf => "each token reads itself and those before it",
                    Site::Cross => "each target token reads the source",
                    Site::ContextToQuery => "each word of the passage reads the question",
                    Site::QueryToContext => "the question reads the passage",
                    Site::Matching => {
                        "each word of the passage and the state before it read the question"
                    }
                    Site::SelfMatching => "each word of the passage reads the whole passage",
                };
                let told = match attention.positions {
                    RelativePositions::None => "",
                    RelativePositions::Rotary => ", with rotary positions",
                    RelativePositions::Alibi => ", with ALiBi's bias by distance",
                };
                format!("{reads}, by {} attention{told}", attention.words())
            }
            BlockKind::FeedForward { inner, .. } => {
                format!("each position by itself, through {inner} features")
            }
            BlockKind::Norm => {
                "each position brought to mean 0 and variance 1, then scaled".to_owned()
            }
            BlockKind::Recurrent { bidirectional, .. } => {
                if *bidirectional {
                    "token after token, from both ends".to_owned()
                } else {
                    "token after token, with a state".to_owned()
                }
            }
            BlockKind::Convolution { kernel_size } => {
                format!(
                    "{kernel_size} tokens beside each other, gated; its input is added to its result"
                )
            }
            BlockKind::LineVector => {
                "each line becomes one vector, by sums over columns beside each other".to_owned()
            }
            BlockKind::Bridge => "the encoder's last state, in the decoder's width".to_owned(),
            BlockKind::Output { tied } => {
                if *tied {
                    "a score for each token of the vocabulary, by the embedding".to_owned()
                } else {
                    "a score for each token of the vocabulary".to_owned()
                }
            }
            BlockKind::Span => {
                "the probability of each word of the passages as start and as end".to_owned()
            }
        }
    }
}

impl NormPlacement {
    /// Describes the residual connection and the norm, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::First => "LayerNorm before it; its input is added to its result",
            Self::Last => "its input is added to its result; LayerNorm after it",
        }
    }
}

impl Carries {
    /// Label of the arrow; empty for a plain result.
    pub fn words(self) -> &'static str {
        match self {
            Self::Result => "",
            Self::Memory => "keys and values",
            Self::LastState => "last state",
            Self::StepBefore => "of the step before",
        }
    }
}

impl AttentionBlock {
    /// Name of the mechanism; for vanilla attention, name of its score, by which such attention is
    /// called.
    pub fn mechanism_title(&self) -> &'static str {
        match self.mechanism {
            MechanismConfig::Vanilla(config) => config.score.words().title,
            other => other.description().words.title,
        }
    }

    /// Heads and mechanism: `multi-head scaled dot product`.
    pub fn words(&self) -> String {
        let title = in_sentence(self.mechanism_title());
        match self.heads {
            1 => title,
            _ => format!("multi-head {title}"),
        }
    }
}

/// Converts a title for use within a sentence: proper names keep their capitals.
fn in_sentence(title: &str) -> String {
    if title.chars().skip(1).any(char::is_uppercase) {
        title.to_owned()
    } else {
        title.to_lowercase()
    }
}
