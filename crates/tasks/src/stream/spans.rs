//! Training questions in a file of blocks: only numbers, without texts, ids and right answers.
//!
//! A question is stored as the index of the answer's passage, the answer's first and last token
//! there, and the number of passages; then the question itself and each passage (the part that is
//! read). Each of these is three sequences as in `stored`: the token ids, the number of characters
//! of each token, and the ids of all these characters.

use std::sync::Arc;

use super::stored::Reader;
use crate::dataset::batches::Length;
use crate::{AnswerSpan, Passage, Question, TokenText};

/// Appends a question to `bytes`.
#[cfg(not(target_family = "wasm"))]
pub(super) fn write_question(question: &Question, bytes: &mut Vec<u8>) {
    use super::writer::{write_number, write_sequence};

    let target = question.target.map_or([0; 3], AnswerSpan::numbers);
    for number in target.into_iter().chain([question.passages.len()]) {
        write_number(number as u32, bytes);
    }
    let mut write = |text: &TokenText, tokens: std::ops::Range<usize>| {
        let characters: Vec<&[u32]> = tokens.clone().map(|it| text.characters(it)).collect();
        let counts: Vec<u32> = characters.iter().map(|it| it.len() as u32).collect();
        write_sequence(&text.ids()[tokens], bytes);
        write_sequence(&counts, bytes);
        write_sequence(&characters.concat(), bytes);
    };
    write(&question.question, 0..question.question.len());
    for passage in &question.passages {
        write(&passage.paragraph, passage.window.clone());
    }
}

impl Reader<'_> {
    /// Reads the next question, with everything that training needs.
    pub(super) fn question(&mut self) -> Option<Question> {
        let [passage, start, end] = self.target()?;
        let passages = self.number()?;
        let question = self.text()?;
        let passages = (0..passages).map(|_| Some(Passage::whole(Arc::new(self.text()?), 0)));
        Some(Question {
            id: String::new(),
            question,
            passages: passages.collect::<Option<_>>()?,
            target: Some(AnswerSpan {
                passage: passage as usize,
                start: start as usize,
                end: end as usize,
            }),
            answers: Vec::new(),
        })
    }

    /// Skips a question and returns its length; `None` if [`question`](Self::question) would find
    /// no valid question with its target in its passages.
    pub(super) fn skip_question(&mut self) -> Option<Length> {
        let [passage, start, end] = self.target()?;
        let passages = self.number()?;
        let target = self.skip_text()?;
        let (mut source, mut holds) = (0, false);
        for number in 0..passages {
            let tokens = self.skip_text()?;
            source = tokens.max(source);
            holds |= number == passage && start <= end && end < tokens;
        }
        holds.then_some(Length {
            source,
            target,
            passages,
        })
    }

    fn target(&mut self) -> Option<[u32; 3]> {
        Some([self.number()?, self.number()?, self.number()?])
    }

    fn text(&mut self) -> Option<TokenText> {
        let (ids, counts) = self.sequence().zip(self.sequence())?;
        Some(TokenText::of_ids(ids, &counts, self.sequence()?))
    }

    /// Skips a text and returns its number of tokens.
    fn skip_text(&mut self) -> Option<u32> {
        let tokens = self.skip()?;
        let counts = self.sequence()?;
        let characters = self.skip()?;
        let counted: u64 = counts.iter().map(|&it| u64::from(it)).sum();
        let is_whole = counts.len() == tokens as usize && counted == u64::from(characters);
        is_whole.then_some(tokens)
    }
}
