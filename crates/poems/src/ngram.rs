//! Trigrams of characters by interpolated Kneser-Ney smoothing (Kneser and Ney 1995; Chen and
//! Goodman 1999), with one discount D.
//!
//! p(w | h) = max(c − D, 0)/c(h·) + D·N₁₊(h·)/c(h·) · p(w | shorter h), where c counts occurrences
//! of trigrams and of n-grams that begin a line; of all other shorter n-grams it counts the
//! different predecessors. Below order 1 is the uniform distribution. An unseen context leaves the
//! whole probability to the shorter one.

use std::ops::Range;

use ahash::AHashMap;

/// Discount of the language model of poems.
pub const DISCOUNT: f64 = 0.75;

/// Symbol before a line.
pub const START: u32 = 0;
/// Symbol after a line.
pub const END: u32 = 1;
/// Symbol of a character that occurs in no line.
pub const UNKNOWN: u32 = (1 << BITS) - 1;
/// Number of bits of a symbol where several symbols form one key.
const BITS: u32 = 21;

/// Counts of trigrams, from which all other counts are derived.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrigramCounts {
    /// Characters of the lines in order of code points; their symbols are the numbers from 2 on.
    pub characters: Vec<char>,
    /// Trigrams of symbols in ascending order, each with its count.
    pub trigrams: Vec<([u32; 3], u32)>,
}

impl TrigramCounts {
    /// Counts the trigrams of lines, each with [`START`] before and [`END`] after it.
    pub fn of_lines<'a>(lines: impl Iterator<Item = &'a [char]> + Clone) -> Self {
        let mut characters: Vec<char> = lines.clone().flatten().copied().collect();
        characters.sort_unstable();
        characters.dedup();
        let symbols: AHashMap<char, u32> = characters.iter().copied().zip(2..).collect();
        let mut all = Vec::new();
        let mut padded = Vec::new();
        for line in lines {
            padded.clear();
            padded.push(START);
            padded.extend(line.iter().map(|character| symbols[character]));
            padded.push(END);
            all.extend(
                padded
                    .windows(3)
                    .map(|three| [three[0], three[1], three[2]]),
            );
        }
        all.sort_unstable();
        let equal = all.chunk_by(|one, other| one == other);
        let trigrams = equal.map(|equal| (equal[0], equal.len() as u32)).collect();
        Self {
            characters,
            trigrams,
        }
    }
}

/// Language model of characters.
#[derive(Clone, Debug)]
pub struct KneserNey {
    symbols: AHashMap<char, u32>,
    /// Probabilities of seen trigrams, pairs and symbols.
    trigrams: AHashMap<u64, f64>,
    pairs: AHashMap<u64, f64>,
    singles: Vec<f64>,
    /// Weights that seen contexts leave to shorter contexts.
    after_pair: AHashMap<u64, f64>,
    after_single: AHashMap<u32, f64>,
    unseen: f64,
}

impl KneserNey {
    /// Estimates the model of counted trigrams.
    pub fn new(counts: &TrigramCounts, discount: f64) -> Self {
        let symbols = counts.characters.len() + 2;
        let pairs = pair_counts(counts);
        let mut predecessors = vec![0_u32; symbols];
        pairs
            .iter()
            .for_each(|&([_, last], _)| predecessors[last as usize] += 1);

        let mut model = Self {
            symbols: counts.characters.iter().copied().zip(2..).collect(),
            trigrams: AHashMap::with_capacity(counts.trigrams.len()),
            pairs: AHashMap::with_capacity(pairs.len()),
            singles: Vec::new(),
            after_pair: AHashMap::new(),
            after_single: AHashMap::new(),
            unseen: 0.0,
        };
        // Characters, the end of a line and an unknown character can follow; the start is never
        // predicted.
        let uniform = 1.0 / symbols as f64;
        let shares = Shares::of(predecessors.iter().copied().filter(|&it| it > 0), discount);
        model.unseen = shares.rest * uniform;
        let single = |&count: &u32| shares.of_count(count) + model.unseen;
        model.singles = predecessors.iter().map(single).collect();
        for of_context in pairs.chunk_by(|one, other| one.0[0] == other.0[0]) {
            let shares = Shares::of(of_context.iter().map(|it| it.1), discount);
            for &([first, last], count) in of_context {
                let p = shares.of_count(count) + shares.rest * model.single(last);
                model.pairs.insert(key(&[first, last]), p);
            }
            model.after_single.insert(of_context[0].0[0], shares.rest);
        }
        for of_context in counts
            .trigrams
            .chunk_by(|one, other| one.0[..2] == other.0[..2])
        {
            let shares = Shares::of(of_context.iter().map(|it| it.1), discount);
            for &([first, second, last], count) in of_context {
                let p = shares.of_count(count) + shares.rest * model.pair(second, last);
                model.trigrams.insert(key(&[first, second, last]), p);
            }
            model
                .after_pair
                .insert(key(&of_context[0].0[..2]), shares.rest);
        }
        model
    }

    /// Symbol of a character.
    pub fn symbol(&self, character: char) -> u32 {
        self.symbols.get(&character).copied().unwrap_or(UNKNOWN)
    }

