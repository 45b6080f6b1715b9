//! Constraints on the tokens that a search may write.

use crate::EOS;

/// Constraints on the tokens after a prefix; none by default. A forbidden token is skipped as if
/// its probability were 0; the probabilities of all other tokens are not rescaled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constraints {
    /// Minimum number of tokens before EOS, the tokens of a prefix included. Without effect if
    /// `past_ends`.
    pub minimum_length: usize,
    /// Length of token sequences that may not repeat (Paulus et al. 2018, 2.5); 0 for no limit.
    pub no_repeat_ngram: usize,
    /// Tokens that are never written, such as `<unk>`.
    pub forbidden: Vec<u32>,
    /// True if EOS only ends a line, so that only the limit ends the target.
    pub past_ends: bool,
}

impl Constraints {
    /// True if every token may be written.
    pub fn are_none(&self) -> bool {
        // Writing past ends of lines forbids no token either.
        self.minimum_length == 0 && self.no_repeat_ngram == 0 && self.forbidden.is_empty()
    }

    /// Returns the tokens that may not follow the written ones.
    pub(super) fn forbidden_after(&self, written: &[u32]) -> Vec<u32> {
        let mut forbidden = self.forbidden.clone();
        if written.len() < self.minimum_length && !self.past_ends {
            forbidden.push(EOS);
        }
        if let Some(before) = self.no_repeat_ngram.checked_sub(1)
            && written.len() >= before
        {
            let last = &written[written.len() - before..];
            let repeats = written.windows(self.no_repeat_ngram);
            let repeats = repeats.filter(|ngram| ngram[..before] == *last);
            forbidden.extend(repeats.map(|ngram| ngram[before]));
        }
        forbidden
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_repeat_an_ngram_is_forbidden() {
        let of = |no_repeat_ngram, written: &[u32]| {
            let constraints = Constraints {
                no_repeat_ngram,
                ..Constraints::default()
            };
            constraints.forbidden_after(written)
        };
        assert_eq!(of(2, &[5, 6, 5]), [6]);
        assert_eq!(of(3, &[5, 6, 7, 5, 6]), [7]);
        assert_eq!(of(3, &[5, 6, 7, 6]), [0u32; 0]);
        assert_eq!(of(1, &[5, 6]), [5, 6]);
        assert_eq!(of(2, &[]), [0u32; 0]);
        assert_eq!(of(0, &[5, 5, 5]), [0u32; 0]);
    }

    #[test]
    fn a_text_does_not_end_too_early() {
        let constraints = Constraints {
            minimum_length: 2,
            ..Constraints::default()
        };
        assert_eq!(constraints.forbidden_after(&[4]), [EOS]);
        assert_eq!(constraints.forbidden_after(&[4, 4]), [0u32; 0]);
    }
}
