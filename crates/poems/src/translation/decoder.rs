//! Searches for the best translation of a line, from left to right.

use std::cmp::Ordering;

use ahash::AHashMap;

use crate::ngram::{END, KneserNey, START};
use crate::translation::{LONGEST, PhraseOption, PhraseTable, Weights};

/// Number of hypotheses that are kept for each length of the prefix.
const STACK: usize = 100;

/// Searches for the best translation under the weighted features.
#[derive(Clone, Copy, Debug)]
pub struct Decoder<'a> {
    table: &'a PhraseTable,
    language_model: &'a KneserNey,
    weights: Weights,
}

/// Translation of a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Translation {
    /// Text of the translated line.
    pub text: Vec<char>,
    /// Lengths of the phrases, from the left.
    pub spans: Vec<usize>,
    /// Weighted sum of the features.
    pub score: f64,
}

#[derive(Clone, Debug)]
struct Hypothesis {
    score: f64,
    /// Last two symbols of the hypothesis.
    last: [u32; 2],
    text: Vec<char>,
    spans: Vec<usize>,
}

/// Best hypotheses of one length, by their last two symbols.
#[derive(Default)]
struct Stack {
    best: AHashMap<[u32; 2], Hypothesis>,
    /// Score below which no hypothesis can stay, and the number of hypotheses when it was last
    /// computed.
    threshold: Option<f64>,
    looked_up_at: usize,
}

impl<'a> Decoder<'a> {
    /// Creates a search with these weights.
    pub fn new(table: &'a PhraseTable, language_model: &'a KneserNey, weights: Weights) -> Self {
        Self {
            table,
            language_model,
            weights,
        }
    }

    /// Finds the best translation, of equals the one with the lower code points; `None` if the
    /// table is empty.
    pub fn decode(&self, line: &[char]) -> Option<Translation> {
        let mut stacks: Vec<Stack> = (0..=line.len()).map(|_| Stack::default()).collect();
        let nothing = Hypothesis {
            score: 0.0,
            // Two starts: no trigram begins like this, so that the pair after them is that of a
            // line's beginning.
            last: [START; 2],
            text: Vec::new(),
            spans: Vec::new(),
        };
        stacks[0].best.insert(nothing.last, nothing);
        for start in 0..line.len() {
            let hypotheses = std::mem::take(&mut stacks[start]).sorted();
            for length in 1..=LONGEST.min(line.len() - start) {
                let options = self.weighted(self.table.options(&line[start..start + length]));
                let end = start + length;
                for hypothesis in &hypotheses {
                    self.extend(hypothesis, &options, &mut stacks[end], end == line.len());
                }
            }
        }
        let best = stacks.pop()?.sorted().into_iter().next()?;
        Some(Translation {
            text: best.text,
            spans: best.spans,
            score: best.score,
        })
    }

    /// Translations of a phrase with the weighted sums of their own features, best first.
    fn weighted(&self, options: &[PhraseOption]) -> Vec<(f64, Vec<char>)> {
        let sum = |features: &[f32; 4]| -> f64 {
            features
                .iter()
                .zip(self.weights)
                .map(|(&it, weight)| f64::from(it) * weight)
                .sum()
        };
        let weighted =
            |option: &PhraseOption| (sum(&option.features), option.target.characters().collect());
        let mut options: Vec<_> = options.iter().map(weighted).collect();
        options.sort_by(|one, other| other.0.total_cmp(&one.0));
        options
    }

    fn extend(
        &self,
        hypothesis: &Hypothesis,
        options: &[(f64, Vec<char>)],
        stack: &mut Stack,
        is_end: bool,
    ) {
        let weight = self.weights[4];
        for (own, target) in options {
            let mut score = hypothesis.score + own;
            // No probability is above 1, so that the language model can only lower the score.
            if weight >= 0.0 && stack.threshold.is_some_and(|least| score < least) {
                break;
            }
            let [mut first, mut second] = hypothesis.last;
            let mut next = |symbol| {
                let p = self.language_model.trigram(first, second, symbol);
                (first, second) = (second, symbol);
                p.ln()
            };
            let mut ln_p = 0.0;
            for &character in target {
                ln_p += next(self.language_model.symbol(character));
            }
            if is_end {
                ln_p += next(END);
            }
            score += weight * ln_p;
            stack.add(hypothesis, target, score, [first, second]);
        }
    }
}

impl Stack {
    fn add(&mut self, before: &Hypothesis, target: &[char], score: f64, last: [u32; 2]) {
        if let Some(there) = self.best.get_mut(&last) {
            let texts = || there.text.iter().cmp(before.text.iter().chain(target));
            match there
                .score
                .total_cmp(&score)
                .then_with(|| texts().reverse())
            {
                Ordering::Less => *there = Hypothesis::after(before, target, score, last),
                Ordering::Equal | Ordering::Greater => {}
            }
            return;
        }
        self.best
            .insert(last, Hypothesis::after(before, target, score, last));
        if self.best.len() >= self.looked_up_at + STACK {
            self.looked_up_at = self.best.len();
            let mut scores: Vec<f64> = self.best.values().map(|it| it.score).collect();
            let (_, &mut least, _) =
                scores.select_nth_unstable_by(STACK - 1, |a, b| b.total_cmp(a));
            self.threshold = Some(least);
        }
    }

    /// Returns the best hypotheses, best first.
    fn sorted(self) -> Vec<Hypothesis> {
        let mut hypotheses: Vec<Hypothesis> = self.best.into_values().collect();
        hypotheses.sort_by(|one, other| {
            let by_score = other.score.total_cmp(&one.score);
            by_score.then_with(|| one.text.cmp(&other.text))
        });
        hypotheses.truncate(STACK);
        hypotheses
    }
}

impl Hypothesis {
    fn after(before: &Self, target: &[char], score: f64, last: [u32; 2]) -> Self {
        let text = before.text.iter().chain(target).copied().collect();
        let spans = before.spans.iter().copied().chain([target.len()]).collect();
        Self {
            score,
            last,
            text,
            spans,
        }
    }
}
