//! The operations that take most of a training step, forward and backward, in as few passes over
//! memory and as few launches as possible.
//!
//! Custom kernels compute F32 tensors: on the CPU with the feature `flex`, on a GPU with the
//! feature `cube`. GPU kernels also read and write BF16 and F16, but compute in F32. In every other
//! precision, without the feature, and if no kernel supports the tensors, burn's own operations
//! compute the same result.
//!
//! - [`linear()`], [`layer_norm()`], [`cross_entropy()`], [`additive_scores`], [`lstm()`], [`gru()`],
//!   [`lstm_of_texts`], [`gru_of_texts`]: operations with gradients
//! - [`linear_cross_entropy()`]: the output layer and the loss as one operation, with gradients
//! - [`attention`]: a whole attention mechanism as one operation, with gradients
//! - [`adamw`], [`sum_of_squares()`]: update of the parameters, and squared norm of gradients;
//!   without gradients
//! - [`concat_flat`], [`split_flat`]: many small tensors as one
//! - building blocks of kernels, also for other crates: `node` (operations in the autodiff graph);
//!   on the CPU `host` (tensors as slices), `buffer` (results), `product` (of matrices), `layer`
//!   (linear), `additive_pair` (one query with one key), [`vector`], [`threads`]; on GPUs `cube`
//! - [`naive`]: the formula of every custom kernel in about 20 lines of burn's operations, to read
//!   first; the tests of the kernel compare with the formula
//!
//! A kernel computes what its formula says, up to rounding:
//!
//! ```
//! use burn::tensor::{Device, Tensor, Tolerance};
//! use strata_kernels::{layer_norm, naive};
//!
//! let device = Device::flex();
//! let x = Tensor::<2>::from_data([[1.0f32, 2.0, 6.0], [0.0, 3.0, 3.0]], &device); // [rows, D]
//! let gamma = Tensor::<1>::ones([3], &device);
//! let beta = Tensor::<1>::zeros([3], &device);
//!
//! let kernel = layer_norm(x.clone(), gamma.clone(), beta.clone(), 1e-5);
//! let formula = naive::layer_norm(x, gamma, beta, 1e-5);
//! let near = Tolerance::<f32>::absolute(1e-5);
//! kernel.into_data().assert_approx_eq(&formula.into_data(), near);
//! ```
//!
//! Attention kernels return `None` where no kernel supports the tensors, and the caller falls back
//! to burn's operations:
//!
//! ```
//! use burn::tensor::{Device, Tensor};
//! use strata_kernels::attention::dot_attention;
//! use strata_kernels::naive;
//!
//! let x = Tensor::<4>::ones([1, 2, 5, 8], &Device::flex()); // [B, H, T, D]
//! let scale = 1.0 / 8f32.sqrt();
//! let context = dot_attention([&x, &x, &x], None, scale, 1).unwrap_or_else(|| {
//!     naive::dot_attention([x.clone(), x.clone(), x.clone()], None, scale.into(), 1)
//! });
//! assert_eq!(context.dims(), [1, 2, 5, 8]); // [B, H, T, D_v]
//! ```
//!
//! # Invariants
//!
//! - No library chooses a backend of burn: a tensor knows its `Device` at run time, and `cli`,
//!   `web` and the tests switch backends on. Without the features `flex` and `cube` this crate runs
//!   burn's own operations. Not tested.
//! - Results are bit-identical for any number of threads: work is cut into the same jobs, and only
//!   the assignment of jobs to threads changes. Test: `threads_change_no_bit_of_a_loss`.
//! - Threads share work only while sharing saves time (`threads/governor.rs`), and a thread that
//!   waits on a busy core rests instead of yielding again and again (`threads/watch.rs`). Tests:
//!   `one_thread_works_alone_where_others_keep_it_waiting`,
//!   `threads_share_again_once_the_machine_is_quiet`, `a_thread_that_rests_is_called_to_work`.

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
mod linear_cross_entropy;
mod lstm;
pub mod naive;
#[cfg(any(feature = "flex", feature = "cube"))]
pub mod node;
#[cfg(feature = "flex")]
pub mod product;
mod recurrent;
mod rows;
mod sum_of_squares;
#[cfg(all(test, feature = "flex"))]
mod testing;
mod texts;
pub mod threads;
pub mod vector;

pub use adam::{AdamStep, adamw};
pub use additive::additive_scores;
pub use cross_entropy::cross_entropy;
pub use gru::{gru, gru_bias, gru_by_steps, gru_keep, gru_step};
pub use layer_norm::layer_norm;
pub use linear::{apply, apply_rectified, linear, rectified_linear};
pub use linear_cross_entropy::{CrossEntropy, linear_cross_entropy};
pub use lstm::lstm;
pub use rows::{concat_flat, split_flat};
pub use sum_of_squares::sum_of_squares;
pub use texts::{gru_of_texts, lstm_of_texts};

use burn::tensor::{DType, Device, Tensor};

/// True if a device computes in the host's own memory, so that reading a number needs no waiting.
pub fn is_host(device: &Device) -> bool {
    #[cfg(feature = "flex")]
    return device.clone().inner() == Device::flex();
    #[cfg(not(feature = "flex"))]
    {
        // No CPU device is compiled in.
        let _ = device;
        false
    }
}

/// True if custom CPU kernels support this tensor: F32 in the host's memory.
pub fn on_cpu<const D: usize>(tensor: &Tensor<D>) -> bool {
    tensor.dtype() == DType::F32 && is_host(&tensor.device())
}

/// True if custom GPU kernels support this tensor: F32 on a GPU.
pub fn on_gpu<const D: usize>(tensor: &Tensor<D>) -> bool {
    on_gpu_in(tensor, DType::F32)
}

/// True if this tensor is on a GPU in the precision `dtype`, and `dtype` is one that custom GPU
/// kernels support (F32, BF16, F16).
pub fn on_gpu_in<const D: usize>(tensor: &Tensor<D>, dtype: DType) -> bool {
    cfg!(feature = "cube")
        && matches!(dtype, DType::F32 | DType::BF16 | DType::F16)
        && tensor.dtype() == dtype
        && !is_host(&tensor.device())
}

/// True if custom kernels support this tensor: F32 on the CPU or a GPU.
pub fn has_kernel<const D: usize>(tensor: &Tensor<D>) -> bool {
    has_kernel_for(tensor, DType::F32)
}

/// True if this tensor is in the precision `dtype` and custom kernels support it: F32 on the CPU;
/// F32, BF16 or F16 on a GPU.
pub fn has_kernel_for<const D: usize>(tensor: &Tensor<D>, dtype: DType) -> bool {
    on_gpu_in(tensor, dtype) || (dtype == DType::F32 && on_cpu(tensor))
}
