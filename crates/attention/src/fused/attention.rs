//! Attention by the dot product, softmax(c · Q Kᵀ + mask) V, item by item: the weights of an item
//! stay in the processor's cache, and are computed again for the backward pass instead of kept.

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::flex::FlexTensor;
use burn::backend::flex::ops::matmul::matmul;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::{DType, Tensor};
use strata_kernels::node::{Derivative, dims, numbers, record, tensor};
use strata_kernels::threads::on_threads;
use strata_kernels::vector::vectorised;

use super::softmax;
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

/// The context of every query.
///
/// # Shapes
/// - query `[B, H, T, D]`, keys `[B, H, S, D]`, values `[B, H, S, D_v]` → `[B, H, T, D_v]`
pub(crate) fn dot_attention(
    query: Tensor<4>,
    keys: Tensor<4>,
    values: Tensor<4>,
    mask: &Mask,
    scale: f32,
) -> Tensor<4> {
    let additive = mask
        .additive()
        .unwrap_or_else(|| Tensor::zeros([1, 1, 1, keys.dims()[2]], &keys.device()));
    Tensor::from_dispatch(Dispatch::dot_attention(
        query.into_dispatch(),
        keys.into_dispatch(),
        values.into_dispatch(),
        additive.into_dispatch(),
        scale,
    ))
}

#[backend_extension(Flex, Autodiff)]
trait DotAttention: Backend {
    fn dot_attention(
        query: FloatTensor<Self>,
        keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        additive: FloatTensor<Self>,
        scale: f32,
    ) -> FloatTensor<Self>;
}

/// All that the weights and the context are made of.
#[derive(Clone, Debug)]
struct Inputs {
    query: FlexTensor,
    keys: FlexTensor,
    values: FlexTensor,
    /// `[B or 1, 1, T or 1, S]`, contiguous.
    additive: FlexTensor,
    scale: f32,
}

impl DotAttention for Flex {
    fn dot_attention(
        query: FlexTensor,
        keys: FlexTensor,
        values: FlexTensor,
        additive: FlexTensor,
        scale: f32,
    ) -> FlexTensor {
        let inputs = Inputs::new(query, keys, values, additive, scale);
        inputs.context()
    }
}

impl<C: CheckpointStrategy> DotAttention for Autodiff<Flex, C> {
    fn dot_attention(
        query: FloatTensor<Self>,
        keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        additive: FloatTensor<Self>,
        scale: f32,
    ) -> FloatTensor<Self> {
        let nodes = [query.node(), keys.node(), values.node()];
        let inputs = Inputs::new(
            query.into_primitive(),
            keys.into_primitive(),
            values.into_primitive(),
            additive.into_primitive(),
            scale,
        );
        let context = inputs.context();
        record::<C, _, _>(nodes, inputs, context)
    }
}

impl Derivative<3> for Inputs {
    fn backward(self, gradient: FlexTensor, _wanted: [bool; 3]) -> [Option<FlexTensor>; 3] {
        self.gradients(&gradient).map(Some)
    }
}

impl Inputs {
    fn new(
        query: FlexTensor,
        keys: FlexTensor,
        values: FlexTensor,
        additive: FlexTensor,
        scale: f32,
    ) -> Self {
        Self {
            query,
            keys,
            values,
            additive: additive.to_contiguous(),
            scale,
        }
    }

    /// The weights of one item, `[1, H, T, S]`.
    fn weights(&self, item: usize) -> FlexTensor {
        let query = self.query.narrow(0, item, 1);
        let keys = self.keys.narrow(0, item, 1);
        let mut scores = matmul(query, keys.transpose(2, 3));
        let [_, _, t, s] = dims(&scores);
        let [items, _, queries, _] = dims(&self.additive);
        let additive = numbers(&self.additive);
        let first = if items > 1 { item * queries } else { 0 };
        let rows = scores.storage_mut::<f32>().chunks_exact_mut(s).enumerate();
        vectorised(
            #[inline(always)]
            || {
                for (row, scores) in rows {
                    let at = first + if queries > 1 { row % t } else { 0 };
                    for (score, hidden) in scores.iter_mut().zip(&additive[at * s..][..s]) {
                        *score = *score * self.scale + hidden;
                    }
                    softmax::forward(scores);
                }
            },
        );
        scores
    }

    fn context(&self) -> FlexTensor {
        let ([b, h, t, _], [_, _, _, width]) = (dims(&self.query), dims(&self.values));
        let mut context = vec![0.0; b * h * t * width];
        let items = context.chunks_mut((h * t * width).max(1)).enumerate();
        on_threads(items, |(item, context)| {
            let values = self.values.narrow(0, item, 1);
            let product = matmul(self.weights(item), values);
            context.copy_from_slice(numbers(&product));
        });
        tensor(context, [b, h, t, width])
    }

    /// Gradients of query, keys and values.
    fn gradients(&self, of_context: &FlexTensor) -> [FlexTensor; 3] {
        let shapes = [&self.query, &self.keys, &self.values].map(dims);
        let [mut query, mut keys, mut values] =
            shapes.map(|shape| vec![0.0; shape.iter().product()]);
        let [of_query, of_keys, of_values] =
            shapes.map(|[_, h, rows, width]| (h * rows * width).max(1));
        let items = query
            .chunks_mut(of_query)
            .zip(keys.chunks_mut(of_keys))
            .zip(values.chunks_mut(of_values));
        on_threads(items.enumerate(), |(item, ((query, keys), values))| {
            let gradient = of_context.narrow(0, item, 1);
            let weights = self.weights(item);
            let product = matmul(weights.transpose(2, 3), gradient.clone());
            values.copy_from_slice(numbers(&product));

            let item_values = self.values.narrow(0, item, 1);
            let mut scores = matmul(gradient, item_values.transpose(2, 3));
            let [_, _, _, s] = dims(&scores);
            let rows = scores.storage_mut::<f32>().chunks_exact_mut(s);
            vectorised(
                #[inline(always)]
                || {
                    for (row, weights) in rows.zip(numbers(&weights).chunks_exact(s)) {
                        softmax::backward(row, weights);
                        row.iter_mut().for_each(|x| *x *= self.scale);
                    }
                },
            );
            let product = matmul(scores.clone(), self.keys.narrow(0, item, 1));
            query.copy_from_slice(numbers(&product));
            let product = matmul(scores.transpose(2, 3), self.query.narrow(0, item, 1));
            keys.copy_from_slice(numbers(&product));
        });
        let [of_query, of_keys, of_values] = shapes;
        [(query, of_query), (keys, of_keys), (values, of_values)]
            .map(|(numbers, shape)| tensor(numbers, shape))
    }
}
