//! Projections for additive scores: queries times W_h, and nodes that a query has reached times
//! W_g. A node that no query reaches costs nothing, forward or backward.
//!
//! All projections are doubled, since tanh(x) = 2 σ(2x) − 1.

use std::ops::Range;

use burn::backend::flex::FlexTensor;

use super::host::{Inputs, Keys, LevelLayout, Pairs, Paths, add};
use crate::host::{dims, numbers, numbers_mut, tensor};
use crate::layer::Layer;
use crate::product::Matrix;
use crate::threads::par_map;
use crate::vector::decays;

/// Number of nodes that one thread projects at a time.
const PART: usize = 128;

/// Projections of one item of a batch. Heads are interleaved: row t·H + h belongs to query (or
/// node) t of head h.
#[derive(Clone, Debug)]
pub(super) struct Projections {
    /// Number of heads, H.
    heads: usize,
    /// Hidden width of the score, A.
    width: usize,
    /// Projected queries 2 W_h h for each level (or one for all), `[T·H, A]`, and their decays if
    /// these cannot overflow.
    queries: Vec<(Vec<f32>, Option<Vec<f32>>)>,
    /// Projected keys 2 (W_g g + b) of the reached nodes, or their decays, `[nodes, A]`.
    keys: Vec<f32>,
    /// Index of each reached node among all nodes of the item.
    reached: Vec<usize>,
    /// Index of each node of the item among the reached nodes: the inverse of `reached`.
    places: Vec<usize>,
    /// Reached nodes of each level, from the leaves to the top.
    levels: Vec<Level>,
}

/// Reached nodes of a level.
#[derive(Clone, Debug, Default)]
struct Level {
    /// Range of the level in the reached nodes.
    reached: Range<usize>,
    /// True if the level's keys are stored as decays.
    by_decays: bool,
}

/// Parameters of one level's score.
#[derive(Clone, Copy)]
struct Parameters<'a> {
    /// Weight of queries W_h, `[D, A]`.
    query: Matrix<'a>,
    /// Weight of keys W_g, `[D_g, A]`.
    key: Matrix<'a>,
    bias: &'a [f32],
    energy: &'a [f32],
}

/// Side of the score whose gradients are computed.
#[derive(Clone, Copy)]
enum Side {
    /// Queries, with the parameters of this index.
    Queries(usize),
    /// Nodes of the level of this index.
    Nodes(usize),
}

/// Gradients of projected queries and keys, which the backward pass of the descent found.
pub(super) struct Found {
    /// Gradient of the projected queries, `[B, H, T, L·A]`, in memory `[B, T, H, L·A]`.
    pub query: FlexTensor,
    /// Gradient of the projected keys, `[reached nodes, A]` for each item.
    pub keys: Vec<Vec<f32>>,
    /// Gradient of the values, `[B, H, n, D_v]`, in memory `[B, n, H, D_v]`.
    pub values: FlexTensor,
    /// Gradient of the energies, `[L·A]`.
    pub energy: Vec<f32>,
}

impl<'a> Parameters<'a> {
    fn of(inputs: &'a Inputs, level: usize) -> Self {
        let [query, key] = [&inputs.query, &inputs.keys].map(|it| dims::<4>(it)[3]);
        let [_, width] = dims(&inputs.parameters);
        let all = (query + key + 2) * width;
        let own = &numbers(&inputs.parameters)[inputs.plan.part(level) * all..][..all];
        let (of_query, own) = own.split_at(query * width);
        let (of_key, own) = own.split_at(key * width);
        let (bias, energy) = own.split_at(width);
        Self {
            query: Matrix::new(of_query, [query, width]),
            key: Matrix::new(of_key, [key, width]),
            bias,
            energy,
        }
    }
}

impl Projections {
    /// Projects an item's queries; no node is reached yet.
    pub fn new(inputs: &Inputs, item: usize) -> Self {
        let [_, heads, n, _] = dims(&inputs.keys);
        let queries = par_map(0..inputs.plan.parts(), |part| {
            let weight = Parameters::of(inputs, part).query;
            let x = rows_of(&inputs.states[0], item);
            doubled(Layer { x, weight }.forward(&[], false)) // [T·H, A]
        });
        Self {
            heads,
            width: inputs.width(),
            queries,
            keys: Vec::new(),
            reached: Vec::new(),
            places: vec![0; n * heads],
            levels: vec![Level::default(); inputs.plan.levels()],
        }
    }

