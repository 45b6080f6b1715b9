//! SQuAD 1.1 (Rajpurkar et al. 2016), CMRC 2018 and DRCD: articles of paragraphs with questions.

use serde::Deserialize;
use serde_json::Value;

use super::{Identifiers, Look, check_paragraph, given};
use crate::AnswerSpan;
use crate::comprehension::json::{File, identifier};
use crate::comprehension::record::{Chosen, Corpus, Record};
use crate::comprehension::{ReadingCounts, ReadingError, TokenText, counts, place};

#[derive(Deserialize)]
struct Whole {
    data: Vec<Article>,
}

#[derive(Deserialize)]
struct Article {
    paragraphs: Vec<Paragraph>,
}

#[derive(Deserialize)]
struct Paragraph {
    context: String,
    qas: Vec<Asked>,
}

#[derive(Deserialize)]
struct Asked {
    id: Value,
    question: String,
    answers: Option<Vec<Answer>>,
}

#[derive(Deserialize)]
struct Answer {
    text: String,
    answer_start: Value,
}

/// Reads all questions; the questions of each paragraph are one part.
pub(super) fn read(
    file: File<'_>,
    text: &str,
    corpus: &mut Corpus,
    look: Look<'_>,
) -> Result<(), ReadingError> {
    let whole = file.whole(text);
    let whole: Whole = whole.map_err(|error| file.not_squad(text, error))?;
    let mut identifiers = Identifiers::default();
    for (article, Article { paragraphs }) in (0..).zip(whole.data) {
        corpus.counts.documents += 1;
        for Paragraph { context, qas } in paragraphs {
            let name = qas
                .first()
                .map_or("of no id", |it| it.id.as_str().unwrap_or_default());
            check_paragraph(file, name, &context)?;
            corpus.counts.passages += 1;
            let places = corpus.level.places(&context);
            let number = corpus.paragraph(TokenText::new(context, places));
            for asked in qas {
                let id = identifier(file, &asked.id, &asked.question)?;
                identifiers.add(file, &id)?;
                take(file, (id, asked, article), number, corpus)?;
            }
            look(corpus);
        }
    }
    Ok(())
}

fn take(
    file: File<'_>,
    (id, asked, article): (String, Asked, u32),
    paragraph: u32,
    corpus: &mut Corpus,
) -> Result<(), ReadingError> {
    let answers = asked.answers.unwrap_or_default();
    let passage = &corpus.paragraphs[paragraph as usize];
    corpus.counts.answers += answers.len();
    let target = target(file, &id, passage, &answers, &mut corpus.counts)?;
    let answers = given(answers.into_iter().map(|it| it.text));
    let chosen = Chosen {
        passages: vec![(0, paragraph)],
        target,
    };
    let places = corpus.level.places(&asked.question);
    corpus.record(Record {
        id,
        article,
        question: TokenText::new(asked.question, places),
        answers,
        trained: chosen.clone(),
        measured: chosen,
    });
    Ok(())
}

/// Returns the first answer that begins and ends with a token, or else the first that has a place.
fn target(
    file: File<'_>,
    id: &str,
    passage: &TokenText,
    answers: &[Answer],
    counts: &mut ReadingCounts,
) -> Result<Option<AnswerSpan>, ReadingError> {
    let (mut first, mut exact) = (None, None);
    for answer in answers {
        let at = offset(file, id, &answer.answer_start)?;
        let Some(found) = place::find(passage, &answer.text, at) else {
            counts.fault(counts::ABSENT, id);
            continue;
        };
        for (is, what) in [(found.moved, counts::MOVED), (found.inside, counts::INSIDE)] {
            if is {
                counts.fault(what, id);
            }
        }
        let [start, end] = found.tokens;
        let span = AnswerSpan {
            passage: 0,
            start,
            end,
        };
        first = first.or(Some(span));
        if !found.inside {
            exact = exact.or(Some(span));
        }
    }
    Ok(exact.or(first))
}

/// Reads the offset of an answer; CMRC 2018 writes −1 if the answer has no place.
fn offset(file: File<'_>, id: &str, value: &Value) -> Result<Option<usize>, ReadingError> {
    match value.as_i64() {
        Some(-1) => Ok(None),
        Some(at) if at >= 0 => Ok(usize::try_from(at).ok()),
        _ => Err(file.fault(
            id,
            format!(
                "`answer_start` is {value}, but must be a number of characters from 0 on (or -1 for an \
                 answer without a place); correct it"
            ),
        )),
    }
}
