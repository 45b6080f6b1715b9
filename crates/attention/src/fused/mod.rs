//! Kernels of our own: what takes most of a training step, in as few passes over memory as it needs,
//! forward and backward. `host` is for the CPU (feature `flex`), `cube` for graphics cards (feature
//! `cube`); every other device, and every case that does not fit, takes burn's own operations.

mod attention;
#[cfg(feature = "cube")]
mod blocks;
mod descent;
#[cfg(feature = "flex")]
mod heads;
#[cfg(feature = "flex")]
mod hierarchy;
#[cfg(feature = "flex")]
mod power;
#[cfg(feature = "cube")]
mod rows;
#[cfg(feature = "flex")]
mod scores;
mod softmax;

#[cfg(feature = "flex")]
pub(crate) use attention::fits_host;
pub(crate) use attention::{dot_attention, fits};
#[cfg(feature = "cube")]
pub(crate) use blocks::learned_blocks;
pub(crate) use descent::{Fit, JoinedNodes, Plan, pyramid_descent};
#[cfg(feature = "flex")]
pub(crate) use hierarchy::dot_hierarchy;
pub(crate) use softmax::softmax;

/// Numbers of a row that stay in the registers of a graphics card's unit.
const WIDEST: usize = 64;

/// Rows that a kernel multiplies with one: more are for products of whole matrices.
const LONGEST: usize = 512;
