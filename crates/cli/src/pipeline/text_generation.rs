//! Text generation: a language model continues a text.
//!
//! - here: what `train` and `translate` say
//! - `eval`: what `eval` measures; `floors`: count models

mod eval;
mod floors;

use burn::tensor::ExecutionError;
use pollster::block_on;
use strata_session::protocol::Validation;
use strata_training::{Encoded, Tokenizer, Trainer};

use super::arguments::translate::TranslateArguments;
use super::evaluation::{EvalRequest, Measured};
use super::generation::{Cutting, Generation};
use super::{KnownTokens, LearnedBefore, PipelineCommands, SAMPLES};
use crate::base::error::Error;
use crate::display::figures;
use crate::display::format::{grouped, path as shown};
use crate::display::summary::Usage;
use crate::model::search::Bounds;

/// Continuation of texts by a language model.
pub struct TextGeneration;

impl PipelineCommands for TextGeneration {
    fn examples(&self, count: usize) -> &'static str {
        if count == 1 {
            "segment of text"
        } else {
            "segments of text"
        }
    }

    fn known_tokens(&self, _source: KnownTokens, target: KnownTokens) -> String {
        format!("{target} tokens")
    }

    fn learned_before(&self, learned: LearnedBefore<'_>) -> String {
        let [count, all] = [learned.learned, learned.all].map(|count| grouped(count as u64));
        format!(
            "{} has learned {count} of the {all} lines of the held-out text that are long enough to \
             be known again: what is measured on them is what it has by heart.",
            shown(learned.model)
        )
    }

    fn validation(&self, validation: &Validation) -> String {
        format!("Held-out text: {}.", figures::of(validation, None))
    }

    fn samples(&self, trainer: &Trainer) -> Result<String, ExecutionError> {
        let held_out = trainer.held_out();
        let examples = 0..SAMPLES.min(held_out.examples().len());
        let beginnings: Vec<Encoded> = examples.map(|at| held_out.prompt(at)).collect();
        let continuations = block_on(trainer.inference().translate_all(&beginnings))?;
        let mut text = "Held-out lines, begun and written on:".to_owned();
        for (at, continuation) in continuations.iter().enumerate() {
            text += &format!("\n  begun    {}", held_out.prompt_text(at));
            text += &format!("\n  written  {}", continuation.text);
        }
        Ok(text)
    }

    fn usage(&self, trainer: &Trainer) -> Usage {
        Usage {
            invitation: "Let it write on",
            command: "translate".to_owned(),
            option: "",
            text: trainer.held_out().prompt_text(0),
        }
    }

    fn evaluate(&self, request: &EvalRequest<'_>) -> Result<Vec<Measured>, Error> {
        request.refuse_poems()?;
        eval::check(request)?;
        request.chosen.tell();
        eval::measure(request)
    }

    fn generation(&self) -> &'static dyn Generation {
        &Self
    }

    fn exported_arguments(&self) -> &'static [&'static str] {
        &["TEXT"]
    }
}

impl Generation for TextGeneration {
    fn invitation(&self) -> &'static str {
        "Type how a text begins and press Enter; Ctrl-D ends."
    }

    fn cutting(&self) -> Cutting {
        Cutting {
            done: "written on",
            kept: "last",
        }
    }

    fn set_ends(&self, arguments: &TranslateArguments, bounds: &mut Bounds) -> Result<(), Error> {
        if !arguments.past_lines && arguments.stop.is_empty() {
            return Ok(());
        }
        let refused = |sentence: &str| Err(Error::Search(sentence.to_owned()));
        let stops = arguments.stop.iter().map(|stop| stop.replace("\\n", "\n"));
        bounds.stops = stops.collect();
        if bounds.stops.iter().any(String::is_empty) {
            return refused("`--stop` needs a text at which to stop");
        }
        if !bounds.stops.is_empty() && bounds.constraints.minimum_length > 0 {
            return refused(
                "`--stop` ends a text wherever it stands, however long `--min-length` asks it to \
                 be; leave out one of them",
            );
        }
        if arguments.past_lines && bounds.constraints.minimum_length > 0 {
            return refused(
                "`--past-lines` writes as many tokens as `--limit` says; leave out `--min-length`",
            );
        }
        bounds.constraints.past_ends = arguments.past_lines;
        Ok(())
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

    fn counts_beginning(&self) -> bool {
        true
    }

    fn loss_in_tokens(
        &self,
        tokenizer: &Tokenizer,
        text: &str,
        encoded: &Encoded,
    ) -> Option<String> {
        let read = tokenizer.joined_target(&encoded.tokens, &encoded.ids);
        (read != text).then(|| {
            format!(
                "warning: the beginning is read as {read:?}: the tokens of this model hold no more \
                 of its spaces and letters."
            )
        })
    }
}

/// Returns the refusal of `--prefix` by a model that does not translate.
pub(super) fn no_prefix() -> Error {
    Error::Search(
        "`--prefix` is for a model that translates; a language model goes on from its TEXT"
            .to_owned(),
    )
}
