//! Targets of free answers: the span of the passages that has most in common with one of the
//! answers.

use std::collections::HashMap;

use super::{AnswerSpan, TokenText};

/// Number of tokens at the beginning of a passage that are searched.
const SEARCHED: usize = 1000;

/// Passages that are searched; `None` in place of passages that are not.
pub(super) struct Searched<'a> {
    pub passages: Vec<Option<&'a TokenText>>,
    /// True if tokens are compared in lower case.
    pub lowercase: bool,
}

/// Number of common tokens, and sum of both lengths: F1 = 2 · common / lengths.
#[derive(Clone, Copy)]
struct Overlap {
    common: u64,
    lengths: u64,
}

impl Overlap {
    /// True if this F1 is higher than the other's, compared in exact arithmetic.
    fn exceeds(self, other: Self) -> bool {
        self.common * other.lengths > other.common * self.lengths
    }

    fn equals(self, other: Self) -> bool {
        self.common * other.lengths == other.common * self.lengths
    }
}

/// Finds the span with the highest F1 of token counts against any of the answers; ties: the earlier
/// passage, the lower start, the longer span. Only spans in the first 1,000 tokens that begin with
/// a token of an answer are searched. `None` if no token is in common.
///
/// Counts are updated as the end of the span moves: O(P² · answers).
pub(super) fn target(searched: &Searched<'_>, answers: &[Vec<&str>]) -> Option<AnswerSpan> {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let answers: Vec<Vec<usize>> = answers
        .iter()
        .map(|tokens| {
            let number = |token: &&str| {
                let next = numbers.len();
                *numbers.entry(searched.key(token)).or_insert(next)
            };
            tokens.iter().map(number).collect()
        })
        .collect();
    let wanted: Vec<(Vec<u32>, u64)> = answers
        .iter()
        .map(|tokens| {
            let mut counts = vec![0; numbers.len()];
            tokens.iter().for_each(|&token| counts[token] += 1);
            (counts, tokens.len() as u64)
        })
        .collect();
    let mut best = Overlap {
        common: 0,
        lengths: 1,
    };
    let mut span = None;
    let mut left = Vec::new();
    for (passage, text) in searched.passages.iter().enumerate() {
        let Some(text) = text else {
            continue;
        };
        let tokens = text.tokens().take(SEARCHED);
        let tokens: Vec<Option<usize>> = tokens
            .map(|it| numbers.get(&searched.key(it)).copied())
            .collect();
        for start in 0..tokens.len() {
            let Some(first) = tokens[start] else {
                continue;
            };
            for (counts, length) in &wanted {
                if counts[first] == 0 {
                    continue;
                }
                left.clone_from(counts);
                let mut common = 0;
                for (end, &token) in tokens.iter().enumerate().skip(start) {
                    let known = token.filter(|&token| left[token] > 0);
                    if let Some(token) = known {
                        left[token] -= 1;
                        common += 1;
                    }
                    let now = Overlap {
                        common,
                        lengths: (end + 1 - start) as u64 + length,
                    };
                    let here = AnswerSpan {
                        passage,
                        start,
                        end,
                    };
                    let longer =
                        |it: AnswerSpan| (it.passage, it.start) == (passage, start) && it.end < end;
                    if now.exceeds(best) || (now.equals(best) && span.is_some_and(longer)) {
                        (best, span) = (now, Some(here));
                    }
                    // The remaining tokens of the answer could not make this span better than the
                    // best one.
                    let most = Overlap {
                        common: *length,
                        lengths: now.lengths,
                    };
                    if common == *length || best.exceeds(most) {
                        break;
                    }
                }
            }
        }
    }
    span
}

impl Searched<'_> {
    fn key(&self, token: &str) -> String {
        if self.lowercase {
            token.to_lowercase()
        } else {
            token.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReadingLevel;

    fn texts(texts: &[&str]) -> Vec<TokenText> {
        let cut = |text: &&str| TokenText::new((*text).to_owned(), ReadingLevel::Word.places(text));
        texts.iter().map(cut).collect()
    }

    fn found(passages: &[&str], answers: &[&str]) -> Option<(usize, usize, usize)> {
        let passages = texts(passages);
        let answers: Vec<Vec<&str>> = answers.iter().map(|it| it.split(' ').collect()).collect();
        let searched = Searched {
            passages: passages.iter().map(Some).collect(),
            lowercase: false,
        };
        target(&searched, &answers).map(|it| (it.passage, it.start, it.end))
    }

    #[test]
    fn the_best_span_is_found() {
        assert_eq!(found(&["x a b c y"], &["a b c"]), Some((0, 1, 3)));
        // F1 of the span `a x c` with a gap is 4/5, that of one token 2/3.
        assert_eq!(found(&["a x c"], &["a c"]), Some((0, 0, 2)));
        assert_eq!(found(&["a x x x c"], &["a c"]), Some((0, 0, 0)));
        assert_eq!(found(&["x y", "q"], &["a"]), None);
        // A token counts at most as often as the answer contains it.
        assert_eq!(found(&["a a a b"], &["a b"]), Some((0, 2, 3)));
    }

    #[test]
    fn ties_go_to_the_earlier_passage_the_lower_start_and_the_longer_span() {
        assert_eq!(found(&["x", "y a", "a"], &["a"]), Some((1, 1, 1)));
        assert_eq!(found(&["a x a"], &["a"]), Some((0, 0, 0)));
        // F1 of `a` is 2·1/(1+3) = 1/2 for the first answer, and 1 for the second.
        assert_eq!(found(&["a x y"], &["a q r", "a"]), Some((0, 0, 0)));
        // F1 is 2/(1+2) for `a`, and 4/(4+2) for `a x y b`.
        assert_eq!(found(&["a x y b"], &["a b"]), Some((0, 0, 3)));
    }

    #[test]
    fn all_spans_and_all_answers_searched_one_by_one_give_the_same() {
        let letters = ["a", "b", "c", "d"];
        let mut random = crate::random::Random::new(1, "free answers", 0);
        for _ in 0..500 {
            let mut text = |most| {
                let count = 1 + random.below(most);
                let words: Vec<&str> = (0..count).map(|_| *random.pick(&letters)).collect();
                words.join(" ")
            };
            let (passages, answers) = ([text(9), text(9)], [text(5), text(5)]);
            let f1 = |span: &[&str], answer: &str| {
                let mut left: Vec<&str> = answer.split(' ').collect();
                let length = left.len();
                let common = span.iter().filter(|token| {
                    let at = left.iter().position(|it| it == *token);
                    at.map(|at| left.swap_remove(at)).is_some()
                });
                2.0 * common.count() as f64 / (span.len() + length) as f64
            };
            let mut best: Option<(f64, (usize, usize, usize))> = None;
            for (number, passage) in passages.iter().enumerate() {
                let tokens: Vec<&str> = passage.split(' ').collect();
                for start in 0..tokens.len() {
                    let begins = answers
                        .iter()
                        .any(|it| it.split(' ').any(|it| it == tokens[start]));
                    for end in (start..tokens.len()).rev().filter(|_| begins) {
                        let of = |answer: &String| f1(&tokens[start..=end], answer);
                        let score = answers.iter().map(of).fold(0.0, f64::max);
                        if score > best.map_or(0.0, |it| it.0) {
                            best = Some((score, (number, start, end)));
                        }
                    }
                }
            }
            let given = [&*passages[0], &*passages[1]];
            let expected = best.map(|it| it.1);
            assert_eq!(
                found(&given, &[&answers[0], &answers[1]]),
                expected,
                "{passages:?} {answers:?}"
            );
        }
    }
}
