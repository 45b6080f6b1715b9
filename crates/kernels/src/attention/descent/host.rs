//! Descent on the CPU, query by query. For the backward pass a query's path is kept: the nodes that
//! the query opened, and the weights with which it reached nodes.
//!
//! Backward pass: a query reaches nodes with weights f; G is the gradient of its context. A node's
//! gain is g = G · v; an opened node's gain ḡ is the mean of its children's gains by their weights.
//! The gradient of a child's score is f (g − ḡ).
//!
//! For the additive score the descent projects an item's queries first, and nodes once they are
//! reached ([`Projections`]).

mod head;
mod layout;
mod paths;

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Flex};

use super::projection::{Found, Projections, gradients};
use super::{PairScore, Plan, PyramidDescent};
use crate::attention::heads::filled;
use crate::host::{dims, numbers, tensor};
use crate::node::{Derivative, record};
use crate::product::{Matrix, MatrixMut, contiguous_rows};
use crate::threads::{par_map, sum_of};

pub(super) use head::add;
pub(super) use layout::LevelLayout;
pub(super) use paths::Paths;
use paths::{Group, Part};

/// Number of queries that one thread descends with at a time.
const QUERIES: usize = 8;

/// Inputs of the descent.
#[derive(Clone, Debug)]
pub(super) struct Inputs {
    pub query: FlexTensor,
    pub keys: FlexTensor,
    values: FlexTensor,
    mask: FlexTensor,
    windows: FlexTensor,
    pub parameters: FlexTensor,
    pub plan: Plan,
    /// Query as `[B, T, H, D]` and keys as `[B, n, H, D]`; contiguous for the additive score.
    pub states: [FlexTensor; 2],
}

/// Score function of one level, and the form in which it reads queries and keys.
#[derive(Clone, Copy)]
pub(super) enum Pairs<'a> {
    /// Dot product times this scale.
    Dot(f32),
    /// Additive score Σ v · tanh((q + k) / 2) of projected queries and keys, with energies v given.
    Additive(&'a [f32]),
    /// The same additive score of queries and keys stored as decays e^−q and e^−k.
    OfDecays(&'a [f32]),
}

/// Keys of a head's nodes.
#[derive(Clone, Copy)]
pub(super) struct Keys<'a> {
    /// Rows of keys, `[n, ·]`; for projected keys, only the keys of reached nodes.
    pub rows: Matrix<'a>,
    /// Row of each node, and the stride in this slice from one node to the next. `None` if row n is
    /// the key of node n.
    pub places: Option<(&'a [usize], usize)>,
}

/// Inputs of one head of one item.
struct Head<'a> {
    /// Queries and score of each level, from the leaves to the top.
    queries: Vec<(Matrix<'a>, Pairs<'a>)>,
    keys: Keys<'a>,
    values: Matrix<'a>,
    /// Additive mask of all nodes, `[n]`; with windows, of the top's nodes alone.
    mask: &'a [f32],
    /// Windows of learned blocks, `[n above, block + 1]`.
    windows: &'a [f32],
    /// Layouts of the levels from the top to the leaves.
    layouts: &'a [LevelLayout],
    plan: &'a Plan,
}

/// Gradients of a head, to be written.
struct Gradients<'a> {
    query: MatrixMut<'a>,
    keys: MatrixMut<'a>,
    values: MatrixMut<'a>,
    windows: &'a mut [f32],
    energy: &'a mut [f32],
}

/// State saved for the backward pass.
#[derive(Clone, Debug)]
struct Saved {
    inputs: Inputs,
    items: Vec<ItemPaths>,
}

/// Paths of one item's queries.
#[derive(Clone, Debug)]
struct ItemPaths {
    /// Paths of each head.
    paths: Vec<Paths>,
    /// Projections for the additive score; `None` for other scores.
    projections: Option<Projections>,
}

impl PyramidDescent for Flex {
    fn pyramid_descent(
        query: FlexTensor,
        keys: FlexTensor,
        values: FlexTensor,
        mask: FlexTensor,
        windows: FlexTensor,
        parameters: FlexTensor,
        plan: Plan,
    ) -> FlexTensor {
        let tensors = [query, keys, values, mask, windows, parameters];
        Inputs::new(tensors, plan).context().0
    }
}

