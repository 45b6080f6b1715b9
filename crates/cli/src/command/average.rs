//! `strata average`: averages several checkpoints into one model.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use strata_training::{Average, Checkpoint, CheckpointError};

use crate::base::error::Error;
use crate::base::output_file;
use crate::display::format::{counted, path as shown, program};
use crate::model::checkpoint_file;
use crate::run::origin::Origin;
use crate::run::run_folder::{RunFolder, best_in, best_of};

#[derive(Args, Debug)]
pub struct AverageArguments {
    /// Write the average into this file, which must not be there yet.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Checkpoints, or the folder of a run: the checkpoints of its best validations, which
    /// `training.keep_best` keeps.
    #[arg(value_name = "CHECKPOINT", required = true)]
    pub checkpoints: Vec<PathBuf>,
}

/// Averages the checkpoints, and prints the path of the model.
pub fn run(arguments: &AverageArguments) -> Result<ExitCode, Error> {
    let out = &arguments.out;
    if out.is_file() {
        return Err(Error::Exists { path: out.clone() });
    }
    output_file::check(out, "average", "--out")?;
    let files = files(&arguments.checkpoints)?;
    check_beginnings(&files)?;
    let mut average: Option<Average> = None;
    // One after the other: all checkpoints together may not fit into memory.
    for path in files {
        let bytes = checkpoint_file::read(&path)?;
        let checkpoint = Checkpoint::open(&bytes).map_err(Error::checkpoint(&path))?;
        match &mut average {
            None => average = Some(Average::new(&checkpoint).map_err(Error::checkpoint(&path))?),
            Some(average) => average.add(&checkpoint).map_err(Error::checkpoint(&path))?,
        }
    }
    let average = average.expect("the command line asks for a checkpoint");
    let steps: Vec<String> = average.steps().iter().map(u64::to_string).collect();
    output_file::write(out, &average.file())
        .map_err(output_file::unwritable(out, "average", "--out"))?;
    let sentence = format!(
        "The average of {} (of {} {}) lies in {}. Measure it:\n  {} eval --model {}",
        counted(steps.len() as u64, "checkpoint"),
        if steps.len() == 1 {
            "step"
        } else {
            "the steps"
        },
        steps.join(", "),
        shown(out),
        program(),
        shown(out),
    );
    output_file::tell(out, &sentence);
    Ok(ExitCode::SUCCESS)
}

/// Refuses checkpoints in the folders of runs that began with other parameters than the run of the
/// first one (`--from`), as far as that is known.
fn check_beginnings(files: &[PathBuf]) -> Result<(), Error> {
    let beginning = |path: &PathBuf| {
        let origin = RunFolder::around(path).as_ref().and_then(Origin::read);
        origin.and_then(|it| it.began_from().map(str::to_owned))
    };
    let mut known = files
        .iter()
        .filter_map(|path| Some((path, beginning(path)?)));
    let Some((_, first)) = known.next() else {
        return Ok(());
    };
    match known.find(|(_, other)| *other != first) {
        None => Ok(()),
        Some((path, _)) => Err(Error::checkpoint(path)(
            CheckpointError::of_other_beginning(),
        )),
    }
}

/// Returns the checkpoints to average; a folder stands for the best checkpoints of its run.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut best = best_of(path).map_err(Error::reading(path))?;
        best.extend(best_in(path).map_err(Error::reading(path))?);
        if best.is_empty() {
            return Err(Error::NothingKept { path: path.clone() });
        }
        files.extend(best);
    }
    Ok(files)
}
