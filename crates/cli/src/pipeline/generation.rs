//! Writes translations and continuations, as `strata translate` asks.
//!
//! - here: [`Generation`], the differences between translating a text and continuing a text
//! - `decoding`: translations of many sources; `replace_unknown`: source words for `<unk>`
//! - `lines`: standard input line by line; `too_long`: lines with more tokens than the model reads;
//!   `output`: prints the results

pub mod decoding;
mod lines;
mod output;
pub mod replace_unknown;
mod too_long;

use std::fmt::Display;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use strata_models::Search;
use strata_text::TextReader;
use strata_training::{Encoded, Inference, Tokenizer};

use crate::base::error::Error;
use crate::base::output::warn;
use crate::model::attention_file::AttentionFile;
use crate::model::search::{self, Bounds};
use crate::pipeline::arguments::translate::{TooLong, TranslateArguments};
use output::Output;
use too_long::{LongLines, TooLongWords};

/// Number of batches that are read before the first is translated, so that lines of similar length
/// can be batched, and all threads have batches.
const BATCHES_AT_ONCE: usize = 8;

/// Differences between translating a text and continuing a text.
pub trait Generation: Sync {
    /// Returns the sentence that invites a user to type.
    fn invitation(&self) -> &'static str;

    /// Returns what is done with a text, and the tokens that are kept of a text that is too long:
    /// `translated` and `first`.
    fn cutting(&self) -> Cutting;

    /// Sets the bounds of `--past-lines` and `--stop`.
    ///
    /// # Errors
    /// If the model has no such bounds, or the options contradict each other.
    fn set_ends(&self, arguments: &TranslateArguments, bounds: &mut Bounds) -> Result<(), Error>;

    /// Sets the beginning of all outputs, `--prefix`.
    ///
    /// # Errors
    /// If the model takes no prefix, or the prefix is too long.
    fn set_prefix(
        &self,
        arguments: &TranslateArguments,
        tokenizer: &Tokenizer,
        bounds: &mut Bounds,
    ) -> Result<(), Error>;

    /// True if `--limit` counts the tokens of the text, with which the output begins.
    fn counts_beginning(&self) -> bool {
        false
    }

    /// Returns a warning if the tokens of a text lack a part of the text that the output begins with.
    fn loss_in_tokens(
        &self,
        _tokenizer: &Tokenizer,
        _text: &str,
        _encoded: &Encoded,
    ) -> Option<String> {
        None
    }
}

/// Verb for the use of a text, and the end of the text that is kept if there are too many tokens.
pub struct Cutting {
    /// Participle of what is done with a text: `translated`.
    pub done: &'static str,
    /// Tokens that are kept: `first` or `last`.
    pub kept: &'static str,
}

/// Translates or continues the text of the arguments, or standard input line by line.
///
/// # Errors
/// If the options contradict each other or the model, a text cannot be read or translated, or the
/// device fails.
pub fn run(
    arguments: &TranslateArguments,
    search: Search,
    inference: Inference,
    generation: &'static dyn Generation,
) -> Result<ExitCode, Error> {
    let mut bounds = search::bounds(&arguments.search)?;
    generation.set_ends(arguments, &mut bounds)?;
    bounds.check(inference.tokenizer())?;
    generation.set_prefix(arguments, inference.tokenizer(), &mut bounds)?;
    if bounds.replace_unknown {
        replace_unknown::check(&inference)?;
    }
    let attention = arguments.attention.as_deref().map(AttentionFile::create);
    let mut output = Output {
        generation,
        inference,
        search,
        bounds,
        numbered: arguments.nbest.is_some(),
        scored: arguments.scores,
        attention: attention.transpose()?,
        lines: 0,
        has_warned_of_loss: false,
        long: LongLines::new(arguments.too_long),
        short: 0,
        written: Ok(()),
    };
    if arguments.text.is_empty() {
        translate_input(&mut output)?;
    } else {
        translate_text(&mut output, &arguments.text.join(" "), arguments.too_long)?;
    }
    output.end()
}

/// Translates standard input, at once what is typed, and a pipe in batches.
fn translate_input(output: &mut Output) -> Result<(), Error> {
    let input = io::stdin();
    let at_once = if input.is_terminal() {
        warn(output.generation.invitation());
        1
    } else {
        BATCHES_AT_ONCE * search::sentences_at_once(&output.search)
    };
    let input = TextReader::new("standard input", input.lock())?;
    lines::translate_lines(output, input, at_once)
}

/// Translates a text of the command line.
fn translate_text(output: &mut Output, text: &str, handling: Option<TooLong>) -> Result<(), Error> {
    let tokenizer = output.inference.tokenizer();
    let (encoded, surplus) = match handling {
        Some(TooLong::Cut) => tokenizer.encode_within(text)?,
        _ => (tokenizer.encode(text)?, 0),
    };
    let taken = encoded.ids.len();
    if let Some(limit) = output.limit_below(taken) {
        return Err(Error::Search(format!(
            "`--limit {limit}` is below the {taken} tokens that the text begins with, which \
             count; raise it"
        )));
    }
    if surplus == 0 {
        output.warn_of_loss(text, &encoded);
    } else {
        let TooLongWords {
            reason,
            kept,
            taken,
        } = TooLongWords::new(output.generation.cutting(), taken, surplus);
        warn(&format!("warning: {reason}; the {kept} {taken} are taken."));
    }
    output.translate(vec![Some(encoded)])
}

/// Writes words in back-ticks, with commas.
pub(super) fn listed<T: Display>(words: &[T]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}
