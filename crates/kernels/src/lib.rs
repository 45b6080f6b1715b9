//! What takes most of a training step, in as few passes over memory and as few launches as it
//! needs, forward and backward.
//!
//! Numbers in F32 are computed by custom kernels: with the feature `flex` where they lie in the
//! host's own memory, with the feature `cube` where they lie on a GPU, there in BF16 and F16,
//! too, which kernels read and write, but compute with in F32. In every other precision, without the
//! feature, and where a kernel is not for these tensors, burn's own operations compute them, to the
//! same result.
//!
//! - [`linear`], [`layer_norm`], [`cross_entropy`], [`additive_scores`], [`lstm`], [`gru`]: operations
//!   with gradients
//! - [`attention`]: the same for attention, all of a mechanism at once
//! - [`adamw`], [`sum_of_squares`]: an update of parameters and the norm of gradients, without
//! - [`concat_flat`], [`split_flat`]: many small tensors as one
//! - `node` (operations in the graph of gradients), `host`, `buffer` (for results), `product` (of matrices),
//!   `layer` (a linear one), `additive_pair` (of a query and a key), [`vector`], [`threads`] on the CPU, `cube` on GPUs: what the
//!   kernels are made of; for those of other crates

mod adam;
mod additive;
#[cfg(feature = "flex")]
pub mod additive_pair;
pub mod attention;
#[cfg(feature = "flex")]
pub mod buffer;
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
pub mod product;
mod recurrent;
mod rows;
mod sum_of_squares;
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
pub use rows::{concat_flat, split_flat};
pub use sum_of_squares::sum_of_squares;

use burn::tensor::{DType, Device, Tensor};

/// True if a device computes in the host's own memory, so that a number is there at once.
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

/// True if custom kernels for the CPU compute with a tensor.
pub fn on_cpu<const D: usize>(tensor: &Tensor<D>) -> bool {
    tensor.dtype() == DType::F32 && is_host(&tensor.device())
}

/// True if custom kernels for GPUs compute with a tensor.
pub fn on_gpu<const D: usize>(tensor: &Tensor<D>) -> bool {
    on_gpu_in(tensor, DType::F32)
}

/// True if those of custom kernels for GPUs that take all precisions compute with a tensor, and
/// its numbers are in this one.
pub fn on_gpu_in<const D: usize>(tensor: &Tensor<D>, dtype: DType) -> bool {
    cfg!(feature = "cube")
        && matches!(dtype, DType::F32 | DType::BF16 | DType::F16)
        && tensor.dtype() == dtype
        && !is_host(&tensor.device())
}

/// True if custom kernels compute with a tensor.
pub fn has_kernel<const D: usize>(tensor: &Tensor<D>) -> bool {
    has_kernel_for(tensor, DType::F32)
}

/// True if custom kernels compute with a tensor, those for GPUs in all precisions, and its
/// numbers are in this one.
pub fn has_kernel_for<const D: usize>(tensor: &Tensor<D>, dtype: DType) -> bool {
    on_gpu_in(tensor, dtype) || (dtype == DType::F32 && on_cpu(tensor))
}
