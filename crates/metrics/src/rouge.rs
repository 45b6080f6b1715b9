//! ROUGE (Lin 2004), by which summaries are compared: F measures of common n-grams (ROUGE-N) and of
//! the longest common subsequence (ROUGE-L) of two token sequences; and shares of copied words.

use std::collections::HashMap;
use std::hash::Hash;

/// Computes ROUGE-L F as the evaluation scripts of COCO captions, MS MARCO and DuReader do: β =
/// 1.2, with the best precision and the best recall over the references, which may come from
/// different references.
///
/// From 0 to 1; 0 if either side has no tokens. The score of a corpus is the mean over its
/// sentences.
pub fn rouge_l<T: PartialEq, R: AsRef<[T]>>(prediction: &[T], references: &[R]) -> f64 {
    const BETA: f64 = 1.2;
    let overlaps = references
        .iter()
        .map(|reference| Overlap::of(prediction, reference.as_ref()));
    let best = overlaps.fold(Overlap::default(), |best, other| Overlap {
        precision: best.precision.max(other.precision),
        recall: best.recall.max(other.recall),
    });
    best.f(BETA)
}

/// Computes ROUGE-L F1 against the reference that gives the highest score.
///
/// From 0 to 1; 0 if either side has no tokens. The score of a corpus is the mean over its
/// sentences.
pub fn rouge_l_f1<T: PartialEq, R: AsRef<[T]>>(prediction: &[T], references: &[R]) -> f64 {
    let scores = references
        .iter()
        .map(|reference| Overlap::of(prediction, reference.as_ref()).f(1.0));
    scores.fold(0.0, f64::max)
}

/// Computes ROUGE-N F1 against the reference that gives the highest score: common n-grams, each
/// counted as often as both sides have it.
///
/// From 0 to 1; 0 if either side has fewer than `n` tokens. The score of a corpus is the mean over
/// its sentences.
pub fn rouge_n_f1<T: Eq + Hash, R: AsRef<[T]>>(
    prediction: &[T],
    references: &[R],
    n: usize,
) -> f64 {
    let of_prediction = n_grams(prediction, n);
    let scores = references.iter().map(|reference| {
        let of_reference = n_grams(reference.as_ref(), n);
        let common = of_prediction.iter().map(|(n_gram, count)| {
            let there = of_reference.get(n_gram).copied().unwrap_or_default();
            there.min(*count)
        });
        let counts = [&of_prediction, &of_reference].map(|it| it.values().sum::<usize>());
        Overlap::of_counts(common.sum(), counts).f(1.0)
    });
    scores.fold(0.0, f64::max)
}

/// Counts the n-grams of `text` that stand in `source` too, and all n-grams of `text`: the share of
/// a summary that was copied (See et al. 2017, figure 6, the complement of novel n-grams).
pub fn copied_n_grams<T: Eq + Hash>(text: &[T], source: &[T], n: usize) -> [usize; 2] {
    let of_source = n_grams(source, n);
    let of_text = n_grams(text, n);
    let copied = of_text
        .iter()
        .filter(|(n_gram, _)| of_source.contains_key(*n_gram));
    [
        copied.map(|(_, count)| count).sum(),
        of_text.values().sum::<usize>(),
    ]
}

/// Splits a text into words as the package `rouge_score` does by default: lower case, letters and
/// digits alone. Letters of all scripts count, where the package knows `a` to `z`; for English both
/// give the same words.
pub fn rouge_words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Counts the n-grams of a sequence.
fn n_grams<T: Eq + Hash>(tokens: &[T], n: usize) -> HashMap<&[T], usize> {
    let mut counts = HashMap::new();
    for n_gram in tokens.windows(n.max(1)) {
        *counts.entry(n_gram).or_default() += 1;
    }
    counts
}

/// Common part as a share of the prediction (precision) and of the reference (recall).
#[derive(Clone, Copy, Default)]
struct Overlap {
    precision: f64,
    recall: f64,
}

impl Overlap {
    fn of<T: PartialEq>(prediction: &[T], reference: &[T]) -> Self {
        if prediction.is_empty() || reference.is_empty() {
            return Self::default();
        }
        let common = longest_common_subsequence(prediction, reference);
        Self::of_counts(common, [prediction.len(), reference.len()])
    }

    /// Common part as a share of the number of tokens or n-grams of the prediction and of the
    /// reference.
    fn of_counts(common: usize, [prediction, reference]: [usize; 2]) -> Self {
        let share = |of: usize| common as f64 / of.max(1) as f64;
        Self {
            precision: share(prediction),
            recall: share(reference),
        }
    }

    fn f(self, beta: f64) -> f64 {
        let Self { precision, recall } = self;
        let factor = beta * beta;
        let weighed = recall + factor * precision;
        if weighed == 0.0 {
            return 0.0;
        }
        (1.0 + factor) * precision * recall / weighed
    }
}

