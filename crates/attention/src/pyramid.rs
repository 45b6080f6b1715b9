//! Attention on a pyramid of blocks of the input (Gupta and Ahmed, *Attention on Hierarchical
//! Representation of Inputs*).
//!
//! Level 0 holds the states; each further level summarises blocks of k nodes of the level below. A
//! query attends to the nodes of the top level and opens the b nodes of highest weight: each is
//! replaced by attention over its children. This repeats level by level down to the leaves. The
//! context is a convex combination of nodes. With b nodes opened per level a query costs
//! S/k^{L−1} + b·k·(L−1) scores instead of S. If no level has more than b candidates, all nodes are opened
//! (the full soft pyramid).
//!
//! Nodes serve as keys and values. In a layer with heads there is one pyramid of full width, whose
//! nodes W^K and W^V project; each head descends by itself.
//!
//! Letters: k block size, b beam, L levels, n nodes of a level, c nodes that a query has reached.
//!
//! - `cnn`, `rnn`, `act`: summaries, which make a level from the level below
//! - `pyramid_level` (beside this folder): a level that is ready for queries
//! - `descent` (beside this folder): the descent of queries through the levels
//! - `config`: settings

mod act;
mod cnn;
mod config;
mod rnn;

use burn::module::Module;
use burn::tensor::Tensor;

use crate::attend::{Attend, Projection};
use crate::descent::level_score;
use crate::memory::State;
use crate::pyramid_level::{Level, Levels, Nodes, ponder};
use crate::{
    AttentionOutput, AttentionWeights, Auxiliary, Beam, CausalCache, Descent, Mask, Memory, Muted,
    Node, PreparedKeys, Score,
};
use act::Act;
use cnn::Cnn;
pub use config::{PyramidConfig, SummaryKind};
use rnn::Rnn;

/// Network that summarises a block of nodes as one node of the next level.
#[derive(Module, Debug)]
pub enum Summary {
    /// A convolution of kernel and stride k.
    Cnn(Cnn),
    /// The last state of a GRU.
    Rnn(Rnn),
    /// The mean of a block whose size is learned.
    Act(Act),
}

/// Pyramid attention: a descent through blocks of the input.
#[derive(Module, Debug)]
pub struct Pyramid {
    /// Score function of each level from the leaves to the top; a single one if all levels share
    /// it.
    pub scores: Vec<Score>,
    /// Summaries that make level 1, 2, … from the level below.
    pub summaries: Vec<Summary>,
    #[module(skip)]
    block: usize,
    #[module(skip)]
    beam: Beam,
    /// Weight of the ponder cost in the loss, τ.
    #[module(skip)]
    ponder_cost: f64,
    /// Muted nodes, to which no query attends.
    #[module(skip)]
    muted: Vec<Node>,
}

impl Summary {
    /// Summarises blocks of the level `below` as the nodes of the next level.
    fn summarise(&self, below: &Nodes, block: usize) -> Nodes {
        match self {
            Self::Cnn(cnn) => cnn.summarise(below, block),
            Self::Rnn(rnn) => rnn.summarise(below, block),
            Self::Act(act) => act.summarise(below, block),
        }
    }

    /// True if every block has k members. Levels are then padded to a multiple of k.
    fn has_fixed_blocks(&self) -> bool {
        !matches!(self, Self::Act(_))
    }
}

impl Pyramid {
    /// Builds all levels from the states `[B, H, S, D]` up.
    fn nodes(&self, states: Tensor<4>, mask: Mask) -> Vec<Nodes> {
        let mut levels = vec![Nodes::leaves(states, mask)];
        for summary in &self.summaries {
            let below = levels.pop().expect("there are leaves");
            let below = if summary.has_fixed_blocks() {
                below.pad_to_multiple(self.block)
            } else {
                below
            };
            let above = summary.summarise(&below, self.block);
            levels.extend([below, above]);
        }
        levels
    }

    /// Projects the nodes of all levels to keys and values. `length` is S, without the padding to
    /// whole blocks.
    fn memory(
        &self,
        length: usize,
        nodes: Vec<Nodes>,
        project: impl Fn(Tensor<4>) -> (Tensor<4>, Option<Tensor<4>>),
    ) -> Memory {
        let levels: Vec<Level> = nodes
            .into_iter()
            .map(|nodes| {
                let (keys, values) = project(nodes.states.clone());
                Level::new(nodes, keys, values)
            })
            .collect();
        let Level {
            keys, values, mask, ..
        } = levels[0].clone();
        Memory {
            state: Some(State::Pyramid(Levels::new(levels, length))),
            ..Memory::prepared(PreparedKeys::of(keys), values, mask)
        }
    }
}

impl Attend for Pyramid {
    fn score(&self) -> Option<&Score> {
        Some(level_score(&self.scores, 0))
    }

    fn needs_f32(&self) -> bool {
        true
    }

    /// Returns false: the weights are those of nodes, and each query reaches other nodes.
    fn takes_given_weights(&self) -> bool {
        false
    }

    fn pyramid_levels(&self) -> usize {
        self.summaries.len() + 1
    }

    fn mute(&mut self, muted: &Muted) {
        self.muted.clone_from(&muted.nodes);
    }

    fn prepare(&self, keys: Tensor<4>, _values: Tensor<4>, mask: Mask) -> Memory {
        let length = keys.dims()[2];
        self.memory(length, self.nodes(keys, mask), |nodes| (nodes, None))
    }

    fn prepare_projected(
        &self,
        keys: Tensor<3>,
        _values: Tensor<3>,
        mask: Mask,
        projection: Projection<'_>,
    ) -> Memory {
        let length = keys.dims()[1];
        let nodes = self.nodes(keys.unsqueeze_dim(1), mask); // of states [B, 1, S, D]
        self.memory(length, nodes, |nodes| {
            let rows = nodes.squeeze_dim::<3>(1); // [B, n, D]
            let keys = (projection.keys)(rows.clone()); // [B, H, n, D/H]
            (keys, Some((projection.values)(rows)))
        })
    }

    fn attend_from(&self, _: usize, query: Tensor<4>, memory: &Memory) -> AttentionOutput {
        let Some(State::Pyramid(pyramid)) = &memory.state else {
            unreachable!("a pyramid's memory has its levels");
        };
        let (context, descent) = Descent::of(query, pyramid, &self.scores, self.beam, &self.muted);
        let ponder = ponder(&pyramid.levels);
        let weights = AttentionWeights::Descent {
            descent,
            keys: pyramid.keys,
        };
        AttentionOutput {
            auxiliary: Auxiliary {
                cost: ponder.map(|ponder| ponder.mul_scalar(self.ponder_cost)),
                ..Auxiliary::default()
            },
            ..AttentionOutput::new(context, weights)
        }
    }

    /// Refuses causal self-attention, of which a pyramid has no form.
    ///
    /// # Panics
    /// Always; the configuration is refused at causal sites before.
    fn self_attend_next(
        &self,
        _cache: &mut CausalCache,
        _query: Tensor<4>,
        _key: Tensor<4>,
        _value: Tensor<4>,
    ) -> AttentionOutput {
        unreachable!("a pyramid is refused at a decoder's self-attention")
    }
}
