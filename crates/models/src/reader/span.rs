//! Finds spans of answers from the probabilities of their starts and ends.

use std::ops::Range;

/// Span of one passage, as an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoredSpan {
    /// First token of the span, counted over the positions of all passages.
    pub start: usize,
    /// Last token of the span, counted likewise from the first passage.
    pub end: usize,
    /// Score of the span, ln p(start) + ln p(end).
    pub score: f64,
}

/// Finds the `best` spans of at most `longest` tokens, each within one of `passages` (ranges of
/// their tokens without padding). The most probable span comes first; of equally probable ones the
/// lower start, then the lower end. There may be fewer spans.
///
/// # Panics
/// If a passage has a position without a probability.
pub fn best_spans(
    [starts, ends]: [&[f32]; 2],
    passages: &[Range<usize>],
    longest: usize,
    best: usize,
) -> Vec<ScoredSpan> {
    let mut found: Vec<ScoredSpan> = Vec::with_capacity(best + 1);
    for passage in passages {
        for start in passage.clone() {
            let last = passage.end.min(start.saturating_add(longest));
            for (end, log_probability) in (start..last).zip(&ends[start..last]) {
                let score = f64::from(starts[start]) + f64::from(*log_probability);
                let is_full = found.len() >= best;
                let beats_least = found.last().is_some_and(|least| score > least.score);
                if score.is_nan() || (is_full && !beats_least) {
                    continue;
                }
                let place = found.partition_point(|other| other.score >= score);
                found.insert(place, ScoredSpan { start, end, score });
                found.truncate(best);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_stays_within_a_passage_and_the_longest_answer() {
        // Starts at 1 and ends at 3 are the most probable, but are in different passages.
        let starts = [0.1f32, 0.6, 0.1, 0.2].map(f32::ln);
        let ends = [0.1f32, 0.1, 0.3, 0.5].map(f32::ln);
        let best = |passages: &[[usize; 2]], longest| {
            let passages: Vec<Range<usize>> = passages.iter().map(|it| it[0]..it[1]).collect();
            let found = best_spans([&starts, &ends], &passages, longest, 1);
            found.first().map(|it| (it.start, it.end))
        };
        assert_eq!(best(&[[0, 4]], 9), Some((1, 3)));
        assert_eq!(best(&[[0, 2], [2, 4]], 9), Some((3, 3)));
        assert_eq!(best(&[[0, 4]], 2), Some((1, 2)));
        assert_eq!(best(&[[0, 4]], 0), None);
        assert_eq!(best(&[], 9), None);
    }

    #[test]
    fn nan_is_no_probability() {
        let (nan, certain) = ([f32::NAN; 3], [0.0; 3]);
        let whole = std::slice::from_ref(&(0..3));
        assert_eq!(best_spans([&nan, &certain], whole, 3, 2), []);
    }
}
