//! Hierarchical attention by the dot product, all levels of a head one after the other: what one
//! level gives stays in the processor's cache for the next, and is computed again for the backward
//! pass instead of kept.

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::Tensor;
use strata_kernels::host::{dims, numbers, tensor};
use strata_kernels::node::{Derivative, record};
use strata_kernels::product::{Matrix, Place, unflipped};
use strata_kernels::threads::sum_of;
use strata_kernels::vector::{sum_over, vectorised};

use super::heads::{add, filled, one};
use super::scores::Scores;
use crate::{HamKind, Mask};

/// Σ shares_i · q_i of every query, where q_i is what level i gives.
///
/// # Shapes
/// - query `[B, H, T, D]`, keys `[B, H, S, D]`, values `[B, H, S, D_v]`, shares `[1 or H, d]` →
///   `[B, H, T, D_v]`; of several levels D = D_v, of Ham-S also T = S
pub(crate) fn dot_hierarchy(
    [query, keys, values]: [Tensor<4>; 3],
    shares: Tensor<2>,
    mask: &Mask,
    scale: f32,
    kind: HamKind,
) -> Tensor<4> {
    let hidden = mask.additive_for(&keys);
    Tensor::from_dispatch(Dispatch::dot_hierarchy(
        query.into_dispatch(),
        keys.into_dispatch(),
        values.into_dispatch(),
        shares.into_dispatch(),
        hidden.into_dispatch(),
        scale,
        kind,
    ))
}

#[backend_extension(Flex, Autodiff)]
trait DotHierarchy: Backend {
    fn dot_hierarchy(
        query: FloatTensor<Self>,
        keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        shares: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
        scale: f32,
        kind: HamKind,
    ) -> FloatTensor<Self>;
}

impl DotHierarchy for Flex {
    fn dot_hierarchy(
        query: FlexTensor,
        keys: FlexTensor,
        values: FlexTensor,
        shares: FlexTensor,
        hidden: FlexTensor,
        scale: f32,
        kind: HamKind,
    ) -> FlexTensor {
        let scores = Scores::new(&hidden, scale);
        let inputs = Inputs::new([query, keys, values, shares], scores, kind);
        inputs.context()
    }
}

impl<C: CheckpointStrategy> DotHierarchy for Autodiff<Flex, C> {
    fn dot_hierarchy(
        query: FloatTensor<Self>,
        keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        shares: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
        scale: f32,
        kind: HamKind,
    ) -> FloatTensor<Self> {
        let nodes = [query.node(), keys.node(), values.node(), shares.node()];
        let tensors = [query, keys, values, shares].map(FloatTensor::<Self>::into_primitive);
        let scores = Scores::new(&hidden.into_primitive(), scale);
        let inputs = Inputs::new(tensors, scores, kind);
        let context = inputs.context();
        record::<Flex, C, _, _>(nodes, inputs, context)
    }
}

/// All that the levels are made of.
#[derive(Clone, Debug)]
struct Inputs {
    query: FlexTensor,
    keys: FlexTensor,
    values: FlexTensor,
    /// `[1 or H, d]`, contiguous.
    shares: FlexTensor,
    scores: Scores,
    kind: HamKind,
}

impl Derivative<Flex, 4> for Inputs {
    fn backward(self, gradient: FlexTensor, _wanted: [bool; 4]) -> [Option<FlexTensor>; 4] {
        self.gradients(&unflipped(gradient)).map(Some)
    }
}

impl Inputs {
    fn new(tensors: [FlexTensor; 4], scores: Scores, kind: HamKind) -> Self {
        let [query, keys, values, shares] = tensors.map(unflipped);
        Self {
            query,
            keys,
            values,
            shares: shares.to_contiguous(),
            scores,
            kind,
        }
    }

