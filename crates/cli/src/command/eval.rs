//! `strata eval`: measures a model on the held-out examples of the model's run, or on files.

mod alignment;
mod table;

use std::path::Path;
use std::process::ExitCode;

use strata_training::Checkpoint;

use crate::base::error::Error;
use crate::base::files;
use crate::base::output_file;
use crate::display::format::shortened;
use crate::model::changed::{self, Changed, Setting};
use crate::model::chosen::{self, Chosen};
use crate::model::search;
use crate::pipeline;
use crate::pipeline::evaluation::{EvalRequest, Measured, refuse_decoding};
use crate::run::moved;

pub use crate::pipeline::arguments::eval::EvalArguments;

/// Measures a model, and prints the results.
pub fn run(arguments: &EvalArguments) -> Result<ExitCode, Error> {
    if let Some(gold) = &arguments.alignment {
        refuse_decoding(arguments, "attention is looked at, and nothing is written")?;
        return alignment::run(&arguments.model.open()?, gold, arguments.json);
    }
    let rows = changed::rows(&arguments.model.set)?;
    if rows.len() > 1 {
        return table::run(arguments, &rows);
    }
    for measured in measure(arguments)? {
        measured.print(arguments.json);
    }
    Ok(ExitCode::SUCCESS)
}

/// Measures a model on its held-out examples, or on files; a language model may be measured on
/// several texts.
///
/// # Errors
/// If the options contradict each other or the model, or a file cannot be used.
pub fn measure(arguments: &EvalArguments) -> Result<Vec<Measured>, Error> {
    let mut rows = changed::rows(&arguments.model.set)?;
    measure_with(arguments, &rows.pop().unwrap_or_default())
}

/// Measures a model with these settings changed.
fn measure_with(arguments: &EvalArguments, set: &[Setting]) -> Result<Vec<Measured>, Error> {
    if arguments.nbest.is_some_and(|outputs| outputs > 1) && arguments.search.beam.is_none() {
        return Err(Error::Search(
            "`--nbest` measures the translations of a beam; give `--beam N` as well".to_owned(),
        ));
    }
    let search = search::read(&arguments.search, arguments.nbest)?;
    let bounds = search::bounds(&arguments.search)?;
    let mut chosen = chosen::read(&arguments.model.paths()[0])?;
    let changed = {
        let checkpoint =
            Checkpoint::open(&chosen.bytes).map_err(Error::checkpoint(&chosen.path))?;
        Changed::of(set, checkpoint.experiment())?
    };
    let bytes = with_paths_now(&mut chosen, arguments)?;
    let bytes = changed.checkpoint(&chosen.path, bytes)?;
    let checkpoint = Checkpoint::open(&bytes).map_err(Error::checkpoint(&chosen.path))?;
    if let Some(output) = &arguments.output {
        check_output(output, arguments, &chosen, &checkpoint)?;
    }
    if changed.is_of_task() && arguments.source.is_some() {
        return Err(Error::Session(
            "`--set task.…` measures on other data of the task, and `--source` on a file; leave out one of \
             the two"
                .to_owned(),
        ));
    }
    let kind = pipeline::of(checkpoint.experiment().task.pipeline());
    kind.evaluate(&EvalRequest {
        arguments,
        search,
        bounds,
        models: arguments.model.paths(),
        chosen: &chosen,
        bytes: &bytes,
        checkpoint,
        changed,
    })
}

/// Takes the bytes of a checkpoint, and returns them with the paths at which its data are now.
fn with_paths_now(chosen: &mut Chosen, arguments: &EvalArguments) -> Result<Vec<u8>, Error> {
    let bytes = std::mem::take(&mut chosen.bytes);
    if arguments.source.is_none() {
        // The model is measured on its own data, which may have moved since training.
        let advice = "measure it on files by `--source` and `--target`, or say where its data lie \
                      now, for example `task.source=…`";
        return moved::found(&chosen.path, bytes, &arguments.overrides, advice);
    }
    match arguments.overrides.first() {
        None => Ok(bytes),
        Some(typed) => Err(Error::Session(format!(
            "`{}` is a setting of the model's own data, and `--source` measures another file; leave out \
             one of the two",
            shortened(typed)
        ))),
    }
}

/// Refuses an output that cannot be written, before anything is computed.
fn check_output(
    output: &Path,
    arguments: &EvalArguments,
    chosen: &Chosen,
    checkpoint: &Checkpoint<'_>,
) -> Result<(), Error> {
    let files = [arguments.source.as_deref(), arguments.target.as_deref()];
    let mut read = checkpoint.experiment().task.paths();
    read.extend(files.into_iter().flatten().chain([chosen.path.as_path()]));
    files::not_onto(output, "--output", &read)?;
    output_file::check(output, "translations", "--output")
}
