//! What additive scores are made of: queries, and nodes that a query has reached, each multiplied with its
//! matrix. A node that no query reaches costs nothing, there and back.
//!
//! All is doubled: tanh(x) = 2 σ(2x) − 1.

use burn::backend::flex::FlexTensor;
use strata_kernels::host::{dims, numbers, numbers_mut, tensor};
use strata_kernels::layer::Layer;
use strata_kernels::product::Matrix;
use strata_kernels::threads::on_threads;
use strata_kernels::vector::decays;

use super::host::{Inputs, Pairs, Stage, Ways};

/// Nodes that one thread multiplies at a time.
const PART: usize = 64;

/// Queries and nodes of all items and heads. Rows of an item follow each other, those of its heads side by
/// side.
#[derive(Clone, Debug)]
pub(super) struct Projections {
    /// `[B·T·H, D]` and `[B·n·H, D]`, not multiplied.
    states: [FlexTensor; 2],
    /// H.
    heads: usize,
    /// How many rows of queries and of nodes an item has.
    rows: [usize; 2],
    /// A.
    width: usize,
    /// For each score 2 W_h h, `[B·T·H, A]`, and its decays where they are near enough to 0.
    queries: Vec<(Vec<f32>, Option<Vec<f32>>)>,
    /// 2 (W_g g + b) of nodes that are reached, `[B·n·H, A]`.
    keys: Vec<f32>,
    /// For each level, from the leaves to the top.
    levels: Vec<Reached>,
}

/// What is there of a level.
#[derive(Clone, Debug, Default)]
struct Reached {
    /// The rows of its nodes that are.
    rows: Vec<usize>,
    /// Whether their decays stand for them.
    by_decays: bool,
}

/// The parameters of a score.
#[derive(Clone, Copy)]
struct Parameters<'a> {
    /// `[D, A]`
    query: Matrix<'a>,
    /// `[D, A]`
    key: Matrix<'a>,
    bias: &'a [f32],
    energy: &'a [f32],
}

/// What a matrix of the parameters multiplies.
#[derive(Clone, Copy)]
enum Side {
    /// The queries, for this score.
    Queries(usize),
    /// The nodes of this level.
    Nodes(usize),
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
    /// Of the queries.
    pub fn new(inputs: &Inputs) -> Self {
        let states = [&inputs.query, &inputs.keys].map(|it| it.transpose(1, 2).to_contiguous());
        let [b, h, t, _] = dims(&inputs.query);
        let [_, _, n, _] = dims(&inputs.keys);
        let [_, width] = dims(&inputs.parameters);
        let queries = on_threads(0..inputs.plan.parts(), |part| {
            let layer = Layer {
                x: rows(&states[0]),
                weight: Parameters::of(inputs, part).query,
            };
            doubled(layer.forward(&[], false))
        });
        Self {
            queries,
            states,
            heads: h,
            rows: [t * h, n * h],
            width,
            keys: vec![0.0; b * h * n * width],
            levels: vec![Reached::default(); inputs.plan.levels()],
        }
    }

    /// Multiplies the nodes of a stage that a query has reached.
    pub fn reach(&mut self, inputs: &Inputs, stage: &Stage, ways: &[Vec<Ways>]) {
        let places = self.rows[1] / self.heads;
        let mut reached = Vec::new();
        for (item, ways) in ways.iter().enumerate() {
            for (head, ways) in ways.iter().enumerate() {
                let nodes = ways.reached(stage).into_iter();
                reached.extend(nodes.map(|node| (item * places + node) * self.heads + head));
            }
        }
        let Parameters { key, bias, .. } = Parameters::of(inputs, stage.level);
        let parts = on_threads(reached.chunks(PART), |part| {
            let x = rows(&self.states[1]).picked(part.iter().copied());
            let layer = Layer {
                x: Matrix::new(&x, [part.len(), key.shape()[0]]),
                weight: key,
            };
            doubled(layer.forward(bias, false))
        });
        let (_, of_queries) = &self.queries[inputs.plan.part(stage.level)];
        let by_decays = of_queries.is_some() && parts.iter().all(|(_, decays)| decays.is_some());
        for (rows, (sums, decays)) in reached.chunks(PART).zip(&parts) {
            let numbers = decays.as_ref().filter(|_| by_decays).unwrap_or(sums);
            for (row, numbers) in rows.iter().zip(numbers.chunks_exact(self.width)) {
                self.keys[row * self.width..][..self.width].copy_from_slice(numbers);
            }
        }
        self.levels[stage.level] = Reached {
            rows: reached,
            by_decays,
        };
    }

