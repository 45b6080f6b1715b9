//! Answers to questions, by a reader.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use burn::tensor::{ExecutionError, Tensor, Transaction};
use strata_models::{SpanOutput, best_spans};
use strata_tasks::{AnswerSpan, Question};

use crate::Inference;
use crate::questions::{Places, pad};

/// Stretches that are searched for each answer: of overlapping windows several may be the same.
const SEARCHED: usize = 4;

/// An answer: a stretch of a passage.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Its place among the passages of the question.
    pub span: AnswerSpan,
    /// The stretch as written.
    pub text: String,
    /// Its place in code points of the paragraph.
    pub place: Range<usize>,
    /// p(start) · p(end).
    pub probability: f64,
}

/// Probabilities of a question's tokens as start and as end of the answer, passage by passage.
pub type Probabilities = Vec<Vec<[f32; 2]>>;

/// Output of a reader for one question.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The most probable answers, best first.
    pub answers: Vec<Answer>,
    /// Probabilities of each token of each passage.
    pub probabilities: Probabilities,
}

impl Inference {
    /// The `best` most probable answers to each of some questions, as one batch; none where there is
    /// no token to answer with, or the model is no reader.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn answer(
        &self,
        questions: &[&Question],
        best: usize,
    ) -> Result<Vec<Answered>, ExecutionError> {
        let Some((output, places)) = self.read(questions) else {
            return Ok(Vec::new());
        };
        self.answers_of(output.log_probabilities, places, questions, best)
            .await
    }

    /// The same, with answers of at most so many tokens; no other if the model is no reader.
    #[must_use]
    pub fn with_longest_answer(mut self, tokens: usize) -> Self {
        if let Some(reading) = &mut Arc::make_mut(&mut self.tokenizer).reading {
            reading.longest_answer = tokens;
        }
        self
    }

    /// A pass over questions; `None` if the model is no reader.
    pub(crate) fn read(&self, questions: &[&Question]) -> Option<(SpanOutput, Places)> {
        let reader = self.model.reader()?;
        let (batch, places) = pad(questions, self.tokenizer.reads_characters());
        Some((reader.forward(&batch, &self.device), places))
    }

    /// The attention of every site for one question, for a batch of its passages; `None` if the
    /// model is no reader. Reads nothing from the device.
    pub fn attend_to(&self, question: &Question) -> Option<SpanOutput> {
        let (output, _) = self.read(&[question])?;
        Some(output)
    }

    /// Answers by the probabilities of starts and ends, `[B, K·P]`.
    ///
    /// GPU–CPU sync point.
    pub(crate) async fn answers_of(
        &self,
        log_probabilities: [Tensor<2>; 2],
        places: Places,
        questions: &[&Question],
        best: usize,
    ) -> Result<Vec<Answered>, ExecutionError> {
        let [_, columns] = log_probabilities[0].dims();
        let transaction = log_probabilities
            .into_iter()
            .fold(Transaction::default(), Transaction::register);
        let read = transaction.execute_async().await?;
        let mut read = read.into_iter().map(|it| it.iter::<f32>().collect());
        let mut next = || -> Vec<f32> { read.next().unwrap_or_default() };
        let (starts, ends) = (next(), next());
        let rows = starts.chunks(columns).zip(ends.chunks(columns));
        let longest = self.tokenizer.longest_answer();
        let answered = |(question, (starts, ends)): (&&Question, (&[f32], &[f32]))| {
            let passages = places.passages(question);
            let spans = best_spans([starts, ends], &passages, longest, SEARCHED * best);
            let mut known = HashSet::new();
            let answers = spans.into_iter().filter_map(|found| {
                let span = places.span(found.start, found.end);
                let passage = &question.passages[span.passage];
                let tokens = passage.in_paragraph(span.start..=span.end);
                known.insert((passage.document, tokens)).then(|| Answer {
                    span,
                    text: question.answer(span).to_owned(),
                    place: passage.code_points(span.start..=span.end),
                    probability: found.score.exp(),
                })
            });
            let probability = |at: usize| [starts[at].exp(), ends[at].exp()];
            Answered {
                answers: answers.take(best).collect(),
                probabilities: passages
                    .into_iter()
                    .map(|places| places.map(probability).collect())
                    .collect(),
            }
        };
        Ok(questions.iter().zip(rows).map(answered).collect())
    }
}
