//! On the CPU query by query. What is kept for the way back: which nodes a query opened, and with
//! which weights it reached those it did.
//!
//! Of a query that reaches nodes with weights f, and G, the gradient of its context: a node is
//! worth g = G · v, an opened one the mean of its children's by their weights, ḡ; the gradient of a
//! child's score is f (g − ḡ).

use std::ops::Range;

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Flex};
use strata_kernels::host::{dims, numbers, tensor};
use strata_kernels::node::{Derivative, record};
use strata_kernels::pair::{add_gradients, by_decays, by_sum, score};
use strata_kernels::product::{Matrix, Place, in_rows};
use strata_kernels::threads::sum_of;
use strata_kernels::vector::{decays, exp, sum_over, vectorised};

use super::{Fit, Plan, PyramidDescent};
use crate::fused::heads::filled;
use crate::mask::HIDDEN;

/// All that the context is made of.
#[derive(Clone, Debug)]
struct Inputs {
    query: FlexTensor,
    keys: FlexTensor,
    values: FlexTensor,
    hidden: FlexTensor,
    windows: FlexTensor,
    energy: FlexTensor,
    plan: Plan,
}

/// What every query meets on one level.
#[derive(Clone, Debug)]
struct Stage {
    /// Counted from the leaves.
    level: usize,
    /// The first node of the level.
    begin: usize,
    /// The first of the level below.
    below: usize,
    /// How many nodes of the level have children.
    parents: usize,
    /// How many are opened.
    opened: usize,
    /// How many nodes a group has.
    size: usize,
    /// Its groups among all of a query.
    groups: Range<usize>,
    /// Where the weights of their nodes are among all of a query.
    weights: Range<usize>,
}

/// The top, or the children of a node that was opened: nodes side by side.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    first: usize,
    /// Whose children they are, and where its weight is; nothing of the top.
    parent: usize,
    place: usize,
}

/// Where the queries of a head went.
#[derive(Clone, Debug)]
struct Ways {
    /// `[T, groups]`
    groups: Vec<Group>,
    /// With which a query reached each of their nodes, `[T, nodes]`; with a minus those of the
    /// opened.
    weights: Vec<f32>,
}

/// How well a query and a node fit, of numbers that are there of both.
#[derive(Clone, Copy)]
enum Pairs<'a> {
    /// Themselves; so many times their dot product.
    Dot(f32),
    /// Themselves; the additive score, with these energies.
    Additive(&'a [f32]),
    /// The same, of their decays.
    OfDecays(&'a [f32]),
}

/// What the queries of a head meet.
struct Head<'a> {
    query: Matrix<'a>,
    keys: Matrix<'a>,
    values: Matrix<'a>,
    /// `[n]`, or of the top alone.
    hidden: &'a [f32],
    /// `[n above, block + 1]`
    windows: &'a [f32],
    /// From the top to the leaves.
    stages: &'a [Stage],
    plan: &'a Plan,
    pairs: Pairs<'a>,
}

/// Where the gradients of a head go to.
struct Gradients<'a> {
    query: Place<'a>,
    keys: Place<'a>,
    values: Place<'a>,
    windows: &'a mut [f32],
    energy: &'a mut [f32],
}

/// What the backward pass needs: the ways of each item's heads, too.
#[derive(Clone, Debug)]
struct Seen {
    inputs: Inputs,
    ways: Vec<Vec<Ways>>,
}

impl PyramidDescent for Flex {
    fn pyramid_descent(
        query: FlexTensor,
        keys: FlexTensor,
        values: FlexTensor,
        hidden: FlexTensor,
        windows: FlexTensor,
        energy: FlexTensor,
        plan: Plan,
    ) -> FlexTensor {
        let tensors = [query, keys, values, hidden, windows, energy];
        Inputs::new(tensors, plan).context(|_| ()).0
    }
}

