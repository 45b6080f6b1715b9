//! Plans a power of an attention matrix, Aᴺ V, in as few products as possible.

#[cfg(feature = "flex")]
mod host;

#[cfg(feature = "flex")]
pub(super) use host::{AppliedPower, Gradients, Power};

/// Largest L1 distance at which two rows of Aᴹ count as equal: below their rounding error.
const EQUAL: f32 = 1e-7;

/// Smallest number of levels for which testing for convergence pays.
pub const FEW_LEVELS: usize = 32;

/// Number of squarings of A `[S, S]` that minimises the multiplications of Aᴺ V, V `[S, D]`, both to
/// square and to apply the powers.
pub fn squarings(s: usize, d: usize, n: usize) -> usize {
    let applied = |squarings: usize| {
        let low = n & ((1 << squarings) - 1);
        (n >> squarings) + low.count_ones() as usize
    };
    let most = n.checked_ilog2().unwrap_or(0) as usize;
    let cost = |&squarings: &usize| squarings * s + applied(squarings) * d;
    (0..=most).min_by_key(cost).unwrap_or(0)
}

/// Number j such that all rows of Pʲ are equal up to rounding, for a power P of A; `None` if j is
/// too large. `left` is 1 − Σ of the minima of P's columns, the part that the rows do not share:
/// rows of Pʲ differ by at most 2 · leftʲ (Doeblin 1938).
pub fn repetitions(left: f32) -> Option<usize> {
    const MOST: f32 = 8.0;
    let repetitions = match left {
        ..=0.0 => 1.0,
        left => ((EQUAL / 2.0).ln() / left.ln()).ceil(),
    };
    (left < 1.0 && repetitions <= MOST).then_some(repetitions as usize)
}