    fn levels(&self, item: usize, head: usize) -> Levels<'_> {
        let of = |it| Matrix::of(it, &[item, head]);
        let [mixes, depth] = dims(&self.shares);
        let [[_, _, t, _], [_, _, s, width]] = [&self.query, &self.values].map(dims);
        Levels {
            query: of(&self.query),
            keys: of(&self.keys),
            values: of(&self.values),
            shares: &numbers(&self.shares)[head % mixes * depth..][..depth],
            scores: &self.scores,
            kind: self.kind,
            item,
            t,
            s,
            width,
        }
    }

    fn context(&self) -> FlexTensor {
        let ([b, h, t, _], [_, _, _, width]) = (dims(&self.query), dims(&self.values));
        let ([context], _) = filled([[b, h, t, width]], |item, [mut context]| {
            for head in 0..h {
                self.levels(item, head).mix(context.head(head));
            }
        });
        context
    }

    /// Gradients of query, keys, values and shares.
    fn gradients(&self, of_context: &FlexTensor) -> [FlexTensor; 4] {
        let [mixes, depth] = dims(&self.shares);
        let [_, h, _, _] = dims(&self.query);
        let tensors = [&self.query, &self.keys, &self.values];
        let (found, shares) = filled(
            tensors.map(dims),
            |item, [mut query, mut keys, mut values]| {
                let mut shares = vec![0.0; mixes * depth];
                for head in 0..h {
                    let of_context = Matrix::of(of_context, &[item, head]);
                    let places = Places {
                        query: query.head(head),
                        keys: keys.head(head),
                        values: values.head(head),
                    };
                    let found = self.levels(item, head).gradients(of_context, places);
                    let own = &mut shares[head % mixes * depth..][..depth];
                    own.iter_mut().zip(found).for_each(|(sum, x)| *sum += x);
                }
                shares
            },
        );
        let [query, keys, values] = found;
        let shares = tensor(sum_of(shares, mixes * depth), [mixes, depth]);
        [query, keys, values, shares]
    }
}

/// The levels of one head of one item.
struct Levels<'a> {
    /// `[T, D]`
    query: Matrix<'a>,
    /// `[S, D]`
    keys: Matrix<'a>,
    /// `[S, D_v]`
    values: Matrix<'a>,
    /// `[d]`
    shares: &'a [f32],
    scores: &'a Scores,
    kind: HamKind,
    /// Which of the batch it is.
    item: usize,
    t: usize,
    s: usize,
    /// D_v.
    width: usize,
}

/// What each level of a head gave.
struct Trace {
    /// `[d, T, S]`
    weights: Vec<f32>,
    /// `[d, T, D_v]`
    states: Vec<f32>,
}

/// Where gradients go to, all 0 so far.
struct Places<'a> {
    query: Place<'a>,
    keys: Place<'a>,
    values: Place<'a>,
}

impl Levels<'_> {
    /// Adds what the levels gave, each as often as its share says.
    fn mix(&self, mut context: Place) {
        let Trace { states, .. } = self.trace();
        let states = states.chunks_exact((self.t * self.width).max(1));
        for (share, state) in self.shares.iter().zip(states) {
            for (row, numbers) in state.chunks_exact(self.width.max(1)).enumerate() {
                add_share(context.row(row, self.width), *share, numbers);
            }
        }
    }

    /// Query, keys and values of a level, of what the level below gave.
    fn inputs<'b>(&'b self, level: usize, below: &'b [f32]) -> [Matrix<'b>; 3] {
        if level == 0 {
            return [self.query, self.keys, self.values];
        }
        let below = Matrix::new(below, [self.t, self.width]);
        match self.kind {
            HamKind::Value => [below, self.keys, self.values],
            HamKind::SelfAttention => [below; 3],
        }
    }

    /// What the levels give.
    fn trace(&self) -> Trace {
        let (of_weights, of_state) = (self.t * self.s, self.t * self.width);
        let depth = self.shares.len();
        let mut weights = vec![0.0; depth * of_weights];
        let mut states = vec![0.0; depth * of_state];
        for level in 0..depth {
            let (below, state) = states.split_at_mut(level * of_state);
            let below = &below[level.saturating_sub(1) * of_state..];
            let [query, keys, values] = self.inputs(level, below);
            let weights = &mut weights[level * of_weights..][..of_weights];
            self.scores.weights(self.item, query, keys, weights);
            let weights = Matrix::new(weights, [self.t, self.s]);
            one(Place::new(state, self.width), weights, values);
        }
        Trace { weights, states }
    }

    /// Gradients of query, keys and values, and those of the shares.
    fn gradients(&self, of_context: Matrix, mut places: Places) -> Vec<f32> {
        let (t, s, width) = (self.t, self.s, self.width);
        let depth = self.shares.len();
        let Trace { weights, states } = self.trace();
        let of_context = of_context.copied();
        let mut of_shares = vec![0.0; depth];
        let mut of_scores = vec![0.0; t * s];
        // Of what the level gave: by its share, and by the levels above.
        let [mut gradient, mut below] = [0; 2].map(|_| vec![0.0; t * width]);
        for level in (0..depth).rev() {
            let state = &states[level * t * width..][..t * width];
            of_shares[level] = vectorised(
                #[inline(always)]
                || sum_over(&of_context, state, |a, b| a * b),
            );
            add_share(&mut gradient, self.shares[level], &of_context);
            let reached = Matrix::new(&gradient, [t, width]);
            let before = &states[level.saturating_sub(1) * t * width..][..t * width];
            let [query, keys, values] = self.inputs(level, before);
            let weights = &weights[level * t * s..][..t * s];
            one(Place::new(&mut of_scores, s), reached, values.transposed());
            self.scores.backward(&mut of_scores, weights, s);
            let scores = Matrix::new(&of_scores, [t, s]);
            let weights = Matrix::new(weights, [t, s]);
            let mut of_below = Place::new(&mut below, width);
            let of_query = match level {
                0 => places.query.again(),
                _ => of_below.again(),
            };
            one(of_query, scores, keys);
            if level > 0 && self.kind == HamKind::SelfAttention {
                add(of_below.again(), scores.transposed(), query);
                add(of_below, weights.transposed(), reached);
            } else {
                add(places.keys.again(), scores.transposed(), query);
                add(places.values.again(), weights.transposed(), reached);
            }
            std::mem::swap(&mut gradient, &mut below);
        }
        of_shares
    }
}

