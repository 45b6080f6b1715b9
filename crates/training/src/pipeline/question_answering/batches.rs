//! Batches of questions about passages for a reader.

use std::ops::Range;

use strata_models::{ReadText, SpanBatch, Spelling, Tokens};
use strata_tasks::{AnswerSpan, Passage, Question};

/// Positions of tokens in the K·P columns of a question's passages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    /// Length of a padded passage, P.
    length: usize,
}

impl Places {
    /// Ranges of each passage's tokens, without padding.
    pub fn passages(self, question: &Question) -> Vec<Range<usize>> {
        let passages = question.passages.iter().enumerate();
        let place = |(at, passage): (usize, &Passage)| {
            let first = at * self.length;
            first..first + passage.len()
        };
        passages.map(place).collect()
    }

    /// Converts the positions from `start` to `end` to an answer within one passage.
    pub fn span(self, start: usize, end: usize) -> AnswerSpan {
        let passage = start / self.length;
        let first = passage * self.length;
        AnswerSpan {
            passage,
            start: start - first,
            end: end - first,
        }
    }

    fn of(self, span: AnswerSpan) -> [usize; 2] {
        [span.start, span.end].map(|token| span.passage * self.length + token)
    }
}

/// Pads questions and their passages to a batch, with the characters of their words if `spelt`. A
/// question without an answer has position 0 as its target.
pub(crate) fn pad(questions: &[&Question], spelt: bool) -> (SpanBatch, Places) {
    let most = questions.iter().map(|it| it.passages.len()).max();
    let each = most.unwrap_or(0).max(1);
    let ids: Vec<&[u32]> = passages(questions, each)
        .map(|passage| passage.map_or(&[][..], Passage::ids))
        .collect();
    let words = Tokens::pad(&ids);
    let places = Places {
        length: words.columns(),
    };
    let spelling = spelt.then(|| {
        let spelt = passages(questions, each).flat_map(|passage| {
            (0..places.length).map(move |token| match passage {
                Some(passage) if token < passage.len() => passage.characters(token),
                _ => &[][..],
            })
        });
        Spelling::of(spelt)
    });
    let target = |question: &&Question| question.target.map_or([0; 2], |it| places.of(it));
    let batch = SpanBatch {
        passages: ReadText { words, spelling },
        questions: asked(questions, spelt),
        each,
        targets: questions.iter().map(target).collect(),
    };
    (batch, places)
}

/// Iterates over K passages of each question; a missing passage is `None` and becomes padding.
fn passages<'a>(
    questions: &'a [&'a Question],
    each: usize,
) -> impl Iterator<Item = Option<&'a Passage>> {
    let of = move |question: &'a &'a Question| (0..each).map(move |at| question.passages.get(at));
    questions.iter().flat_map(of)
}

/// Pads the questions themselves.
fn asked(questions: &[&Question], spelt: bool) -> ReadText {
    let ids: Vec<&[u32]> = questions.iter().map(|it| it.question.ids()).collect();
    let words = Tokens::pad(&ids);
    let columns = words.columns();
    let spelling = spelt.then(|| {
        let spelt = questions.iter().flat_map(|asked| {
            (0..columns).map(move |token| match token < asked.question.len() {
                true => asked.question.characters(token),
                false => &[][..],
            })
        });
        Spelling::of(spelt)
    });
    ReadText { words, spelling }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use strata_tasks::TaskConfig;
    use strata_text::Uploads;

    use super::*;

    #[test]
    fn targets_are_found_again_behind_the_padding() {
        let task = TaskConfig::of_kind("toy_reading").unwrap();
        let data = task
            .load(3, &Uploads::default())
            .unwrap()
            .examples
            .into_questions()
            .unwrap();
        let mut questions: Vec<&Question> = data.training.iter().take(5).collect();
        // Two passages, the second of which has the answer.
        let mut moved = questions[0].clone();
        moved.passages.insert(0, questions[1].passages[0].clone());
        moved.target = moved.target.map(|it| AnswerSpan { passage: 1, ..it });
        questions.push(&moved);
        let (batch, places) = pad(&questions, true);
        assert_eq!((batch.each, batch.passages.words.rows()), (2, 12));
        for (question, target) in questions.iter().zip(&batch.targets) {
            let span = places.span(target[0], target[1]);
            assert_eq!(Some(span), question.target);
            let columns = batch.passages.words.columns();
            let (row, column) = (target[0] / columns, target[0] % columns);
            let at = questions
                .iter()
                .position(|it| std::ptr::eq(*it, *question))
                .unwrap();
            let id = batch.passages.words.row(2 * at + row)[column];
            assert_eq!(id, question.passages[span.passage].ids()[span.start]);
            let places = places.passages(question);
            assert!(places[span.passage].contains(&target[1]));
        }
        let spelling = batch.passages.spelling.unwrap();
        assert_eq!(spelling.rows.len(), 12 * batch.passages.words.columns());
    }
}
