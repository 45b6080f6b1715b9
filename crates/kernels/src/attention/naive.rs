//! The formulas of all attention kernels, in burn's operations.

mod mixed_powers;

pub use super::blocks::naive::learned_blocks;
pub use super::descent::naive::pyramid_descent;
pub use super::dot::naive::dot_attention;
pub use super::hierarchy::naive::dot_hierarchy;
pub use super::softmax::naive::softmax;
pub use mixed_powers::mixed_powers;
