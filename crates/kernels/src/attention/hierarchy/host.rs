//! All levels of a head, one after the other, on the CPU.

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Flex};

use super::DotHierarchy;
use crate::attention::heads::{add, filled, one};
use crate::attention::transposed::{ItemScores, TransposedScores, room, weights_of};
use crate::host::{dims, numbers, tensor};
use crate::node::{Derivative, record};
use crate::product::{Matrix, MatrixMut, non_negative_strides};
use crate::threads::sum_of;
use crate::vector::{sum_over, vectorised};

impl DotHierarchy for Flex {
    fn dot_hierarchy(
        query: FlexTensor,
        keys: FlexTensor,
        values: FlexTensor,
        shares: FlexTensor,
        mask: FlexTensor,
        scale: f32,
        chained: bool,
    ) -> FlexTensor {
        let scores = TransposedScores::new(&mask, scale);
        let inputs = Inputs::new([query, keys, values, shares], scores, chained);
        inputs.context()
    }
}

impl<C: CheckpointStrategy> DotHierarchy for Autodiff<Flex, C> {
    fn dot_hierarchy(
        query: FloatTensor<Self>,
        keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        shares: FloatTensor<Self>,
        mask: FloatTensor<Self>,
        scale: f32,
        chained: bool,
    ) -> FloatTensor<Self> {
        let nodes = [query.node(), keys.node(), values.node(), shares.node()];
        let tensors = [query, keys, values, shares].map(FloatTensor::<Self>::into_primitive);
        let scores = TransposedScores::new(&mask.into_primitive(), scale);
        let inputs = Inputs::new(tensors, scores, chained);
        let context = inputs.context();
        record::<Flex, C, _, _>(nodes, inputs, context)
    }
}

/// Inputs of the levels, saved for the backward pass.
#[derive(Clone, Debug)]
struct Inputs {
    query: FlexTensor,
    keys: FlexTensor,
    values: FlexTensor,
    /// Shares of the levels, `[1 or H, d]`, contiguous.
    shares: FlexTensor,
    scores: TransposedScores,
    chained: bool,
}

impl Derivative<Flex, 4> for Inputs {
    fn backward(self, gradient: FlexTensor, _wanted: [bool; 4]) -> [Option<FlexTensor>; 4] {
        self.gradients(&non_negative_strides(gradient)).map(Some)
    }
}

impl Inputs {
    fn new(tensors: [FlexTensor; 4], scores: TransposedScores, chained: bool) -> Self {
        let [query, keys, values, shares] = tensors.map(non_negative_strides);
        Self {
            query,
            keys,
            values,
            shares: shares.to_contiguous(),
            scores,
            chained,
        }
    }