impl<C: CheckpointStrategy> PyramidDescent for Autodiff<Flex, C> {
    fn pyramid_descent(
        query: FloatTensor<Self>,
        keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        mask: FloatTensor<Self>,
        windows: FloatTensor<Self>,
        parameters: FloatTensor<Self>,
        plan: Plan,
    ) -> FloatTensor<Self> {
        let nodes = [&query, &keys, &values, &windows, &parameters].map(FloatTensor::<Self>::node);
        let tensors = [query, keys, values, mask, windows, parameters];
        let tensors = tensors.map(FloatTensor::<Self>::into_primitive);
        let inputs = Inputs::new(tensors, plan);
        let (context, items) = inputs.context();
        record::<Flex, C, _, _>(nodes, Saved { inputs, items }, context)
    }
}

impl Derivative<Flex, 5> for Saved {
    fn backward(self, gradient: FlexTensor, _wanted: [bool; 5]) -> [Option<FlexTensor>; 5] {
        self.gradients(gradient)
    }
}

impl Inputs {
    fn new(tensors: [FlexTensor; 6], plan: Plan) -> Self {
        let [query, keys, values, mask, windows, parameters] = tensors;
        let [query, keys, values] = [query, keys, values].map(contiguous_rows);
        let states = [&query, &keys].map(|tensor| match plan.score {
            PairScore::Additive => tensor.transpose(1, 2).to_contiguous(),
            PairScore::Dot(_) | PairScore::Prepared => tensor.transpose(1, 2),
        });
        Self {
            states,
            query,
            keys,
            values,
            mask: mask.to_contiguous(),
            windows: windows.to_contiguous(),
            parameters: parameters.to_contiguous(),
            plan,
        }
    }

    fn head<'a>(
        &'a self,
        [item, head]: [usize; 2],
        layouts: &'a [LevelLayout],
        projections: Option<&'a Projections>,
    ) -> Head<'a> {
        let of = |tensor: &'a FlexTensor| Matrix::of(tensor, &[item, head]);
        let table = |tensor: &'a FlexTensor| {
            let [items, heads, rows, columns] = dims(tensor);
            let at = item.min(items - 1) * heads + head.min(heads - 1);
            &numbers(tensor)[at * rows * columns..][..rows * columns]
        };
        let width = self.width();
        let prepared = |level: usize| {
            let part = self.plan.part(level) * width;
            let pairs = match self.plan.score {
                PairScore::Dot(scale) => Pairs::Dot(scale),
                _ => Pairs::Additive(&numbers(&self.parameters)[part..][..width]),
            };
            (of(&self.query).columns(part, width), pairs)
        };
        let levels = 0..self.plan.levels();
        let (queries, keys) = match projections {
            None => {
                let rows = of(&self.keys);
                let keys = Keys { rows, places: None };
                (levels.map(prepared).collect(), keys)
            }
            Some(made) => {
                let queries = levels.map(|level| made.queries(self, level, head));
                (queries.collect(), made.keys(head))
            }
        };
        Head {
            queries,
            keys,
            values: of(&self.values),
            mask: table(&self.mask),
            windows: table(&self.windows),
            layouts,
            plan: &self.plan,
        }
    }

    /// Width of a query, and of a key, in one score.
    pub fn width(&self) -> usize {
        let tensor = match self.plan.score {
            PairScore::Additive => &self.parameters,
            PairScore::Dot(_) | PairScore::Prepared => &self.keys,
        };
        tensor.layout().shape().last().copied().unwrap_or_default()
    }

    /// Computes the context, and the paths of each item.
    fn context(&self) -> (FlexTensor, Vec<ItemPaths>) {
        let ([b, h, t, _], [_, _, _, width]) = (dims(&self.query), dims(&self.values));
        let layouts = self.plan.layouts();
        let projects = self.plan.score == PairScore::Additive;
        // The additive score projects only reached nodes, which are known once all queries are done
        // with the level above: so the heads descend level by level. Other scores descend all
        // levels at once.
        let together = if projects { 1 } else { layouts.len() };
        let ([context], items) = filled([[b, h, t, width]], |item, [mut context]| {
            // `head.descend` adds the groups of a level's children, which the next level weighs.
            let mut paths = vec![Paths::new(t, &layouts); h];
            let mut projections = projects.then(|| Projections::new(self, item));
            for some in layouts.chunks(together) {
                if let Some(projections) = &mut projections {
                    projections.reach(self, item, &some[0], &paths);
                }
                for (head, paths) in paths.iter_mut().enumerate() {
                    let head = self.head([item, head], &layouts, projections.as_ref());
                    par_map(paths.parts(), |part| head.descend(some, part));
                }
            }
            par_map(context.parts(QUERIES), |(queries, mut context)| {
                for (head, paths) in paths.iter().enumerate() {
                    let place = context.head(head);
                    let head = self.head([item, head], &layouts, projections.as_ref());
                    head.context(paths, queries.clone(), place);
                }
            });
            ItemPaths { paths, projections }
        });
        (context, items)
    }
}

