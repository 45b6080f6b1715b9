//! Arguments of `strata train`.

use std::path::PathBuf;

use clap::Args;
use strata_settings::numeral::parse;

use crate::model::device::DeviceChoice;
use crate::model::experiment::ExperimentArguments;

#[derive(Args, Debug)]
pub struct TrainArguments {
    #[command(flatten)]
    pub experiment: ExperimentArguments,
    /// Device to compute on.
    #[arg(long, value_enum, default_value_t)]
    pub device: DeviceChoice,
    /// Go on with the run of this checkpoint or folder. Steps, epochs, patience, learning rate,
    /// schedule, clipping, dropout, how often it validates and saves, and the paths of its data
    /// may change; all else stays as it is.
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Begin with the parameters of this checkpoint or run: on other data, at another rate, or with
    /// other numbers of levels. Tokens are matched by their text; tokens that the model does not
    /// know begin as new. Levels that are added to a mix begin with a share of 1 %.
    #[arg(long, value_name = "RUN", conflicts_with = "resume")]
    pub from: Option<PathBuf>,
    /// Go on with the run in the folder of `--out` if there is one, else begin it there. A finished
    /// run stays as it is, and is refused if its settings, data or program are others; an unfinished
    /// one goes on, with other settings where `--resume` takes them.
    #[arg(long = "continue", requires = "out", conflicts_with = "resume")]
    pub continues: bool,
    /// Write checkpoint, metrics and configuration into this folder [default: a new one in `runs`].
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Show nothing before the end.
    #[arg(long)]
    pub quiet: bool,
    /// Print one line of JSON for the beginning of the run, each note, each line of
    /// `metrics.jsonl` and the end, for other programs.
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
    /// Train with this many processes, which share the batches of each step (`training.accumulate`,
    /// a multiple of it). Needs a program that was built with the feature `mpi`.
    #[arg(long, value_name = "N", value_parser = parse::whole_in::<usize>(1..=65_536),
          allow_negative_numbers = true)]
    pub processes: Option<usize>,
    /// Train on this many NVIDIA cards of this machine (`--device cuda`), which share the batches of each
    /// step (`training.accumulate`, a multiple of it) and add their gradients by NCCL.
    #[arg(long, value_name = "N", conflicts_with = "processes",
          value_parser = parse::whole_in::<usize>(1..=64), allow_negative_numbers = true)]
    pub cards: Option<usize>,
    /// Hosts to start them on, with commas between them, all of which have this program and the data.
    #[arg(long, value_name = "HOSTS", requires = "processes")]
    pub hosts: Option<String>,
    /// `strata train --processes` started this process.
    #[arg(long = "launched", hide = true)]
    pub is_launched: bool,
    /// Leave out the summary: the run is part of a larger command.
    #[arg(skip)]
    pub is_part: bool,
    /// Save and end after this step, long before the last one.
    #[arg(skip)]
    pub cut_after: Option<u64>,
}
