//! Chooses the tokens with which the hypotheses of one source continue.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::probabilities::Probabilities;
use super::sampling::draw;
use super::{Candidate, Constraints, Hypothesis, Node, SamplingConfig, Search, SearchResult};
use crate::PAD;

/// Search for the target of one source.
pub(super) struct SourceSearch {
    search: Search,
    /// Largest number of tokens, EOS and prefix included.
    limit: usize,
    /// Tokens with which the target begins.
    prefix: Vec<u32>,
    /// Random generator of each sample.
    draws: Vec<ChaCha8Rng>,
    /// Number of candidates to record at each step.
    candidates: usize,
    /// Tokens that may not be written.
    constraints: Constraints,
    found: SearchResult,
    /// Steps and places of the hypotheses that have ended.
    ended: Vec<(usize, usize)>,
    /// Steps and places of the hypotheses that no token may follow.
    stuck: Vec<Option<(usize, usize)>>,
    /// Hypotheses that continue.
    pub live: Vec<ActiveHypothesis>,
}

/// Hypothesis that continues.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActiveHypothesis {
    /// Index of the hypothesis among the nodes of the last step.
    place: usize,
    score: f64,
    sample: usize,
    /// Token that the model reads next.
    pub reads: u32,
    /// Row of the hypothesis in the model's batch; before the next step, in the batch of the last
    /// one.
    pub row: usize,
}

impl SourceSearch {
    /// Creates a search. `number`, besides the seed of the search, seeds its samples.
    pub fn new(search: Search, number: u64, prefix: Vec<u32>, limit: usize) -> Self {
        Self {
            search,
            limit,
            prefix,
            draws: match &search {
                Search::Sampling(config) => streams(config, number),
                Search::Greedy | Search::Beam(_) | Search::OnePass => Vec::new(),
            },
            candidates: 0,
            constraints: Constraints::default(),
            found: SearchResult::default(),
            ended: Vec::new(),
            stuck: Vec::new(),
            live: Vec::new(),
        }
    }

    /// Sets constraints. The first `begun` tokens are the beginning of a text, in which line ends
    /// do not end the hypothesis.
    pub fn constrain(&mut self, constraints: &Constraints, begun: usize) {
        self.constraints = constraints.clone();
        self.found.past_ends = constraints.past_ends;
        self.found.begun = begun;
    }

    /// Begins the search with the token that the model reads first, in a row of its batch.
    pub fn begin(&mut self, first: u32, row: usize, candidates: usize) {
        self.candidates = candidates;
        self.live.push(ActiveHypothesis {
            place: 0,
            score: 0.0,
            sample: 0,
            reads: first,
            row,
        });
    }

    /// True if some hypotheses are still to be continued.
    pub fn goes_on(&self) -> bool {
        !self.live.is_empty() && self.found.tree.len() < self.limit
    }

    /// True if the next step needs the probabilities of all tokens.
    pub fn needs_all(&self) -> bool {
        let forced = self.found.tree.len() < self.prefix.len();
        let one_is_enough = matches!(self.search, Search::Greedy | Search::OnePass);
        forced || self.candidates > 0 || !one_is_enough || !self.constraints.are_none()
    }

    /// Takes a step. Afterwards the rows of [`live`](Self::live) name the hypothesis that each
    /// continues.
    pub fn advance(&mut self, probabilities: &mut Probabilities) {
        if self.found.tree.len() >= self.prefix.len() {
            self.forbid(probabilities);
        }
        let nodes = match self.prefix.get(self.found.tree.len()) {
            Some(&forced) => {
                let of_forced = |live: &ActiveHypothesis| Candidate {
                    id: forced,
                    log_probability: probabilities.of(live.row, forced),
                };
                let first = self.live[0];
                vec![self.node(&first, of_forced(&first), probabilities)]
            }
            None => match self.search {
                Search::Greedy | Search::OnePass => self.most_probable(1, probabilities),
                Search::Sampling(config) => self.sample_next(&config, probabilities),
                Search::Beam(config) => {
                    self.most_probable(config.width - self.ended.len(), probabilities)
                }
            },
        };
        let step = self.found.tree.len();
        self.live.clear();
        if nodes.is_empty() {
            return;
        }
        for (place, node) in nodes.iter().enumerate() {
            if self.found.ends(step, node.id) {
                self.ended.push((step, place));
            } else {
                self.live.push(ActiveHypothesis {
                    place,
                    score: node.score,
                    sample: node.sample,
                    reads: match self.search {
                        Search::OnePass => PAD,
                        _ => node.id,
                    },
                    row: node.row,
                });
            }
        }
        self.found.tree.push(nodes);
        if self.is_decided() {
            self.live.clear();
        }
    }

    /// Sets the probability of forbidden tokens to 0 in the rows of the hypotheses.
    fn forbid(&self, probabilities: &mut Probabilities) {
        if self.constraints.are_none() {
            return;
        }
        let last = self.found.tree.len().checked_sub(1);
        for live in &self.live {
            let end = last.map(|step| (step, live.place));
            let written = self.found.trace(&self.search, end).ids;
            for id in self.constraints.forbidden_after(&written) {
                probabilities.forbid(live.row, id);
            }
        }
    }

