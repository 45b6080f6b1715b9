//! Answers of a reader, with the passages in which they stand.

use strata_tasks::{AnswerSpan, Passage, Question};
use strata_text::{is_blank, special::UNK};
use strata_training::{Answered, Inference};

use super::reading::of_answer;
use super::site::LEVELS_SHOWN;
use crate::error::SessionError;
use crate::protocol::{
    AnswerView, FoundAnswerView, PassageTokenView, PassageView, PlaceView, TranslationView,
};

/// Number of answers that are shown.
pub(super) const ANSWERS: usize = 5;
/// Most tokens of a passage that a user may enter.
const LONGEST_PASSAGE: usize = 5000;
/// Most tokens before and after an answer that are shown as its sentence.
const SENTENCE: usize = 60;
/// Tokens that end a sentence.
const ENDS: [&str; 6] = [".", "!", "?", "。", "！", "？"];

/// Answers a question about a passage, and returns the answers with the attention of the best one.
/// Also returns the tokenized question.
///
/// # Errors
/// If the model is no reader, if question or passage is empty or too long, or if the device fails.
pub(crate) async fn of_question(
    inference: &Inference,
    question: &str,
    passage: &str,
) -> Result<(AnswerView, TranslationView, Question), SessionError> {
    let refused = |reason: String| Err(SessionError::Refused(reason));
    let Some(tokenizer) = inference.tokenizer().reading() else {
        return refused(
            "the model is no reader and answers no questions; train one, for example with \
             `model.architecture=bidaf`"
                .to_owned(),
        );
    };
    let asked = tokenizer.question("", question, &[passage]);
    if asked.question.is_empty() || is_blank(question) {
        return refused("there is no question; write one".to_owned());
    }
    let paragraph = asked.passages.first().map(|it| &it.paragraph);
    let tokens = paragraph.map_or(0, |it| it.len());
    if tokens == 0 || is_blank(passage) {
        return refused("there is no passage to read; paste one".to_owned());
    }
    for (what, tokens, most) in [
        (
            "question",
            tokenizer.text(question).len(),
            tokenizer.limits.question,
        ),
        ("passage", tokens, LONGEST_PASSAGE),
    ] {
        if tokens > most {
            return refused(format!(
                "the {what} has {tokens} tokens, and at most {most} are read; shorten it"
            ));
        }
    }
    let found = inference.answer(&[&asked], ANSWERS).await?;
    let Some(found) = found.first() else {
        return refused("the model gives no answer".to_owned());
    };
    let attention = of_answer(inference, &asked, found, LEVELS_SHOWN).await?;
    Ok((view(inference, &asked, found), attention, asked))
}

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
