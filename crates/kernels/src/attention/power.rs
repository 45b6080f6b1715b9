//! How to apply a power of an attention matrix, Aᴺ V, in as few products as possible.

#[cfg(feature = "flex")]
mod host;

#[cfg(feature = "flex")]
pub(super) use host::{AppliedPower, Gradients, Power};

/// How far the rows of Aᴹ may differ, as the sum of all differences of two rows, to count as
/// equal: less than what rounding makes of them.
const EQUAL: f32 = 1e-7;

/// From this many levels on it pays to test whether they converge.
pub const FEW_LEVELS: usize = 32;

/// Number of squarings of A for Aᴺ V, `[S, S]` times `[S, D]`, so that this and applying the powers
/// takes the fewest multiplications.
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
/// `None` if that takes many. `left`: 1 − the sum over all columns of P's lowest elements, the part
/// that the rows do not share; those of Pʲ differ by 2 · leftʲ at most (Doeblin 1938).
pub fn repetitions(left: f32) -> Option<usize> {
    const MOST: f32 = 8.0;
    let repetitions = match left {
        ..=0.0 => 1.0,
        left => ((EQUAL / 2.0).ln() / left.ln()).ceil(),
    };
    (left < 1.0 && repetitions <= MOST).then_some(repetitions as usize)
}
