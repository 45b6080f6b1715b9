//! Dot-product attention on the CPU, item by item, for weights that stay in the processor's cache
//! (for longer sequences see `tiled`).

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Flex};

use super::{DotAttention, are_cached, tiled};
use crate::attention::heads::{filled, one};
use crate::attention::power::{AppliedPower, Gradients, Power};
use crate::attention::transposed::{ItemScores, TransposedScores, room, weights_of};
use crate::host::dims;
use crate::node::{Derivative, record};
use crate::product::{Matrix, MatrixMut, non_negative_strides};

/// Inputs of the attention.
#[derive(Clone, Debug)]
pub(super) struct Inputs {
    pub query: FlexTensor,
    pub keys: FlexTensor,
    pub values: FlexTensor,
    /// Additive mask, `[B or 1, H or 1, T or 1, S]`.
    pub mask: FlexTensor,
    pub scale: f32,
    levels: usize,
}

/// Transposed weights of a head, and the powers of these weights that were applied.
type Applied = (Vec<f32>, AppliedPower);

/// State saved for the backward pass, weights included: computing them again takes longer than
/// reading them.
#[derive(Clone, Debug)]
struct Saved {
    inputs: Inputs,
    scores: TransposedScores,
    /// Weights and powers, per item and head.
    applied: Vec<Vec<Applied>>,
}

impl DotAttention for Flex {
    fn dot_attention(
        query: FlexTensor,
        keys: FlexTensor,
        values: FlexTensor,
        mask: FlexTensor,
        scale: f32,
        levels: usize,
    ) -> FlexTensor {
        let inputs = Inputs::new([query, keys, values, mask], scale, levels);
        if inputs.are_many() {
            return tiled::context(inputs).0;
        }
        inputs.context(&inputs.scores(), |_| ()).0
    }
}

impl<C: CheckpointStrategy> DotAttention for Autodiff<Flex, C> {
    fn dot_attention(
        query: FloatTensor<Self>,
        keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        mask: FloatTensor<Self>,
        scale: f32,
        levels: usize,
    ) -> FloatTensor<Self> {
        let nodes = [query.node(), keys.node(), values.node()];
        let tensors = [query, keys, values, mask].map(FloatTensor::<Self>::into_primitive);
        let inputs = Inputs::new(tensors, scale, levels);
        if inputs.are_many() {
            let (context, saved) = tiled::context(inputs);
            return record::<Flex, C, _, _>(nodes, saved, context);
        }
        let scores = inputs.scores();
        let (context, applied) = inputs.context(&scores, |applied| applied);
        let saved = Saved {
            inputs,
            scores,
            applied,
        };
        record::<Flex, C, _, _>(nodes, saved, context)
    }
}

impl Derivative<Flex, 3> for Saved {
    fn backward(self, gradient: FlexTensor, _wanted: [bool; 3]) -> [Option<FlexTensor>; 3] {
        let gradient = non_negative_strides(gradient);
        let Self {
            inputs,
            scores,
            applied,
        } = self;
        inputs.gradients(&gradient, &scores, &applied).map(Some)
    }
}

impl Inputs {
    fn new(tensors: [FlexTensor; 4], scale: f32, levels: usize) -> Self {
        let [query, keys, values, mask] = tensors.map(non_negative_strides);
        Self {
            query,
            keys,
            values,
            mask,
            scale,
            levels,
        }
    }

    fn scores(&self) -> TransposedScores {
        TransposedScores::new(&self.mask, self.scale)
    }

    /// True if the weights of an item do not fit into a core's own cache.
    fn are_many(&self) -> bool {
        let ([_, h, t, _], [_, _, s, _]) = (dims(&self.query), dims(&self.keys));
        !are_cached([h, t, s])
    }

    /// Computes the transposed weights of a head of an item, `[S, room]`.
    fn weights(&self, scores: &ItemScores, [item, head]: [usize; 2]) -> Vec<f32> {
        let [query, keys] = [&self.query, &self.keys].map(|it| Matrix::of(it, &[item, head]));
        let mut weights = vec![0.0; keys.height() * room(query.height())];
        scores.weights(head, query, keys, &mut weights);
        weights
    }

    /// Describes a head's levels as a power of its weights.
    fn power<'a>(&self, weights: &'a [f32]) -> Power<'a> {
        let [[_, _, t, _], [_, _, size, width]] = [&self.query, &self.values].map(dims);
        Power {
            attention: weights_of(weights, [t, size]),
            size,
            levels: self.levels,
            width,
        }
    }

    /// Computes the context, and returns what `keep` retains of each head.
    fn context<R: Send>(
        &self,
        scores: &TransposedScores,
        keep: impl Fn(Applied) -> R + Sync,
    ) -> (FlexTensor, Vec<Vec<R>>) {
        let ([b, h, t, _], [_, _, _, width]) = (dims(&self.query), dims(&self.values));
        let ([context], applied) = filled([[b, h, t, width]], |item, [mut context]| {
            let scores = scores.of_item(item);
            let head = |head: usize| {
                let weights = self.weights(&scores, [item, head]);
                let values = Matrix::of(&self.values, &[item, head]);
                let power = self.power(&weights).apply(values, context.head(head));
                keep((weights, power))
            };
            (0..h).map(head).collect()
        });
        (context, applied)
    }

    /// Computes the gradients of query, keys and values.
    fn gradients(
        &self,
        of_context: &FlexTensor,
        scores: &TransposedScores,
        applied: &[Vec<Applied>],
    ) -> [FlexTensor; 3] {
        let [[_, _, t, _], [_, _, s, _]] = [&self.query, &self.keys].map(dims);
        let tensors = [&self.query, &self.keys, &self.values];
        let (found, _) = filled(
            tensors.map(dims),
            |item, [mut query, mut keys, mut values]| {
                let item_scores = scores.of_item(item);
                for (head, (weights, power)) in applied[item].iter().enumerate() {
                    let of = |it| Matrix::of(it, &[item, head]);
                    let mut scores = vec![0.0; weights.len()];
                    let found = Gradients {
                        of_context: of(of_context),
                        of_transposed: MatrixMut::new(&mut scores, room(t)),
                        of_values: values.head(head),
                    };
                    self.power(weights)
                        .gradients(power, of(&self.values), found);
                    item_scores.backward(&mut scores, weights, t);
                    let scores = weights_of(&scores, [t, s]);
                    one(query.head(head), scores, of(&self.keys));
                    one(keys.head(head), scores.transposed(), of(&self.query));
                }
            },
        );
        found
    }
}