impl Saved {
    fn gradients(&self, of_context: FlexTensor) -> [Option<FlexTensor>; 5] {
        let Self { inputs, items } = self;
        let of_context = contiguous_rows(of_context);
        let layouts = inputs.plan.layouts();
        let shape @ [_, heads, rows, columns] = dims(&inputs.windows);
        let table = if inputs.plan.learned {
            rows * columns
        } else {
            0
        };
        let ([b, h, t, _], [_, _, n, _]) = (dims(&inputs.query), dims(&inputs.keys));
        let width = inputs.width();
        let projects = inputs.plan.score == PairScore::Additive;
        let is_additive = inputs.plan.score.is_additive();
        let all = inputs.plan.parts() * width;
        let energies = if is_additive { all } else { 0 };
        // With projections only reached nodes have keys, another number in each item. So each item
        // has a buffer of its own for the gradients of keys, and the tensor stays empty.
        let n = if projects { 0 } else { n };
        let (found, parameters) = filled(
            [[b, h, t, all], [b, h, n, width], dims(&inputs.values)],
            |item, [mut query, mut keys, mut values]| {
                let (mut windows, mut energy) = (vec![0.0; heads * table], vec![0.0; energies]);
                let ItemPaths { paths, projections } = &items[item];
                let projections = projections.as_ref();
                let mut own = vec![0.0; projections.map_or(0, Projections::room)];
                // Heads one after the other: all heads add to the gradients of the energies and of a
                // shared table of windows.
                for (head, paths) in paths.iter().enumerate() {
                    let found = Gradients {
                        query: query.head(head),
                        keys: match projections {
                            None => keys.head(head),
                            Some(_) => MatrixMut::new(&mut own, width),
                        },
                        values: values.head(head),
                        // Heads that share a table add up their gradients.
                        windows: &mut windows[head.min(heads - 1) * table..],
                        energy: &mut energy,
                    };
                    let of_context = Matrix::of(&of_context, &[item, head]);
                    let head = inputs.head([item, head], &layouts, projections);
                    head.gradients(paths, of_context, found);
                }
                (windows, energy, own)
            },
        );
        let (mut windows, mut energy, mut own) = (Vec::new(), Vec::new(), Vec::with_capacity(b));
        for (of_windows, of_energy, of_keys) in parameters {
            windows.extend(of_windows);
            energy.push(of_energy);
            own.push(of_keys);
        }
        let windows = inputs.plan.learned.then(|| tensor(windows, shape));
        let energy = sum_of(energy, energies);
        let [query, keys, values] = found;
        if projects {
            let found = Found {
                query,
                keys: own,
                values,
                energy,
            };
            let projections: Vec<_> = items
                .iter()
                .filter_map(|it| it.projections.as_ref())
                .collect();
            let [query, keys, values, parameters] = gradients(inputs, &projections, found);
            return [query, keys, values, windows, parameters];
        }
        let energy = is_additive.then(|| tensor(energy, [inputs.plan.parts(), width]));
        [Some(query), Some(keys), Some(values), windows, energy]
    }
}

impl<'a> Keys<'a> {
    #[inline(always)]
    fn of(&self, node: usize) -> &'a [f32] {
        self.rows.row(self.place(node))
    }

    /// Row of a node's key.
    #[inline(always)]
    fn place(&self, node: usize) -> usize {
        match self.places {
            None => node,
            Some((places, step)) => places[node * step],
        }
    }
}