    /// Projects the nodes of a level that some query of the item has reached.
    pub fn reach(&mut self, inputs: &Inputs, item: usize, layout: &LevelLayout, paths: &[Paths]) {
        let begin = self.reached.len();
        for (head, paths) in paths.iter().enumerate() {
            let nodes = paths.reached(layout).into_iter();
            self.reached
                .extend(nodes.map(|node| node * self.heads + head));
        }
        let reached = &self.reached[begin..];
        // Nodes that no query reached keep place 0, which no query reads.
        for (place, node) in (begin..).zip(reached) {
            self.places[*node] = place;
        }
        let Parameters { key, bias, .. } = Parameters::of(inputs, layout.level);
        let parts = par_map(reached.chunks(PART), |part| {
            let x = rows_of(&inputs.states[1], item).gather_rows(part.iter().copied());
            let x = Matrix::new(&x, [part.len(), key.height()]);
            doubled(Layer { x, weight: key }.forward(bias, false)) // [nodes, A]
        });
        // A product of decays stands for a sum of projections only if both sides are stored as
        // decays.
        let (_, of_queries) = &self.queries[inputs.plan.part(layout.level)];
        let by_decays = of_queries.is_some() && parts.iter().all(|(_, decays)| decays.is_some());
        for (sums, decays) in &parts {
            let numbers = decays.as_ref().filter(|_| by_decays);
            self.keys.extend_from_slice(numbers.unwrap_or(sums));
        }
        self.levels[layout.level] = Level {
            reached: begin..self.reached.len(),
            by_decays,
        };
    }

    /// Returns a head's projected queries for a level, `[T, A]`, and the level's score function.
    pub fn queries<'a>(
        &'a self,
        inputs: &'a Inputs,
        level: usize,
        head: usize,
    ) -> (Matrix<'a>, Pairs<'a>) {
        let energy = Parameters::of(inputs, level).energy;
        let (sums, decays) = &self.queries[inputs.plan.part(level)];
        let (numbers, pairs) = match decays {
            Some(decays) if self.levels[level].by_decays => (decays, Pairs::OfDecays(energy)),
            _ => (sums, Pairs::Additive(energy)),
        };
        let shape = [numbers.len() / (self.heads * self.width), self.width];
        let own = &numbers[head * self.width..];
        (
            Matrix::strided(own, shape, [self.heads * self.width, 1]),
            pairs,
        )
    }

    /// Number of elements of the projected keys.
    pub fn room(&self) -> usize {
        self.keys.len()
    }

    /// Returns the projected keys of the nodes that a head has reached.
    pub fn keys(&self, head: usize) -> Keys<'_> {
        let shape = [self.reached.len(), self.width];
        Keys {
            rows: Matrix::new(&self.keys, shape),
            places: Some((&self.places[head..], self.heads)),
        }
    }
}

/// Passes the gradients through the projections: returns the gradients of queries, keys, values and
/// parameters.
pub(super) fn gradients(
    inputs: &Inputs,
    projections: &[&Projections],
    found: Found,
) -> [Option<FlexTensor>; 4] {
    let (plan, width) = (&inputs.plan, inputs.width());
    let Found {
        query,
        keys,
        values,
        energy,
    } = found;
    let of_query = exchanged(query);
    let [query_shape, key_shape] = inputs.states.each_ref().map(dims::<4>);
    let [.., key_width] = key_shape;
    // One list of jobs, so that threads that are done with the queries go on with the levels.
    let sides = (0..plan.parts()).map(Side::Queries);
    let sides = sides.chain((0..plan.levels()).map(Side::Nodes));
    let mut of_queries = par_map(sides, |side| match side {
        Side::Queries(part) => of_queries(inputs, &of_query, part),
        Side::Nodes(level) => of_level(inputs, projections, &keys, level),
    });
    let mut of_levels = of_queries.split_off(plan.parts());
    // If values are keys, the gradient of keys is added to that of values.
    let (mut of_nodes, of_values) = if plan.values_are_keys {
        (exchanged(values), None)
    } else {
        let zeros = vec![0.0; key_shape.iter().product()];
        (tensor(zeros, key_shape), Some(values))
    };
    for (level, [of_x, ..]) in of_levels.iter().enumerate() {
        let items = numbers_mut(&mut of_nodes).chunks_exact_mut(key_shape[1..].iter().product());
        let mut of_x = of_x.chunks_exact(key_width);
        for (made, item) in projections.iter().zip(items) {
            let nodes = &made.reached[made.levels[level].reached.clone()];
            for (node, row) in nodes.iter().zip(&mut of_x) {
                add(&mut item[node * key_width..][..key_width], 1.0, row);
            }
        }
    }
    // Parameters as in the input: W_h, W_g, b and v of each level, or sums over levels that share
    // them.
    let mut parameters = Vec::with_capacity(inputs.parameters.layout().num_elements());
    for (part, energy) in energy.chunks_exact(width).enumerate() {
        let own = (0..plan.levels()).filter(|level| plan.part(*level) == part);
        let own = own.map(|level| std::mem::take(&mut of_levels[level]));
        let [_, of_key, of_bias] = summed(own);
        let [_, of_query, _] = &of_queries[part];
        for of_parameter in [of_query, &of_key, &of_bias, energy] {
            parameters.extend_from_slice(of_parameter);
        }
    }
    let of_states = of_queries.into_iter().map(|[of_x, ..]| [of_x]);
    let [of_states] = summed(of_states);
    let of_nodes = Some(exchanged(of_nodes));
    let (of_keys, of_values) = match of_values {
        None => (None, of_nodes),
        values => (of_nodes, values),
    };
    [
        Some(exchanged(tensor(of_states, query_shape))),
        of_keys,
        of_values,
        Some(tensor(parameters, dims::<2>(&inputs.parameters))),
    ]
}

