//! `strata`: trains, translates and evaluates in the terminal.
//!
//! - `args`: the commands; `parse`: what was typed, with help and what was meant; `number`, `home`:
//!   numbers and `~` in it
//! - one file or folder per command, with its arguments: `train`, `sweep`, `compare`, `average`, `translate`, `eval`, `ablate`,
//!   `score` (translations of whatever origin against references), `config` (with `explain`: `strata
//!   config`), `data` (corpora), `inspect` (checkpoints), `bench` (workloads), `completions` (and the
//!   manual)
//! - `search`, `attention_file`, `heat_map`: how translations are searched for, and shown
//! - `experiment`: from a configuration file (`toml_table`) and `key=value` to an experiment;
//!   `presets` to begin with
//! - `run_folder`, `lock`, `log`, `tensorboard` (of `appended` files), `resume`, `moved`: what a run
//!   leaves behind, and how it goes on
//! - `chosen`: which model is meant by the folder of a run
//! - `interrupt`: Ctrl-C and other signals
//! - `text_file`: any text that is named
//! - `error`: what can go wrong, in sentences
//! - `output`: what is printed, and whether it arrived; `files`: outputs that are no inputs;
//!   `peak_memory`: what happens when it runs out
//! - `progress`, `tui`, `recent`, `summary`, `figures`, `format`: what a user sees meanwhile and at the end;
//!   `terminal`: who has it

mod ablate;
mod appended;
mod args;
mod attention_file;
mod average;
mod bench;
mod checkpoint_file;
mod chosen;
mod compare;
mod completions;
mod config;
mod corpus_progress;
mod data;
mod device;
mod error;
mod eval;
mod experiment;
mod explain;
mod figures;
mod files;
mod format;
mod heat_map;
mod home;
mod inspect;
mod interrupt;
mod lock;
mod log;
mod moved;
mod number;
mod output;
mod parse;
mod peak_memory;
mod presets;
mod progress;
mod recent;
mod resume;
mod run_folder;
mod score;
mod search;
mod summary;
mod sweep;
mod tensorboard;
mod terminal;
mod text_file;
mod toml_table;
mod train;
mod translate;
mod tui;

use std::process::ExitCode;

use args::{Arguments, Command};
use clap::CommandFactory;
use error::Error;
use strata_kernels::threads::run_in_pool;

/// A step asks for many short-lived tensors; the system's allocator returns each large one to the
/// kernel and faults its pages in again, which costs a third of the step.
#[global_allocator]
static ALLOCATOR: peak_memory::Telling<mimalloc::MiMalloc> =
    peak_memory::Telling(mimalloc::MiMalloc);

fn main() -> ExitCode {
    peak_memory::keep_pages();
    let command = match parse::arguments() {
        Ok(arguments) => arguments.command,
        Err(code) => return code,
    };
    let done = run_in_pool(|| run(command));
    done.and_then(|code| output::finish().map(|()| code))
        .unwrap_or_else(output::failed)
}

fn run(command: Command) -> Result<ExitCode, Error> {
    match command {
        Command::Train(arguments) => train::run(&arguments),
        Command::Sweep(arguments) => sweep::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Average(arguments) => average::run(&arguments),
        Command::Translate(arguments) => translate::run(&arguments),
        Command::Eval(arguments) => eval::run(&arguments),
        Command::Ablate(arguments) => ablate::run(&arguments),
        Command::Score(arguments) => score::run(&arguments),
        Command::Config(arguments) => config::run(&arguments),
        Command::Data(arguments) => data::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments, Arguments::command()),
        Command::Man(arguments) => completions::manual(&arguments, Arguments::command()),
        Command::Bench(arguments) => bench::run(&arguments),
    }
}
