//! TextRank (Mihalcea and Tarau 2004): the score of a word derives from the scores of the words
//! near it.
//!
//! S_a = (1 − d) + d Σ_b w_ab/W_b · S_b, where w_ab is the number of times that a and b occur near
//! each other and W_b = Σ_c w_bc.

use std::hash::Hash;

use ahash::AHashMap;

/// Share of a word's score that comes from its neighbours.
pub const DAMPING: f64 = 0.85;

/// Largest change of a score at which iteration stops.
const TOLERANCE: f64 = 1e-9;
const MAXIMUM_SWEEPS: usize = 1000;

/// Computes the scores of all words of some sequences, in the order of their first appearance.
///
/// Two words of a sequence are near if their indices differ by less than `window`; with `window` 0
/// any two are. A word without neighbours has the score 1 − `damping`; the mean score of all other
/// words is 1.
pub fn text_rank<W: Copy + Eq + Hash>(
    sequences: &[Vec<W>],
    window: usize,
    damping: f64,
) -> Vec<(W, f64)> {
    let (words, edges) = neighbours(sequences, window);
    let mut totals = vec![0.0; words.len()];
    for &(from, _, weight) in &edges {
        totals[from as usize] += weight;
    }
    let mut scores = vec![1.0; words.len()];
    for _ in 0..MAXIMUM_SWEEPS {
        let mut renewed = vec![1.0 - damping; words.len()];
        for &(to, from, weight) in &edges {
            let from = from as usize;
            renewed[to as usize] += damping * weight * scores[from] / totals[from];
        }
        let change = |(old, new): (&f64, &f64)| f64::abs(old - new);
        let is_settled = scores
            .iter()
            .zip(&renewed)
            .map(change)
            .all(|it| it <= TOLERANCE);
        scores = renewed;
        if is_settled {
            break;
        }
    }
    words.into_iter().zip(scores).collect()
}

/// Returns all words, and for each pair of near words, in both directions, how often it occurs.
fn neighbours<W: Copy + Eq + Hash>(
    sequences: &[Vec<W>],
    window: usize,
) -> (Vec<W>, Vec<(u32, u32, f64)>) {
    let mut words = Vec::new();
    let mut ids = AHashMap::new();
    let mut pairs = Vec::new();
    let reach = if window == 0 { usize::MAX } else { window - 1 };
    for sequence in sequences {
        let sequence: Vec<u32> = sequence
            .iter()
            .map(|&word| {
                *ids.entry(word).or_insert_with(|| {
                    words.push(word);
                    words.len() as u32 - 1
                })
            })
            .collect();
        for (place, &first) in sequence.iter().enumerate() {
            let near = sequence[place + 1..].iter().take(reach);
            for &second in near.filter(|&&second| second != first) {
                pairs.push((first, second));
                pairs.push((second, first));
            }
        }
    }
    pairs.sort_unstable();
    let edges = pairs.chunk_by(|one, other| one == other);
    let edges = edges
        .map(|equal| (equal[0].0, equal[0].1, equal.len() as f64))
        .collect();
    (words, edges)
}
