//! A model as a drawing: stacks of blocks from input to output, and what flows between them.
//!
//! It is made of a configuration and of the descriptions of its mechanisms; nothing is built.
//!
//! - here: what a drawing is made of; [`ModelConfig::diagram`]
//! - `stacks`: the blocks of each architecture; `words`: their names for users; [`Shape`]: what
//!   comes out of them
//!
//! ```
//! use strata_models::{BlockKind, ModelConfig, Vocabularies};
//!
//! let diagram = ModelConfig::default().diagram(Vocabularies { source: 20, target: 30 });
//! let attends = |kind: &BlockKind| matches!(kind, BlockKind::Attention(_));
//! let site = diagram.blocks().find(|it| attends(&it.kind)).expect("it attends");
//! assert_eq!(site.words(), "Encoder 1, self-attention");
//! assert_eq!(site.shape.to_string(), "[batch, source length, 64]");
//! ```

mod lines;
mod readers;
mod shape;
mod stacks;
mod words;

use strata_attention::MechanismConfig;

use crate::{CellKind, LayerName, ModelConfig, Part, SiteName, Vocabularies};
pub use shape::{Axis, Shape};

/// A model as a drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagram {
    /// Source before target.
    pub stacks: Vec<Stack>,
    /// Between blocks, by their names.
    pub arrows: Vec<Arrow>,
}

/// Blocks, one upon the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// Name for users: `Encoder`.
    pub title: &'static str,
    /// Text that enters it.
    pub side: Side,
    /// Blocks from input to output.
    pub blocks: Vec<Block>,
}

/// A text that a model reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The source; of a reader the question.
    Source,
    /// The target so far; of a language model the text, of a reader the passages.
    Target,
}

/// A function of a model that has a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its own among all: that of the site where it attends, else `encoder.0.feed_forward`,
    /// `source_embedding`, ….
    pub name: String,
    /// Its stack, and its layer where it belongs to one, for users: `Encoder 1`.
    pub place: String,
    /// Layer, from 0; `None` before and after the layers.
    pub layer: Option<usize>,
    /// Operation that it computes.
    pub kind: BlockKind,
    /// Place of LayerNorm in its residual connection; `None` if it has none.
    pub residual: Option<NormPlacement>,
    /// Prefixes of its parameters' names, its norm's among them; empty if it has none.
    pub parameters: Vec<String>,
    /// Shape of its output.
    pub shape: Shape,
}

/// Place of LayerNorm in a block with a residual connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormPlacement {
    /// x + f(LayerNorm(x))
    First,
    /// LayerNorm(x + f(x))
    Last,
}

/// Operation of a block.
#[derive(Clone, Debug, PartialEq)]
pub enum BlockKind {
    /// A row of a table for each token.
    Embedding,
    /// Encodings of the tokens' positions, added to the embeddings.
    Positions {
        /// True if they are a trained table.
        learned: bool,
    },
    /// Attention.
    Attention(AttentionBlock),
    /// W₂ relu(W₁ x + b₁) + b₂ at each position.
    FeedForward {
        /// Its layer.
        layer: LayerName,
        /// Width inside.
        inner: usize,
    },
    /// LayerNorm after the last layer.
    Norm,
    /// A recurrent layer.
    Recurrent {
        /// Its cell.
        cell: CellKind,
        /// True if it also reads from the end.
        bidirectional: bool,
    },
    /// Convolutions over a line of a poem, until a single column is left.
    Convolution,
    /// Makes the decoder's first state of the encoder's last one, where their widths differ.
    Bridge,
    /// Makes the logits.
    Output {
        /// True if its matrix is the embedding, transposed.
        tied: bool,
    },
    /// Makes the probabilities of each place as start and as end of the answer.
    Span,
}

/// An attention site in a drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct AttentionBlock {
    /// Its name.
    pub site: SiteName,
    /// Its mechanism's settings in an experiment: `model.encoder_self`.
    pub path: String,
    /// Mechanism and its settings.
    pub mechanism: MechanismConfig,
    /// Number of heads, H; 1 where there are none.
    pub heads: usize,
    /// Shape of the attention weights of a level.
    pub weights: Shape,
}

/// Data that flow from one block to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrow {
    /// Name of the block that it comes from.
    pub from: String,
    /// Name of the block that reads it.
    pub to: String,
    /// Data that the arrow carries.
    pub carries: Carries,
}

/// Kind of data that a block reads from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carries {
    /// Its result, position by position.
    Result,
    /// Its result as keys and values.
    Memory,
    /// Its last state as a first state.
    LastState,
    /// Its result of the step before.
    StepBefore,
}

impl ModelConfig {
    /// Diagram of the model, for vocabularies of these sizes.
    pub fn diagram(&self, vocabularies: Vocabularies) -> Diagram {
        stacks::diagram(self, vocabularies)
    }
}

impl Diagram {
    /// All blocks, source before target, from input to output.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.stacks.iter().flat_map(|stack| &stack.blocks)
    }

    /// The block of this name.
    pub fn block(&self, name: &str) -> Option<&Block> {
        self.blocks().find(|block| block.name == name)
    }
}

impl Block {
    /// Its attention, if it attends.
    pub fn attention(&self) -> Option<&AttentionBlock> {
        match &self.kind {
            BlockKind::Attention(attention) => Some(attention),
            _ => None,
        }
    }

    /// Part whose muting takes the block away, if it can be muted.
    pub fn part(&self) -> Option<Part> {
        match &self.kind {
            BlockKind::Attention(attention) => Some(Part::Site {
                site: attention.site,
            }),
            BlockKind::FeedForward { layer, .. } => Some(Part::FeedForward { layer: *layer }),
            _ => None,
        }
    }

    /// True if a parameter of this name is one of its own.
    pub fn owns(&self, parameter: &str) -> bool {
        self.parameters.iter().any(|own| {
            let rest = parameter.strip_prefix(own.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }
}
