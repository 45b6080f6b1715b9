//! Additive score (Bahdanau et al. 2015, A.1.2) of all queries and keys. Its T·S·A tangents are not
//! kept: the backward pass computes them again.

pub(crate) mod naive;

use burn::tensor::Tensor;
use burn::tensor::activation::sigmoid;

/// Computes the scores Σ_a energy · tanh((query + key) / 2) of all queries and keys.
///
/// If no kernel supports the tensors, tanh(x / 2) is computed as 2 σ(x) − 1.
///
/// # Shapes
/// - query `[B, H, T, A]`, keys `[B, H, S, A]`, energy `[A]` → `[B, H, T, S]`
pub fn additive_scores(query: Tensor<4>, keys: Tensor<4>, energy: Tensor<1>) -> Tensor<4> {
    #[cfg(feature = "flex")]
    if crate::on_cpu(&query) && crate::on_cpu(&keys) && crate::on_cpu(&energy) {
        return kernel::additive_scores(query, keys, energy);
    }
    let [b, h, t, a] = query.dims();
    let s = keys.dims()[2];
    let hidden = query.unsqueeze_dim::<5>(3) + keys.unsqueeze_dim::<5>(2); // [B, H, T, S, A]
    let shift = energy.clone().sum(); // [1]
    let energy = energy.reshape([a, 1]).mul_scalar(2.0);
    let scores = sigmoid(hidden).reshape([b * h * t * s, a]).matmul(energy); // [B·H·T·S, 1]
    scores.reshape([b, h, t, s]) - shift.reshape([1, 1, 1, 1])
}

#[cfg(feature = "flex")]
mod kernel {
    use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
    use burn::backend::flex::FlexTensor;
    use burn::backend::tensor::FloatTensor;
    use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
    use burn::tensor::Tensor;

    use crate::additive_pair::{add_gradients, by_decays, by_sum, score};
    use crate::host::{dims, numbers, tensor};
    use crate::node::{Derivative, record};
    use crate::threads::{par_map, sum_of};
    use crate::vector::{decays, vectorised};

    pub(super) fn additive_scores(
        query: Tensor<4>,
        keys: Tensor<4>,
        energy: Tensor<1>,
    ) -> Tensor<4> {
        Tensor::from_dispatch(Dispatch::additive_scores_of_items(
            query.into_dispatch(),
            keys.into_dispatch(),
            energy.into_dispatch(),
        ))
    }

    #[backend_extension(Flex, Autodiff)]
    trait AdditiveScores: Backend {
        fn additive_scores_of_items(
            query: FloatTensor<Self>,
            keys: FloatTensor<Self>,
            energy: FloatTensor<Self>,
        ) -> FloatTensor<Self>;
    }

    /// Inputs of the scores, saved for the backward pass.
    #[derive(Clone, Debug)]
    struct Inputs {
        query: FlexTensor,
        keys: FlexTensor,
        energy: FlexTensor,
    }

    impl AdditiveScores for Flex {
        fn additive_scores_of_items(
            query: FlexTensor,
            keys: FlexTensor,
            energy: FlexTensor,
        ) -> FlexTensor {
            Inputs::new(query, keys, energy).scores()
        }
    }

    impl<C: CheckpointStrategy> AdditiveScores for Autodiff<Flex, C> {
        fn additive_scores_of_items(
            query: FloatTensor<Self>,
            keys: FloatTensor<Self>,
            energy: FloatTensor<Self>,
        ) -> FloatTensor<Self> {
            let nodes = [query.node(), keys.node(), energy.node()];
            let inputs = Inputs::new(
                query.into_primitive(),
                keys.into_primitive(),
                energy.into_primitive(),
            );
            let scores = inputs.scores();
            record::<Flex, C, _, _>(nodes, inputs, scores)
        }
    }

    impl Derivative<Flex, 3> for Inputs {
        fn backward(self, gradient: FlexTensor, _wanted: [bool; 3]) -> [Option<FlexTensor>; 3] {
            self.gradients(&gradient.to_contiguous()).map(Some)
        }
    }

    /// Computes the scores of an item's queries and keys; `tangent(q, k)` is tanh((q + k) / 2).
    fn score_all(
        scores: &mut [f32],
        [queries, keys, energy]: [&[f32]; 3],
        tangent: impl Fn(f32, f32) -> f32 + Copy,
    ) {
        let a = energy.len();
        let s = keys.len() / a.max(1);
        vectorised(
            #[inline(always)]
            || {
                let rows = scores.chunks_exact_mut(s).zip(queries.chunks_exact(a));
                for (scores, query) in rows {
                    for (found, key) in scores.iter_mut().zip(keys.chunks_exact(a)) {
                        *found = score(query, key, energy, tangent);
                    }
                }
            },
        );
    }

    /// Adds the gradients of an item's queries, keys and energy, given the gradient of the item's
    /// scores.
    fn gradients_of_all(
        [of_queries, of_keys, of_energy]: [&mut [f32]; 3],
        [queries, keys, energy]: [&[f32]; 3],
        gradient: &[f32],
        tangent: impl Fn(f32, f32) -> f32 + Copy,
    ) {
        let a = energy.len();
        let s = keys.len() / a.max(1);
        vectorised(
            #[inline(always)]
            || {
                let rows = of_queries
                    .chunks_exact_mut(a)
                    .zip(queries.chunks_exact(a))
                    .zip(gradient.chunks_exact(s));
                for ((of_query, query), gradient) in rows {
                    let columns = of_keys
                        .chunks_exact_mut(a)
                        .zip(keys.chunks_exact(a))
                        .zip(gradient);
                    for ((of_key, key), &g) in columns {
                        let found = [&mut *of_query, of_key, &mut *of_energy];
                        add_gradients(found, [query, key, energy], g, tangent);
                    }
                }
            },
        );
    }

