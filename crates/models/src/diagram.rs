//! Diagram of a model: stacks of blocks from input to output, and the data that flow between them.
//!
//! A diagram is made from a configuration; no model is built.
//!
//! - this file: the elements of a diagram; [`ModelConfig::diagram`]
//! - `stacks`: the blocks of each architecture; `words`: the blocks' names for users; [`Shape`]:
//!   the shapes of the blocks' outputs
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
mod tagger;
mod words;

use strata_attention::{MechanismConfig, RelativePositions};

use crate::{CellKind, LayerName, ModelConfig, Part, SiteName, Vocabularies};
pub use shape::{Axis, Shape};

/// Diagram of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagram {
    /// Stacks of blocks, source before target.
    pub stacks: Vec<Stack>,
    /// Arrows between blocks, which are given by name.
    pub arrows: Vec<Arrow>,
}

/// Stack of blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// Name of the stack for users: `Encoder`.
    pub title: &'static str,
    /// Text that enters the stack.
    pub side: Side,
    /// Passes through the stack's layers, R; 1 unless the model has loops.
    pub loops: usize,
    /// Blocks from input to output.
    pub blocks: Vec<Block>,
}

/// Text that a model reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// Source; for a reader, the question.
    Source,
    /// Target so far; for a language model, the text; for a reader, the passages.
    Target,
}

/// Block of a diagram: a named function of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Name that no other block has: the site's for attention, otherwise `encoder.0.feed_forward`,
    /// `source_embedding`, ….
    pub name: String,
    /// Stack, and layer if there is one, for users: `Encoder 1`.
    pub place: String,
    /// Layer, counted from 0; `None` before and after the layers.
    pub layer: Option<usize>,
    /// Operation of the block.
    pub kind: BlockKind,
    /// Place of LayerNorm in the block's residual connection; `None` if the block has none.
    pub residual: Option<NormPlacement>,
    /// Prefixes of the names of the block's parameters, its norm's included; empty if it has none.
    pub parameters: Vec<String>,
    /// Shape of the block's output.
    pub shape: Shape,
}

/// Place of LayerNorm in a block with a residual connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormPlacement {
    /// LayerNorm first: x + f(LayerNorm(x)).
    First,
    /// LayerNorm last: LayerNorm(x + f(x)).
    Last,
}

/// Operation of a block.
#[derive(Clone, Debug, PartialEq)]
pub enum BlockKind {
    /// Embedding: looks up a row of a table for each token.
    Embedding,
    /// Encodings of the tokens' positions, added to the embeddings.
    Positions {
        /// True if the encodings are a trained table.
        learned: bool,
    },
    /// Attention site.
    Attention(AttentionBlock),
    /// Feed-forward block: W₂ relu(W₁ x + b₁) + b₂ at each position.
    FeedForward {
        /// Name of the block's layer.
        layer: LayerName,
        /// Width of the hidden layer.
        inner: usize,
    },
    /// LayerNorm after the last layer.
    Norm,
    /// Recurrent layer.
    Recurrent {
        /// Cell of the layer.
        cell: CellKind,
        /// True if the layer also reads from the end.
        bidirectional: bool,
    },
    /// Gated convolution over neighbouring places.
    Convolution {
        /// Number of places that the convolution reads at once.
        kernel_size: usize,
    },
    /// Convolutions over a line of a poem, until a single column is left.
    LineVector,
    /// Maps the encoder's last state to the decoder's first state, if their widths differ.
    Bridge,
    /// Output layer: computes the logits.
    Output {
        /// True if the matrix is the embedding, transposed.
        tied: bool,
    },
    /// Output of a reader: probabilities of each token to be the start and the end of the answer.
    Span,
}

/// Attention site in a diagram.
#[derive(Clone, Debug, PartialEq)]
pub struct AttentionBlock {
    /// Name of the site.
    pub site: SiteName,
    /// Path of the mechanism's settings in an experiment: `model.encoder_self`.
    pub path: String,
    /// Mechanism with its settings.
    pub mechanism: MechanismConfig,
    /// Positions that the site tells by itself.
    pub positions: RelativePositions,
    /// Number of heads, H; 1 if the layer has no heads.
    pub heads: usize,
    /// Shape of one level's attention weights.
    pub weights: Shape,
}

/// Arrow: data that flow from one block to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrow {
    /// Name of the block from which the data come.
    pub from: String,
    /// Name of the block that reads the data.
    pub to: String,
    /// Data that the arrow carries.
    pub carries: Carries,
}

/// Kind of data that a block reads from another block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carries {
    /// Result of the other block, position by position.
    Result,
    /// Result of the other block, as keys and values.
    Memory,
    /// Last state of the other block, as a first state.
    LastState,
    /// Result of the other block in the step before.
    StepBefore,
}

impl ModelConfig {
    /// Draws the diagram of the model, for vocabularies of these sizes.
    pub fn diagram(&self, vocabularies: Vocabularies) -> Diagram {
        stacks::diagram(self, vocabularies)
    }
}

impl Diagram {
    /// Iterates over all blocks, source before target, from input to output.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.stacks.iter().flat_map(|stack| &stack.blocks)
    }

    /// Finds the block of this name.
    pub fn block(&self, name: &str) -> Option<&Block> {
        self.blocks().find(|block| block.name == name)
    }
}

impl Stack {
    /// True if the stack ends with the output of the model.
    pub fn writes(&self) -> bool {
        let last = self.blocks.last();
        last.is_some_and(|it| matches!(it.kind, BlockKind::Output { .. } | BlockKind::Span))
    }
}

impl Block {
    /// Attention of the block; `None` for other blocks.
    pub fn attention(&self) -> Option<&AttentionBlock> {
        match &self.kind {
            BlockKind::Attention(attention) => Some(attention),
            _ => None,
        }
    }

    /// Part of the model that mutes the block; `None` if it cannot be muted.
    pub fn part(&self) -> Option<Part> {
        match &self.kind {
            BlockKind::Attention(attention) => Some(Part::Site {
                site: attention.site,
            }),
            BlockKind::FeedForward { layer, .. } => Some(Part::FeedForward { layer: *layer }),
            _ => None,
        }
    }

    /// True if a parameter of this name belongs to the block.
    pub fn owns(&self, parameter: &str) -> bool {
        self.parameters.iter().any(|own| {
            let rest = parameter.strip_prefix(own.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }
}