    /// What the queries of a head have for a level, `[T, A]`, and how it is compared with nodes.
    pub fn queries<'a>(
        &'a self,
        inputs: &'a Inputs,
        level: usize,
        place: [usize; 2],
    ) -> (Matrix<'a>, Pairs<'a>) {
        let energy = Parameters::of(inputs, level).energy;
        let (sums, decays) = &self.queries[inputs.plan.part(level)];
        let (numbers, pairs) = match decays {
            Some(decays) if self.levels[level].by_decays => (decays, Pairs::OfDecays(energy)),
            _ => (sums, Pairs::Additive(energy)),
        };
        (self.of_head(numbers, self.rows[0], place), pairs)
    }

    /// The same of all nodes for a head, `[n, A]`; 0 of those that are not reached.
    pub fn keys(&self, place: [usize; 2]) -> Matrix<'_> {
        self.of_head(&self.keys, self.rows[1], place)
    }

    fn of_head<'a>(&self, numbers: &'a [f32], rows: usize, [item, head]: [usize; 2]) -> Matrix<'a> {
        let start = (item * rows + head) * self.width;
        let shape = [rows / self.heads, self.width];
        let numbers = numbers.get(start..).unwrap_or_default();
        Matrix::strided(numbers, shape, [self.heads * self.width, 1])
    }

    /// The gradients of queries, keys, values and parameters, of those of what is compared (`[B, H, T, ·]`
    /// and `[B, H, n, A]`, in memory H behind the next), of the values and of the energies.
    pub fn gradients(
        &self,
        inputs: &Inputs,
        [of_query, of_keys, of_values]: [FlexTensor; 3],
        of_energy: &[f32],
    ) -> [Option<FlexTensor>; 4] {
        let [of_query, of_keys] = [of_query, of_keys].map(|it| it.transpose(1, 2));
        let (plan, width) = (&inputs.plan, self.width);
        let shapes @ [query_shape, key_shape] = [&self.states[0], &self.states[1]].map(dims::<4>);
        let [query_width, key_width] = shapes.map(|[.., width]| width);
        let sides = (0..plan.parts()).map(Side::Queries);
        let sides = sides.chain((0..plan.levels()).map(Side::Nodes));
        let found = on_threads(sides, |side| {
            let (x, weight, gradient) = match side {
                Side::Queries(part) => {
                    let gradient = rows(&of_query).columns(part * width, width);
                    let weight = Parameters::of(inputs, part).query;
                    (None, weight, gradient.copied())
                }
                Side::Nodes(level) => {
                    let reached = &self.levels[level].rows;
                    let pick = |of: &FlexTensor| rows(of).picked(reached.iter().copied());
                    let weight = Parameters::of(inputs, level).key;
                    (Some(pick(&self.states[1])), weight, pick(&of_keys))
                }
            };
            let gradient = twice(gradient);
            let gradient = Matrix::new(&gradient, [gradient.len() / width, width]);
            let x = match &x {
                None => rows(&self.states[0]),
                Some(x) => Matrix::new(x, [gradient.height(), key_width]),
            };
            let layer = Layer { x, weight };
            (
                side,
                layer.gradients(gradient, [true, true, !matches!(side, Side::Queries(_))]),
            )
        });
        let mut of_states = vec![0.0; query_shape.iter().product()];
        let mut of_nodes = match plan.values_are_keys {
            true => of_values.transpose(1, 2),
            false => tensor(vec![0.0; key_shape.iter().product()], key_shape),
        };
        // Of each score the gradients of its parameters, in their order.
        let length = query_width + key_width + 2;
        let mut parameters = vec![0.0; plan.parts() * length * width];
        for (side, [of_x, of_weight, of_bias]) in found {
            let (part, first) = match side {
                Side::Queries(part) => {
                    add(&mut of_states, &of_x);
                    (part, 0)
                }
                Side::Nodes(level) => {
                    let nodes = numbers_mut(&mut of_nodes);
                    let rows = of_x.chunks_exact(key_width);
                    for (node, row) in self.levels[level].rows.iter().zip(rows) {
                        add(&mut nodes[node * key_width..][..key_width], row);
                    }
                    (plan.part(level), query_width)
                }
            };
            let own = &mut parameters[(part * length + first) * width..];
            let (weight, bias) = own.split_at_mut(of_weight.len());
            add(weight, &of_weight);
            add(bias, &of_bias);
        }
        let energies = of_energy.chunks_exact(width);
        for (own, energy) in parameters.chunks_exact_mut(length * width).zip(energies) {
            own[(length - 1) * width..].copy_from_slice(energy);
        }
        let of_nodes = of_nodes.transpose(1, 2);
        let (of_keys, of_values) = match plan.values_are_keys {
            true => (None, of_nodes),
            false => (Some(of_nodes), of_values),
        };
        [
            Some(tensor(of_states, query_shape).transpose(1, 2)),
            of_keys,
            Some(of_values),
            Some(tensor(parameters, dims::<2>(&inputs.parameters))),
        ]
    }
}

/// `[B, T, H, D]` as `[B·T·H, D]`.
fn rows(tensor: &FlexTensor) -> Matrix<'_> {
    let [b, t, h, d] = dims(tensor);
    Matrix::new(numbers(tensor), [b * t * h, d])
}

/// 2x, and its decays where they are near enough to 0.
fn doubled(numbers: Vec<f32>) -> (Vec<f32>, Option<Vec<f32>>) {
    let doubled = twice(numbers);
    let decays = decays(&doubled);
    (doubled, decays)
}

fn twice(mut numbers: Vec<f32>) -> Vec<f32> {
    numbers.iter_mut().for_each(|x| *x *= 2.0);
    numbers
}

fn add(sums: &mut [f32], numbers: &[f32]) {
    for (sum, x) in sums.iter_mut().zip(numbers) {
        *sum += x;
    }
}
