//! View of a reader's answers, with the passages in which the answers stand.

use strata_tasks::{AnswerSpan, Passage, Question};
use strata_text::special::UNK;
use strata_training::{Answered, Inference};

use crate::protocol::{AnswerView, FoundAnswerView, PassageTokenView, PassageView, PlaceView};

/// Most tokens before and after an answer that are shown as its sentence.
const SENTENCE: usize = 60;
/// Tokens that end a sentence.
const ENDS: [&str; 6] = [".", "!", "?", "。", "！", "？"];

/// Returns the view of the answers, with every passage that contains one of them or the right
/// answer.
pub(super) fn view(inference: &Inference, question: &Question, found: &Answered) -> AnswerView {
    let mut numbers: Vec<usize> = found.answers.iter().map(|it| it.span.passage).collect();
    numbers.extend(question.target.map(|it| it.passage));
    numbers.sort_unstable();
    numbers.dedup();
    let place = |span: AnswerSpan| PlaceView {
        passage: numbers.partition_point(|&it| it < span.passage),
        first: span.start,
        last: span.end,
    };
    let passage = |&number: &usize| PassageView {
        number,
        tokens: tokens(&question.passages[number], &found.probabilities[number]),
    };
    let answers = found.answers.iter().map(|answer| FoundAnswerView {
        place: place(answer.span),
        text: answer.text.clone(),
        sentence: sentence(&question.passages[answer.span.passage], answer.span),
        probability: answer.probability,
    });
    AnswerView {
        step: inference.step(),
        question: question.question.text().to_owned(),
        passages: numbers.iter().map(passage).collect(),
        answers: answers.collect(),
        right: question.target.map(place),
        unknown: inference.tokenizer().unknown_words(question),
    }
}

fn tokens(passage: &Passage, probabilities: &[[f32; 2]]) -> Vec<PassageTokenView> {
    let token = |(at, &[start, end]): (usize, &[f32; 2])| PassageTokenView {
        before: before(passage, at).to_owned(),
        text: passage.token(at).to_owned(),
        is_known: passage.ids()[at] != UNK,
        start,
        end,
    };
    probabilities.iter().enumerate().map(token).collect()
}

/// Returns the text between a token and the previous token.
fn before(passage: &Passage, at: usize) -> &str {
    let bytes = |at: usize| passage.paragraph.bytes(passage.in_paragraph(at..=at));
    let behind = at.checked_sub(1).map_or(0, |at| bytes(at).end);
    let text = passage.paragraph.text();
    text.get(behind..bytes(at).start).unwrap_or_default()
}

/// Returns the sentence around an answer, as written: up to a token that ends a sentence, or to the
/// end of a line.
fn sentence(passage: &Passage, span: AnswerSpan) -> String {
    let begins = |at: &usize| {
        let at = *at;
        at == 0 || ENDS.contains(&passage.token(at - 1)) || before(passage, at).contains('\n')
    };
    let furthest = [
        span.start.saturating_sub(SENTENCE),
        (span.end + SENTENCE).min(passage.len() - 1),
    ];
    let first = (furthest[0]..=span.start).rev().find(begins);
    let ends = |at: &usize| *at + 1 == passage.len() || begins(&(at + 1));
    let last = (span.end..=furthest[1]).find(ends);
    let sentence = first.unwrap_or(furthest[0])..=last.unwrap_or(furthest[1]);
    passage.stretch(sentence).to_owned()
}