    /// Ends the search, and returns its result.
    pub fn finish(mut self) -> SearchResult {
        let last = self.found.tree.len().checked_sub(1);
        let cut = self
            .live
            .iter()
            .map(|live| last.map(|step| (step, live.place)));
        let mut ends: Vec<Option<(usize, usize)>> = self.ended.iter().copied().map(Some).collect();
        ends.extend(cut);
        // In a beam, hypotheses that could not continue are results only if there are no others. A
        // sample always stays one.
        if ends.is_empty() || matches!(self.search, Search::Sampling(_)) {
            ends.append(&mut self.stuck);
        }
        let trace = |&end: &Option<(usize, usize)>| self.found.trace(&self.search, end);
        let mut hypotheses: Vec<Hypothesis> = ends.iter().map(trace).collect();
        match self.search {
            Search::Sampling(_) => {
                let sample = |hypothesis: &Hypothesis| {
                    let step = hypothesis.path.len().checked_sub(1)?;
                    Some(self.found.tree[step][hypothesis.path[step]].sample)
                };
                hypotheses.sort_by_key(sample);
            }
            Search::Greedy | Search::Beam(_) | Search::OnePass => {
                let better = |it: &Hypothesis| (it.ended, it.normalised);
                hypotheses.sort_by(|a, b| {
                    let ((a_ended, a), (b_ended, b)) = (better(a), better(b));
                    b_ended.cmp(&a_ended).then(b.total_cmp(&a))
                });
            }
        }
        hypotheses.truncate(self.search.results());
        self.found.hypotheses = hypotheses;
        self.found
    }

    /// Chooses the `count` continuations with the highest scores (ties: the earlier hypothesis, the
    /// lower id).
    fn most_probable(&mut self, count: usize, probabilities: &Probabilities) -> Vec<Node> {
        let mut best: Vec<(f64, ActiveHypothesis, Candidate)> = Vec::new();
        for live in self.live.clone() {
            let candidates = self.allowed(live.row, count, probabilities);
            if candidates.is_empty() {
                self.get_stuck(&live);
            }
            for candidate in candidates {
                let score = live.score + f64::from(candidate.log_probability);
                best.push((score, live, candidate));
            }
        }
        // The sort is stable: equal scores stay in order.
        best.sort_by(|(a, ..), (b, ..)| b.total_cmp(a));
        best.truncate(count);
        let node = |(_, live, candidate)| self.node(&live, candidate, probabilities);
        best.into_iter().map(node).collect()
    }

    /// Returns the `count` most probable tokens of a row that may be written.
    fn allowed(&self, row: usize, count: usize, probabilities: &Probabilities) -> Vec<Candidate> {
        let mut candidates = probabilities.best(row, count);
        if !self.constraints.are_none() {
            // Forbidden tokens have a log-probability of −∞ and are no candidates.
            candidates.retain(|it| it.log_probability > f32::NEG_INFINITY);
        }
        candidates
    }

    /// Keeps a hypothesis that no token may follow.
    fn get_stuck(&mut self, live: &ActiveHypothesis) {
        let last = self.found.tree.len().checked_sub(1);
        self.stuck.push(last.map(|step| (step, live.place)));
    }

    /// Draws one token for each hypothesis. At the first step, where all samples begin, draws one
    /// token per sample.
    fn sample_next(&mut self, config: &SamplingConfig, probabilities: &Probabilities) -> Vec<Node> {
        let begins = self.found.tree.len() == self.prefix.len();
        let live: Vec<ActiveHypothesis> = if begins {
            let sample = |sample| ActiveHypothesis {
                sample,
                ..self.live[0]
            };
            (0..self.draws.len()).map(sample).collect()
        } else {
            self.live.clone()
        };
        let mut nodes = Vec::with_capacity(live.len());
        for live in &live {
            let drawn = if config.temperature == 0.0 {
                None
            } else {
                let row = probabilities.row(live.row);
                draw(row, config, &mut self.draws[live.sample])
            };
            let chosen = match drawn {
                Some(id) => Some(Candidate {
                    id,
                    log_probability: probabilities.of(live.row, id),
                }),
                None => self.allowed(live.row, 1, probabilities).pop(),
            };
            match chosen {
                Some(chosen) => nodes.push(self.node(live, chosen, probabilities)),
                None => self.get_stuck(live),
            }
        }
        nodes
    }

    fn node(
        &self,
        live: &ActiveHypothesis,
        chosen: Candidate,
        probabilities: &Probabilities,
    ) -> Node {
        Node {
            parent: live.place,
            id: chosen.id,
            log_probability: chosen.log_probability,
            score: live.score + f64::from(chosen.log_probability),
            candidates: match self.candidates {
                0 => Vec::new(),
                count => probabilities.best(live.row, count),
            },
            row: live.row,
            sample: live.sample,
        }
    }

    /// True if nothing that a beam could still find would be among its results: log-probabilities
    /// only fall, and the length penalty is at its most favourable at the limit.
    fn is_decided(&self) -> bool {
        let results = self.search.results();
        if !matches!(self.search, Search::Beam(_)) || self.ended.len() < results {
            return false;
        }
        let normalised = |&(step, place): &(usize, usize)| {
            let score = self.found.tree[step][place].score;
            self.search.normalise(score, step + 1)
        };
        let mut ended: Vec<f64> = self.ended.iter().map(normalised).collect();
        ended.sort_by(|a, b| b.total_cmp(a));
        let hope = |live: &ActiveHypothesis| self.search.normalise(live.score, self.limit);
        self.live
            .iter()
            .all(|live| hope(live) <= ended[results - 1])
    }
}

/// Random generators of the samples, which depend neither on the batch nor on the other samples.
fn streams(config: &SamplingConfig, number: u64) -> Vec<ChaCha8Rng> {
    let stream = |sample: usize| {
        let mut draws = ChaCha8Rng::seed_from_u64(config.seed as u64);
        draws.set_stream(number << 16 | sample as u64);
        draws
    };
    (0..config.results).map(stream).collect()
}
