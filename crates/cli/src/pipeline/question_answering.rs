//! Question answering: a reader finds the answers to questions in passages.
//!
//! - here: what `train` says, and what `translate` refuses
//! - `answer`: `strata answer`; `questions`: files of questions
//! - `eval`: what `eval` measures, by `groups` of questions; `floors`: answers without a reader

mod answer;
mod eval;
mod floors;
mod groups;
mod questions;

use std::process::ExitCode;

use burn::tensor::ExecutionError;
use pollster::block_on;
use strata_session::protocol::Validation;
use strata_tasks::ReadingTokenizer;
use strata_training::{Inference, Metric, SpanRules, Tokenizer, Trainer};

use super::arguments::answer::AnswerArguments;
use super::arguments::translate::TranslateArguments;
use super::evaluation::{EvalRequest, Measured};
use super::generation::{Cutting, Generation};
use super::text_generation::no_prefix;
use super::translation::Translation;
use super::{KnownTokens, LearnedBefore, PipelineCommands, SAMPLES};
use crate::base::error::Error;
use crate::display::figures;
use crate::display::format::{grouped, path as shown, percent};
use crate::display::summary::Usage;
use crate::model::chosen::Chosen;
use crate::model::search::Bounds;

/// Extraction of answers from passages.
pub struct QuestionAnswering;

impl PipelineCommands for QuestionAnswering {
    fn examples(&self, count: usize) -> &'static str {
        if count == 1 { "question" } else { "questions" }
    }

    fn known_tokens(&self, source: KnownTokens, _target: KnownTokens) -> String {
        format!("{source} tokens")
    }

    fn learned_before(&self, learned: LearnedBefore<'_>) -> String {
        let [count, all] = [learned.learned, learned.all].map(|count| grouped(count as u64));
        format!(
            "{count} of {all} held-out questions are left out: {} has learned them, or their passages.",
            shown(learned.model)
        )
    }

    fn validation(&self, validation: &Validation) -> String {
        let figures = figures::of(validation, Some(Metric::ExactMatch));
        match Metric::ExactMatch.of(validation) {
            Some(exact) => format!(
                "Held-out questions: {} of {} are answered exactly; {figures}.",
                percent(exact),
                validation.decoded
            ),
            None => format!("Held-out questions: {figures}."),
        }
    }

    fn samples(&self, trainer: &Trainer) -> Result<String, ExecutionError> {
        let held_out = trainer.held_out().questions();
        let rules = SpanRules::of(held_out);
        let questions: Vec<_> = held_out.iter().take(SAMPLES).collect();
        let answered = block_on(trainer.inference().answer(&questions, 1))?;
        let mut text = "Answers to held-out questions:".to_owned();
        for (question, answered) in questions.iter().zip(answered) {
            let best = answered.answers.into_iter().next();
            let best = best.map_or_else(String::new, |answer| answer.text);
            let scored = rules.score(best, &question.answers);
            let verdict = if scored.is_exact { "right" } else { "wrong" };
            text += &format!("\n  {verdict}  question   {}", question.question.text());
            text += &format!("\n         answer     {}", scored.text);
            if !scored.is_exact {
                let reference = question.answers.first().map_or("", String::as_str);
                text += &format!("\n         reference  {reference}");
            }
        }
        Ok(text)
    }

    fn usage(&self, trainer: &Trainer) -> Usage {
        Usage {
            invitation: "Ask it",
            command: "answer --passage FILE".to_owned(),
            option: "",
            text: trainer.held_out().prompt_text(0),
        }
    }

    fn evaluate(&self, request: &EvalRequest<'_>) -> Result<Vec<Measured>, Error> {
        request.refuse_poems()?;
        eval::check(request)?;
        request.chosen.tell();
        eval::measure(request).map(|measured| vec![measured])
    }

    fn generation(&self) -> &'static dyn Generation {
        &Self
    }

    fn answer(
        &self,
        arguments: &AnswerArguments,
        inference: &Inference,
        chosen: &Chosen,
    ) -> Result<ExitCode, Error> {
        answer::run(arguments, inference, chosen)
    }

    /// Every file is needed: the words of a reader are those of its word vectors.
    fn files_not_needed(&self) -> &'static [&'static str] {
        &[]
    }

    fn exported_arguments(&self) -> &'static [&'static str] {
        &["QUESTION", "PASSAGE"]
    }
}

/// Returns the tokenizer of questions and passages.
fn reading(inference: &Inference) -> &ReadingTokenizer {
    let reading = inference.tokenizer().reading();
    reading.expect("every reader has a tokenizer of questions and passages")
}

/// A reader writes nothing: the reader's tokenizer refuses the first text with that message.
impl Generation for QuestionAnswering {
    fn invitation(&self) -> &'static str {
        Translation.invitation()
    }

    fn cutting(&self) -> Cutting {
        Translation.cutting()
    }

    fn set_ends(&self, arguments: &TranslateArguments, bounds: &mut Bounds) -> Result<(), Error> {
        Translation.set_ends(arguments, bounds)
    }

    fn set_prefix(
        &self,
        arguments: &TranslateArguments,
        _tokenizer: &Tokenizer,
        _bounds: &mut Bounds,
    ) -> Result<(), Error> {
        match arguments.prefix {
            Some(_) => Err(no_prefix()),
            None => Ok(()),
        }
    }
}