    /// Number of symbols that can follow a context: characters, [`END`] and [`UNKNOWN`].
    pub fn symbols(&self) -> usize {
        self.singles.len()
    }

    /// Probability of `next` after a context, of which only the last two symbols count.
    pub fn probability(&self, context: &[u32], next: u32) -> f64 {
        match *context {
            [] => self.single(next),
            [before] => self.pair(before, next),
            [.., first, second] => self.trigram(first, second, next),
        }
    }

    /// Sums the log-probabilities of the characters in a range of a line's places and, with `end`,
    /// of the line's end.
    pub fn ln_probability(&self, line: &[char], places: Range<usize>, end: bool) -> f64 {
        let mut symbols = vec![START];
        symbols.extend(line.iter().map(|&character| self.symbol(character)));
        let character = |place: usize| {
            self.probability(&symbols[..=place], symbols[place + 1])
                .ln()
        };
        let ending = if end {
            self.probability(&symbols, END).ln()
        } else {
            0.0
        };
        places.map(character).sum::<f64>() + ending
    }

    /// Probability of `last` after two symbols; at the beginning of a line the first of them is
    /// [`START`] too.
    pub fn trigram(&self, first: u32, second: u32, last: u32) -> f64 {
        if let Some(&p) = self.trigrams.get(&key(&[first, second, last])) {
            return p;
        }
        let rest = self.after_pair.get(&key(&[first, second]));
        rest.unwrap_or(&1.0) * self.pair(second, last)
    }

    fn pair(&self, first: u32, last: u32) -> f64 {
        if let Some(&p) = self.pairs.get(&key(&[first, last])) {
            return p;
        }
        self.after_single.get(&first).unwrap_or(&1.0) * self.single(last)
    }

    fn single(&self, symbol: u32) -> f64 {
        self.singles
            .get(symbol as usize)
            .copied()
            .unwrap_or(self.unseen)
    }
}

/// Perplexity per character of lines, without their ends; `None` without characters.
pub fn perplexity<'a>(
    model: &KneserNey,
    lines: impl IntoIterator<Item = &'a [char]>,
) -> Option<f64> {
    let (mut sum, mut characters) = (0.0, 0);
    for line in lines {
        sum += model.ln_probability(line, 0..line.len(), false);
        characters += line.len();
    }
    (characters > 0).then(|| strata_metrics::perplexity(-sum / characters as f64))
}

/// Counts pairs, in ascending order: occurrences of pairs that begin a line, otherwise the number
/// of different predecessors.
fn pair_counts(counts: &TrigramCounts) -> Vec<([u32; 2], u32)> {
    let mut pairs = AHashMap::new();
    for &([first, second, last], count) in &counts.trigrams {
        *pairs.entry([second, last]).or_insert(0) += 1;
        if first == START {
            *pairs.entry([START, second]).or_insert(0) += count;
        }
    }
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    pairs.sort_unstable();
    pairs
}

/// Shares of the symbols that follow one context, less the discount, and the rest.
struct Shares {
    discount: f64,
    total: f64,
    rest: f64,
}

impl Shares {
    fn of(counts: impl Iterator<Item = u32>, discount: f64) -> Self {
        let (mut total, mut different) = (0.0, 0.0);
        counts.for_each(|count| {
            total += f64::from(count);
            different += 1.0;
        });
        if different > 0.0 {
            Self {
                discount,
                total,
                rest: discount * different / total,
            }
        } else {
            Self {
                discount,
                total: 1.0,
                rest: 1.0,
            }
        }
    }

    fn of_count(&self, count: u32) -> f64 {
        (f64::from(count) - self.discount).max(0.0) / self.total
    }
}

fn key(symbols: &[u32]) -> u64 {
    symbols
        .iter()
        .fold(0, |key, &symbol| (key << BITS) | u64::from(symbol))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(lines: &[&str]) -> KneserNey {
        let lines: Vec<Vec<char>> = lines.iter().map(|line| line.chars().collect()).collect();
        KneserNey::new(
            &TrigramCounts::of_lines(lines.iter().map(Vec::as_slice)),
            DISCOUNT,
        )
    }

    /// After any context, the probabilities of all symbols that can follow sum to 1.
    #[test]
    fn every_context_has_a_distribution() {
        let model = model(&["春风春雨", "秋风", "春"]);
        let mut all: Vec<u32> = "春风雨秋".chars().map(|it| model.symbol(it)).collect();
        all.extend([END, UNKNOWN]);
        let mut contexts = vec![vec![], vec![START]];
        for &first in all.iter().chain([&START]) {
            contexts.extend(all.iter().map(|&second| vec![first, second]));
        }
        for context in contexts {
            let sum: f64 = all
                .iter()
                .map(|&next| model.probability(&context, next))
                .sum();
            assert!((sum - 1.0).abs() < 1e-12, "{context:?}: {sum}");
        }
    }

    #[test]
    fn a_model_of_nothing_is_uniform() {
        let model = model(&[]);
        assert_eq!(model.probability(&[START], END), 0.5);
        assert_eq!(model.probability(&[], UNKNOWN), 0.5);
    }
}
