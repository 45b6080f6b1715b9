//! `strata sweep`: one run for every combination of some settings, as commands for GNU parallel, a
//! SLURM array or a shell, or run here.

mod grid;
mod local;
mod planned;

pub use local::started_this;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use strata_settings::numeral::parse;
use strata_training::{Checkpoint, Experiment};

use crate::base::error::Error;
use crate::base::output::print;
use crate::display::format::typed;
use crate::model::experiment::{self, ExperimentArguments};
use crate::run::origin;
use crate::run::run_folder::{RunFolder, read_last};
use grid::{Axis, combinations};
use planned::Planned;

#[derive(Args, Debug)]
pub struct SweepArguments {
    #[command(flatten)]
    experiment: ExperimentArguments,
    /// A setting and the values that it takes in turn, `model.width=32,64`; several make every
    /// combination.
    #[arg(long, value_name = "key=a,b", required = true)]
    grid: Vec<String>,
    /// The folder for the runs, one in it for each, named by its values.
    #[arg(long, value_name = "FOLDER", default_value = "runs/sweep")]
    out: PathBuf,
    /// Run them here instead of printing their commands.
    #[arg(long)]
    run: bool,
    /// Run this many at a time.
    #[arg(long, value_name = "N", requires = "run", default_value_t = 1, value_parser = parse::whole::<usize>, allow_negative_numbers = true)]
    jobs: usize,
}

/// Prints a command for each run of the grid, or executes the runs.
pub fn run(arguments: &SweepArguments) -> Result<ExitCode, Error> {
    let axes: Vec<Axis> = arguments
        .grid
        .iter()
        .map(|it| Axis::read(it))
        .collect::<Result<_, _>>()?;
    let planned = plan(arguments, &axes)?;
    if arguments.run {
        // A folder that cannot be made would fail run by run.
        fs::create_dir_all(&arguments.out).map_err(Error::unwritable(&arguments.out))?;
        return local::run(&planned, arguments.jobs.max(1), &arguments.out);
    }
    for run in &planned {
        print(&typed(&run.arguments));
    }
    Ok(ExitCode::SUCCESS)
}

/// Plans all runs, and checks each: an invalid value, or a folder with another run, is refused
/// before the first run begins.
fn plan(arguments: &SweepArguments, axes: &[Axis]) -> Result<Vec<Planned>, Error> {
    let asked = &arguments.experiment;
    let mut planned = Vec::new();
    let mut known = HashMap::new();
    let runs = combinations(axes)?;
    for (values, name) in runs.iter().zip(grid::names(&runs)) {
        let overrides = [asked.overrides.clone(), values.clone()].concat();
        let experiment = experiment::read(&ExperimentArguments {
            overrides: overrides.clone(),
            ..asked.clone()
        })?;
        let whole = serde_json::to_string(&experiment).expect("an experiment is plain data");
        if let Some(other) = known.insert(whole, values) {
            return Err(Error::Session(format!(
                "`{}` and `{}` are one experiment, which would be run twice; name one of them",
                other.join(" "),
                values.join(" ")
            )));
        }
        check_folder(&arguments.out.join(&name), &experiment)?;
        let mut words = vec!["train".to_owned(), "--continue".to_owned()];
        let mut flag = |flag: &str, value: Option<String>| {
            words.extend(value.into_iter().flat_map(|it| [flag.to_owned(), it]));
        };
        let shown = |path: &Path| path.display().to_string();
        flag("--out", Some(shown(&arguments.out.join(&name))));
        flag("--preset", asked.preset.clone());
        flag("--from-url", asked.from_url.clone());
        flag("--config", asked.config.as_deref().map(shown));
        words.extend(overrides);
        planned.push(Planned {
            name,
            arguments: words,
        });
    }
    Ok(planned)
}

/// Refuses a folder that contains a run with other settings: its figures would be taken for those
/// of the planned run. A run with fewer steps goes on.
fn check_folder(folder: &Path, experiment: &Experiment) -> Result<(), Error> {
    let Some(run) = RunFolder::at(folder) else {
        return Ok(());
    };
    let Some((file, bytes)) = read_last(&run)? else {
        return Ok(());
    };
    let checkpoint = Checkpoint::open(&bytes).map_err(Error::checkpoint(&file))?;
    origin::refuse(
        folder,
        origin::of_settings(checkpoint.experiment(), experiment, true),
    )
}
