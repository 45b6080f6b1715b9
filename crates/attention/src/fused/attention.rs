//! Attention by the dot product, softmax(c · Q Kᵀ + mask)ᴺ V, item by item: the weights of a head
//! stay in the processor's cache, and are computed again for the backward pass instead of kept.

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::{DType, Tensor};
use strata_kernels::node::{Derivative, dims, record};
use strata_kernels::product::{Matrix, unflipped};

use super::heads::{filled, one};
use super::power::{Gradients, Power, Way};
use super::scores::Scores;
use crate::{Mask, host};

/// Weights of one item that fit into a processor's own cache.
const CACHED: usize = 1 << 17;

/// Whether this is for [`dot_attention`].
pub(crate) fn fits(query: &Tensor<4>, keys: &Tensor<4>, values: &Tensor<4>) -> bool {
    let [_, h, t, _] = query.dims();
    let s = keys.dims()[2];
    let all_are_f32 = [query, keys, values]
        .iter()
        .all(|it| it.dtype() == DType::F32);
    h * t * s <= CACHED && all_are_f32 && host::is_host(&query.device())
}

/// The context of every query: values weighted, and weighted again, N = `levels` times in all.
///
/// # Shapes
/// - query `[B, H, T, D]`, keys `[B, H, S, D]`, values `[B, H, S, D_v]` → `[B, H, T, D_v]`; of
///   several levels T = S
pub(crate) fn dot_attention(
    query: Tensor<4>,
    keys: Tensor<4>,
    values: Tensor<4>,
    mask: &Mask,
    scale: f32,
    levels: usize,
) -> Tensor<4> {
    let hidden = mask.additive_for(&keys);
    Tensor::from_dispatch(Dispatch::dot_attention(
        query.into_dispatch(),
        keys.into_dispatch(),
        values.into_dispatch(),
        hidden.into_dispatch(),
        scale,
        levels,
    ))
}

#[backend_extension(Flex, Autodiff)]
trait DotAttention: Backend {
    fn dot_attention(
        query: FloatTensor<Self>,
        keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
        scale: f32,
        levels: usize,
    ) -> FloatTensor<Self>;
}

/// All that the weights and the context are made of.
#[derive(Clone, Debug)]
struct Inputs {
    query: FlexTensor,
    keys: FlexTensor,
    values: FlexTensor,
    scores: Scores,
    levels: usize,
}

/// What the backward pass needs: how the levels of each item's heads were applied, too.
#[derive(Clone, Debug)]
struct Seen {
    inputs: Inputs,
    ways: Vec<Vec<Way>>,
}

impl DotAttention for Flex {
    fn dot_attention(
        query: FlexTensor,
        keys: FlexTensor,
        values: FlexTensor,
        hidden: FlexTensor,
        scale: f32,
        levels: usize,
    ) -> FlexTensor {
        let inputs = Inputs::new([query, keys, values], Scores::new(&hidden, scale), levels);
        inputs.context().0
    }
}

impl<C: CheckpointStrategy> DotAttention for Autodiff<Flex, C> {
    fn dot_attention(
        query: FloatTensor<Self>,
        keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
        scale: f32,
        levels: usize,
    ) -> FloatTensor<Self> {
        let nodes = [query.node(), keys.node(), values.node()];
        let tensors = [query, keys, values].map(FloatTensor::<Self>::into_primitive);
        let scores = Scores::new(&hidden.into_primitive(), scale);
        let inputs = Inputs::new(tensors, scores, levels);
        let (context, ways) = inputs.context();
        record::<C, _, _>(nodes, Seen { inputs, ways }, context)
    }
}

impl Derivative<3> for Seen {
    fn backward(self, gradient: FlexTensor, _wanted: [bool; 3]) -> [Option<FlexTensor>; 3] {
        let gradient = unflipped(gradient);
        self.inputs.gradients(&gradient, &self.ways).map(Some)
    }
}

impl Inputs {
    fn new(tensors: [FlexTensor; 3], scores: Scores, levels: usize) -> Self {
        let [query, keys, values] = tensors.map(unflipped);
        Self {
            query,
            keys,
            values,
            scores,
            levels,
        }
    }

    /// The weights of a head of an item, `[T, S]`.
    fn weights(&self, item: usize, head: usize) -> Vec<f32> {
        let [[_, _, t, _], [_, _, s, _]] = [&self.query, &self.keys].map(dims);
        let mut weights = vec![0.0; t * s];
        let [query, keys] = [&self.query, &self.keys].map(|it| Matrix::of(it, &[item, head]));
        self.scores.weights(item, query, keys, &mut weights);
        weights
    }

