//! Dot-product attention on the CPU, item by item, for weights that stay in the processor's cache
//! (for longer sequences see `tiled`).

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Flex};

use super::{DotAttention, are_cached, tiled};
use crate::attention::heads::{filled, one};
use crate::attention::power::{AppliedPower, Gradients, Power};
use crate::attention::scores::Scores;
use crate::host::dims;
use crate::node::{Derivative, record};
use crate::product::{Matrix, non_negative_strides};

/// Inputs of the attention.
#[derive(Clone, Debug)]
pub(super) struct Inputs {
    pub query: FlexTensor,
    pub keys: FlexTensor,
    pub values: FlexTensor,
    pub scores: Scores,
    levels: usize,
}

/// Weights of a head, `[T, S]`, and the powers of these weights that were applied.
type Applied = (Vec<f32>, AppliedPower);

/// State saved for the backward pass, weights included: computing them again takes longer than
/// reading them.
#[derive(Clone, Debug)]
struct Saved {
    inputs: Inputs,
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
        let inputs = Inputs::new([query, keys, values], Scores::new(&mask, scale), levels);
        if inputs.are_many() {
            return tiled::context(inputs).0;
        }
        inputs.context(|_| ()).0
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
        let tensors = [query, keys, values].map(FloatTensor::<Self>::into_primitive);
        let scores = Scores::new(&mask.into_primitive(), scale);
        let inputs = Inputs::new(tensors, scores, levels);
        if inputs.are_many() {
            let (context, saved) = tiled::context(inputs);
            return record::<Flex, C, _, _>(nodes, saved, context);
        }
        let (context, applied) = inputs.context(|applied| applied);
        record::<Flex, C, _, _>(nodes, Saved { inputs, applied }, context)
    }
}

impl Derivative<Flex, 3> for Saved {
    fn backward(self, gradient: FlexTensor, _wanted: [bool; 3]) -> [Option<FlexTensor>; 3] {
        let gradient = non_negative_strides(gradient);
        self.inputs.gradients(&gradient, &self.applied).map(Some)
    }
}

impl Inputs {
    fn new(tensors: [FlexTensor; 3], scores: Scores, levels: usize) -> Self {
        let [query, keys, values] = tensors.map(non_negative_strides);
        Self {
            query,
            keys,
            values,
            scores,
            levels,
        }
    }

    /// True if the weights of an item do not fit into a core's own cache.
    fn are_many(&self) -> bool {
        let ([_, h, t, _], [_, _, s, _]) = (dims(&self.query), dims(&self.keys));
        !are_cached([h, t, s])
    }

    /// Computes the weights of a head of an item, `[T, S]`.
    fn weights(&self, item: usize, head: usize) -> Vec<f32> {
        let [[_, _, t, _], [_, _, s, _]] = [&self.query, &self.keys].map(dims);
        let mut weights = vec![0.0; t * s];
        let [query, keys] = [&self.query, &self.keys].map(|it| Matrix::of(it, &[item, head]));
        self.scores.weights([item, head], query, keys, &mut weights);
        weights
    }

    /// Describes a head's levels as a power of its weights.
    fn power<'a>(&self, weights: &'a [f32]) -> Power<'a> {
        let [_, _, size, width] = dims(&self.values);
        Power {
            attention: weights,
            size,
            levels: self.levels,
            width,
        }
    }

    /// Computes the context, and returns what `keep` retains of each head.
    fn context<R: Send>(&self, keep: impl Fn(Applied) -> R + Sync) -> (FlexTensor, Vec<Vec<R>>) {
        let ([b, h, t, _], [_, _, _, width]) = (dims(&self.query), dims(&self.values));
        let ([context], applied) = filled([[b, h, t, width]], |item, [mut context]| {
            let head = |head: usize| {
                let weights = self.weights(item, head);
                let values = Matrix::of(&self.values, &[item, head]);
                let power = self.power(&weights).apply(values, context.head(head));
                keep((weights, power))
            };
            (0..h).map(head).collect()
        });
        (context, applied)
    }

    /// Computes the gradients of query, keys and values.
    fn gradients(&self, of_context: &FlexTensor, applied: &[Vec<Applied>]) -> [FlexTensor; 3] {
        let [_, _, s, _] = dims(&self.keys);
        let tensors = [&self.query, &self.keys, &self.values];
        let (found, _) = filled(
            tensors.map(dims),
            |item, [mut query, mut keys, mut values]| {
                for (head, (weights, power)) in applied[item].iter().enumerate() {
                    let of = |it| Matrix::of(it, &[item, head]);
                    let mut scores = vec![0.0; weights.len()];
                    let found = Gradients {
                        of_context: of(of_context),
                        of_attention: &mut scores,
                        of_values: values.head(head),
                    };
                    self.power(weights)
                        .gradients(power, of(&self.values), found);
                    self.scores.backward(&mut scores, weights, s);
                    let scores = Matrix::new(&scores, [weights.len() / s.max(1), s]); // [T, S]
                    one(query.head(head), scores, of(&self.keys));
                    one(keys.head(head), scores.transposed(), of(&self.query));
                }
            },
        );
        found
    }
}
