//! Descent of one head of one item: its queries go down level by level, and the gradients up.

use std::ops::Range;

use super::{Gradients, Group, Head, LevelLayout, Pairs, Part, Paths};
use crate::additive_pair::{add_gradients, by_decays, by_sum, score};
use crate::attention::MASKED_SCORE;
use crate::product::{Matrix, MatrixMut};
use crate::vector::{exp, sum_over, vectorised};

impl Head<'_> {
    /// Descends with the queries of `paths` through some levels.
    pub(super) fn descend(&self, layouts: &[LevelLayout], paths: Part) {
        let (groups, nodes) = paths.lengths;
        let groups = paths.groups.chunks_exact_mut(groups);
        let weights = paths.weights.chunks_exact_mut(nodes);
        vectorised(
            #[inline(always)]
            || {
                for (row, (groups, weights)) in (paths.first..).zip(groups.zip(weights)) {
                    for layout in layouts {
                        self.weigh(layout, row, groups, weights);
                        self.open_heaviest(layout, groups, weights);
                    }
                }
            },
        );
    }

    /// Adds the context Σ weight · value of some queries, over the nodes that were reached and not
    /// opened.
    pub(super) fn context(&self, paths: &Paths, queries: Range<usize>, mut context: MatrixMut) {
        let each = paths.each().skip(queries.start).take(queries.len());
        vectorised(
            #[inline(always)]
            || {
                for (row, (groups, weights)) in each.enumerate() {
                    for layout in self.layouts {
                        for (group, places) in layout.groups(groups) {
                            for (node, &weight) in (group.first..).zip(&weights[places]) {
                                // Opened nodes have negative weights. NaN is passed on.
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
    }

    /// Writes the weights of all nodes that a query reaches on a level: the softmax over each
    /// group, times the parent's weight.
    #[inline(always)]
    fn weigh(&self, layout: &LevelLayout, row: usize, groups: &[Group], weights: &mut [f32]) {
        for (group, places) in layout.groups(groups) {
            // Mask with blocks; with windows the mask of the top, below it the bias log m of each
            // member.
            let member_bias = match (self.plan.learned, layout.is_top()) {
                (false, _) => &self.mask[group.first..],
                (true, true) => self.mask,
                (true, false) => &self.windows[self.window(group.parent)..][1..],
            };
            // The weights of a group sum to the weight of its parent, or to 1 at the top.
            let whole = if layout.is_top() {
                1.0
            } else {
                weights[group.place].abs()
            };
            let weights = &mut weights[places];
            // Stable softmax: scores, then exponentials of their distance to the highest, then
            // quotients.
            let mut most = MASKED_SCORE;
            for ((node, weight), &bias) in (group.first..).zip(&mut *weights).zip(member_bias) {
                *weight = MASKED_SCORE;
                if !is_hidden(bias) {
                    let key = self.keys.of(self.inside(node));
                    *weight = self.score(layout, row, key) + bias;
                    if *weight > most {
                        most = *weight;
                    }
                }
            }
            let mut total = 0.0;
            for weight in &mut *weights {
                *weight = if is_hidden(*weight) {
                    0.0
                } else {
                    exp(*weight - most)
                };
                total += *weight;
            }
            for weight in weights.iter_mut().filter(|weight| **weight != 0.0) {
                *weight = *weight / total * whole;
            }
        }
    }

    /// Opens the heaviest nodes of a level: appends a group of each one's children. Of equal
    /// weights the first node wins.
    #[inline(always)]
    fn open_heaviest(&self, layout: &LevelLayout, groups: &mut [Group], weights: &mut [f32]) {
        for slot in 0..layout.opened {
            let (mut most, mut heaviest, mut place) = (-1.0, layout.begin, layout.weights.start);
            for (group, places) in layout.groups(groups) {
                for (node, at) in (group.first..).zip(places) {
                    let weight = weights[at];
                    let is_opened = weight.is_sign_negative();
                    let is_before = weight == most && node < heaviest;
                    if !is_opened && (weight > most || is_before) {
                        (most, heaviest, place) = (weight, node, at);
                    }
                }
            }
            // A negative sign marks the node as opened and keeps its weight.
            weights[place] = -weights[place];
            // If fewer nodes are left than the beam opens, the surplus ones have weight 0; their
            // index is clamped to a node with children.
            let parent = heaviest.min(layout.begin + layout.parents - 1);
            let first = if self.plan.learned {
                (self.windows[self.window(parent)] as usize).min(layout.begin)
            } else {
                (parent - layout.begin) * self.plan.block
            };
            groups[layout.groups.end + slot] = Group {
                first: layout.below + first,
                parent,
                place,
            };
        }
    }

    /// Adds the gradients of all inputs, given the gradient of the context.
    pub(super) fn gradients(&self, paths: &Paths, of_context: Matrix, mut found: Gradients) {
        let (_, nodes) = paths.lengths;
        let mut gains = vec![0.0; nodes];
        let each = paths.each().enumerate();
        vectorised(
            #[inline(always)]
            || {
                for (row, (groups, weights)) in each {
                    let of_context = of_context.row(row);
                    gains.fill(0.0);
                    // From the leaves up, so that the gain of an opened node is known when its
                    // level comes.
                    for layout in self.layouts.iter().rev() {
                        for (group, places) in layout.groups(groups) {
                            let reached = &weights[places.clone()];
                            let own = &mut gains[places.clone()];
                            self.of_values(group, reached, own, of_context, &mut found);
                            // Mean gain of the group, ḡ = Σ f g / Σ f, which is also the gain of
                            // the parent.
                            let mut mean = sum_over(reached, own, |f, g| f.abs() * g);
                            if !layout.is_top() {
                                let whole = weights[group.place].abs();
                                mean = if whole == 0.0 { 0.0 } else { mean / whole };
                                gains[group.place] = mean;
                            }
                            // Gradient of a score by the softmax, f (g − ḡ).
                            let slopes = reached.iter().zip(&gains[places]);
                            let slopes = slopes.map(|(f, g)| f.abs() * (g - mean));
                            if self.plan.learned && !layout.is_top() {
                                let members = &mut found.windows[self.window(group.parent)..][1..];
                                for (member, slope) in members.iter_mut().zip(slopes.clone()) {
                                    *member += slope;
                                }
                            }
                            self.of_scores(layout, group, slopes, row, &mut found);
                        }
                    }
                }
            },
        );
    }

    /// Writes the gain G · v of each node that was not opened, and adds the gradient f · G of its
    /// value.
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

    #[inline(always)]
    fn score(&self, layout: &LevelLayout, row: usize, key: &[f32]) -> f32 {
        let (query, pairs) = self.queries[layout.level];
        let query = query.row(row);
        match pairs {
            Pairs::Dot(scale) => sum_over(query, key, |a, b| a * b) * scale,
            Pairs::Additive(energy) => score(query, key, energy, by_sum),
            Pairs::OfDecays(energy) => score(query, key, energy, by_decays),
        }
    }

    /// Adds the gradients of query, keys and energy, given the gradients `slopes` of the scores.
    #[inline(always)]
    fn of_scores(
        &self,
        layout: &LevelLayout,
        group: &Group,
        slopes: impl Iterator<Item = f32>,
        row: usize,
        found: &mut Gradients,
    ) {
        let (query, pairs) = self.queries[layout.level];
        let query = query.row(row);
        // Part of the query and of the energies that belongs to the level.
        let begin = self.plan.part(layout.level) * query.len();
        let part = begin..begin + query.len();
        for (node, slope) in (group.first..).zip(slopes) {
            if slope == 0.0 {
                continue;
            }
            let node = self.inside(node);
            let key = self.keys.of(node);
            let of_query = &mut found.query.row(row, part.end)[begin..];
            let of_key = found.keys.row(self.keys.place(node), key.len());
            match pairs {
                Pairs::Dot(scale) => {
                    add(of_query, slope * scale, key);
                    add(of_key, slope * scale, query);
                }
                Pairs::Additive(energy) => {
                    let found = [of_query, of_key, &mut found.energy[part.clone()]];
                    add_gradients(found, [query, key, energy], slope, by_sum);
                }
                Pairs::OfDecays(energy) => {
                    let found = [of_query, of_key, &mut found.energy[part.clone()]];
                    add_gradients(found, [query, key, energy], slope, by_decays);
                }
            }
        }
    }

    /// Offset of a node's row in the windows.
    #[inline(always)]
    fn window(&self, node: usize) -> usize {
        (node - self.plan.leaves()) * (self.plan.block + 1)
    }

    /// Clamps a node to the last one: with NaN scores its index may lie outside.
    #[inline(always)]
    fn inside(&self, node: usize) -> usize {
        node.min(self.values.height() - 1)
    }
}

/// True if a score is that of a masked node.
#[inline(always)]
fn is_hidden(score: f32) -> bool {
    score <= MASKED_SCORE / 2.0
}

#[inline(always)]
pub fn add(row: &mut [f32], factor: f32, other: &[f32]) {
    for (x, y) in row.iter_mut().zip(other) {
        *x += factor * y;
    }
}
