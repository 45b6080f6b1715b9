//! Builds examples from questions, in the forms for training and for measuring.

use std::sync::Arc;

use super::record::{Chosen, Record};
use super::{AnswerSpan, Passage, Question, ReadingTokenizer, TokenText};

/// Adds the ids of the tokens to paragraphs.
pub(crate) fn numbered(
    paragraphs: Vec<TokenText>,
    tokenizer: &ReadingTokenizer,
) -> Vec<Arc<TokenText>> {
    let number = |mut paragraph: TokenText| {
        tokenizer.number(&mut paragraph);
        Arc::new(paragraph)
    };
    paragraphs.into_iter().map(number).collect()
}

/// Builds a question for training. A long passage is cut to its first window, the answer's passage
/// to the first window that contains the whole answer. `None` if there is no such window.
pub(crate) fn trained(
    record: Record,
    paragraphs: &[Arc<TokenText>],
    tokenizer: &ReadingTokenizer,
) -> Option<Question> {
    let target = record.trained.target?;
    let mut found = None;
    let mut passages = Vec::new();
    for (number, passage) in whole(&record.trained, paragraphs).enumerate() {
        let mut windows = tokenizer.windows(&passage);
        if number == target.passage {
            let (at, here) = within(&windows, target)?;
            found = Some(AnswerSpan {
                passage: number,
                ..here
            });
            passages.push(windows.swap_remove(at));
        } else {
            passages.push(windows.swap_remove(0));
        }
    }
    Some(question(record, passages, found, tokenizer))
}

/// Builds a question for measuring, with all windows of all passages.
pub(crate) fn measured(
    record: Record,
    paragraphs: &[Arc<TokenText>],
    tokenizer: &ReadingTokenizer,
) -> Question {
    let mut found = None;
    let mut passages = Vec::new();
    for (number, passage) in whole(&record.measured, paragraphs).enumerate() {
        let windows = tokenizer.windows(&passage);
        if let Some(target) = record.measured.target.filter(|it| it.passage == number) {
            found = within(&windows, target).map(|(at, here)| AnswerSpan {
                passage: passages.len() + at,
                ..here
            });
        }
        passages.extend(windows);
    }
    question(record, passages, found, tokenizer)
}

fn whole<'a>(
    chosen: &'a Chosen,
    paragraphs: &'a [Arc<TokenText>],
) -> impl Iterator<Item = Passage> + 'a {
    let passages = chosen.passages.iter();
    passages.map(|&(document, number)| {
        Passage::whole(Arc::clone(&paragraphs[number as usize]), document as usize)
    })
}

/// Finds the first window that contains an answer whole, and returns the window and the answer's
/// place in it.
fn within(windows: &[Passage], target: AnswerSpan) -> Option<(usize, AnswerSpan)> {
    let holds = |it: &Passage| it.window.start <= target.start && target.end < it.window.end;
    let at = windows.iter().position(holds)?;
    let start = windows[at].window.start;
    let here = AnswerSpan {
        passage: target.passage,
        start: target.start - start,
        end: target.end - start,
    };
    Some((at, here))
}

fn question(
    record: Record,
    passages: Vec<Passage>,
    target: Option<AnswerSpan>,
    tokenizer: &ReadingTokenizer,
) -> Question {
    let mut question = record.question;
    question.truncate(tokenizer.limits.question);
    tokenizer.number(&mut question);
    Question {
        id: record.id,
        question,
        passages,
        target,
        answers: record.answers,
    }
}