impl<C: CheckpointStrategy> PyramidDescent for Autodiff<Flex, C> {
    fn pyramid_descent(
        query: FloatTensor<Self>,
        keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
        windows: FloatTensor<Self>,
        energy: FloatTensor<Self>,
        plan: Plan,
    ) -> FloatTensor<Self> {
        let nodes = [&query, &keys, &values, &windows, &energy].map(FloatTensor::<Self>::node);
        let tensors = [query, keys, values, hidden, windows, energy];
        let tensors = tensors.map(FloatTensor::<Self>::into_primitive);
        let inputs = Inputs::new(tensors, plan);
        let (context, ways) = inputs.context(|ways| ways);
        record::<Flex, C, _, _>(nodes, Seen { inputs, ways }, context)
    }
}

impl Derivative<Flex, 5> for Seen {
    fn backward(self, gradient: FlexTensor, _wanted: [bool; 5]) -> [Option<FlexTensor>; 5] {
        let ([query, keys, values], parameters) = self.inputs.gradients(gradient, &self.ways);
        let [windows, energy] = parameters;
        [Some(query), Some(keys), Some(values), windows, energy]
    }
}

impl Plan {
    /// From the top to the leaves.
    fn stages(&self) -> Vec<Stage> {
        let begin = |level: usize| self.places[..level].iter().sum();
        let mut stages: Vec<Stage> = Vec::with_capacity(self.levels());
        for level in (0..self.levels()).rev() {
            let (groups, size) = match stages.last() {
                None => (0..1, self.top()),
                Some(above) => (
                    above.groups.end..above.groups.end + above.opened,
                    self.block,
                ),
            };
            let first = stages.last().map_or(0, |above| above.weights.end);
            let reached = groups.len() * size;
            let (below, parents, opened) = match level.checked_sub(1) {
                None => (0, 0, 0),
                Some(below) => {
                    let parents = match self.learned {
                        true => self.places[level],
                        false => self.places[below] / self.block,
                    };
                    (begin(below), parents, reached.min(self.beam))
                }
            };
            stages.push(Stage {
                level,
                begin: begin(level),
                below,
                parents,
                opened,
                size,
                groups,
                weights: first..first + reached,
            });
        }
        stages
    }
}

impl Stage {
    /// Its groups, and where the weights of each are.
    #[inline(always)]
    fn groups<'a>(&self, of: &'a [Group]) -> impl Iterator<Item = (&'a Group, Range<usize>)> {
        let (first, size) = (self.weights.start, self.size);
        let groups = of[self.groups.clone()].iter().enumerate();
        groups.map(move |(at, group)| (group, first + at * size..first + (at + 1) * size))
    }

    #[inline(always)]
    fn is_top(&self) -> bool {
        self.groups.start == 0
    }
}

impl Inputs {
    fn new(tensors: [FlexTensor; 6], plan: Plan) -> Self {
        let [query, keys, values, hidden, windows, energy] = tensors;
        let [query, keys, values] = [query, keys, values].map(in_rows);
        Self {
            query,
            keys,
            values,
            hidden: hidden.to_contiguous(),
            windows: windows.to_contiguous(),
            energy: energy.to_contiguous(),
            plan,
        }
    }

    /// Of the queries and keys of a head, for the additive score, where they are near enough to 0.
    fn decays(&self, item: usize, head: usize) -> Option<[Vec<f32>; 2]> {
        if self.plan.fit != Fit::Additive {
            return None;
        }
        let of = |tensor| decays(&Matrix::of(tensor, &[item, head]).copied());
        Some([of(&self.query)?, of(&self.keys)?])
    }

