//! `strata answer`: questions about passages, answered by a reader.

use std::process::ExitCode;

use crate::base::error::Error;
use crate::base::files;
use crate::model::chosen;
use crate::pipeline;

pub use crate::pipeline::arguments::answer::AnswerArguments;

/// Opens the model, and answers questions.
pub fn run(arguments: &AnswerArguments) -> Result<ExitCode, Error> {
    let chosen = chosen::read(&arguments.model.model)?;
    let mut read = vec![arguments.model.model.as_path(), chosen.path.as_path()];
    read.extend(arguments.passage.iter().map(|path| path.as_path()));
    read.extend(arguments.questions.as_deref());
    files::not_printed_onto(&read)?;
    for (path, option) in [
        (&arguments.attention, "--attention"),
        (&arguments.output, "--output"),
    ] {
        if let Some(path) = path {
            files::not_onto(path, option, &read)?;
        }
    }
    let (device, _) = arguments.model.device.open()?;
    let changed = arguments.model.changed(&chosen)?;
    let inference = changed.open(&chosen.path, &chosen.bytes, &device)?;
    let inference = match arguments.longest {
        Some(longest) => inference.with_longest_answer(longest),
        None => inference,
    };
    pipeline::of(inference.tokenizer().pipeline()).answer(arguments, &inference, &chosen)
}
