//! Blocks whose borders are learned, on a GPU: a unit finds the members of a block by
//! going through p itself, so that nothing between is ever in memory.

#[cfg(feature = "cube")]
mod cube;

use burn::tensor::Tensor;

#[cfg(feature = "cube")]
use kernel::Blocks;

/// Blocks of learned borders. Behind the last there are as many as make one for each member.
pub struct LearnedBlocks {
    /// The mean of the members of each by their masses, 0 of no block: `[B, H, S, D]`
    pub nodes: Tensor<4>,
    /// The first member of each, and the logarithms of the masses of this and the next k, so low
    /// where there is none that it has no weight: `[B, H, S, k + 2]`
    pub windows: Tensor<4>,
    /// Hides what is no block: added to scores, `[B, H, 1, S]`.
    pub hidden: Tensor<4>,
}

/// The blocks of members `[B, H, S, D]` that halt with p `[B, H, S, 1]`; one of a mass of at most
/// `smallest` is none. `None` where the kernels are not for these tensors.
pub fn learned_blocks(
    members: &Tensor<4>,
    halting: &Tensor<4>,
    block: usize,
    smallest: f32,
) -> Option<LearnedBlocks> {
    if ![members, halting].into_iter().all(crate::on_gpu) {
        return None;
    }
    #[cfg(feature = "cube")]
    return Some(kernel::learned_blocks(members, halting, block, smallest));
    #[cfg(not(feature = "cube"))]
    {
        let _ = (block, smallest);
        None
    }
}

#[cfg(feature = "cube")]
mod kernel {
    #[cfg(feature = "fusion")]
    use burn::backend::fusion::custom::TensorSpec;
    use burn::backend::tensor::FloatTensor;
    use burn::backend::{Backend, Dispatch, backend_extension};
    use burn::tensor::Tensor;

    use super::LearnedBlocks;

    pub(super) fn learned_blocks(
        members: &Tensor<4>,
        halting: &Tensor<4>,
        block: usize,
        smallest: f32,
    ) -> LearnedBlocks {
        let (nodes, windows, hidden) = Dispatch::learned_blocks(
            members.clone().into_dispatch(),
            halting.clone().into_dispatch(),
            block + 1,
            smallest,
        );
        LearnedBlocks {
            nodes: Tensor::from_dispatch(nodes),
            windows: Tensor::from_dispatch(windows),
            hidden: Tensor::from_dispatch(hidden),
        }
    }

    #[backend_extension(Cube, Fusion: cfg(feature = "fusion"), Autodiff)]
    pub(super) trait Blocks: Backend {
        /// Nodes, windows, and what hides those that are none. Blocks have `size` members at most.
        #[fusion(meta = |members, _halting, size, _smallest| {
            let [b, h, s] = [members.shape[0], members.shape[1], members.shape[2]];
            let spec = |shape: [usize; 4]| TensorSpec::new(shape.into(), members.dtype);
            (members.clone(), spec([b, h, s, size + 1]), spec([b, h, 1, s]))
        })]
        fn learned_blocks(
            members: FloatTensor<Self>,
            halting: FloatTensor<Self>,
            size: usize,
            smallest: f32,
        ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>);
    }
}
