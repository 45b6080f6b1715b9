//! `strata poem`: a quatrain about a text, by a model of the task `poems`.

use std::process::ExitCode;

use crate::base::error::Error;
use crate::pipeline;

pub use crate::pipeline::arguments::poem::PoemArguments;

/// Opens the model, plans a poem and writes the poem.
pub fn run(arguments: &PoemArguments) -> Result<ExitCode, Error> {
    // Before the model is opened, which may take long.
    let search = arguments.search()?;
    let inference = arguments.model.open()?;
    pipeline::of(inference.tokenizer().pipeline()).poem(arguments, search, &inference)
}
