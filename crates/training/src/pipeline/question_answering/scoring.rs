//! Measures a reader on questions that the reader was not trained on.

use burn::tensor::ExecutionError;
use strata_metrics::{
    AnswerMeasure, AnswerRules, AnswerScores, Running, answer_exact_match, answer_f1,
    cmrc_exact_match, cmrc_f1, perplexity,
};
use strata_models::reader::span_loss;
use strata_tasks::{Question, ReadingFormat};
use strata_text::words_and_marks;

use super::pad;
use crate::evaluation::{FreeScores, Scores};
use crate::step::measure::{correct_ends, read};
use crate::{HeldOut, Inference, Validation};

/// Reader's best answer to a question, with its scores.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoredAnswer {
    /// Text of the answer; empty if the passages have no tokens to answer with.
    pub text: String,
    /// True if the answer equals a right one.
    pub is_exact: bool,
    /// F1 against the best-matching right answer, from 0 to 1.
    pub f1: f64,
}

/// Rules by which answers are scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanRules {
    /// Rules of SQuAD 1.1: answers are compared by words.
    Squad,
    /// Rules of CMRC 2018: answers are compared by Chinese characters.
    Cmrc,
}

impl SpanRules {
    /// Chooses the rules of CMRC if most questions have an answer in Chinese characters, otherwise
    /// those of SQuAD.
    pub fn of(questions: &[Question]) -> Self {
        let is_chinese = |question: &&Question| {
            let mut answers = question.answers.iter();
            answers.any(|it| it.contains(|it| ('\u{4e00}'..='\u{9fa5}').contains(&it)))
        };
        match 2 * questions.iter().filter(is_chinese).count() > questions.len() {
            true => Self::Cmrc,
            false => Self::Squad,
        }
    }

    /// Name of the data set that defines the rules.
    pub fn name(self) -> &'static str {
        match self {
            Self::Squad => "SQuAD 1.1",
            Self::Cmrc => "CMRC 2018",
        }
    }

    /// Scores an answer against the right answers.
    pub fn score(self, text: String, answers: &[String]) -> ScoredAnswer {
        let (is_exact, f1) = match self {
            Self::Squad => (
                answer_exact_match(&text, answers),
                answer_f1(&text, answers),
            ),
            Self::Cmrc => (
                cmrc_exact_match(&text, answers),
                cmrc_f1(&text, answers, words_and_marks),
            ),
        };
        ScoredAnswer { text, is_exact, f1 }
    }
}

/// Rules of a data set with free answers; `None` if answers are spans, which the rules of SQuAD and
/// CMRC score.
pub fn free_answers(format: ReadingFormat) -> Option<AnswerRules> {
    match format {
        ReadingFormat::Dureader => Some(AnswerRules::Dureader),
        ReadingFormat::Msmarco => Some(AnswerRules::Msmarco),
        ReadingFormat::Auto | ReadingFormat::Squad => None,
    }
}