    impl Inputs {
        fn new(query: FlexTensor, keys: FlexTensor, energy: FlexTensor) -> Self {
            Self {
                query: query.to_contiguous(),
                keys: keys.to_contiguous(),
                energy: energy.to_contiguous(),
            }
        }

        /// Sizes B·H, T, S and A.
        fn sizes(&self) -> [usize; 4] {
            let [b, h, t, a] = dims(&self.query);
            let [_, _, s, _] = dims(&self.keys);
            [b * h, t, s, a]
        }

        fn scores(&self) -> FlexTensor {
            let [items, t, s, a] = self.sizes();
            let [b, h, _, _] = dims(&self.query);
            let energy = numbers(&self.energy);
            let mut scores = vec![0.0; items * t * s];
            let items = scores
                .chunks_mut((t * s).max(1))
                .zip(numbers(&self.query).chunks((t * a).max(1)))
                .zip(numbers(&self.keys).chunks((s * a).max(1)));
            par_map(items, |((scores, queries), keys)| {
                match (decays(queries), decays(keys)) {
                    (Some(queries), Some(keys)) => {
                        let numbers = [&queries, &keys, energy];
                        score_all(scores, numbers, by_decays);
                    }
                    _ => {
                        let numbers = [queries, keys, energy];
                        score_all(scores, numbers, by_sum);
                    }
                }
            });
            tensor(scores, [b, h, t, s])
        }

        /// Computes the gradients of query, keys and energy.
        fn gradients(&self, gradient: &FlexTensor) -> [FlexTensor; 3] {
            let [_, t, s, a] = self.sizes();
            let energy = numbers(&self.energy);
            let [mut of_query, mut of_keys] =
                [&self.query, &self.keys].map(|it| vec![0.0; numbers(it).len()]);
            let (queries, keys) = ((t * a).max(1), (s * a).max(1));
            let items = of_query
                .chunks_mut(queries)
                .zip(of_keys.chunks_mut(keys))
                .zip(numbers(&self.query).chunks(queries))
                .zip(numbers(&self.keys).chunks(keys))
                .zip(numbers(gradient).chunks((t * s).max(1)));
            let energies = par_map(
                items,
                |((((of_query, of_keys), queries), keys), gradient)| {
                    let mut of_energy = vec![0.0; a];
                    let found = [of_query, of_keys, &mut of_energy];
                    match (decays(queries), decays(keys)) {
                        (Some(queries), Some(keys)) => {
                            let numbers = [&queries, &keys, energy];
                            gradients_of_all(found, numbers, gradient, by_decays);
                        }
                        _ => {
                            let numbers = [queries, keys, energy];
                            gradients_of_all(found, numbers, gradient, by_sum);
                        }
                    }
                    of_energy
                },
            );
            [
                tensor(of_query, dims::<4>(&self.query)),
                tensor(of_keys, dims::<4>(&self.keys)),
                tensor(sum_of(energies, a), [a]),
            ]
        }
    }
}

#[cfg(all(test, feature = "flex"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::{Device, Tolerance};

    use super::*;
    use crate::testing::Draws;

    #[test]
    fn scores_and_gradients_are_those_of_the_formula() {
        let device = Device::flex().autodiff();
        // The largest spread makes exponentials that overflow F32.
        for ([b, h, t, s, a], spread) in [
            ([1, 1, 1, 1, 1], 1.0),
            ([2, 3, 4, 5, 7], 1.0),
            ([3, 1, 9, 6, 40], 1.0),
            ([3, 1, 9, 6, 40], 7.0),
            ([2, 1, 4, 3, 20], 60.0),
        ] {
            let mut draws = Draws::new(3, &device);
            let mut draw = |shape: [usize; 4]| draws.normal(shape, 0.0, 2.0);
            // Tensors that are not contiguous.
            let (query, keys) = (draw([b, t, h, a]) * spread, draw([b, s, h, a]) * spread);
            let probe = draw([b, h, t, s]);
            let energy = draw([1, 1, 1, a]).reshape([a]);
            let run = |scores: &dyn Fn(Tensor<4>, Tensor<4>, Tensor<1>) -> Tensor<4>| {
                let [query, keys] = [&query, &keys].map(|it| it.clone().require_grad());
                let energy = energy.clone().require_grad();
                let out = scores(
                    query.clone().swap_dims(1, 2),
                    keys.clone().swap_dims(1, 2),
                    energy.clone(),
                );
                let found = (out.clone() * probe.clone()).sum().backward();
                [
                    out.into_data(),
                    query.grad(&found).unwrap().into_data(),
                    keys.grad(&found).unwrap().into_data(),
                    energy.grad(&found).unwrap().into_data(),
                ]
            };
            let found = run(&additive_scores);
            let expected = run(&naive::additive_scores);
            for (found, expected) in found.iter().zip(&expected) {
                // A gradient is a sum of up to 162 terms that cancel each other: an element's
                // rounding error grows with the terms, not with the element.
                let largest = expected
                    .iter::<f32>()
                    .fold(1.0, |top, it| it.abs().max(top));
                let tolerance = Tolerance::<f32>::rel_abs(1e-5, 1e-5 * largest);
                found.assert_approx_eq(expected, tolerance);
            }
        }
    }
}
