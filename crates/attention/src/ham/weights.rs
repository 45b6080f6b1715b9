//! The weights of each level of a hierarchy.

use crate::SoftWeights;
use crate::soft::{Lazy, lazy};

/// A_i of each level; if the context was computed without them, they are computed when first read.
#[derive(Clone, Debug)]
pub struct LevelWeights {
    depth: usize,
    dims: [usize; 4],
    own: Lazy<Vec<SoftWeights>>,
}

impl LevelWeights {
    /// Weights of `depth` levels, `[B, H, T, S]` each, that are not computed yet.
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

    /// d; nothing is computed for it.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The shape of each; nothing is computed for it.
    pub fn dims(&self) -> [usize; 4] {
        self.dims
    }

    /// A_i of every level, from the lowest.
    pub fn all(&self) -> &[SoftWeights] {
        &self.own
    }
}

impl From<Vec<SoftWeights>> for LevelWeights {
    /// # Panics
    /// If there is no level.
    fn from(own: Vec<SoftWeights>) -> Self {
        let (depth, dims) = (own.len(), own[0].dims());
        Self::lazy(depth, dims, || own)
    }
}
