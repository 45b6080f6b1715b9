//! Result of a search.

use crate::{EOS, Search, SiteWeights};

/// Result of a search for all sources.
#[derive(Clone, Debug)]
pub struct SearchOutput {
    /// Results, one per source.
    pub items: Vec<SearchResult>,
    /// Attention of all sites for the rows of each step; empty unless asked for.
    pub(super) steps: Vec<Vec<SiteWeights>>,
}

/// Result of a search for one source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchResult {
    /// At most as many as the search gives. Of a beam the best first, those that ended before those
    /// that were cut at the limit; of sampling in the order of the draws.
    pub hypotheses: Vec<Hypothesis>,
    /// For each step, all hypotheses that were kept in it, by their last token. In a beam they
    /// stand in the order of their scores.
    pub tree: Vec<Vec<Node>>,
    /// True if EOS ended no hypothesis.
    pub(super) past_ends: bool,
    /// Number of tokens of a text's beginning, among which EOS ends nothing.
    pub(super) begun: usize,
}

/// The last token of a hypothesis that was kept in a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Index of its parent among the hypotheses of the step before; 0 in the first step.
    pub parent: usize,
    /// The token; EOS ends the hypothesis.
    pub id: u32,
    /// ln p of the token after all before it, by the model's own distribution.
    pub log_probability: f32,
    /// The sum of the whole hypothesis.
    pub score: f64,
    /// The most probable tokens at its place, the best first; empty unless asked for.
    pub candidates: Vec<Candidate>,
    /// Its row in the model's batch of that step.
    pub(super) row: usize,
    /// Number of the draw that it belongs to, from 0, when several are drawn.
    pub(super) sample: usize,
}

/// A token that could have been written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The token.
    pub id: u32,
    /// Its ln p.
    pub log_probability: f32,
}

/// A target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hypothesis {
    /// Token ids without BOS and EOS; a forced prefix is part of them.
    pub ids: Vec<u32>,
    /// ln p of every token after those before it, EOS included where it was written.
    pub log_probabilities: Vec<f32>,
    /// Their sum.
    pub score: f64,
    /// The score by which hypotheses are compared, [`Search::normalise`].
    pub normalised: f64,
    /// True if it ended with EOS; otherwise it was cut at the limit.
    pub ended: bool,
    /// Its place among the nodes of every step of the tree.
    pub path: Vec<usize>,
}

impl SearchResult {
    /// True if the token `id`, written at `step`, ends a hypothesis.
    pub(super) fn ends(&self, step: usize, id: u32) -> bool {
        id == EOS && !self.past_ends && step >= self.begun
    }

    /// The hypothesis that ends in a node of a step; the empty one where there is no step.
    pub(super) fn trace(&self, search: &Search, end: Option<(usize, usize)>) -> Hypothesis {
        let Some((step, place)) = end else {
            return Hypothesis::default();
        };
        let mut path = vec![place];
        for step in (1..=step).rev() {
            let last = path[path.len() - 1];
            path.push(self.tree[step][last].parent);
        }
        path.reverse();
        let nodes = || self.tree.iter().zip(&path).map(|(step, &at)| &step[at]);
        let last = &self.tree[step][place];
        let ended = self.ends(step, last.id);
        Hypothesis {
            ids: nodes()
                .map(|node| node.id)
                .take(step + 1 - usize::from(ended))
                .collect(),
            log_probabilities: nodes().map(|node| node.log_probability).collect(),
            score: last.score,
            normalised: search.normalise(last.score, step + 1),
            ended,
            path,
        }
    }

    /// Most probable tokens at every position of a hypothesis; empty unless asked for.
    pub fn candidates(&self, hypothesis: &Hypothesis) -> Vec<&[Candidate]> {
        let steps = self.tree.iter().zip(&hypothesis.path);
        steps.map(|(step, &at)| &step[at].candidates[..]).collect()
    }
}
