//! Settings of models, and their attention sites.
//!
//! - `seq2seq`, `transformer` (and its language model), `recurrent_lm`, `rnnpg`, `tagger`, and the
//!   readers `bidaf`, `match_lstm`, `rnet`: the settings of each architecture, with names and help
//!   texts
//! - `words`, `reader`: names and help texts of settings that several architectures share;
//!   `embeddings`: whether embeddings are trained

mod bidaf;
mod embeddings;
mod match_lstm;
mod reader;
mod recurrent_lm;
mod rnet;
mod rnnpg;
mod seq2seq;
mod tagger;
mod transformer;
mod words;

use serde::{Deserialize, Serialize};
use strata_attention::{ConfigError, MechanismConfig, RelativePositions, Site, Widths};
use strata_describe::{Description, Settings};

use crate::TargetEnd;

pub use bidaf::BidafConfig;
pub use embeddings::EmbeddingTraining;
pub use match_lstm::MatchLstmConfig;
pub use reader::{CharacterKind, SpanOutputKind};
pub use recurrent_lm::RecurrentLmConfig;
pub use rnet::RnetConfig;
pub use rnnpg::RnnpgConfig;
pub use seq2seq::{CellKind, HeadKind, Seq2SeqConfig};
pub use tagger::{EncoderCell, TaggerConfig};
pub use transformer::{PositionKind, TransformerConfig, TransformerLmConfig};

/// Largest width, and largest numbers of layers and heads.
const WIDEST: usize = 1 << 16;
/// Largest dropout rate, below 1, at which nothing would be learned.
const MOST_DROPPED: f64 = 0.99;
/// Largest number of passes through the layers.
const MOST_LOOPS: usize = 100;
/// Largest bound of initial parameters, wider than any useful bound.
const LARGEST_BOUND: f64 = 10.0;

/// Settings of any architecture.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(tag = "architecture", rename_all = "snake_case")]
pub enum ModelConfig {
    /// Recurrent encoder and decoder.
    #[serde(rename = "seq2seq")]
    Seq2Seq(Seq2SeqConfig),
    /// Transformer, encoder and decoder of attention alone.
    Transformer(TransformerConfig),
    /// Recurrent language model.
    RecurrentLm(RecurrentLmConfig),
    /// Language model of Transformer blocks.
    TransformerLm(TransformerLmConfig),
    /// Reader by bidirectional attention flow.
    Bidaf(BidafConfig),
    /// Reader by match-LSTM with a pointer.
    MatchLstm(MatchLstmConfig),
    /// Reader by gated self-matching.
    Rnet(RnetConfig),
    /// RNNPG, which writes the next line of a poem.
    Rnnpg(RnnpgConfig),
    /// Tagger, an encoder that answers in place.
    Tagger(TaggerConfig),
}

/// Attention site of a model, with its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttentionSite {
    /// Name of the site in a configuration.
    pub name: &'static str,
    /// Title for users.
    pub title: &'static str,
    /// Kind of site: which side attends to which.
    pub site: Site,
    /// Widths of the site's queries, keys and values.
    pub widths: Widths,
    /// Mechanism of the site, with its settings.
    pub mechanism: MechanismConfig,
}

/// Sizes of the two vocabularies, special tokens included. For a reader they are the vocabularies
/// of words and of the words' characters.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vocabularies {
    /// Size of the source vocabulary.
    pub source: usize,
    /// Size of the target vocabulary, V.
    pub target: usize,
}

impl Default for ModelConfig {
    fn default() -> Self {
        Self::Transformer(TransformerConfig::default())
    }
}

impl ModelConfig {
    /// Settings of every architecture, with defaults.
    pub fn all() -> [Self; 9] {
        [
            Self::Transformer(TransformerConfig::default()),
            Self::Seq2Seq(Seq2SeqConfig::default()),
            Self::TransformerLm(TransformerLmConfig::default()),
            Self::RecurrentLm(RecurrentLmConfig::default()),
            Self::Bidaf(BidafConfig::default()),
            Self::MatchLstm(MatchLstmConfig::default()),
            Self::Rnet(RnetConfig::default()),
            Self::Rnnpg(RnnpgConfig::default()),
            Self::Tagger(TaggerConfig::default()),
        ]
    }

