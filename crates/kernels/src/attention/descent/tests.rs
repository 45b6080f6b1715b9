//! Compares contexts and gradients of the descent with the formula.
#![allow(clippy::unwrap_used)]

use burn::tensor::{Device, Tensor, TensorData, Tolerance};

use super::*;
use crate::attention::MASKED_SCORE;
use crate::testing::Draws;

/// Sizes B, H, T and D; the additive score has the same hidden width.
const SIZES: [usize; 4] = [2, 2, 3, 4];

/// Pyramids of blocks of two nodes. In the second one level 1 has three parents and a node that
/// fills the last block; the third one is its top alone.
const OF_BLOCKS: [&[usize]; 3] = [&[12, 6, 3], &[6, 4, 2], &[5]];

/// Pyramids of windows of three nodes.
const OF_WINDOWS: [&[usize]; 2] = [&[7, 5, 3], &[4, 4]];

/// Leaves of the autodiff graph.
struct Leaves {
    /// Queries of each level side by side, `[B, T, H, parts · D]`.
    query: Tensor<4>,
    /// Keys, `[B, n, H, D]`.
    keys: Tensor<4>,
    /// Values, `[B, n, H, D]`; unused if values are keys.
    values: Tensor<4>,
    /// Biases of the windows' members, `[B, 1, n above, block]`; unused with blocks.
    bias: Tensor<4>,
    /// Parameters of the score, `[1, 1, ·, D]`; unused by the dot product.
    parameters: Tensor<4>,
}

impl Leaves {
    fn draw(plan: &Plan, device: &Device) -> Self {
        let [b, h, t, d] = SIZES;
        let n = plan.places.iter().sum::<usize>();
        let parts = if plan.is_shared { 1 } else { plan.places.len() };
        let (queries, rows) = match plan.score {
            PairScore::Dot(_) => (parts, 1),
            PairScore::Prepared => (parts, parts),
            PairScore::Additive => (1, parts * (2 * d + 2)),
        };
        let mut draws = Draws::new(5, device);
        let mut draw = |shape| draws.normal(shape, 0.0, 1.0).require_grad();
        Self {
            query: draw([b, t, h, queries * d]),
            keys: draw([b, n, h, d]),
            values: draw([b, n, h, d]),
            bias: draw([b, 1, (n - plan.places[0]).max(1), plan.block]),
            parameters: draw([1, 1, rows, d]),
        }
    }

    /// Joins the nodes. With blocks the last leaves of item 1 are masked, and in each level the nodes
    /// that have only masked children; with windows the last node of the top.
    fn nodes(&self, plan: &Plan) -> JoinedNodes {
        let device = self.keys.device();
        let heads = |of: &Tensor<4>| of.clone().swap_dims(1, 2);
        let keys = heads(&self.keys);
        let count = plan.places.len();
        let masked_levels = if plan.learned {
            count - 1..count
        } else {
            0..count
        };
        let mask = |item: usize| {
            let of_level = masked_levels.clone().flat_map(|level| {
                let visible = match (plan.learned, item) {
                    (true, 0) => plan.places[level],
                    (true, _) => plan.places[level] - 1,
                    (false, 0) => plan.places[0].div_ceil(plan.block.pow(level as u32)),
                    (false, _) => (plan.places[0] - 3).div_ceil(plan.block.pow(level as u32)),
                };
                let term = move |node| if node < visible { 0.0 } else { MASKED_SCORE };
                (0..plan.places[level]).map(term)
            });
            of_level.collect::<Vec<f32>>()
        };
        let mask: Vec<f32> = (0..SIZES[0]).flat_map(mask).collect();
        let nodes = mask.len() / SIZES[0];
        let mask = Tensor::from_data(TensorData::new(mask, [SIZES[0], 1, 1, nodes]), &device);
        JoinedNodes {
            values: if plan.values_are_keys {
                keys.clone()
            } else {
                heads(&self.values)
            },
            keys,
            mask,
            windows: plan.learned.then(|| self.windows(plan)),
        }
    }

