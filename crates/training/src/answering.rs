//! Answers to questions, by a reader.

use std::collections::HashSet;
use std::ops::{Range, RangeInclusive};
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
    /// p(start) · p(end), divided by the sum of that over all stretches that could be the answer:
    /// of at most the longest answer's tokens, each within a passage.
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
            let highest = spans.first().map_or(0.0, |it| it.score);
            let considered = Considered {
                question,
                passages: &passages,
                log_probabilities: [starts, ends],
                longest,
            };
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

/// All stretches that may be the answer to a question.
struct Considered<'a> {
    question: &'a Question,
    /// Places of the tokens of each passage.
    passages: &'a [Range<usize>],
    /// ln p of each place as start, and as end.
    log_probabilities: [&'a [f32]; 2],
    /// Most tokens of an answer.
    longest: usize,
}

impl Considered<'_> {
    /// Sum of p(start) · p(end) over the stretches, divided by e to the power of `highest`. A stretch
    /// that several windows hold counts once, with the largest of its probabilities.
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

    /// ln p(start) + ln p(end) of tokens of a passage, if it is a number.
    fn score(&self, passage: usize, start: usize, end: usize) -> Option<f64> {
        let first = self.passages[passage].start;
        let [starts, ends] = self.log_probabilities;
        let [start, end] = [starts.get(first + start)?, ends.get(first + end)?];
        let score = f64::from(*start) + f64::from(*end);
        (!score.is_nan()).then_some(score)
    }

    /// Score of tokens, counted in their whole text, in the window `passage`; `None` if the window does
    /// not hold all of these tokens.
    fn score_in(&self, passage: usize, tokens: &RangeInclusive<usize>) -> Option<f64> {
        let window = &self.question.passages[passage].window;
        let is_held = window.contains(tokens.start()) && window.contains(tokens.end());
        let place = |token: &usize| token.checked_sub(window.start);
        let (start, end) = (place(tokens.start())?, place(tokens.end())?);
        is_held.then(|| self.score(passage, start, end))?
    }

    /// The other windows of the same text that have tokens of this one.
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