    fn head<'a>(
        &'a self,
        [item, head]: [usize; 2],
        stages: &'a [Stage],
        decays: Option<&'a [Vec<f32>; 2]>,
    ) -> Head<'a> {
        let of = |tensor: &'a FlexTensor| Matrix::of(tensor, &[item, head]);
        let table = |tensor: &'a FlexTensor| {
            let [items, heads, rows, columns] = dims(tensor);
            let at = item.min(items - 1) * heads + head.min(heads - 1);
            &numbers(tensor)[at * rows * columns..][..rows * columns]
        };
        let ([_, _, t, q], [_, _, n, d]) = (dims(&self.query), dims(&self.keys));
        let energy = numbers(&self.energy);
        let (query, keys, pairs) = match (self.plan.fit, decays) {
            (Fit::Dot(scale), _) => (of(&self.query), of(&self.keys), Pairs::Dot(scale)),
            (Fit::Additive, None) => {
                let pairs = Pairs::Additive(energy);
                (of(&self.query), of(&self.keys), pairs)
            }
            (Fit::Additive, Some([query, keys])) => {
                let (query, keys) = (Matrix::new(query, [t, q]), Matrix::new(keys, [n, d]));
                (query, keys, Pairs::OfDecays(energy))
            }
        };
        Head {
            query,
            keys,
            values: of(&self.values),
            hidden: table(&self.hidden),
            windows: table(&self.windows),
            stages,
            plan: &self.plan,
            pairs,
        }
    }

    /// The context, and what is kept of the ways of each item's heads.
    fn context<R: Send>(&self, keep: impl Fn(Ways) -> R + Sync) -> (FlexTensor, Vec<Vec<R>>) {
        let ([b, h, t, _], [_, _, _, width]) = (dims(&self.query), dims(&self.values));
        let stages = self.plan.stages();
        let ([context], ways) = filled([[b, h, t, width]], |item, [mut context]| {
            let head = |head: usize| {
                let decays = self.decays(item, head);
                let place = context.head(head);
                let head = self.head([item, head], &stages, decays.as_ref());
                keep(head.descend(t, place))
            };
            (0..h).map(head).collect()
        });
        (context, ways)
    }

    /// Gradients of query, keys and values; of windows, and of the energy.
    fn gradients(
        &self,
        of_context: FlexTensor,
        ways: &[Vec<Ways>],
    ) -> ([FlexTensor; 3], [Option<FlexTensor>; 2]) {
        let of_context = in_rows(of_context);
        let stages = self.plan.stages();
        let shape @ [_, heads, rows, columns] = dims(&self.windows);
        let table = if self.plan.learned { rows * columns } else { 0 };
        let is_additive = self.plan.fit == Fit::Additive;
        let energies = if is_additive {
            numbers(&self.energy).len()
        } else {
            0
        };
        let (found, parameters) = filled(
            [&self.query, &self.keys, &self.values].map(dims),
            |item, [mut query, mut keys, mut values]| {
                let (mut windows, mut energy) = (vec![0.0; heads * table], vec![0.0; energies]);
                for (head, ways) in ways[item].iter().enumerate() {
                    let found = Gradients {
                        query: query.head(head),
                        keys: keys.head(head),
                        values: values.head(head),
                        // A table for all heads has the sum of theirs.
                        windows: &mut windows[head.min(heads - 1) * table..],
                        energy: &mut energy,
                    };
                    let of_context = Matrix::of(&of_context, &[item, head]);
                    let decays = self.decays(item, head);
                    let head = self.head([item, head], &stages, decays.as_ref());
                    head.gradients(ways, of_context, found);
                }
                (windows, energy)
            },
        );
        let (windows, energy): (Vec<_>, Vec<_>) = parameters.into_iter().unzip();
        let windows = self.plan.learned.then(|| tensor(windows.concat(), shape));
        let energy = is_additive.then(|| tensor(sum_of(energy, energies), [energies]));
        (found, [windows, energy])
    }
}

