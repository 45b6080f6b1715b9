//! ROUGE-L (Lin 2004): F measure of the longest common subsequence of two token sequences.

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

/// Longest common subsequence as a share of the prediction (precision) and of the reference
/// (recall).
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
        let common = longest_common_subsequence(prediction, reference) as f64;
        Self {
            precision: common / prediction.len() as f64,
            recall: common / reference.len() as f64,
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
