//! Poetry: Chinese quatrains, line by line from keywords and the lines before.
//!
//! - here: what `train` says
//! - `poem`: `strata poem`, which prints by `print`; `eval`: what `eval --poems` measures,
//!   shown by `table`, and the poems about its `cases`

mod cases;
mod eval;
mod poem;
mod print;
pub mod table;

use std::process::ExitCode;

use burn::tensor::ExecutionError;
use pollster::block_on;
use strata_models::Search;
use strata_poems::{Poem, Word};
use strata_session::protocol::Validation;
use strata_training::{Distinct, Inference, PoemPrompt, Trainer};

use super::arguments::poem::PoemArguments;
use super::evaluation::{EvalRequest, Measured};
use super::translation::{self, Translation};
use super::{KnownTokens, LearnedBefore, PipelineCommands};
use crate::base::error::Error;
use crate::display::summary::Usage;

/// Composition of quatrains. The lines of poems are pairs, of which the commands speak as of
/// sentence pairs.
pub struct Poetry;

impl PipelineCommands for Poetry {
    fn examples(&self, count: usize) -> &'static str {
        Translation.examples(count)
    }

    fn known_tokens(&self, source: KnownTokens, target: KnownTokens) -> String {
        Translation.known_tokens(source, target)
    }

    fn learned_before(&self, learned: LearnedBefore<'_>) -> String {
        Translation.learned_before(learned)
    }

    fn validation(&self, validation: &Validation) -> String {
        Translation.validation(validation)
    }

    /// Returns a poem by the keywords of a held-out poem, or from its first line.
    fn samples(&self, trainer: &Trainer) -> Result<String, ExecutionError> {
        let Some(HeldOutPoem { poem, keywords }) = HeldOutPoem::of(trainer) else {
            return Ok(String::new());
        };
        let mut text = if keywords.is_empty() {
            "A poem from the first line of a held-out one:".to_owned()
        } else {
            let keywords: Vec<String> = keywords.iter().map(Word::to_string).collect();
            format!(
                "A poem by the keywords of a held-out one, {}:",
                keywords.join(", ")
            )
        };
        let first = poem.line(0).to_vec();
        let prompt = PoemPrompt {
            length: poem.length(),
            given: if keywords.is_empty() {
                vec![first]
            } else {
                Vec::new()
            },
            keywords,
            begun: Vec::new(),
            acrostic: Vec::new(),
            search: Search::Greedy,
            distinct: Distinct::Line,
        };
        let lines = block_on(trainer.inference().write_poem(&prompt))?;
        for line in lines.unwrap_or_default() {
            text += &format!("\n  {}", line.characters.iter().collect::<String>());
        }
        Ok(text)
    }

    fn usage(&self, trainer: &Trainer) -> Usage {
        let Some(HeldOutPoem { poem, keywords }) = HeldOutPoem::of(trainer) else {
            return Translation.usage(trainer);
        };
        let length = if poem.length() == 5 {
            " --length 5"
        } else {
            ""
        };
        Usage {
            invitation: "Let it write poems",
            command: format!("poem{length}"),
            // A model without keywords continues from a first line.
            option: if keywords.is_empty() { "--first " } else { "" },
            text: poem.line(0).iter().collect(),
        }
    }

    fn evaluate(&self, request: &EvalRequest<'_>) -> Result<Vec<Measured>, Error> {
        let measured = if request.arguments.poems {
            request.check_poems()?;
            request.chosen.tell();
            eval::measure(request)?
        } else {
            if !request.arguments.cases.is_empty() {
                return Err(Error::Poetry(
                    "`--case` is for a model that translates; with `--poems` it writes a poem about \
                     a text, as `strata poem` does"
                        .to_owned(),
                ));
            }
            let remark = "Loss and perplexity count the ends of lines, which are nearly certain, \
                          too; `--poems` measures the characters alone.";
            translation::eval::measure(request, Some(remark))?
        };
        Ok(vec![measured])
    }

    fn poem(
        &self,
        arguments: &PoemArguments,
        search: Search,
        inference: &Inference,
    ) -> Result<ExitCode, Error> {
        poem::run(arguments, search, inference)
    }
}

/// The first held-out poem.
struct HeldOutPoem<'a> {
    poem: &'a Poem,
    /// Keywords of the lines; empty if the model reads none.
    keywords: Vec<Word>,
}

impl<'a> HeldOutPoem<'a> {
    /// Returns the first held-out poem; `None` if there is no poem with a keyword for each line.
    fn of(trainer: &'a Trainer) -> Option<Self> {
        let poems = trainer.poems()?;
        let poem = poems.collection.validation.first()?;
        let keywords = if trainer.tokenizer().reads_keywords() == Some(false) {
            Vec::new()
        } else {
            let keywords = poem.lines().map(|line| poems.finder.keyword(line));
            keywords.collect::<Option<_>>()?
        };
        Some(Self { poem, keywords })
    }
}

/// Returns the refusal of `strata poem` for a model that plans no poems.
pub(super) fn no_planner() -> Error {
    Error::Poetry(
        "this model plans no poems; train one with `--preset ppg` (or `ppg_smoke`) and \
         `task.source=FILE`"
            .to_owned(),
    )
}