/// Sums the items of the iterator element by element.
fn summed<const N: usize>(each: impl Iterator<Item = [Vec<f32>; N]>) -> [Vec<f32>; N] {
    let sum = each.reduce(|mut sums, rows| {
        for (sum, row) in sums.iter_mut().zip(&rows) {
            add(sum, 1.0, row);
        }
        sums
    });
    sum.unwrap_or_else(|| std::array::from_fn(|_| Vec::new()))
}

/// Computes the gradients of the queries and of W_h through one level's score, which has no bias
/// for queries.
fn of_queries(inputs: &Inputs, of_query: &FlexTensor, part: usize) -> [Vec<f32>; 3] {
    let width = inputs.width();
    // Projections are doubled, so their gradients are too.
    let mut gradient = rows(of_query).columns(part * width, width).copied(); // [B·T·H, A]
    twice(&mut gradient);
    let x = rows(&inputs.states[0]);
    let weight = Parameters::of(inputs, part).query;
    let gradient = Matrix::new(&gradient, [x.height(), width]);
    Layer { x, weight }.gradients(gradient, [true, true, false])
}

/// Computes the gradients of a level's reached nodes, item after item, of W_g, and of b.
fn of_level(
    inputs: &Inputs,
    projections: &[&Projections],
    of_keys: &[Vec<f32>],
    level: usize,
) -> [Vec<f32>; 3] {
    let width = inputs.width();
    let weight = Parameters::of(inputs, level).key;
    let (mut x, mut gradient) = (Vec::new(), Vec::new());
    for (item, (made, of_keys)) in projections.iter().zip(of_keys).enumerate() {
        let Range { start, end } = made.levels[level].reached;
        gradient.extend_from_slice(&of_keys[start * width..end * width]);
        let reached = made.reached[start..end].iter().copied();
        x.extend(rows_of(&inputs.states[1], item).gather_rows(reached));
    }
    twice(&mut gradient);
    let gradient = Matrix::new(&gradient, [gradient.len() / width, width]);
    let x = Matrix::new(&x, [gradient.height(), weight.height()]);
    Layer { x, weight }.gradients(gradient, [true; 3])
}

/// Swaps heads and rows. Consumes the tensor, so that its storage stays unshared.
fn exchanged(tensor: FlexTensor) -> FlexTensor {
    tensor.transpose(1, 2)
}

/// Views `[B, T, H, D]` as `[B·T·H, D]`.
fn rows(tensor: &FlexTensor) -> Matrix<'_> {
    let [b, t, h, d] = dims(tensor);
    Matrix::new(numbers(tensor), [b * t * h, d])
}

/// Views one item of [`rows`], `[T·H, D]`.
fn rows_of(tensor: &FlexTensor, item: usize) -> Matrix<'_> {
    let [_, t, h, _] = dims(tensor);
    rows(tensor).rows(item * t * h, t * h)
}

/// Doubles numbers; also returns the decays of the result if they cannot overflow.
fn doubled(mut numbers: Vec<f32>) -> (Vec<f32>, Option<Vec<f32>>) {
    twice(&mut numbers);
    let decays = decays(&numbers);
    (numbers, decays)
}

fn twice(numbers: &mut [f32]) {
    numbers.iter_mut().for_each(|x| *x *= 2.0);
}