/// Computes the length of the longest common subsequence.
fn longest_common_subsequence<T: PartialEq>(left: &[T], right: &[T]) -> usize {
    // Element j of `lengths` is the result for the tokens of `left` so far and the first j of
    // `right`.
    let mut lengths = vec![0; right.len() + 1];
    for token in left {
        let mut diagonal = 0;
        for (place, other) in right.iter().enumerate() {
            let above = lengths[place + 1];
            lengths[place + 1] = if token == other {
                diagonal + 1
            } else {
                above.max(lengths[place])
            };
            diagonal = above;
        }
    }
    lengths[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        text.split_whitespace().collect()
    }

    #[test]
    fn subsequences_may_have_gaps_but_keep_their_order() {
        for (left, right, length) in [
            ("police killed the gunman", "police kill the gunman", 3),
            ("the gunman kill police", "police kill the gunman", 2),
            ("a b c d e", "x a y c z e", 3),
            ("a", "", 0),
            ("a a a", "a a", 2),
        ] {
            let (left, right) = (split(left), split(right));
            assert_eq!(longest_common_subsequence(&left, &right), length);
            assert_eq!(longest_common_subsequence(&right, &left), length);
        }
    }

    /// The expected score is that of MS MARCO's own evaluation script for its sample, tokenised as
    /// it does.
    #[test]
    fn f_is_that_of_reading_comprehension() {
        let blood = "it is include anemia , bleeding disorders such as hemophilia , blood clots , \
                     and blood cancers such as leukemia , lymphoma , and myeloma .";
        let fevers = "hiv , hepatitis b , hepatitis c , and viral hemorrhagic fevers .";
        let scores = [
            rouge_l(&["sp3"], &[split("sp2"), split("sp2 hybridization")]),
            rouge_l(&["aplastic", "anemia"], &[split(blood), split(fevers)]),
        ];
        let mean = scores.iter().sum::<f64>() / 2.0;
        assert_eq!(format!("{mean:.5}"), "0.03093");
    }

    /// The expected scores are those of the package `rouge_score` 0.1.2 without its stemmer.
    #[test]
    fn f1_of_summaries_is_that_of_rouge_score() {
        let cases = [
            (
                "Police killed the gunman.",
                "the gunman was shot down by police",
                [
                    0.545_454_545_454_545_4,
                    0.222_222_222_222_222_2,
                    0.363_636_363_636_363_65,
                ],
            ),
            (
                "The cat sat on the mat, the cat sat.",
                "A cat was on the mat; the other cat sat, too!",
                [0.7, 0.444_444_444_444_444_4, 0.7],
            ),
            (
                "russia calls for joint front against terrorism",
                "Russian defense minister Ivanov called Sunday for the creation of a joint front \
                 for combating global terrorism .",
                [
                    0.333_333_333_333_333_3,
                    0.090_909_090_909_090_9,
                    0.333_333_333_333_333_3,
                ],
            ),
            ("it's 2.5 m wide", "its width is 2.5 m", [0.5, 0.4, 0.5]),
            ("", "nothing here", [0.0, 0.0, 0.0]),
            ("word", "word word word", [0.5, 0.0, 0.5]),
        ];
        for (summary, reference, expected) in cases {
            let (summary, reference) = (rouge_words(summary), [rouge_words(reference)]);
            let found = [
                rouge_n_f1(&summary, &reference, 1),
                rouge_n_f1(&summary, &reference, 2),
                rouge_l_f1(&summary, &reference),
            ];
            for (found, expected) in found.iter().zip(expected) {
                assert!(
                    (found - expected).abs() < 1e-12,
                    "{found} {expected}: {summary:?}"
                );
            }
        }
    }

    #[test]
    fn a_copied_n_gram_stands_in_the_source() {
        let source = split("the police killed the gunman in the street");
        let summary = split("police shot the gunman the gunman");
        assert_eq!(copied_n_grams(&summary, &source, 1), [5, 6]);
        assert_eq!(copied_n_grams(&summary, &source, 2), [2, 5]);
        assert_eq!(copied_n_grams(&split("one"), &source, 2), [0, 0]);
        assert_eq!(copied_n_grams(&source, &source, 3), [6, 6]);
    }

    #[test]
    fn several_references_give_the_best() {
        let prediction = split("m n o p q l");
        let references = [split("k l m"), split("m n o p q l")];
        assert_eq!(rouge_l(&prediction, &references), 1.0);
        assert_eq!(rouge_l_f1(&prediction, &references), 1.0);
        let worse = rouge_l_f1(&prediction, &references[..1]);
        assert!((worse - 2.0 / 9.0).abs() < 1e-12);
    }

    #[test]
    fn best_precision_and_best_recall_may_be_of_two_references() {
        // Precision is 1 with the second reference, recall 1 with the first: F is 1, though F1 with
        // either is less.
        let prediction = split("a b");
        let references = [split("a"), split("a b c")];
        assert_eq!(rouge_l(&prediction, &references), 1.0);
        assert!(rouge_l_f1(&prediction, &references) < 1.0);
    }

    #[test]
    fn nothing_scores_nothing() {
        assert_eq!(rouge_l(&[], &[vec!["a"]]), 0.0);
        assert_eq!(rouge_l(&["a"], &[vec![]]), 0.0);
        assert_eq!(rouge_l::<&str, Vec<&str>>(&["a"], &[]), 0.0);
    }
}
