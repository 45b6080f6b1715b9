//! Hierarchical attention by the dot product, all levels of a head one after the other: the output
//! of a level stays in the processor's cache for the next, and the backward pass computes it again
//! instead of reading a saved copy.

#[cfg(feature = "flex")]
mod host;
pub(super) mod naive;

use burn::tensor::Tensor;

#[cfg(feature = "flex")]
use kernel::DotHierarchy;

/// Computes Σ shares_i · q_i for each query, where q_i is the output of level i. If `chained`, the
/// output of the level below serves as keys and values (Ham-S), otherwise all levels read the keys
/// and values in `inputs` (Ham-V). `shares` is called only if a kernel supports the tensors;
/// otherwise the result is `None`.
///
/// # Shapes
/// - query `[B, H, T, D]`, keys `[B, H, S, D]`, values `[B, H, S, D_v]`, shares `[1 or H, d]`, an
///   additive mask `[B or 1, H or 1, T or 1, S]` → `[B, H, T, D_v]`; with several levels D = D_v, if
///   chained also T = S
pub fn dot_hierarchy(
    inputs: [&Tensor<4>; 3],
    shares: impl FnOnce() -> Tensor<2>,
    mask: Option<Tensor<4>>,
    scale: f32,
    chained: bool,
) -> Option<Tensor<4>> {
    if !super::dot::fits_cache(inputs) {
        return None;
    }
    #[cfg(feature = "flex")]
    return Some(kernel::dot_hierarchy(
        inputs,
        shares(),
        mask,
        scale,
        chained,
    ));
    #[cfg(not(feature = "flex"))]
    {
        let _ = (shares, mask, scale, chained);
        None
    }
}

#[cfg(feature = "flex")]
mod kernel {
    use burn::backend::tensor::FloatTensor;
    use burn::backend::{Backend, Dispatch, backend_extension};
    use burn::tensor::Tensor;

    use crate::attention::additive_mask;

    pub(super) fn dot_hierarchy(
        [query, keys, values]: [&Tensor<4>; 3],
        shares: Tensor<2>,
        mask: Option<Tensor<4>>,
        scale: f32,
        chained: bool,
    ) -> Tensor<4> {
        Tensor::from_dispatch(Dispatch::dot_hierarchy(
            query.clone().into_dispatch(),
            keys.clone().into_dispatch(),
            values.clone().into_dispatch(),
            shares.into_dispatch(),
            additive_mask(mask, keys).into_dispatch(),
            scale,
            chained,
        ))
    }

    #[backend_extension(Flex, Autodiff)]
    pub(super) trait DotHierarchy: Backend {
        fn dot_hierarchy(
            query: FloatTensor<Self>,
            keys: FloatTensor<Self>,
            values: FloatTensor<Self>,
            shares: FloatTensor<Self>,
            mask: FloatTensor<Self>,
            scale: f32,
            chained: bool,
        ) -> FloatTensor<Self>;
    }
}

#[cfg(all(test, feature = "flex"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::{Device, FloatDType, TensorData};

    use super::*;
    use crate::testing::{Draws, causal, causal_with_distances, padding};

    const SIZES: [usize; 4] = [2, 6, 3, 5]; // B, S, H, D, as a layer of heads gives them

    /// Returns the output, and the gradients of query, keys, values and shares.
    fn run(
        [mixes, depth]: [usize; 2],
        precision: FloatDType,
        attend: impl Fn([Tensor<4>; 3], Tensor<2>) -> Tensor<4>,
    ) -> [TensorData; 5] {
        let mut draws = Draws::new(11, &Device::flex());
        let cast = |drawn: Tensor<4>| Tensor::from_inner(drawn.cast(precision));
        let mut draw = |bound| cast(draws.uniform(SIZES, bound));
        let leaves = [draw(2.0), draw(1.0), draw(1.0)].map(Tensor::require_grad);
        let probe = draw(1.0);
        let shares = draws.uniform([1, 1, mixes, depth], 1.0);
        let shares = cast(shares).require_grad();
        let heads = leaves.clone().map(|leaf| leaf.swap_dims(1, 2));
        let result = attend(heads, shares.clone().reshape([mixes, depth])).swap_dims(1, 2);
        let found = (result.clone() * probe).sum().backward();
        let [query, keys, values] = leaves.map(|leaf| leaf.grad(&found).unwrap().into_data());
        let shares = shares.grad(&found).unwrap().into_data();
        [result.into_data(), query, keys, values, shares]
    }

    #[test]
    fn all_levels_and_their_gradients_are_those_of_the_formula() {
        let device = Device::flex().autodiff();
        let [_, s, heads, _] = SIZES;
        let padded = padding(2, s, &device, |item, key| item == 0 && key == 5);
        for mask in [
            None,
            Some(causal(s, s, &device)),
            Some(padded),
            Some(causal_with_distances([heads, s, s], &device)),
        ] {
            for chained in [false, true] {
                for shape in [[1, 1], [1, 2], [heads, 2], [1, 5], [heads, 20]] {
                    let expected = run(shape, FloatDType::F64, |inputs, shares| {
                        let mask = mask.clone().map(|mask| mask.cast(FloatDType::F64));
                        naive::dot_hierarchy(inputs, shares, mask, 0.7, chained)
                    });
                    let found = run(shape, FloatDType::F32, |inputs, shares| {
                        dot_hierarchy(inputs.each_ref(), || shares, mask.clone(), 0.7, chained)
                            .unwrap()
                    });
                    for (found, expected) in found.iter().zip(&expected) {
                        let pairs = found.iter::<f64>().zip(expected.iter::<f64>());
                        let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                        assert!(worst < 2e-5, "{chained}, {shape:?}: {worst}");
                    }
                }
            }
        }
    }
}
