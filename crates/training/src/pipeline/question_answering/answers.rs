//! Answers a reader's questions.

use std::collections::HashSet;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use burn::tensor::{ExecutionError, Tensor, Transaction};
use strata_models::{SpanOutput, best_spans};
use strata_tasks::{AnswerSpan, Question};

use super::batches::{Places, pad};
use crate::Inference;
use crate::pipeline::TokenizerKind;

/// Number of spans that are searched for each answer asked for: overlapping windows may hold the
/// same span several times.
const SEARCHED: usize = 4;

/// Answer to a question: a span of a passage.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Span of the answer among the passages of the question.
    pub span: AnswerSpan,
    /// Text of the answer as it is written in the passage.
    pub text: String,
    /// Range of the answer in code points of the paragraph.
    pub place: Range<usize>,
    /// Probability of the span, p(start) · p(end), divided by the sum of these products over all
    /// possible spans: those within a passage that are no longer than the longest answer allowed.
    pub probability: f64,
}

/// Probabilities of a question's tokens to be the start and the end of the answer, passage by
/// passage.
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
    /// Returns the `best` most probable answers to each of some questions, as one batch. A question
    /// without tokens to answer with has no answers. The result is empty if the model is not a
    /// reader.
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

    /// Limits answers to `tokens` tokens. Does nothing if the model is not a reader.
    #[must_use]
    pub fn with_longest_answer(mut self, tokens: usize) -> Self {
        let kind = &mut Arc::make_mut(&mut self.tokenizer).kind;
        if let TokenizerKind::QuestionAnswering(reader) = kind {
            reader.longest_answer = tokens;
        }
        self
    }

    /// Runs a pass over questions; `None` if the model is not a reader.
    pub(crate) fn read(&self, questions: &[&Question]) -> Option<(SpanOutput, Places)> {
        let reader = self.model.reader()?;
        let (batch, places) = pad(questions, self.tokenizer.reads_characters());
        Some((reader.forward(&batch, &self.device), places))
    }

    /// Runs a pass over one question and its passages, for the attention of every site; `None` if
    /// the model is not a reader. Reads nothing from the device.
    pub fn attend_to(&self, question: &Question) -> Option<SpanOutput> {
        let (output, _) = self.read(&[question])?;
        Some(output)
    }

    /// Finds the answers from the log-probabilities of starts and ends, `[B, K·P]`.
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
            // Windows of one text overlap, so the same span may be found several times: keep its
            // first, best place.
            let spans = best_spans([starts, ends], &passages, longest, SEARCHED * best);
            let highest = spans.first().map_or(0.0, |it| it.score);
            let considered = Considered {
                question,
                passages: &passages,
                log_probabilities: [starts, ends],
                longest,
            };
            // Softmax over all possible spans, relative to the best score for stability.
            let total = considered.total(highest);
            let mut known = HashSet::new();
            let answers = spans.into_iter().filter_map(|found| {
                let span = places.span(found.start, found.end);
                let passage = &question.passages[span.passage];
                let tokens = passage.in_paragraph(span.start..=span.end);
                known.insert((passage.document, tokens)).then(|| Answer {
                    span,
                    text: question.answer(span).to_owned(),
                    place: passage.code_points(span.start..=span.end),
                    probability: (found.score - highest).exp() / total,
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

/// All spans that may be the answer to a question.
struct Considered<'a> {
    question: &'a Question,
    /// Range of the tokens of each passage in the log-probabilities.
    passages: &'a [Range<usize>],
    /// Log-probability of each token to be the start, and to be the end.
    log_probabilities: [&'a [f32]; 2],
    /// Largest number of tokens of an answer.
    longest: usize,
}

impl Considered<'_> {
    /// Sum of p(start) · p(end) over all spans, divided by e to the power of `highest`. A span that
    /// several windows hold counts once, with the largest of its probabilities.
    fn total(&self, highest: f64) -> f64 {
        let mut total = 0.0;
        for (at, passage) in self.question.passages.iter().enumerate() {
            let others = self.overlapping(at);
            for start in 0..passage.len() {
                let last = passage.len().min(start.saturating_add(self.longest));
                for end in start..last {
                    let Some(score) = self.score(at, start, end) else {
                        continue;
                    };
                    let tokens = passage.in_paragraph(start..=end);
                    let is_counted_elsewhere = others.iter().any(|&other| {
                        let theirs = self.score_in(other, &tokens);
                        theirs.is_some_and(|it| it > score || (it == score && other < at))
                    });
                    if !is_counted_elsewhere {
                        total += (score - highest).exp();
                    }
                }
            }
        }
        total
    }

    /// Score ln p(start) + ln p(end) of a span of a passage; `None` if it is NaN.
    fn score(&self, passage: usize, start: usize, end: usize) -> Option<f64> {
        let first = self.passages[passage].start;
        let [starts, ends] = self.log_probabilities;
        let [start, end] = [starts.get(first + start)?, ends.get(first + end)?];
        let score = f64::from(*start) + f64::from(*end);
        (!score.is_nan()).then_some(score)
    }

    /// Score of a span, given by tokens of the whole text, in the window `passage`; `None` if the
    /// window does not hold the whole span.
    fn score_in(&self, passage: usize, tokens: &RangeInclusive<usize>) -> Option<f64> {
        let window = &self.question.passages[passage].window;
        let is_held = window.contains(tokens.start()) && window.contains(tokens.end());
        let place = |token: &usize| token.checked_sub(window.start);
        let (start, end) = (place(tokens.start())?, place(tokens.end())?);
        is_held.then(|| self.score(passage, start, end))?
    }

    /// Other windows of the same text that share tokens with this window.
    fn overlapping(&self, at: usize) -> Vec<usize> {
        let passages = &self.question.passages;
        let this = &passages[at];
        let overlaps = |&other: &usize| {
            let that = &passages[other];
            other != at
                && that.document == this.document
                && that.window.start < this.window.end
                && this.window.start < that.window.end
        };
        (0..passages.len()).filter(overlaps).collect()
    }
}