impl Inference {
    /// Measures a reader: its loss on all questions whose answer has a place, and its answers to
    /// all questions. Also returns the answers with their scores. With `free_answers`, BLEU and
    /// ROUGE-L of the answers are measured too.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn evaluate_questions(
        &self,
        questions: &[Question],
        free_answers: Option<AnswerRules>,
        batch_size: usize,
    ) -> Result<(Validation, Vec<ScoredAnswer>), ExecutionError> {
        let [mut loss, mut accuracy] = [Running::default(); 2];
        let mut scored = vec![ScoredAnswer::default(); questions.len()];
        let rules = SpanRules::of(questions);
        for indices in by_length(questions).chunks(batch_size.max(1)) {
            let asked: Vec<&Question> = indices.iter().map(|&at| &questions[at]).collect();
            let Some(reader) = self.model.reader() else {
                break;
            };
            let (batch, places) = pad(&asked, self.tokenizer.reads_characters());
            let output = reader.forward(&batch, &self.device);
            let placed: Vec<usize> = (0..asked.len())
                .filter(|&at| asked[at].target.is_some())
                .collect();
            if !placed.is_empty() {
                let targets: Vec<[usize; 2]> = placed.iter().map(|&at| batch.targets[at]).collect();
                let rows = output.rows(&placed, &self.device);
                let right = correct_ends(&rows, &targets, &self.device);
                let mean = span_loss(rows, &targets, &self.device);
                let [mean, right] = read([mean, right]).await?;
                loss.add_mean(mean, placed.len() as u64);
                accuracy.add(right, 2 * placed.len() as u64);
            }
            let found = self
                .answers_of(output.log_probabilities, places, &asked, 1)
                .await?;
            for (&at, found) in indices.iter().zip(found) {
                let best = found.answers.into_iter().next();
                let text = best.map_or_else(String::new, |it| it.text);
                scored[at] = rules.score(text, &questions[at].answers);
            }
        }
        let mean = loss.mean().unwrap_or(0.0);
        let count = questions.len().max(1) as f64;
        let exact = scored.iter().filter(|it| it.is_exact).count();
        let free = free_answers.and_then(|rules| free_scores(rules, questions, &scored));
        let validation = Validation {
            step: self.step,
            loss: mean,
            perplexity: perplexity(mean),
            accuracy: accuracy.mean().unwrap_or(0.0),
            exact_match: exact as f64 / count,
            decoded: questions.len(),
            scores: Scores::Answers {
                f1: scored.iter().map(|it| it.f1).sum::<f64>() / count,
                free,
            },
            ..Validation::default()
        };
        Ok((validation, scored))
    }
}

/// Measures a reader on held-out questions.
pub(crate) async fn evaluate(
    inference: &Inference,
    held_out: HeldOut<'_>,
    batch_size: usize,
) -> Result<Validation, ExecutionError> {
    let (questions, free) = (held_out.questions(), held_out.free_answers());
    let measured = inference.evaluate_questions(questions, free, batch_size);
    Ok(measured.await?.0)
}

/// Computes BLEU-1, BLEU-4 and ROUGE-L of free answers; `None` if the rules leave out all
/// questions.
fn free_scores(
    rules: AnswerRules,
    questions: &[Question],
    scored: &[ScoredAnswer],
) -> Option<FreeScores> {
    let mut measure = AnswerMeasure::new(rules, words_and_marks);
    for (question, scored) in questions.iter().zip(scored) {
        measure.add(&scored.text, &question.answers);
    }
    match measure.scores()? {
        AnswerScores::Free { bleu, rouge_l } => Some(FreeScores {
            bleu_1: bleu[0],
            bleu_4: bleu[3],
            rouge_l,
        }),
        AnswerScores::Spans { .. } => None,
    }
}

/// Sorts questions by length, so that batches have little padding. Returns their indices.
fn by_length(questions: &[Question]) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..questions.len()).collect();
    indices.sort_by_key(|&at| {
        let question = &questions[at];
        let read = question.longest_passage() * question.passages.len();
        (read, question.question.len())
    });
    indices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_scored_by_the_rules_of_their_language() {
        let answers =
            |all: &[&str]| -> Vec<String> { all.iter().map(|&it| it.to_owned()).collect() };
        let squad =
            |text: &str, all: &[&str]| SpanRules::Squad.score(text.to_owned(), &answers(all));
        assert!(squad("the red ball!", &["cube", "Red ball"]).is_exact);
        assert_eq!(squad("red cube", &["ball", "red ball"]).f1, 0.5);
        assert_eq!(squad("", &["ball"]).f1, 0.0);
        let cmrc = |text: &str, all: &[&str]| SpanRules::Cmrc.score(text.to_owned(), &answers(all));
        assert!(cmrc("《红楼梦》", &["红楼梦"]).is_exact);
        assert_eq!(cmrc("红楼", &["红楼梦"]).f1, 0.8);
    }
}