    /// Names and help texts of the architecture and its settings, without those of its attention.
    pub fn description(&self) -> &'static Description {
        match self {
            Self::Seq2Seq(_) => &seq2seq::DESCRIPTION,
            Self::Transformer(_) => &transformer::TRANSFORMER,
            Self::RecurrentLm(_) => &recurrent_lm::DESCRIPTION,
            Self::TransformerLm(_) => &transformer::LANGUAGE_MODEL,
            Self::Bidaf(_) => &bidaf::DESCRIPTION,
            Self::MatchLstm(_) => &match_lstm::DESCRIPTION,
            Self::Rnet(_) => &rnet::DESCRIPTION,
            Self::Rnnpg(_) => &rnnpg::DESCRIPTION,
            Self::Tagger(_) => &tagger::DESCRIPTION,
        }
    }

    /// Lists the attention sites with their mechanisms, in the order of a pass.
    pub fn sites(&self) -> Vec<AttentionSite> {
        let of_width = |width: usize, heads: usize| Widths {
            states: width,
            ..Widths::all(width / heads.max(1))
        };
        match self {
            Self::Seq2Seq(config) => vec![AttentionSite {
                name: "attention",
                title: "Decoder to encoder",
                site: Site::Cross,
                widths: config.attention_widths(),
                mechanism: config.attention,
            }],
            Self::Transformer(config) => [
                (
                    "encoder_self",
                    "Encoder to itself",
                    Site::EncoderSelf,
                    config.encoder_self,
                ),
                (
                    "decoder_self",
                    "Decoder to its past",
                    Site::DecoderSelf,
                    config.decoder_self,
                ),
                ("cross", "Decoder to encoder", Site::Cross, config.cross),
            ]
            .map(|(name, title, site, mechanism)| AttentionSite {
                name,
                title,
                site,
                widths: of_width(config.width, config.heads),
                mechanism,
            })
            .into(),
            Self::TransformerLm(config) => vec![AttentionSite {
                name: "decoder_self",
                title: "Text to its past",
                site: Site::DecoderSelf,
                widths: of_width(config.width, config.heads),
                mechanism: config.decoder_self,
            }],
            Self::Tagger(config) => vec![AttentionSite {
                name: "encoder_self",
                title: "Encoder to itself",
                site: Site::EncoderSelf,
                widths: of_width(config.width, config.heads),
                mechanism: config.encoder_self,
            }],
            Self::RecurrentLm(_) | Self::Rnnpg(_) => Vec::new(),
            Self::Bidaf(config) => config.sites(),
            Self::MatchLstm(config) => config.sites(),
            Self::Rnet(config) => config.sites(),
        }
    }

    /// Checks that the model can be built, before any parameter is drawn.
    ///
    /// # Errors
    /// A sentence that says what does not fit, and what to do.
    pub fn check(&self) -> Result<(), ConfigError> {
        let settings: &dyn Settings = match self {
            Self::Seq2Seq(config) => config,
            Self::Transformer(config) => config,
            Self::RecurrentLm(config) => config,
            Self::TransformerLm(config) => config,
            Self::Bidaf(config) => config,
            Self::MatchLstm(config) => config,
            Self::Rnet(config) => config,
            Self::Rnnpg(config) => config,
            Self::Tagger(config) => config,
        };
        settings
            .check_ranges()
            .map_err(|found| ConfigError::out_of_range(self.name(), found))?;
        match self {
            Self::Seq2Seq(config) => config.check(),
            Self::Transformer(config) => config.check(),
            Self::RecurrentLm(config) => config.check(),
            Self::TransformerLm(config) => config.check(),
            Self::Bidaf(config) => config.check(),
            Self::MatchLstm(config) => config.check(),
            Self::Rnet(config) => config.check(),
            // The settings of RNNPG do not depend on each other.
            Self::Rnnpg(_) => Ok(()),
            Self::Tagger(config) => config.check(),
        }
    }

    /// Largest number of positions that the model can distinguish; `None` if unlimited.
    pub fn longest(&self) -> Option<usize> {
        match self {
            Self::Transformer(config) if config.positions == PositionKind::Learned => {
                Some(config.longest)
            }
            Self::TransformerLm(config) if config.positions == PositionKind::Learned => {
                Some(config.longest)
            }
            Self::Tagger(config) => config.longest(),
            _ => None,
        }
    }

    /// Name of the architecture in configurations.
    pub fn name(&self) -> &'static str {
        self.description().words.name
    }

    /// Mutable reference to the number of passes through the layers; `None` if the architecture has
    /// no loops.
    pub fn loops_mut(&mut self) -> Option<&mut usize> {
        match self {
            Self::Transformer(config) => Some(&mut config.loops),
            Self::TransformerLm(config) => Some(&mut config.loops),
            Self::Tagger(config) => Some(&mut config.loops),
            _ => None,
        }
    }

    /// Share of features dropped in training.
    pub fn dropout(&self) -> f64 {
        match self {
            Self::Seq2Seq(config) => config.dropout,
            Self::Transformer(config) => config.dropout,
            Self::RecurrentLm(config) => config.dropout,
            Self::TransformerLm(config) => config.dropout,
            Self::Bidaf(config) => config.dropout,
            Self::MatchLstm(config) => config.dropout,
            Self::Rnet(config) => config.dropout,
            Self::Rnnpg(config) => config.dropout,
            Self::Tagger(config) => config.dropout,
        }
    }

    /// Mutable reference to the share of features dropped in training.
    pub fn dropout_mut(&mut self) -> &mut f64 {
        match self {
            Self::Seq2Seq(config) => &mut config.dropout,
            Self::Transformer(config) => &mut config.dropout,
            Self::RecurrentLm(config) => &mut config.dropout,
            Self::TransformerLm(config) => &mut config.dropout,
            Self::Bidaf(config) => &mut config.dropout,
            Self::MatchLstm(config) => &mut config.dropout,
            Self::Rnet(config) => &mut config.dropout,
            Self::Rnnpg(config) => &mut config.dropout,
            Self::Tagger(config) => &mut config.dropout,
        }
    }

    /// True if the model continues a text, false if it translates or reads.
    pub fn is_language_model(&self) -> bool {
        matches!(self, Self::RecurrentLm(_) | Self::TransformerLm(_))
    }

    /// True if the model finds answers in passages.
    pub fn is_reader(&self) -> bool {
        matches!(self, Self::Bidaf(_) | Self::MatchLstm(_) | Self::Rnet(_))
    }

    /// True if the model writes the next line of a poem from the lines before, and does nothing
    /// else.
    pub fn continues_lines(&self) -> bool {
        matches!(self, Self::Rnnpg(_))
    }

    /// Returns how the targets of the model end.
    pub fn target_end(&self) -> TargetEnd {
        match self {
            Self::Rnnpg(_) => TargetEnd::LineLength,
            Self::Tagger(_) => TargetEnd::SourceLength,
            _ => TargetEnd::Eos,
        }
    }

    /// Returns the positions that the self-attention of the model tells; `None` for a model without
    /// the Transformer's layers.
    pub fn relative_positions(&self) -> Option<RelativePositions> {
        let positions = match self {
            Self::Transformer(config) => config.positions,
            Self::TransformerLm(config) => config.positions,
            Self::Tagger(config) if config.cell == EncoderCell::None => config.positions,
            Self::Tagger(_)
            | Self::Seq2Seq(_)
            | Self::RecurrentLm(_)
            | Self::Bidaf(_)
            | Self::MatchLstm(_)
            | Self::Rnet(_)
            | Self::Rnnpg(_) => return None,
        };
        Some(positions.in_attention())
    }

    /// True if the model reads the characters of words.
    pub fn reads_characters(&self) -> bool {
        let characters = match self {
            Self::Bidaf(config) => config.characters,
            Self::Rnet(config) => config.characters,
            _ => CharacterKind::None,
        };
        characters != CharacterKind::None
    }

    /// True if the model carries its state from one segment of a text into the next.
    pub fn carries_state(&self) -> bool {
        matches!(self, Self::RecurrentLm(_))
    }
}
