//! Arithmetic that the compiler vectorises: no function here branches.

/// Number of partial sums of a reduction, in vector lanes.
const LANES: usize = 16;

/// Runs `work`, compiled for the widest vector registers of this processor. Functions that it calls
/// must be inlined (`#[inline(always)]`), else they are compiled for any processor. The result is
/// the same to the last bit: nothing is reordered or fused.
#[inline(always)]
pub fn vectorised<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(all(feature = "flex", target_arch = "x86_64"))]
    {
        use pulp::{Arch, x86::V3};
        let arch = Arch::new();
        if let (Arch::Scalar, Some(simd)) = (arch, V3::try_new()) {
            return simd.vectorize(work);
        }
        arch.dispatch(work)
    }
    #[cfg(not(all(feature = "flex", target_arch = "x86_64")))]
    work()
}

/// Computes e^x to 2 units in the last place. The result is 0 if it would be below the smallest
/// normal number, and e^88 for x above 88. NaN stays NaN. (Cody and Waite's reduction by ln 2 in
/// two parts, then Cephes' `expf` polynomial.)
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    const LOWEST: f32 = -87.0;
    const HIGHEST: f32 = 88.0;
    /// Number whose addition rounds to an integer, which is then in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    let clamped = if x < LOWEST { LOWEST } else { x };
    let clamped = if clamped > HIGHEST { HIGHEST } else { clamped };
    let rounded = clamped * std::f32::consts::LOG2_E + ROUND;
    let n = rounded - ROUND;
    let r = clamped - n * 0.693_359_4 + n * 2.121_944_4e-4;
    let mut p = 1.987_569_2e-4;
    p = p * r + 1.398_199_9e-3;
    p = p * r + 8.333_452e-3;
    p = p * r + 4.166_579_6e-2;
    p = p * r + 1.666_666_5e-1;
    p = p * r + 5e-1;
    let power = f32::from_bits((rounded.to_bits() << 23).wrapping_add(1.0f32.to_bits())); // 2ⁿ
    let result = (p * r * r + r + 1.0) * power;
    if x < LOWEST { 0.0 } else { result }
}

/// Computes the logistic function 1 / (1 + e^−x).
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// Computes the decay e^−x of each number x. The product of two decays is the decay of the sum,
/// without another exponential. Returns `None` if a number is so far from 0 that such a product
/// might overflow F32.
pub fn decays(numbers: &[f32]) -> Option<Vec<f32>> {
    const FARTHEST: f32 = 40.0;
    let mut decays = vec![0.0; numbers.len()];
    let is_near = vectorised(
        #[inline(always)]
        || {
            let far = |far: f32, x: f32| if x.abs() > far { x.abs() } else { far };
            for (decay, &x) in decays.iter_mut().zip(numbers) {
                *decay = exp(-x);
            }
            fold(numbers, 0.0, far) <= FARTHEST
        },
    );
    is_near.then_some(decays)
}

/// Computes tanh(x / 2), given the decay e^−x.
#[inline(always)]
pub fn tangent(decay: f32) -> f32 {
    2.0 / (1.0 + decay) - 1.0
}

/// Computes the hyperbolic tangent to 4 units in the last place. (Cephes' `tanhf`: a polynomial
/// near 0, where the quotient of exponentials would cancel.)
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let e = exp(-2.0 * x.abs());
    let far = (1.0 - e) / (1.0 + e);
    let z = x * x;
    let mut p = -5.704_988_7e-3;
    p = p * z + 2.063_909e-2;
    p = p * z - 5.373_971_6e-2;
    p = p * z + 1.333_144_2e-1;
    p = p * z - 3.333_328e-1;
    let near = x + x * z * p;
    if x.abs() < 0.625 {
        near
    } else {
        far.copysign(x)
    }
}

/// Reduces `LANES` interleaved parts in parallel, then the parts by halves.
#[inline(always)]
pub fn fold(row: &[f32], start: f32, reduce: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [start; LANES];
    let (chunks, rest) = row.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, &x) in lanes.iter_mut().zip(chunk) {
            *lane = reduce(*lane, x);
        }
    }
    let first = joined(lanes, &reduce);
    rest.iter().fold(first, |a, &b| reduce(a, b))
}

