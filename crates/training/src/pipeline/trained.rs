//! Parts of a trained model that not all kinds of work have.

use std::sync::Arc;

use strata_models::{SequenceModel, Tokens};
use strata_poems::Planner;

use super::{Layout, TokenizerKind, text_generation, translation};
use crate::{EnsembleError, Tokenizer};

/// Parts of a trained model that not all kinds of work have.
#[derive(Clone, Debug)]
pub(crate) enum InferenceKind {
    /// Translates.
    Translation {
        /// Further models of an ensemble.
        others: Vec<SequenceModel>,
    },
    /// Writes texts on.
    TextGeneration,
    /// Answers questions.
    QuestionAnswering,
    /// Writes poems.
    Poetry {
        /// Further models of an ensemble.
        others: Vec<SequenceModel>,
        /// Planner of the checkpoint; `None` while the run is being trained, and if the checkpoint
        /// has none.
        planner: Option<Arc<Planner>>,
    },
}

/// Input of a search: sources, and targets that may begin with given tokens.
pub(crate) struct SearchInput {
    /// Sources, `[B, S]`.
    pub source: Tokens,
    /// Tokens with which the target of each source begins; may be empty.
    pub prefixes: Vec<Vec<u32>>,
    /// For each source, number of tokens of its prefix that are the beginning of a text; empty for
    /// 0.
    pub begun: Vec<usize>,
}

impl InferenceKind {
    /// Parts of a model that reads what a tokenizer of this kind returns.
    pub fn of(tokenizer: &TokenizerKind) -> Self {
        let others = Vec::new();
        match tokenizer {
            TokenizerKind::Translation => Self::Translation { others },
            TokenizerKind::TextGeneration => Self::TextGeneration,
            TokenizerKind::QuestionAnswering(_) => Self::QuestionAnswering,
            TokenizerKind::Poetry(_) => Self::Poetry {
                others,
                planner: None,
            },
        }
    }

    /// Further models of an ensemble; none for kinds that have no ensembles.
    pub fn others(&self) -> &[SequenceModel] {
        match self {
            Self::Translation { others } | Self::Poetry { others, .. } => others,
            Self::TextGeneration | Self::QuestionAnswering => &[],
        }
    }

    /// Further models of an ensemble, to be changed.
    ///
    /// # Errors
    /// If models of this kind cannot join an ensemble.
    pub fn others_mut(&mut self) -> Result<&mut Vec<SequenceModel>, EnsembleError> {
        match self {
            Self::Translation { others } | Self::Poetry { others, .. } => Ok(others),
            Self::TextGeneration => Err(EnsembleError::LanguageModel),
            Self::QuestionAnswering => Err(EnsembleError::Reader),
        }
    }

    /// Planner of poems; `None` for other kinds, and if there is none.
    pub fn planner(&self) -> Option<&Planner> {
        match self {
            Self::Poetry { planner, .. } => planner.as_deref(),
            Self::Translation { .. } | Self::TextGeneration | Self::QuestionAnswering => None,
        }
    }

    /// Replaces the planner of poems; does nothing for other kinds.
    pub fn set_planner(&mut self, found: Option<Planner>) {
        if let Self::Poetry { planner, .. } = self {
            *planner = found.map(Arc::new);
        }
    }

    /// Input of a search for the targets of `sources`, which begin with `prefixes`.
    pub fn search_input(&self, sources: &[&[u32]], prefixes: Vec<Vec<u32>>) -> SearchInput {
        match self {
            Self::TextGeneration => text_generation::search_input(sources, &prefixes),
            Self::Translation { .. } | Self::Poetry { .. } | Self::QuestionAnswering => {
                translation::search_input(sources, prefixes)
            }
        }
    }

    /// Layout of held-out examples, the same as in training.
    pub fn layout_of_held_out(&self, tokenizer: &Tokenizer) -> Layout {
        match self {
            Self::TextGeneration => Layout::Text,
            Self::Translation { .. } | Self::Poetry { .. } | Self::QuestionAnswering => {
                Layout::of_pairs(tokenizer.target_end)
            }
        }
    }

    /// Layout of a single example that is looked at: a line of a poem has an end as well.
    pub fn layout_of_one(&self, tokenizer: &Tokenizer) -> Layout {
        match self {
            Self::TextGeneration => Layout::Text,
            Self::Translation { .. } | Self::Poetry { .. } | Self::QuestionAnswering => {
                if tokenizer.answers_in_place() {
                    Layout::InPlace
                } else {
                    Layout::Pairs
                }
            }
        }
    }
}
