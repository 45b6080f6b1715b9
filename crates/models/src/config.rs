//! Settings of models, and their attention sites.
//!
//! - `seq2seq`, `transformer` (and its language model), `recurrent_lm`, `rnnpg`, and of readers `bidaf`,
//!   `match_lstm`, `rnet`: the settings of each architecture, with their words
//! - `words`, `reader`: those of settings that several have; `embeddings`: whether these are trained

mod bidaf;
mod embeddings;
mod match_lstm;
mod reader;
mod recurrent_lm;
mod rnet;
mod rnnpg;
mod seq2seq;
mod transformer;
mod words;

use serde::{Deserialize, Serialize};
use strata_attention::{ConfigError, MechanismConfig, Site, Widths};
use strata_describe::{Description, Settings};

pub use bidaf::BidafConfig;
pub use embeddings::EmbeddingTraining;
pub use match_lstm::MatchLstmConfig;
pub use reader::{CharacterKind, SpanOutputKind};
pub use recurrent_lm::RecurrentLmConfig;
pub use rnet::RnetConfig;
pub use rnnpg::RnnpgConfig;
pub use seq2seq::{CellKind, HeadKind, Seq2SeqConfig};
pub use transformer::{PositionKind, TransformerConfig, TransformerLmConfig};

/// The largest width, and the most layers and heads.
const WIDEST: usize = 1 << 16;
/// Everything dropped is nothing learned.
const MOST_DROPPED: f64 = 0.99;
/// Wider than any initial parameters are useful.
const LARGEST_BOUND: f64 = 10.0;

/// Any architecture, as a user chooses it.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(tag = "architecture", rename_all = "snake_case")]
pub enum ModelConfig {
    /// Recurrent encoder and decoder.
    #[serde(rename = "seq2seq")]
    Seq2Seq(Seq2SeqConfig),
    /// Attention alone.
    Transformer(TransformerConfig),
    /// A recurrent language model.
    RecurrentLm(RecurrentLmConfig),
    /// A language model of attention alone.
    TransformerLm(TransformerLmConfig),
    /// A reader: bidirectional attention flow.
    Bidaf(BidafConfig),
    /// A reader: match-LSTM with a pointer.
    MatchLstm(MatchLstmConfig),
    /// A reader: gated self-matching.
    Rnet(RnetConfig),
    /// Writes the next line of a poem.
    Rnnpg(RnnpgConfig),
}

/// A place of a model where it attends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttentionSite {
    /// The name in a configuration.
    pub name: &'static str,
    /// Title for users.
    pub title: &'static str,
    /// Kind of site: which side attends to which.
    pub site: Site,
    /// Widths of its queries, keys and values.
    pub widths: Widths,
    /// Mechanism and its settings.
    pub mechanism: MechanismConfig,
}

/// Number of tokens in each vocabulary, special ones included. Of a reader: that of words, and that
/// of their characters.
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
    /// One of each architecture, with its defaults.
    pub fn all() -> [Self; 8] {
        [
            Self::Transformer(TransformerConfig::default()),
            Self::Seq2Seq(Seq2SeqConfig::default()),
            Self::TransformerLm(TransformerLmConfig::default()),
            Self::RecurrentLm(RecurrentLmConfig::default()),
            Self::Bidaf(BidafConfig::default()),
            Self::MatchLstm(MatchLstmConfig::default()),
            Self::Rnet(RnetConfig::default()),
            Self::Rnnpg(RnnpgConfig::default()),
        ]
    }

    /// Description of it and its settings, but for its attention.
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
        }
    }

    /// Attention sites with their mechanisms, in the order of a pass.
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
            Self::RecurrentLm(_) | Self::Rnnpg(_) => Vec::new(),
            Self::Bidaf(config) => config.sites(),
            Self::MatchLstm(config) => config.sites(),
            Self::Rnet(config) => config.sites(),
        }
    }

    /// Refuses what cannot be built, before anything is.
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
            // Nothing has to fit together.
            Self::Rnnpg(_) => Ok(()),
        }
    }

    /// The most positions that the model can tell apart, where there is an end to them.
    pub fn longest(&self) -> Option<usize> {
        match self {
            Self::Transformer(config) if config.positions == PositionKind::Learned => {
                Some(config.longest)
            }
            Self::TransformerLm(config) if config.positions == PositionKind::Learned => {
                Some(config.longest)
            }
            _ => None,
        }
    }

    /// The architecture as configurations name it.
    pub fn name(&self) -> &'static str {
        self.description().words.name
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
        }
    }

    /// The same, to be changed.
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
        }
    }

    /// True if it writes a text on, where the others translate.
    pub fn is_language_model(&self) -> bool {
        matches!(self, Self::RecurrentLm(_) | Self::TransformerLm(_))
    }

    /// True if it finds answers in passages.
    pub fn is_reader(&self) -> bool {
        matches!(self, Self::Bidaf(_) | Self::MatchLstm(_) | Self::Rnet(_))
    }

    /// True if it writes the next line of a poem out of the lines before it, and nothing else.
    pub fn continues_lines(&self) -> bool {
        matches!(self, Self::Rnnpg(_))
    }

    /// True if it reads the characters of words.
    pub fn reads_characters(&self) -> bool {
        let characters = match self {
            Self::Bidaf(config) => config.characters,
            Self::Rnet(config) => config.characters,
            _ => CharacterKind::None,
        };
        characters != CharacterKind::None
    }

    /// True if it carries its state from one segment of a text into the next.
    pub fn carries_state(&self) -> bool {
        matches!(self, Self::RecurrentLm(_))
    }
}
