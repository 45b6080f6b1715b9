//! The formula of every custom kernel, as its paper states it, in burn's own operations: what a
//! kernel computes, without what makes it fast. To understand a kernel, read the formula first.
//!
//! Each function has the name of its kernel and stands in a file `naive.rs` in the kernel's folder.
//! The tests of the kernel compare values and gradients with the function. This module is compiled
//! in every build, so that tests, benchmarks and examples of all crates can call the functions; a
//! program that calls none contains none. [`adamw`], [`gru`], [`gru_step`] and [`sum_of_squares`]
//! also run where no kernel supports the tensors.
//!
//! [`mixed_powers`] has no kernel: the mechanism computes the formula by burn's operations too.
//!
//! [`linear_cross_entropy`](crate::linear_cross_entropy()) computes [`linear`] and then [`cross_entropy`].
//!
//! [`concat_flat`](crate::concat_flat) and [`split_flat`](crate::split_flat) only copy numbers and
//! have no formula.
//!
//! Axes: `B` batch, `H` heads (of recurrent layers: width of the state), `T` query length, `S` key
//! length or number of steps, `D` width, `V` classes.

pub use crate::adam::naive::adamw;
pub use crate::additive::naive::additive_scores;
pub use crate::attention::naive::{
    dot_attention, dot_hierarchy, learned_blocks, mixed_powers, pyramid_descent, softmax,
};
pub use crate::cross_entropy::naive::cross_entropy;
pub use crate::gru::naive::{gru, gru_step};
pub use crate::layer_norm::naive::layer_norm;
pub use crate::linear::naive::{linear, rectified_linear};
pub use crate::lstm::naive::lstm;
pub use crate::sum_of_squares::naive::sum_of_squares;
pub use crate::texts::naive::{gru_of_texts, lstm_of_texts};
