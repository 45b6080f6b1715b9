//! What takes most of a training step, in as few passes over memory and as few launches as it
//! needs, forward and backward.
//!
//! Numbers in F32 are computed by kernels of ours: with the feature `flex` where they lie in the
//! host's own memory, with the feature `cube` where they lie on a graphics card, there in BF16 and F16,
//! too, which kernels read and write, but compute with in F32. In every other precision, without the
//! feature, and where a kernel is not for these tensors, burn's own operations compute them, to the
//! same result.
//!
//! - [`linear`], [`layer_norm`], [`cross_entropy`], [`additive_scores`], [`lstm`], [`gru`]: operations
//!   with gradients
//! - [`attention`]: the same for attention, all of a mechanism at once
//! - [`adamw`], [`square_sum`]: an update of parameters and the norm of gradients, without
//! - [`in_a_row`], [`apart`]: many small tensors as one
//! - `node` (operations in the graph of gradients), `host`, `room` (for results), `product` (of matrices),
//!   `layer` (a linear one), `pair` (of a query and a key), [`vector`], [`threads`] on the CPU, `cube` on graphics cards: what the
//!   kernels are made of; for those of other crates

mod adam;
mod additive;
pub mod attention;
mod cross_entropy;
#[cfg(feature = "cube")]
pub mod cube;
mod gru;
#[cfg(feature = "flex")]
pub mod host;
#[cfg(feature = "flex")]
pub mod layer;
mod layer_norm;
mod linear;
mod lstm;
#[cfg(any(feature = "flex", feature = "cube"))]
pub mod node;
#[cfg(feature = "flex")]
pub mod pair;
#[cfg(feature = "flex")]
pub mod product;
mod recurrent;
#[cfg(feature = "flex")]
pub mod room;
mod rows;
mod square_sum;
#[cfg(all(test, feature = "flex"))]
mod testing;
pub mod threads;
pub mod vector;

pub use adam::{AdamStep, adamw};
pub use additive::additive_scores;
pub use cross_entropy::cross_entropy;
pub use gru::{gru, gru_bias, gru_by_steps, gru_keep, gru_step};
pub use layer_norm::layer_norm;
pub use linear::{apply, apply_rectified, linear, rectified_linear};
pub use lstm::lstm;
pub use rows::{apart, in_a_row};
pub use square_sum::square_sum;

use burn::tensor::{DType, Device, Tensor};

/// Whether a device computes in the host's own memory, so that a number is there at once.
pub fn is_host(device: &Device) -> bool {
    #[cfg(feature = "flex")]
    return device.clone().inner() == Device::flex();
    #[cfg(not(feature = "flex"))]
    {
        // No such device is switched on.
        let _ = device;
        false
    }
}

/// Whether our kernels for the CPU compute with a tensor.
pub fn on_host<const D: usize>(tensor: &Tensor<D>) -> bool {
    tensor.dtype() == DType::F32 && is_host(&tensor.device())
}

/// Whether our kernels for graphics cards compute with a tensor.
pub fn on_card<const D: usize>(tensor: &Tensor<D>) -> bool {
    on_card_in(tensor, DType::F32)
}

/// Whether those of our kernels for graphics cards that take all precisions compute with a tensor, and
/// its numbers are in this one.
pub fn on_card_in<const D: usize>(tensor: &Tensor<D>, dtype: DType) -> bool {
    cfg!(feature = "cube")
        && matches!(dtype, DType::F32 | DType::BF16 | DType::F16)
        && tensor.dtype() == dtype
        && !is_host(&tensor.device())
}

/// Whether kernels of ours compute with a tensor.
pub fn is_ours<const D: usize>(tensor: &Tensor<D>) -> bool {
    is_ours_in(tensor, DType::F32)
}

/// Whether kernels of ours compute with a tensor, those for graphics cards in all precisions, and its
/// numbers are in this one.
pub fn is_ours_in<const D: usize>(tensor: &Tensor<D>, dtype: DType) -> bool {
    on_card_in(tensor, dtype) || (dtype == DType::F32 && on_host(tensor))
}