    /// Returns the levels of a head of an item with these scores.
    fn levels<'a>(&'a self, scores: &'a ItemScores<'a>, [item, head]: [usize; 2]) -> Levels<'a> {
        let of = |it| Matrix::of(it, &[item, head]);
        let [mixes, depth] = dims(&self.shares);
        let [[_, _, t, _], [_, _, s, width]] = [&self.query, &self.values].map(dims);
        Levels {
            query: of(&self.query),
            keys: of(&self.keys),
            values: of(&self.values),
            shares: &numbers(&self.shares)[head % mixes * depth..][..depth],
            scores,
            head,
            chained: self.chained,
            t,
            s,
            width,
        }
    }

    fn context(&self) -> FlexTensor {
        let ([b, h, t, _], [_, _, _, width]) = (dims(&self.query), dims(&self.values));
        let ([context], _) = filled([[b, h, t, width]], |item, [mut context]| {
            let scores = self.scores.of_item(item);
            for head in 0..h {
                self.levels(&scores, [item, head]).mix(context.head(head));
            }
        });
        context
    }

    /// Computes the gradients of query, keys, values and shares.
    fn gradients(&self, of_context: &FlexTensor) -> [FlexTensor; 4] {
        let [mixes, depth] = dims(&self.shares);
        let [_, h, _, _] = dims(&self.query);
        let tensors = [&self.query, &self.keys, &self.values];
        let (found, shares) = filled(
            tensors.map(dims),
            |item, [mut query, mut keys, mut values]| {
                let mut shares = vec![0.0; mixes * depth];
                let scores = self.scores.of_item(item);
                for head in 0..h {
                    let of_context = Matrix::of(of_context, &[item, head]);
                    let places = Places {
                        query: query.head(head),
                        keys: keys.head(head),
                        values: values.head(head),
                    };
                    let found = self
                        .levels(&scores, [item, head])
                        .gradients(of_context, places);
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

/// Levels of attention of one head of one item.
struct Levels<'a> {
    /// Queries, `[T, D]`.
    query: Matrix<'a>,
    /// Keys, `[S, D]`.
    keys: Matrix<'a>,
    /// Values, `[S, D_v]`.
    values: Matrix<'a>,
    /// Shares of the levels, `[d]`.
    shares: &'a [f32],
    /// Scores of the item.
    scores: &'a ItemScores<'a>,
    /// Index of the head.
    head: usize,
    chained: bool,
    t: usize,
    s: usize,
    /// Width of the values, D_v.
    width: usize,
}

/// Weights and outputs of the levels of a head.
struct Trace {
    /// Transposed weights of each level, `[d, S, room]`.
    weights: Vec<f32>,
    /// Output of each level, `[d, T, D_v]`.
    states: Vec<f32>,
}

/// Gradients to write, 0 at first.
struct Places<'a> {
    query: MatrixMut<'a>,
    keys: MatrixMut<'a>,
    values: MatrixMut<'a>,
}

impl Levels<'_> {
    /// Adds the outputs of the levels, each times its share.
    fn mix(&self, mut context: MatrixMut) {
        let Trace { states, .. } = self.trace();
        let states = states.chunks_exact((self.t * self.width).max(1));
        for (share, state) in self.shares.iter().zip(states) {
            for (row, numbers) in state.chunks_exact(self.width.max(1)).enumerate() {
                add_share(context.row(row, self.width), *share, numbers);
            }
        }
    }

    /// Returns query, keys and values of a level, given the output of the level below.
    fn inputs<'b>(&'b self, level: usize, below: &'b [f32]) -> [Matrix<'b>; 3] {
        if level == 0 {
            return [self.query, self.keys, self.values];
        }
        let below = Matrix::new(below, [self.t, self.width]);
        if self.chained {
            [below; 3]
        } else {
            [below, self.keys, self.values]
        }
    }

    /// Computes weights and output of each level.
    fn trace(&self) -> Trace {
        let (of_weights, of_state) = (self.s * room(self.t), self.t * self.width);
        let depth = self.shares.len();
        let mut weights = vec![0.0; depth * of_weights];
        let mut states = vec![0.0; depth * of_state];
        for level in 0..depth {
            let (below, state) = states.split_at_mut(level * of_state);
            let below = &below[level.saturating_sub(1) * of_state..];
            let [query, keys, values] = self.inputs(level, below);
            let weights = &mut weights[level * of_weights..][..of_weights];
            self.scores.weights(self.head, query, keys, weights);
            let weights = weights_of(weights, [self.t, self.s]);
            one(MatrixMut::new(state, self.width), weights, values);
        }
        Trace { weights, states }
    }

    /// Adds the gradients of query, keys and values. Returns the gradients of the shares.
    fn gradients(&self, of_context: Matrix, mut places: Places) -> Vec<f32> {
        let (t, s, width) = (self.t, self.s, self.width);
        let depth = self.shares.len();
        let Trace { weights, states } = self.trace();
        let of_context = of_context.copied();
        let mut of_shares = vec![0.0; depth];
        let of_weights = s * room(t);
        let mut of_scores = vec![0.0; of_weights];
        // Gradient of the level's output: through its share, and through the levels above.
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
            let weights = &weights[level * of_weights..][..of_weights];
            // dWᵀ = V dOᵀ, then through the softmax to dSᵀ.
            one(
                MatrixMut::new(&mut of_scores, room(t)),
                values,
                reached.transposed(),
            );
            self.scores.backward(&mut of_scores, weights, t);
            let scores = weights_of(&of_scores, [t, s]);
            let weights = weights_of(weights, [t, s]);
            let mut of_below = MatrixMut::new(&mut below, width);
            let of_query = match level {
                0 => places.query.reborrow(),
                _ => of_below.reborrow(),
            };
            // dQ = dS K, dK += dSᵀ Q, dV += Wᵀ dO. In Ham-S all three are the output of the level
            // below.
            one(of_query, scores, keys);
            if level > 0 && self.chained {
                add(of_below.reborrow(), scores.transposed(), query);
                add(of_below, weights.transposed(), reached);
            } else {
                add(places.keys.reborrow(), scores.transposed(), query);
                add(places.values.reborrow(), weights.transposed(), reached);
            }
            std::mem::swap(&mut gradient, &mut below);
        }
        of_shares
    }
}

/// Computes `sum += share · numbers`.
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
