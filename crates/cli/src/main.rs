//! `strata`: trains, translates and evaluates in the terminal.
//!
//! - `args`: the commands; `parse`: the command line, with help and suggestions; `number`, `home`:
//!   numbers and `~` in arguments
//! - one file or folder per command, with its arguments: `train`, `sweep`, `reproduce`, `compare`,
//!   `average`, `translate`, `answer`, `eval`, `ablate`, `score` (outputs of any program against references),
//!   `poem`, `smt` (poems by translation, with `poem_table`), `export` (to PyTorch), `config` (with `explain`), `data`
//!   (corpora), `inspect` (checkpoints), `bench` (workloads),
//!   `completions` (and manual pages)
//! - `search`, `replace_unknown`, `attention_file`, `heat_map`: options of decoding, and its
//!   attention as files
//! - `experiment`: reads an experiment from a configuration file (`toml_table`) and `key=value`, on
//!   top of `presets`
//! - `run_folder`, `lock`, `log`, `tensorboard` (`appended` files), `resume`, `moved`: files of a
//!   run, and its continuation
//! - `origin`: program and data of a run, by which it counts as the one asked for
//! - `processes`: those that train one run, by MPI
//! - `chosen`: the checkpoint that the folder of a run stands for
//! - `interrupt`: Ctrl-C and other signals
//! - `text_file`: reads text files; `questions`: files of questions
//! - `error`: all errors, as sentences
//! - `output`: prints, and reports output that was lost; `output_file`: files that a command writes whole; `files`: refuses outputs that are also
//!   inputs; `peak_memory`: measures memory, and reports when it runs out
//! - `outcome`, `spread`: results of a run, and their spread over runs; `report`: pages about them
//! - `progress`, `tui`, `recent`, `summary`, `figures`, `columns`,
//!   `format`: display during and after a run;
//!   `terminal`: its owner

mod ablate;
mod answer;
mod appended;
mod args;
mod attention_file;
mod average;
mod bench;
mod checkpoint_file;
mod chosen;
mod columns;
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
mod export;
mod figures;
mod files;
mod format;
mod heat_map;
mod home;
mod input_lines;
mod inspect;
mod interrupt;
mod lock;
mod log;
mod moved;
mod number;
mod origin;
mod outcome;
mod output;
mod output_file;
mod parse;
mod peak_memory;
mod poem;
mod poem_table;
mod presets;
mod processes;
mod program;
mod progress;
mod questions;
mod recent;
mod replace_unknown;
mod report;
mod reproduce;
mod resume;
mod run_folder;
mod score;
mod search;
mod smt;
mod spread;
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
use format::counted;
use output::warn;
use processes::Processes;
use strata_kernels::threads::{Pool, run_in_pool};

/// Allocator that keeps freed pages. A step allocates many short-lived tensors; the system's
/// allocator would return each large one to the kernel and fault its pages in again, which costs a
/// third of the step.
#[global_allocator]
static ALLOCATOR: peak_memory::Telling<mimalloc::MiMalloc> =
    peak_memory::Telling(mimalloc::MiMalloc);

fn main() -> ExitCode {
    peak_memory::keep_pages();
    interrupt::outlive_limits();
    let command = match parse::arguments() {
        Ok(arguments) => arguments.command,
        Err(code) => return code,
    };
    // Only `strata train` is shared among processes; MPI must begin and end in this thread.
    let threads = match &command {
        Command::Train(_) => Processes::present().threads(),
        _ => 0,
    };
    let prints = prints_results(&command);
    let done = run_in_pool(threads, |pool| {
        pool.and_then(fewer).iter().for_each(|line| warn(line));
        run(command)
    });
    let code = done
        .and_then(|code| output::finish().map(|()| code))
        .and_then(|code| match prints {
            true => output::was_open().map(|()| code),
            false => Ok(code),
        })
        .unwrap_or_else(output::failed);
    Processes::leave();
    code
}

/// True if a command leaves nothing but what it prints.
fn prints_results(command: &Command) -> bool {
    match command {
        Command::Translate(_)
        | Command::Score(_)
        | Command::Ablate(_)
        | Command::Poem(_)
        | Command::Inspect(_)
        | Command::Bench(_)
        | Command::Config(_)
        | Command::Completions(_) => true,
        Command::Answer(arguments) => arguments.output.is_none(),
        Command::Eval(arguments) => arguments.output.is_none(),
        Command::Compare(arguments) => arguments.html.is_none(),
        Command::Train(_)
        | Command::Sweep(_)
        | Command::Reproduce(_)
        | Command::Average(_)
        | Command::Export(_)
        | Command::Smt(_)
        | Command::Data(_)
        | Command::Man(_) => false,
    }
}

/// Returns a sentence if there are fewer threads than the user asked for.
fn fewer(pool: Pool) -> Option<String> {
    let Pool {
        asked,
        most,
        threads,
    } = pool;
    if threads >= asked {
        return None;
    }
    Some(match threads < most.min(asked) {
        true => format!(
            "warning: {} of {asked} can be started here (a limit of the system, as `ulimit -u`); \
             the results are the same, and take longer.",
            counted(threads as u64, "thread")
        ),
        false => format!(
            "note: {asked} threads were asked for, of which {threads} are started: more only wait \
             for each other here."
        ),
    })
}

fn run(command: Command) -> Result<ExitCode, Error> {
    match command {
        Command::Train(arguments) => train::run(&arguments),
        Command::Sweep(arguments) => sweep::run(&arguments),
        Command::Reproduce(arguments) => reproduce::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Average(arguments) => average::run(&arguments),
        Command::Translate(arguments) => translate::run(&arguments),
        Command::Answer(arguments) => answer::run(&arguments),
        Command::Eval(arguments) => eval::run(&arguments),
        Command::Ablate(arguments) => ablate::run(&arguments),
        Command::Score(arguments) => score::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Poem(arguments) => poem::run(&arguments),
        Command::Smt(arguments) => smt::run(&arguments),
        Command::Config(arguments) => config::run(&arguments),
        Command::Data(arguments) => data::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments, Arguments::command()),
        Command::Man(arguments) => completions::manual(&arguments, Arguments::command()),
        Command::Bench(arguments) => bench::run(&arguments),
    }
}