    /// Spreads the windows of each level over the level below. Members beyond the last node are
    /// masked.
    fn windows(&self, plan: &Plan) -> Tensor<4> {
        let device = self.keys.device();
        let (mut firsts, mut masks) = (Vec::new(), Vec::new());
        for pair in plan.places.windows(2) {
            let (below, own) = (pair[0], pair[1]);
            for node in 0..own {
                let first = node * below / own;
                firsts.push(first as f32);
                let members = first..first + plan.block;
                masks.extend(members.map(|at| if at < below { 0.0 } else { MASKED_SCORE }));
            }
        }
        let rows = firsts.len();
        let firsts = Tensor::<4>::from_data(TensorData::new(firsts, [1, 1, rows, 1]), &device);
        let masks = TensorData::new(masks, [1, 1, rows, plan.block]);
        let masks = Tensor::<4>::from_data(masks, &device);
        let firsts = firsts.expand([SIZES[0], 1, rows, 1]);
        Tensor::cat(vec![firsts, self.bias.clone() + masks], 3)
    }

    /// Returns the context, and the gradients of all leaves that the context depends on.
    fn run(&self, context: Tensor<4>) -> Vec<TensorData> {
        let [b, h, t, d] = SIZES;
        let probe = Draws::new(6, &context.device()).normal([b, h, t, d], 0.0, 1.0);
        let found = (context.clone() * probe).sum().backward();
        let leaves = [
            &self.query,
            &self.keys,
            &self.values,
            &self.bias,
            &self.parameters,
        ];
        let gradients = leaves.into_iter().filter_map(|leaf| leaf.grad(&found));
        let gradients = gradients.map(Tensor::into_data).collect::<Vec<_>>();
        [vec![context.into_data()], gradients].concat()
    }

    /// Computes the scores `[B, H, T, c]` of the queries of a level for keys `[B, H, T, c, D]`.
    fn score(&self, plan: &Plan, level: usize, keys: Tensor<5>) -> Tensor<4> {
        let [_, _, _, d] = SIZES;
        let part = if plan.is_shared { 0 } else { level };
        let query = self.query.clone().swap_dims(1, 2);
        let row = |at| self.parameters.clone().narrow(2, at, 1).unsqueeze::<5>();
        let terms = match plan.score {
            PairScore::Dot(scale) => {
                let query = query.narrow(3, part * d, d).unsqueeze_dim::<5>(3);
                query * keys * scale
            }
            PairScore::Prepared => {
                let query = query.narrow(3, part * d, d).unsqueeze_dim::<5>(3);
                ((query + keys) * 0.5).tanh() * row(part)
            }
            PairScore::Additive => {
                let first = part * (2 * d + 2);
                let matrix = |at| self.parameters.clone().narrow(2, at, d); // [1, 1, D, A]
                let query = query.matmul(matrix(first)).unsqueeze_dim::<5>(3);
                let keys = keys.matmul(matrix(first + d).unsqueeze_dim::<5>(0));
                (query + keys + row(first + 2 * d)).tanh() * row(first + 2 * d + 1)
            }
        };
        terms.sum_dim(4).squeeze_dim(4)
    }
}

fn assert_formula(plan: &Plan) {
    let device = Device::flex().autodiff();
    let leaves = Leaves::draw(plan, &device);
    let [_, _, t, _] = SIZES;
    // A backward pass consumes the operations that it passes through, so each context has nodes of
    // its own.
    let expected = naive::pyramid_descent(&leaves.nodes(plan), plan, t, |level, keys| {
        leaves.score(plan, level, keys)
    });
    let expected = leaves.run(expected);
    let query = leaves.query.clone().swap_dims(1, 2);
    let parameters = leaves.parameters.clone().squeeze_dim::<3>(0);
    let parameters = plan.score.is_additive().then(|| parameters.squeeze_dim(0));
    let found = pyramid_descent(query, &leaves.nodes(plan), parameters, plan.clone()).unwrap();
    let found = leaves.run(found);
    assert_eq!(found.len(), expected.len(), "{plan:?}");
    for (found, expected) in found.iter().zip(&expected) {
        found.assert_approx_eq(expected, Tolerance::<f32>::rel_abs(1e-4, 1e-4));
    }
}

#[test]
fn the_descent_and_its_gradients_are_those_of_the_formula() {
    let blocks = OF_BLOCKS.map(|places| (places, 2, false));
    let windows = OF_WINDOWS.map(|places| (places, 3, true));
    for (places, block, learned) in blocks.into_iter().chain(windows) {
        for score in [
            PairScore::Dot(0.7),
            PairScore::Additive,
            PairScore::Prepared,
        ] {
            for (is_shared, values_are_keys) in [(true, true), (false, false)] {
                for beam in [1, 2, 5] {
                    assert_formula(&Plan {
                        places: places.to_vec(),
                        block,
                        learned,
                        beam,
                        score,
                        is_shared,
                        values_are_keys,
                    });
                }
            }
        }
    }
}
