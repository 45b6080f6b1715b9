//! The weights of each level of a hierarchy.

use std::sync::{Arc, LazyLock};

use crate::SoftWeights;

type Later = Box<dyn FnOnce() -> Vec<SoftWeights> + Send>;

/// A_i of each level; where the context was computed without them, computed once when somebody
/// looks.
#[derive(Clone, Debug)]
pub struct LevelWeights {
    depth: usize,
    dims: [usize; 4],
    own: Arc<LazyLock<Vec<SoftWeights>, Later>>,
}

impl LevelWeights {
    /// Weights of `depth` levels, `[B, H, T, S]` each, that are not computed yet.
    pub(crate) fn lazy(
        depth: usize,
        dims: [usize; 4],
        own: impl FnOnce() -> Vec<SoftWeights> + Send + 'static,
    ) -> Self {
        let own: Later = Box::new(own);
        Self {
            depth,
            dims,
            own: Arc::new(LazyLock::new(own)),
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