/// `sum += share · numbers`
fn add_share(sum: &mut [f32], share: f32, numbers: &[f32]) {
    vectorised(
        #[inline(always)]
        || {
            for (sum, x) in sum.iter_mut().zip(numbers) {
                *sum += share * x;
            }
        },
    );
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::activation::softmax;
    use burn::tensor::{Device, FloatDType, TensorData};

    use super::*;
    use crate::ParamInit;

    const SIZES: [usize; 4] = [2, 6, 3, 5]; // B, S, H, D, as a layer of heads gives them

    /// The result, and the gradients of query, keys, values and shares.
    fn run(
        [mixes, depth]: [usize; 2],
        precision: FloatDType,
        attend: impl Fn([Tensor<4>; 3], Tensor<2>) -> Tensor<4>,
    ) -> [TensorData; 5] {
        let device = Device::flex().autodiff();
        let init = &mut ParamInit::new(11, &device);
        let cast = |drawn: Tensor<4>| Tensor::from_inner(drawn.inner().cast(precision));
        let mut draw = |bound| cast(init.uniform(SIZES, bound).val());
        let leaves = [draw(2.0), draw(1.0), draw(1.0)].map(Tensor::require_grad);
        let probe = draw(1.0);
        let shares = init.uniform([1, 1, mixes, depth], 1.0).val();
        let shares = cast(shares).require_grad();
        let heads = leaves.clone().map(|leaf| leaf.swap_dims(1, 2));
        let result = attend(heads, shares.clone().reshape([mixes, depth])).swap_dims(1, 2);
        let found = (result.clone() * probe).sum().backward();
        let [query, keys, values] = leaves.map(|leaf| leaf.grad(&found).unwrap().into_data());
        let shares = shares.grad(&found).unwrap().into_data();
        [result.into_data(), query, keys, values, shares]
    }

    /// The same by burn's own operations.
    fn by_definition(
        [query, keys, values]: [Tensor<4>; 3],
        shares: Tensor<2>,
        hidden: Option<Tensor<4>>,
        kind: HamKind,
    ) -> Tensor<4> {
        let [mixes, depth] = shares.dims();
        let shares = shares.reshape([1, mixes, 1, depth]);
        let (mut state, mut sum) = (query, values.zeros_like());
        for level in 0..depth {
            let (keys, values) = match (level, kind) {
                (0, _) | (_, HamKind::Value) => (keys.clone(), values.clone()),
                (_, HamKind::SelfAttention) => (state.clone(), state.clone()),
            };
            let scores = state.matmul(keys.swap_dims(2, 3)) * 0.7;
            let scores = match &hidden {
                Some(hidden) => scores + hidden.clone().cast(FloatDType::F64),
                None => scores,
            };
            state = softmax(scores, 3).matmul(values);
            sum = sum + state.clone() * shares.clone().narrow(3, level, 1);
        }
        sum
    }

    #[test]
    fn all_levels_together_are_those_of_the_definition_and_so_are_their_gradients() {
        let device = Device::flex().autodiff();
        let [_, s, heads, _] = SIZES;
        let padding = [[false, false, false, false, false, true], [false; 6]].concat();
        let padded = Mask::padding(&padding, s, &device);
        for mask in [Mask::none(), Mask::causal(s, s, &device), padded] {
            for kind in [HamKind::Value, HamKind::SelfAttention] {
                for shape in [[1, 1], [1, 2], [heads, 2], [1, 5], [heads, 20]] {
                    let expected = run(shape, FloatDType::F64, |inputs, shares| {
                        by_definition(inputs, shares, mask.additive(), kind)
                    });
                    let found = run(shape, FloatDType::F32, |inputs, shares| {
                        dot_hierarchy(inputs, shares, &mask, 0.7, kind)
                    });
                    for (found, expected) in found.iter().zip(&expected) {
                        let pairs = found.iter::<f64>().zip(expected.iter::<f64>());
                        let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                        assert!(worst < 2e-5, "{kind:?}, {shape:?}: {worst}");
                    }
                }
            }
        }
    }
}
