//! Translation: pairs of a source and a target.
//!
//! - here: what `train` and `translate` say
//! - `eval`: what `eval` measures, on `sentences`, which are `decoded`, and on `cases`;
//!   `n_best`: how much translations differ; `floors`: count models

mod cases;
mod decoded;
pub(super) mod eval;
mod floors;
mod n_best;
mod sentences;

use burn::tensor::ExecutionError;
use pollster::block_on;
use strata_session::protocol::Validation;
use strata_training::{Encoded, Metric, Tokenizer, Trainer};

use super::arguments::translate::TranslateArguments;
use super::evaluation::{EvalRequest, Measured};
use super::generation::{Cutting, Generation, listed};
use super::{KnownTokens, LearnedBefore, PipelineCommands, SAMPLES};
use crate::base::error::Error;
use crate::base::output::warn;
use crate::display::figures;
use crate::display::format::{grouped, path as shown, percent};
use crate::display::summary::Usage;
use crate::model::search::Bounds;

/// Translation of sequences into sequences.
pub struct Translation;

impl PipelineCommands for Translation {
    fn examples(&self, count: usize) -> &'static str {
        if count == 1 {
            "sentence pair"
        } else {
            "sentence pairs"
        }
    }

    fn known_tokens(&self, source: KnownTokens, target: KnownTokens) -> String {
        format!("{source} source and {target} target tokens")
    }

    fn learned_before(&self, learned: LearnedBefore<'_>) -> String {
        let [count, all] = [learned.learned, learned.all].map(|count| grouped(count as u64));
        format!(
            "{count} of {all} held-out pairs are left out: {} has learned them.",
            shown(learned.model)
        )
    }

    fn validation(&self, validation: &Validation) -> String {
        let figures = figures::of(validation, Some(Metric::ExactMatch));
        match Metric::ExactMatch.of(validation) {
            Some(exact) => format!(
                "Held-out sentences: {} of {} are translated exactly; {figures}.",
                percent(exact),
                validation.decoded
            ),
            None => format!("Held-out sentences: {figures}."),
        }
    }

    fn samples(&self, trainer: &Trainer) -> Result<String, ExecutionError> {
        let held_out = trainer.held_out();
        let examples = 0..SAMPLES.min(held_out.examples().len());
        let sources: Vec<Encoded> = examples.map(|at| held_out.prompt(at)).collect();
        let translations = block_on(trainer.inference().translate_all(&sources))?;
        let mut text = "Sample translations of held-out sentences:".to_owned();
        for (at, translation) in translations.iter().enumerate() {
            let is_right = held_out.is_right(at, &translation.ids);
            let verdict = if is_right { "right" } else { "wrong" };
            text += &format!("\n  {verdict}  source     {}", held_out.source(at));
            text += &format!("\n         output     {}", translation.text);
            if !is_right {
                text += &format!("\n         reference  {}", held_out.target(at));
            }
        }
        Ok(text)
    }

    fn usage(&self, trainer: &Trainer) -> Usage {
        Usage {
            invitation: "Translate with it",
            command: "translate".to_owned(),
            option: "",
            text: trainer.held_out().prompt_text(0),
        }
    }

    fn evaluate(&self, request: &EvalRequest<'_>) -> Result<Vec<Measured>, Error> {
        request.refuse_poems()?;
        eval::measure(request, None).map(|measured| vec![measured])
    }
}

impl Generation for Translation {
    fn invitation(&self) -> &'static str {
        "Type a sentence and press Enter; Ctrl-D ends."
    }

    fn cutting(&self) -> Cutting {
        Cutting {
            done: "translated",
            kept: "first",
        }
    }

    fn set_ends(&self, arguments: &TranslateArguments, _bounds: &mut Bounds) -> Result<(), Error> {
        let option = if arguments.past_lines {
            "--past-lines"
        } else if !arguments.stop.is_empty() {
            "--stop"
        } else {
            return Ok(());
        };
        Err(Error::Search(format!(
            "`{option}` is for a language model, and this one translates; leave it out"
        )))
    }

    fn set_prefix(
        &self,
        arguments: &TranslateArguments,
        tokenizer: &Tokenizer,
        bounds: &mut Bounds,
    ) -> Result<(), Error> {
        let Some(text) = &arguments.prefix else {
            return Ok(());
        };
        let prefix = tokenizer.encode_prefix(text);
        let tokens = prefix.ids.len();
        if tokens == 0 {
            return Err(Error::Search(
                "`--prefix` needs a text to begin with".to_owned(),
            ));
        }
        let limit = bounds.limit.unwrap_or(usize::MAX);
        let most = limit.min(tokenizer.longest_target());
        if tokens > most {
            let advice = if bounds.limit.is_some() {
                ", or raise `--limit`"
            } else {
                ""
            };
            return Err(Error::Search(format!(
                "`--prefix` has {tokens} tokens, but at most {most} are written; shorten it{advice}"
            )));
        }
        if !prefix.unknown.is_empty() {
            warn(&format!(
                "warning: the model does not know {} of `--prefix`, and goes on from `<unk>`.",
                listed(&prefix.unknown)
            ));
        }
        bounds.prefix = Some(prefix);
        Ok(())
    }
}
