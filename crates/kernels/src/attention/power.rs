//! Plans a power of an attention matrix, Aᴺ V, in as few products as possible.

#[cfg(feature = "flex")]
mod host;

#[cfg(feature = "flex")]
pub(super) use host::{AppliedPower, Gradients, Power};

/// Largest L1 distance between two rows of Aᴹ that count as equal: less than their rounding error.
const EQUAL: f32 = 1e-7;

/// Number of levels from which it pays to test for convergence.
pub const FEW_LEVELS: usize = 32;

/// Number of squarings of A for Aᴺ V, `[S, S]` times `[S, D]`, so that squaring and applying the
/// powers take the fewest multiplications in all.
pub fn squarings(s: usize, d: usize, n: usize) -> usize {
    let applied = |squarings: usize| {
        let low = n & ((1 << squarings) - 1);
        (n >> squarings) + low.count_ones() as usize
    };
    let most = n.checked_ilog2().unwrap_or(0) as usize;
    let cost = |&squarings: &usize| squarings * s + applied(squarings) * d;
    (0..=most).min_by_key(cost).unwrap_or(0)
}

/// Number of times that a power P of A must be applied until all rows of the product are equal;
/// `None` if that takes too many. `left` is 1 − Σ of the minima of P's columns, the part that the
/// rows do not share; rows of Pʲ differ by at most 2 · leftʲ (Doeblin 1938).
pub fn repetitions(left: f32) -> Option<usize> {
    const MOST: f32 = 8.0;
    let repetitions = match left {
        ..=0.0 => 1.0,
        left => ((EQUAL / 2.0).ln() / left.ln()).ceil(),
    };
    (left < 1.0 && repetitions <= MOST).then_some(repetitions as usize)
}
