//! Blocks of a pyramid whose borders are learned, on a GPU. One unit finds the members of a block
//! by scanning p, so that no intermediate result goes to memory.

#[cfg(feature = "cube")]
mod cube;
pub(super) mod naive;

use burn::tensor::Tensor;

#[cfg(feature = "cube")]
use kernel::Blocks;

/// Blocks with learned borders, padded with empty blocks to one block per member (S).
pub struct LearnedBlocks {
    /// Mean of each block's members, weighted by their masses; 0 for an empty block:
    /// `[B, H, S, D]`.
    pub nodes: Tensor<4>,
    /// Index of each block's first member, then the log masses of this member and the next k;
    /// [`MASKED_SCORE`](super::MASKED_SCORE) for a member outside of the block: `[B, H, S, k + 2]`
    pub windows: Tensor<4>,
    /// Additive mask that hides empty blocks, `[B, H, 1, S]`.
    pub mask: Tensor<4>,
}

/// Splits members `[B, H, S, D]` with halting probabilities p `[B, H, S, 1]` into blocks. A block
/// whose mass is at most `smallest` is empty. Returns `None` if no kernel supports these tensors.
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
        let (nodes, windows, mask) = Dispatch::learned_blocks(
            members.clone().into_dispatch(),
            halting.clone().into_dispatch(),
            block + 1,
            smallest,
        );
        LearnedBlocks {
            nodes: Tensor::from_dispatch(nodes),
            windows: Tensor::from_dispatch(windows),
            mask: Tensor::from_dispatch(mask),
        }
    }

    #[backend_extension(Cube, Fusion: cfg(feature = "fusion"), Autodiff)]
    pub(super) trait Blocks: Backend {
        /// Computes nodes, windows, and the mask of empty blocks. Blocks have at most `size`
        /// members.
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

#[cfg(all(test, feature = "wgpu"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::{Device, Tolerance};

    use super::*;
    use crate::testing::Draws;

    #[test]
    fn nodes_and_gradients_are_those_of_the_formula() {
        let device = &Device::wgpu(Default::default()).autodiff();
        const SMALLEST: f32 = 1e-4;
        for [b, h, s, d, block] in [[1, 1, 1, 1, 2], [2, 1, 7, 5, 3], [3, 2, 40, 8, 2]] {
            let mut draws = Draws::new(3, device);
            let members = draws.normal([b, h, s, d], 0.0, 1.0).require_grad();
            // A member halts with p between 1/k and 1.
            let spread = 1.0 - 1.0 / block as f64;
            let halting = draws.uniform([b, h, s, 1], spread / 2.0) + (1.0 - spread / 2.0);
            let halting = halting.detach().require_grad();
            let probe = draws.normal([b, h, s, d], 0.0, 1.0);
            let run = |nodes: Tensor<4>| {
                let found = (nodes.clone() * probe.clone()).sum().backward();
                let gradients = [&members, &halting].map(|leaf| leaf.grad(&found).unwrap());
                let [members, halting] = gradients.map(Tensor::into_data);
                [nodes.into_data(), members, halting]
            };
            let blocks = learned_blocks(&members, &halting, block, SMALLEST).unwrap();
            let (nodes, _) =
                naive::learned_blocks(members.clone(), halting.clone(), f64::from(SMALLEST));
            for (found, expected) in run(blocks.nodes).iter().zip(&run(nodes)) {
                found.assert_approx_eq(expected, Tolerance::<f32>::rel_abs(1e-3, 1e-3));
            }
        }
    }
}
