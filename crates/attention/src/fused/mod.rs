//! Kernels of our own for the CPU: what takes most of a training step there, in as few passes over
//! memory as it needs, forward and backward. Feature `flex`; every other device, and every case
//! that does not fit, takes burn's own operations.

mod attention;
#[cfg(feature = "flex")]
mod heads;
#[cfg(feature = "flex")]
mod hierarchy;
#[cfg(feature = "flex")]
mod power;
#[cfg(feature = "flex")]
mod scores;
#[cfg(feature = "flex")]
mod softmax;

#[cfg(feature = "flex")]
pub(crate) use attention::fits_host;
pub(crate) use attention::{dot_attention, fits};
#[cfg(feature = "flex")]
pub(crate) use hierarchy::dot_hierarchy;
#[cfg(feature = "flex")]
pub(crate) use softmax::softmax;
