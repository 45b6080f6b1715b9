//! Attention as single operations, forward and backward, in as few passes over memory as possible:
//! `host` for the CPU (feature `flex`), `cube` for the GPU (feature `cube`).
//!
//! Every function returns `None` if no kernel supports its tensors. The caller then computes the
//! same result with burn's operations.
//!
//! - [`softmax()`]: weights of scores
//! - [`dot_attention`]: softmax(c · Q Kᵀ + mask)ᴺ V
//! - [`dot_hierarchy`]: a weighted sum of d levels of dot-product attention
//! - [`pyramid_descent`]: all levels of a pyramid, laid out as a [`Plan`] says
//! - [`learned_blocks`]: blocks of a pyramid whose borders are learned
//! - [`power`]: a power of a matrix times V in as few products as possible

mod blocks;
mod descent;
mod dot;
#[cfg(feature = "flex")]
mod heads;
mod hierarchy;
pub(crate) mod naive;
pub mod power;
#[cfg(feature = "cube")]
mod rows;
#[cfg(feature = "flex")]
mod scores;
mod softmax;
#[cfg(feature = "flex")]
mod transposed;

pub use blocks::{LearnedBlocks, learned_blocks};
pub use descent::{JoinedNodes, PairScore, Plan, pyramid_descent};
pub use dot::dot_attention;
pub use hierarchy::dot_hierarchy;
pub use softmax::softmax;

#[cfg(any(feature = "flex", feature = "cube"))]
use burn::tensor::Tensor;

/// Term added to the score of a masked key. Finite, so that a row whose keys are all masked stays
/// finite (its weights are then set to 0), and so large that exp gives exactly 0.
pub const MASKED_SCORE: f32 = -1e30;

/// Largest width of a row that a GPU thread keeps in registers.
const WIDEST: usize = 64;

/// Largest number of rows that a kernel multiplies with one query. Longer sequences go to whole
/// matrix products.
const LONGEST: usize = 512;

/// Returns the mask to add to scores, `[B or 1, H or 1, T or 1, S]`; all 0 without a mask.
#[cfg(any(feature = "flex", feature = "cube"))]
fn additive_mask(mask: Option<Tensor<4>>, keys: &Tensor<4>) -> Tensor<4> {
    mask.unwrap_or_else(|| Tensor::zeros([1, 1, 1, keys.dims()[2]], &keys.device()))
}