/// Sums `term` over two rows of equal length.
#[inline(always)]
pub fn sum_over(left: &[f32], right: &[f32], term: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    let (lefts, left_rest) = left.as_chunks::<LANES>();
    let (rights, right_rest) = right.as_chunks::<LANES>();
    for (left, right) in lefts.iter().zip(rights) {
        for ((lane, &a), &b) in lanes.iter_mut().zip(left).zip(right) {
            *lane += term(a, b);
        }
    }
    let rest = left_rest.iter().zip(right_rest).map(|(&a, &b)| term(a, b));
    joined(lanes, |a, b| a + b) + rest.sum::<f32>()
}

/// Reduces the lanes to one number, by halves. The last two steps are written out: with one more
/// array the compiler would vectorise only two lanes. (One lane after the other, a row of 32 numbers
/// takes twice as long, and in WebAssembly nothing is vectorised.)
#[inline(always)]
fn joined(lanes: [f32; LANES], reduce: impl Fn(f32, f32) -> f32) -> f32 {
    let eight: [f32; 8] = std::array::from_fn(|i| reduce(lanes[i], lanes[i + 8]));
    let [a, b, c, d]: [f32; 4] = std::array::from_fn(|i| reduce(eight[i], eight[i + 4]));
    reduce(reduce(a, c), reduce(b, d))
}

/// Maximum of a row, NaN ignored; −∞ if all elements of the row are NaN.
#[inline(always)]
pub fn highest(row: &[f32]) -> f32 {
    fold(row, f32::NEG_INFINITY, |a, b| if b > a { b } else { a })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Error of `found` in units of the last place of the exact value.
    fn units(found: f32, exact: f64) -> f64 {
        (f64::from(found) - exact).abs() / (exact.abs() * f64::from(f32::EPSILON))
    }

    #[test]
    fn the_exponential_is_right_to_two_units_in_the_last_place() {
        for i in -870_000..880_000 {
            let x = i as f32 * 1e-4;
            assert!(units(exp(x), f64::from(x).exp()) <= 2.0, "{x}: {}", exp(x));
        }
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-88.0), 0.0);
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
        assert!(exp(f32::INFINITY).is_finite());
        assert!(exp(f32::NAN).is_nan());
    }

    #[test]
    fn sigmoid_and_tangent_are_right_everywhere() {
        for i in -200_000..200_000 {
            let x = i as f32 * 1e-4 + 3e-5;
            let exact = f64::from(x);
            let found = units(tanh(x), exact.tanh());
            assert!(found <= 4.0, "tanh {x}: {} ({found})", tanh(x));
            let found = units(sigmoid(x), 1.0 / (1.0 + (-exact).exp()));
            assert!(found <= 4.0, "sigmoid {x}: {} ({found})", sigmoid(x));
        }
        assert_eq!([tanh(0.0), tanh(90.0), tanh(-90.0)], [0.0, 1.0, -1.0]);
        assert_eq!([sigmoid(0.0), sigmoid(120.0)], [0.5, 1.0]);
        assert!(sigmoid(-120.0) < 1e-37);
        assert!(tanh(f32::NAN).is_nan() && sigmoid(f32::NAN).is_nan());
    }

    #[test]
    fn wide_registers_change_no_bit() {
        let row: Vec<f32> = (0..1000).map(|i| (i as f32 * 0.37).sin() * 9.0).collect();
        let all = |row: &[f32]| -> Vec<u32> {
            let sum = sum_over(row, row, |a, b| exp(a) * tanh(b));
            let mut bits: Vec<u32> = row.iter().map(|&x| sigmoid(x).to_bits()).collect();
            bits.extend([sum.to_bits(), highest(row).to_bits()]);
            bits
        };
        assert_eq!(vectorised(|| all(&row)), all(&row));
    }
}
