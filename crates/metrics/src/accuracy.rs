//! Compares predictions with references, token by token and sentence by sentence.

use crate::Running;

/// Computes the share of positions at which prediction and reference have the same token.
///
/// Positions beyond the end of one of the two count as wrong, so that a prediction gains nothing by
/// stopping early or running on. Neither sequence may contain padding.
pub fn token_accuracy<T: PartialEq>(prediction: &[T], reference: &[T]) -> Running {
    let matches = prediction
        .iter()
        .zip(reference)
        .filter(|(left, right)| left == right)
        .count();
    Running {
        sum: matches as f64,
        count: prediction.len().max(reference.len()) as u64,
    }
}

/// Exact match of one sentence: 1 if the prediction equals the reference token for token, else 0.
pub fn exact_match<T: PartialEq>(prediction: &[T], reference: &[T]) -> Running {
    Running {
        sum: f64::from(u8::from(prediction == reference)),
        count: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_count_at_their_position() {
        assert_eq!(
            token_accuracy(&[1, 2, 3], &[1, 3, 3]),
            Running { sum: 2.0, count: 3 }
        );
        assert_eq!(
            token_accuracy(&[2, 1, 2], &[1, 2]),
            Running { sum: 0.0, count: 3 }
        );
    }

    #[test]
    fn stopping_early_and_running_on_are_wrong() {
        assert_eq!(
            token_accuracy(&["a"], &["a", "b"]),
            Running { sum: 1.0, count: 2 }
        );
        assert_eq!(
            token_accuracy(&["a", "b"], &["a"]),
            Running { sum: 1.0, count: 2 }
        );
        assert_eq!(token_accuracy::<u32>(&[], &[]).mean(), None);
    }

    #[test]
    fn sentences_match_whole_or_not_at_all() {
        let pairs = [([1, 2], [1, 2]), ([1, 2], [1, 3]), ([1, 2], [2, 1])];
        let total: Running = pairs
            .iter()
            .map(|(prediction, reference)| exact_match(prediction, reference))
            .sum();
        assert_eq!(total, Running { sum: 1.0, count: 3 });
        assert_eq!(exact_match(&[1, 2], &[1, 2, 3]).mean(), Some(0.0));
    }
}
