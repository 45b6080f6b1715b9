//! A run of `--continue` that has taken all its steps: checks that it is the run asked for.

use std::path::Path;

use strata_session::protocol::Command;
use strata_training::Checkpoint;

use super::arguments::TrainArguments;
use super::open;
use crate::base::error::Error;
use crate::model::experiment::{ExperimentArguments, asked_for};
use crate::run::moved;
use crate::run::origin::{Origin, of_settings, refuse};
use crate::run::processes::Processes;
use crate::run::resume;
use crate::run::run_folder::{RunFolder, read_last};

/// Compares settings, data and program of a finished run with those asked for.
///
/// # Errors
/// If they differ, or the data are not found.
pub fn check(arguments: &TrainArguments, processes: &Processes) -> Result<(), Error> {
    let Some(folder) = arguments.out.as_deref().and_then(RunFolder::at) else {
        return Ok(());
    };
    let Some((file, bytes)) = read_last(&folder)? else {
        return Ok(());
    };
    let checkpoint = Checkpoint::open(&bytes).map_err(Error::checkpoint(&file))?;
    let there = checkpoint.experiment();
    let mut asked = asked_for(there, &arguments.experiment)?;
    // A larger command has compared the settings itself, since they change from part to part.
    let settings = if arguments.is_part {
        Vec::new()
    } else {
        of_settings(there, &asked, false)
    };
    let typed = &arguments.experiment.overrides;
    let found = moved::find(&mut asked.task, typed, Some(&folder), resume::SAY_WHERE);
    if found.is_err() && !names_data(&arguments.experiment) {
        // The user names no data, and a finished run no longer needs them.
        return refuse(folder.path(), settings);
    }
    found?;
    let Some(origin) = Origin::read(&folder) else {
        refuse(folder.path(), settings)?;
        let checkpoint = checkpoint.going_on_as(&asked);
        return reads_the_same(arguments, processes, &file, checkpoint);
    };
    let others = origin.differences(&asked.task)?;
    refuse(folder.path(), [settings, others].concat())
}

/// True if the arguments say where the data are.
fn names_data(asked: &ExperimentArguments) -> bool {
    let ExperimentArguments {
        preset,
        from_url,
        config,
        overrides,
    } = asked;
    preset.is_some()
        || from_url.is_some()
        || config.is_some()
        || overrides
            .iter()
            .any(|it| it.trim_start().starts_with("task."))
}

/// Compares data by their tokens, for a checkpoint of an earlier program, which recorded no
/// digests.
fn reads_the_same(
    arguments: &TrainArguments,
    processes: &Processes,
    file: &Path,
    checkpoint: Vec<u8>,
) -> Result<(), Error> {
    let loaded = open(
        arguments,
        processes,
        Command::Restore { checkpoint },
        Some(file),
    );
    loaded.map(drop).map_err(Error::Session)
}
