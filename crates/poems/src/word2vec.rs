//! CBOW with negative sampling (Mikolov et al. 2013).
//!
//! For a centre o, its context C and negatives n₁ … n_K: h is the mean of v_c over C, and the loss
//! −ln σ(u_o·h) − Σ_k ln σ(−u_{n_k}·h). A negative that equals the centre is left out. The gradient
//! is that of this loss. word2vec and gensim give each row of the context |C| times as much (Irsoy
//! et al. 2020), so that their learning rates do not carry over.
//!
//! Training uses one thread and no function of the system's mathematics library, so that results
//! are equal to the last bit on every platform.

mod negatives;
mod training;

pub use training::{Embedding, Word2Vec};

/// Number of partial sums of a dot product, so that vector instructions can compute it.
const LANES: usize = 16;

/// Input and output vectors of CBOW.
#[derive(Clone, Debug, PartialEq)]
pub struct Cbow {
    width: usize,
    /// Input vectors v, `[words, width]`, which are the result.
    pub input: Vec<f32>,
    /// Output vectors u, `[words, width]`.
    pub output: Vec<f32>,
}

/// Hidden vector and scores of one position; the buffers are reused.
#[derive(Clone, Debug, Default)]
pub struct Position {
    /// Hidden vector h, `[width]`.
    pub hidden: Vec<f32>,
    /// Scores u·h of the centre and of each negative, `[1 + negatives]`; 0 for a negative that
    /// equals the centre.
    pub scores: Vec<f32>,
    /// Gradient of the loss by h, `[width]`.
    gradient: Vec<f32>,
}

impl Cbow {
    /// Creates a model from vectors of `width` numbers.
    pub fn new(width: usize, input: Vec<f32>, output: Vec<f32>) -> Self {
        Self {
            width,
            input,
            output,
        }
    }

    /// Computes hidden vector and scores of a position.
    pub fn forward(&self, center: u32, context: &[u32], negatives: &[u32], into: &mut Position) {
        into.hidden.clear();
        into.hidden.resize(self.width, 0.0);
        for &word in context {
            add(&mut into.hidden, 1.0, self.row(&self.input, word));
        }
        let share = 1.0 / context.len() as f32;
        into.hidden.iter_mut().for_each(|it| *it *= share);
        into.scores.clear();
        for (place, &word) in std::iter::once(&center).chain(negatives).enumerate() {
            let is_left_out = place > 0 && word == center;
            into.scores.push(if is_left_out {
                0.0
            } else {
                dot(self.row(&self.output, word), &into.hidden)
            });
        }
    }

    /// Takes a step of gradient descent on one position, whose context is not empty.
    pub fn step(
        &mut self,
        center: u32,
        context: &[u32],
        negatives: &[u32],
        rate: f32,
        position: &mut Position,
    ) {
        self.forward(center, context, negatives, position);
        position.gradient.clear();
        position.gradient.resize(self.width, 0.0);
        let targets = || std::iter::once(&center).chain(negatives).enumerate();
        let errors = &mut position.scores;
        for (place, &word) in targets() {
            let label = if place == 0 { 1.0 } else { 0.0 };
            errors[place] = if place > 0 && word == center {
                0.0
            } else {
                sigmoid(errors[place]) - label
            };
            add(
                &mut position.gradient,
                errors[place],
                self.row(&self.output, word),
            );
        }
        for (place, &word) in targets() {
            add(
                row_mut(&mut self.output, self.width, word),
                -rate * errors[place],
                &position.hidden,
            );
        }
        let share = -rate / context.len() as f32;
        for &word in context {
            add(
                row_mut(&mut self.input, self.width, word),
                share,
                &position.gradient,
            );
        }
    }

    fn row<'a>(&self, table: &'a [f32], word: u32) -> &'a [f32] {
        let start = word as usize * self.width;
        &table[start..start + self.width]
    }
}

impl Position {
    /// Computes the loss from the scores; `center` and `negatives` are those of the position.
    pub fn loss(&self, center: u32, negatives: &[u32]) -> f64 {
        let mut loss = softplus(-f64::from(self.scores[0]));
        for (&score, &word) in self.scores[1..].iter().zip(negatives) {
            if word != center {
                loss += softplus(f64::from(score));
            }
        }
        loss
    }
}

fn row_mut(table: &mut [f32], width: usize, word: u32) -> &mut [f32] {
    let start = word as usize * width;
    &mut table[start..start + width]
}

fn sigmoid(score: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-score))
}

/// Computes ln(1 + eˣ) = −ln σ(−x).
fn softplus(score: f64) -> f64 {
    score.max(0.0) + libm::log1p(libm::exp(-score.abs()))
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    let (ones, others) = (one.chunks_exact(LANES), other.chunks_exact(LANES));
    let rest: f32 = ones
        .remainder()
        .iter()
        .zip(others.remainder())
        .map(|(a, b)| a * b)
        .sum();
    for (one, other) in ones.zip(others) {
        for lane in 0..LANES {
            sums[lane] += one[lane] * other[lane];
        }
    }
    // Sum in halves, as a tree, independently of the registers of any machine.
    let mut count = LANES;
    while count > 1 {
        count /= 2;
        for lane in 0..count {
            sums[lane] += sums[lane + count];
        }
    }
    sums[0] + rest
}

fn add(to: &mut [f32], factor: f32, row: &[f32]) {
    for (to, &value) in to.iter_mut().zip(row) {
        *to += factor * value;
    }
}
