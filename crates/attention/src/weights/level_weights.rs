//! Attention weights of each level of a hierarchy.

use crate::SoftWeights;
use crate::soft::{Lazy, lazy};

/// Weights A_i of each level. If the context was computed without weights, they are computed when
/// first read.
#[derive(Clone, Debug)]
pub struct LevelWeights {
    depth: usize,
    dims: [usize; 4],
    own: Lazy<Vec<SoftWeights>>,
}

impl LevelWeights {
    /// Delays the weights of `depth` levels, `[B, H, T, S]` each, until they are read.
    pub(crate) fn lazy(
        depth: usize,
        dims: [usize; 4],
        own: impl FnOnce() -> Vec<SoftWeights> + Send + 'static,
    ) -> Self {
        Self {
            depth,
            dims,
            own: lazy(own),
        }
    }

    /// Number of levels, d. Computes no weights.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Shape of the weights of one level, `[B, H, T, S]`. Computes no weights.
    pub fn dims(&self) -> [usize; 4] {
        self.dims
    }

    /// Returns A_i of every level, from the lowest.
    pub fn all(&self) -> &[SoftWeights] {
        &self.own
    }
}

impl From<Vec<SoftWeights>> for LevelWeights {
    /// Takes computed weights, level by level.
    ///
    /// # Panics
    /// If there is no level.
    fn from(own: Vec<SoftWeights>) -> Self {
        let (depth, dims) = (own.len(), own[0].dims());
        Self::lazy(depth, dims, || own)
    }
}
