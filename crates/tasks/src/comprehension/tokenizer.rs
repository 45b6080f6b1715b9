//! Conversion of texts to examples, by the vocabularies of a run.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use strata_text::Vocabulary;
use unicode_segmentation::UnicodeSegmentation;

use super::{Passage, Question, ReadingLevel, TokenText};

/// Most characters of a token that the character layer reads.
const LONGEST_WORD: usize = 16;

/// Largest lengths of questions and passages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadingLimits {
    /// Most tokens of a passage; a longer passage is read in windows.
    pub passage: usize,
    /// Most tokens of a question.
    pub question: usize,
    /// Most passages per question, before they are cut into windows.
    pub passages: usize,
}

/// Tokenizer of questions and passages, which also looks up the ids; part of every checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadingTokenizer {
    /// Level at which texts are cut.
    pub level: ReadingLevel,
    /// True if tokens are looked up in lower case; the text itself never changes.
    pub lowercase: bool,
    /// Largest lengths of questions and passages.
    pub limits: ReadingLimits,
    /// Vocabulary of the tokens of passages and questions.
    pub vocabulary: Vocabulary,
    /// Vocabulary of the characters (graphemes) of these tokens.
    pub characters: Vocabulary,
}

impl ReadingTokenizer {
    /// Builds a question without an answer from texts that a user entered. Every passage is read
    /// whole, in windows.
    pub fn question(&self, id: &str, question: &str, passages: &[&str]) -> Question {
        let mut question = self.text(question);
        question.truncate(self.limits.question);
        let passages = passages.iter().take(self.limits.passages).enumerate();
        let passages = passages.flat_map(|(document, text)| {
            self.windows(&Passage::whole(Arc::new(self.text(text)), document))
        });
        Question {
            id: id.to_owned(),
            question,
            passages: passages.collect(),
            target: None,
            answers: Vec::new(),
        }
    }

    /// Cuts a text into tokens with ids.
    pub fn text(&self, text: &str) -> TokenText {
        let mut cut = TokenText::new(text.to_owned(), self.level.places(text));
        self.number(&mut cut);
        cut
    }

    /// Sets the ids of a text's tokens and their characters.
    pub(crate) fn number(&self, text: &mut TokenText) {
        text.number(|token, characters| {
            let lower = self.lowercase.then(|| token.to_lowercase());
            let token = lower.as_deref().unwrap_or(token);
            let graphemes = token.graphemes(true).take(LONGEST_WORD);
            characters.extend(graphemes.map(|it| self.characters.id(it)));
            self.vocabulary.id(token)
        });
    }

    /// Cuts a passage into windows of at most the largest length.
    pub(crate) fn windows(&self, passage: &Passage) -> Vec<Passage> {
        let windows = windows(passage.len(), self.limits.passage).into_iter();
        let window = |window| Passage {
            window,
            ..passage.clone()
        };
        windows.map(window).collect()
    }
}

/// Returns the windows of a passage of `length` tokens: each `longest` tokens long, half of that
/// apart; the last one ends with the passage.
pub(super) fn windows(length: usize, longest: usize) -> Vec<Range<usize>> {
    let mut windows = Vec::new();
    let mut start = 0;
    loop {
        let end = (start + longest).min(length);
        windows.push(end.saturating_sub(longest)..end);
        if end == length {
            return windows;
        }
        start += longest.div_ceil(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokenizer() -> ReadingTokenizer {
        ReadingTokenizer {
            level: ReadingLevel::Fine,
            lowercase: true,
            limits: ReadingLimits {
                passage: 4,
                question: 3,
                passages: 2,
            },
            vocabulary: Vocabulary::of_distinct(["a", "b"]),
            characters: Vocabulary::of_distinct(["a", "e\u{301}"]),
        }
    }

    #[test]
    fn windows_overlap_by_half_and_the_last_ends_with_the_passage() {
        let windows = |tokens: usize| {
            let text = vec!["a"; tokens].join(" ");
            let asked = tokenizer().question("", "", &[&text]);
            let windows = asked.passages.iter().map(|it| &it.window);
            windows.map(|it| [it.start, it.end]).collect::<Vec<_>>()
        };
        assert_eq!(windows(0), [[0, 0]]);
        assert_eq!(windows(4), [[0, 4]]);
        assert_eq!(windows(5), [[0, 4], [1, 5]]);
        assert_eq!(windows(6), [[0, 4], [2, 6]]);
        assert_eq!(windows(9), [[0, 4], [2, 6], [4, 8], [5, 9]]);
    }

    #[test]
    fn looked_up_is_the_lower_case_and_shown_the_text_as_written() {
        let asked = tokenizer().question("1", "A  B c d", &["x", "Ae\u{301}B!", "a"]);
        assert_eq!(asked.question.ids(), [4, 5, 3]);
        assert_eq!(asked.question.stretch(0..=1), "A  B");
        assert_eq!(asked.passages.len(), 2);
        let second = &asked.passages[1];
        assert_eq!((second.document, second.len()), (1, 2));
        assert_eq!(second.characters(0), [4, 5, 3]);
        assert_eq!(second.stretch(0..=0), "Ae\u{301}B");
        assert_eq!(second.code_points(1..=1), 4..5);
    }
}