    /// How the levels of a head with these weights are applied.
    fn power<'a>(&self, weights: &'a [f32]) -> Power<'a> {
        let [_, _, size, width] = dims(&self.values);
        Power {
            attention: weights,
            size,
            levels: self.levels,
            width,
        }
    }

    /// The context, and how each head's levels were applied.
    fn context(&self) -> (FlexTensor, Vec<Vec<Way>>) {
        let ([b, h, t, _], [_, _, _, width]) = (dims(&self.query), dims(&self.values));
        let ([context], ways) = filled([[b, h, t, width]], |item, [mut context]| {
            let head = |head: usize| {
                let weights = self.weights(item, head);
                let values = Matrix::of(&self.values, &[item, head]);
                self.power(&weights).apply(values, context.head(head))
            };
            (0..h).map(head).collect()
        });
        (context, ways)
    }

    /// Gradients of query, keys and values.
    fn gradients(&self, of_context: &FlexTensor, ways: &[Vec<Way>]) -> [FlexTensor; 3] {
        let [_, _, s, _] = dims(&self.keys);
        let tensors = [&self.query, &self.keys, &self.values];
        let (found, _) = filled(
            tensors.map(dims),
            |item, [mut query, mut keys, mut values]| {
                for (head, way) in ways[item].iter().enumerate() {
                    let of = |it| Matrix::of(it, &[item, head]);
                    let weights = self.weights(item, head);
                    let mut scores = vec![0.0; weights.len()];
                    let found = Gradients {
                        of_context: of(of_context),
                        of_attention: &mut scores,
                        of_values: values.head(head),
                    };
                    self.power(&weights).gradients(way, of(&self.values), found);
                    self.scores.backward(&mut scores, &weights, s);
                    let scores = Matrix::new(&scores, [weights.len() / s.max(1), s]);
                    one(query.head(head), scores, of(&self.keys));
                    one(keys.head(head), scores.transposed(), of(&self.query));
                }
            },
        );
        found
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::activation::softmax;
    use burn::tensor::{Device, FloatDType, TensorData};

    use super::*;
    use crate::ParamInit;

    const SIZES: [usize; 4] = [2, 6, 2, 5]; // B, S, H, D, as a layer of heads gives them

    /// The context, and the gradients of query, keys and values: softmax(Q Kᵀ)ᴺ V.
    fn run(
        scale: f64,
        precision: FloatDType,
        attend: impl Fn([Tensor<4>; 3]) -> Tensor<4>,
    ) -> [TensorData; 4] {
        let device = Device::flex().autodiff();
        let init = &mut ParamInit::new(9, &device);
        let mut draw = |bound| {
            let drawn = init.uniform(SIZES, bound).val();
            Tensor::from_inner(drawn.inner().cast(precision))
        };
        let leaves = [draw(scale), draw(1.0), draw(1.0)].map(Tensor::require_grad);
        let probe = draw(1.0);
        let heads = leaves.clone().map(|leaf| leaf.swap_dims(1, 2));
        let context = attend(heads).swap_dims(1, 2);
        let found = (context.clone() * probe).sum().backward();
        let [query, keys, values] = leaves.map(|leaf| leaf.grad(&found).unwrap().into_data());
        [context.into_data(), query, keys, values]
    }

    #[test]
    fn any_number_of_levels_gives_the_product_and_its_gradients() {
        let device = Device::flex().autodiff();
        let [_, s, _, _] = SIZES;
        for mask in [Mask::none(), Mask::causal(s, s, &device)] {
            // Small scores mix fast, large ones slowly.
            for scale in [0.1, 1.0, 4.0, 12.0] {
                for levels in [1, 2, 3, 7, 16, 17, 63, 64, 100, 1000] {
                    let expected = run(scale, FloatDType::F64, |[query, keys, values]| {
                        let scores = query.matmul(keys.swap_dims(2, 3));
                        let hidden = mask.additive().map(|it| it.cast(FloatDType::F64));
                        let weights = softmax(
                            match hidden {
                                Some(hidden) => scores + hidden,
                                None => scores,
                            },
                            3,
                        );
                        (0..levels).fold(values, |values, _| weights.clone().matmul(values))
                    });
                    let found = run(scale, FloatDType::F32, |[query, keys, values]| {
                        dot_attention(query, keys, values, &mask, 1.0, levels)
                    });
                    for (found, expected) in found.iter().zip(&expected) {
                        let pairs = found.iter::<f64>().zip(expected.iter::<f64>());
                        let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                        // Rounding adds up over the products, and grows with the scores.
                        let tolerance = f64::max(2e-5, 2e-7 * levels as f64) * scale.max(1.0);
                        assert!(
                            worst < tolerance,
                            "N = {levels}, scores up to {scale}: {worst}"
                        );
                    }
                }
            }
        }
    }
}