impl Head<'_> {
    /// How many groups a query has, and how many nodes these have.
    fn lengths(&self) -> (usize, usize) {
        let leaves = self.stages.last().expect("there are leaves");
        (leaves.groups.end, leaves.weights.end)
    }

    /// Where the queries go, and their context, which is 0 before.
    fn descend(&self, queries: usize, mut context: Place) -> Ways {
        let (groups, nodes) = self.lengths();
        let mut ways = Ways {
            groups: vec![Group::default(); queries * groups],
            weights: vec![0.0; queries * nodes],
        };
        let groups = ways.groups.chunks_exact_mut(groups);
        let each = groups.zip(ways.weights.chunks_exact_mut(nodes)).enumerate();
        vectorised(
            #[inline(always)]
            || {
                for (row, (groups, weights)) in each {
                    groups[0].first = self.stages[0].begin;
                    for stage in self.stages {
                        let query = self.query.row(row);
                        self.weigh(stage, query, groups, weights);
                        self.open_heaviest(stage, groups, weights);
                        for (group, places) in stage.groups(groups) {
                            for (node, &weight) in (group.first..).zip(&weights[places]) {
                                // What is no number stays none.
                                if weight > 0.0 || weight.is_nan() {
                                    let value = self.values.row(self.inside(node));
                                    add(context.row(row, value.len()), weight, value);
                                }
                            }
                        }
                    }
                }
            },
        );
        ways
    }

    /// The weights of all nodes of a stage.
    #[inline(always)]
    fn weigh(&self, stage: &Stage, query: &[f32], groups: &[Group], weights: &mut [f32]) {
        for (group, places) in stage.groups(groups) {
            let lids = match (self.plan.learned, stage.is_top()) {
                (false, _) => &self.hidden[group.first..],
                (true, true) => self.hidden,
                (true, false) => &self.windows[self.window(group.parent)..][1..],
            };
            let whole = match stage.is_top() {
                true => 1.0,
                false => weights[group.place].abs(),
            };
            let weights = &mut weights[places];
            let mut most = HIDDEN;
            for ((node, weight), &lid) in (group.first..).zip(&mut *weights).zip(lids) {
                *weight = HIDDEN;
                if !is_hidden(lid) {
                    let key = self.keys.row(self.inside(node));
                    *weight = self.score(stage, query, key) + lid;
                    if *weight > most {
                        most = *weight;
                    }
                }
            }
            let mut total = 0.0;
            for weight in &mut *weights {
                *weight = match is_hidden(*weight) {
                    true => 0.0,
                    false => exp(*weight - most),
                };
                total += *weight;
            }
            for weight in weights.iter_mut().filter(|weight| **weight != 0.0) {
                *weight = *weight / total * whole;
            }
        }
    }

    /// Makes groups of the children of the heaviest nodes of a stage; of equal ones the first.
    #[inline(always)]
    fn open_heaviest(&self, stage: &Stage, groups: &mut [Group], weights: &mut [f32]) {
        for slot in 0..stage.opened {
            let (mut most, mut heaviest, mut place) = (-1.0, stage.begin, stage.weights.start);
            for (group, places) in stage.groups(groups) {
                for (node, at) in (group.first..).zip(places) {
                    let weight = weights[at];
                    let is_opened = weight.is_sign_negative();
                    let is_before = weight == most && node < heaviest;
                    if !is_opened && (weight > most || is_before) {
                        (most, heaviest, place) = (weight, node, at);
                    }
                }
            }
            weights[place] = -weights[place];
            // Where fewer nodes are left than are opened, those opened besides weigh nothing.
            let parent = heaviest.min(stage.begin + stage.parents - 1);
            let first = match self.plan.learned {
                true => (self.windows[self.window(parent)] as usize).min(stage.begin),
                false => (parent - stage.begin) * self.plan.block,
            };
            groups[stage.groups.end + slot] = Group {
                first: stage.below + first,
                parent,
                place,
            };
        }
    }

    /// The gradients, of that of the context.
    fn gradients(&self, ways: &Ways, of_context: Matrix, mut found: Gradients) {
        let (groups, nodes) = self.lengths();
        let mut gains = vec![0.0; nodes];
        let groups = ways.groups.chunks_exact(groups);
        let each = groups.zip(ways.weights.chunks_exact(nodes)).enumerate();
        vectorised(
            #[inline(always)]
            || {
                for (row, (groups, weights)) in each {
                    let of_context = of_context.row(row);
                    gains.fill(0.0);
                    for stage in self.stages.iter().rev() {
                        for (group, places) in stage.groups(groups) {
                            let reached = &weights[places.clone()];
                            let own = &mut gains[places.clone()];
                            self.of_values(group, reached, own, of_context, &mut found);
                            let mut mean = sum_over(reached, own, |f, g| f.abs() * g);
                            if !stage.is_top() {
                                let whole = weights[group.place].abs();
                                mean = if whole == 0.0 { 0.0 } else { mean / whole };
                                gains[group.place] = mean;
                            }
                            let slopes = reached.iter().zip(&gains[places]);
                            let slopes = slopes.map(|(f, g)| f.abs() * (g - mean));
                            if self.plan.learned && !stage.is_top() {
                                let members = &mut found.windows[self.window(group.parent)..][1..];
                                for (member, slope) in members.iter_mut().zip(slopes.clone()) {
                                    *member += slope;
                                }
                            }
                            self.of_scores(stage, group, slopes, row, &mut found);
                        }
                    }
                }
            },
        );
    }

    /// What each node that was not opened gains, and the gradients of their values.
    #[inline(always)]
    fn of_values(
        &self,
        group: &Group,
        weights: &[f32],
        gains: &mut [f32],
        of_context: &[f32],
        found: &mut Gradients,
    ) {
        for ((node, &weight), gain) in (group.first..).zip(weights).zip(gains) {
            if weight > 0.0 || weight.is_nan() {
                let value = self.values.row(self.inside(node));
                *gain = sum_over(of_context, value, |a, b| a * b);
                let place = found.values.row(self.inside(node), value.len());
                add(place, weight, of_context);
            }
        }
    }

    /// Where a level's own part of a query is, and of the energies.
    #[inline(always)]
    fn part(&self, stage: &Stage, query: &[f32], width: usize) -> Range<usize> {
        let is_shared = query.len() == width;
        let begin = if is_shared { 0 } else { stage.level * width };
        begin..begin + width
    }

    #[inline(always)]
    fn score(&self, stage: &Stage, query: &[f32], key: &[f32]) -> f32 {
        let part = self.part(stage, query, key.len());
        let query = &query[part.clone()];
        match self.pairs {
            Pairs::Dot(scale) => sum_over(query, key, |a, b| a * b) * scale,
            Pairs::Additive(energy) => score(query, key, &energy[part], by_sum),
            Pairs::OfDecays(energy) => score(query, key, &energy[part], by_decays),
        }
    }

    /// The gradients of query, keys and energy, of those of the scores.
    #[inline(always)]
    fn of_scores(
        &self,
        stage: &Stage,
        group: &Group,
        slopes: impl Iterator<Item = f32>,
        row: usize,
        found: &mut Gradients,
    ) {
        let whole = self.query.row(row);
        for (node, slope) in (group.first..).zip(slopes) {
            if slope == 0.0 {
                continue;
            }
            let node = self.inside(node);
            let key = self.keys.row(node);
            let part = self.part(stage, whole, key.len());
            let query = &whole[part.clone()];
            let of_query = &mut found.query.row(row, whole.len())[part.clone()];
            let of_key = found.keys.row(node, key.len());
            match self.pairs {
                Pairs::Dot(scale) => {
                    add(of_query, slope * scale, key);
                    add(of_key, slope * scale, query);
                }
                Pairs::Additive(energy) => {
                    let found = [of_query, of_key, &mut found.energy[part.clone()]];
                    add_gradients(found, [query, key, &energy[part]], slope, by_sum);
                }
                Pairs::OfDecays(energy) => {
                    let found = [of_query, of_key, &mut found.energy[part.clone()]];
                    add_gradients(found, [query, key, &energy[part]], slope, by_decays);
                }
            }
        }
    }

    /// Where the window of a node begins.
    #[inline(always)]
    fn window(&self, node: usize) -> usize {
        (node - self.plan.leaves()) * (self.plan.block + 1)
    }

    /// A node, or the last one where none is: of what is no number.
    #[inline(always)]
    fn inside(&self, node: usize) -> usize {
        node.min(self.keys.height() - 1)
    }
}

/// Whether a score is that of nothing.
#[inline(always)]
fn is_hidden(score: f32) -> bool {
    score <= HIDDEN / 2.0
}

#[inline(always)]
fn add(row: &mut [f32], factor: f32, other: &[f32]) {
    for (x, y) in row.iter_mut().zip(other) {
        *x += factor * y;
    }
}
