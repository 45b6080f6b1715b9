//! Result of a search.

use crate::{EOS, Search, SiteWeights};

/// Result of a search for all sources.
#[derive(Clone, Debug, Default)]
pub struct SearchOutput {
    /// Results, one for each source.
    pub items: Vec<SearchResult>,
    /// Attention of all sites for the rows of each step; empty unless requested.
    pub(super) steps: Vec<Vec<SiteWeights>>,
}

/// Result of a search for one source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchResult {
    /// Hypotheses, at most as many as the search returns. In a beam the best comes first, and
    /// hypotheses that ended come before those cut at the limit; in sampling they are in the order
    /// of the samples.
    pub hypotheses: Vec<Hypothesis>,
    /// For each step, all hypotheses that were kept, given by their last token. In a beam they are
    /// in the order of their scores.
    pub tree: Vec<Vec<Node>>,
    /// True if EOS ends no hypothesis.
    pub(super) past_ends: bool,
    /// Number of tokens of a text's beginning, in which EOS does not end the hypothesis.
    pub(super) begun: usize,
}

/// Last token of a hypothesis that was kept at a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Index of the parent among the hypotheses of the step before; 0 at the first step.
    pub parent: usize,
    /// Id of the token; EOS ends the hypothesis.
    pub id: u32,
    /// Log-probability of the token given all before, by the model's own distribution.
    pub log_probability: f32,
    /// Sum of the log-probabilities of the whole hypothesis.
    pub score: f64,
    /// Most probable tokens at this place, best first; empty unless requested.
    pub candidates: Vec<Candidate>,
    /// Row of the hypothesis in the model's batch of this step.
    pub(super) row: usize,
    /// Number of the sample that the hypothesis belongs to, from 0.
    pub(super) sample: usize,
}

/// Token that could have been written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Id of the token.
    pub id: u32,
    /// Log-probability of the token.
    pub log_probability: f32,
}

/// Target that a search found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hypothesis {
    /// Token ids without BOS and EOS; a forced prefix is part of them.
    pub ids: Vec<u32>,
    /// Log-probability of every token given those before, EOS included if it was written.
    pub log_probabilities: Vec<f32>,
    /// Sum of the log-probabilities.
    pub score: f64,
    /// Score by which hypotheses are compared, [`Search::normalise`].
    pub normalised: f64,
    /// True if the hypothesis ended with EOS, false if it was cut at the limit.
    pub ended: bool,
    /// Index of the hypothesis among the nodes of each step of the tree.
    pub path: Vec<usize>,
}

impl SearchResult {
    /// True if the token `id`, written at `step`, ends a hypothesis.
    pub(super) fn ends(&self, step: usize, id: u32) -> bool {
        id == EOS && !self.past_ends && step >= self.begun
    }

    /// Follows the tree back from a node of a step to get the hypothesis; the empty hypothesis if
    /// there is no step.
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

    /// Most probable tokens at every position of a hypothesis; empty unless requested.
    pub fn candidates(&self, hypothesis: &Hypothesis) -> Vec<&[Candidate]> {
        let steps = self.tree.iter().zip(&hypothesis.path);
        steps.map(|(step, &at)| &step[at].candidates[..]).collect()
    }
}
