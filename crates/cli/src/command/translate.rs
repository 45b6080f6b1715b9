//! `strata translate`: translates or continues texts, or standard input line by line.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::base::error::Error;
use crate::base::files;
use crate::base::peak_memory;
use crate::model::search;
use crate::pipeline::{self, generation};

pub use crate::pipeline::arguments::translate::TranslateArguments;

/// Opens the model, and translates the given texts, or standard input.
pub fn run(arguments: &TranslateArguments) -> Result<ExitCode, Error> {
    let search = search::read(&arguments.search, arguments.nbest)?;
    if arguments.past_lines && arguments.text.is_empty() {
        return Err(Error::Search(
            "`--past-lines` writes several lines, where each line of standard input has one; give \
             the beginning as an argument (\"\" for none)"
                .to_owned(),
        ));
    }
    let models = arguments.model.paths();
    let models: Vec<&Path> = models.iter().map(PathBuf::as_path).collect();
    files::not_printed_onto(&models)?;
    if let Some(attention) = &arguments.attention {
        files::not_onto(attention, "--attention", &models)?;
    }
    if arguments.search.beam.is_some() {
        peak_memory::advise("`--beam`".to_owned());
    }
    let inference = arguments.model.open()?;
    let kind = pipeline::of(inference.tokenizer().pipeline());
    generation::run(arguments, search, inference, kind.generation())
}
