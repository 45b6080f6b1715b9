//! Kernels of our own for the CPU: what takes most of a training step there, in as few passes over
//! memory as it needs, forward and backward. Feature `flex`; every other device, and every case
//! that does not fit, takes burn's own operations.

mod attention;
mod heads;
mod hierarchy;
mod power;
mod scores;
mod softmax;

pub(crate) use attention::{dot_attention, fits};
pub(crate) use hierarchy::dot_hierarchy;
pub(crate) use softmax::softmax;
