//! `strata`: trains, translates and evaluates in the terminal.
//!
//! - `args`: the commands; `parse`: the command line, with help and suggestions
//! - `command`: one file or folder for each command
//! - `pipeline`: what the commands do and say for each kind of work
//! - `model`: opens an experiment or a checkpoint, and decodes with a model
//! - `run`: files of a run, its continuation, and the processes that train it
//! - `display`: tables, progress and reports
//! - `base`: errors, arguments, inputs, outputs and signals
//!
//! # Invariants
//!
//! - The folder of a run belongs to one process at a time (`lock`, a lock of the system). Test:
//!   `one_process_writes_a_run`.
//! - Only the run itself overwrites files in its folder. Tests:
//!   `a_run_is_never_written_over_another`, `a_run_never_takes_the_place_of_another`.
//! - What cannot be written waits in memory until there is room. Tests:
//!   `a_disk_without_room_loses_nothing`, `what_finds_no_room_waits`.
//! - All printing goes through `output`, which says at the end of a command if output was lost.
//!   Tests: `text_that_finds_no_room_is_a_failure_of_every_command`,
//!   `what_is_printed_where_standard_output_is_closed_is_lost_and_told`.
//! - An output is never one of the files that the command reads (`files`). Test:
//!   `an_output_is_no_input_by_whatever_path`.

mod args;
mod base;
mod command;
mod display;
mod model;
mod parse;
mod pipeline;
mod run;

use std::process::ExitCode;

use clap::CommandFactory;
use strata_kernels::threads::{Pool, run_in_pool};

use args::{Arguments, Command};
use base::error::Error;
use base::output::{self, warn};
use base::{interrupt, peak_memory};
use command::{
    ablate, answer, attention, average, bench, compare, completions, config, data, eval, export,
    inspect, poem, receipt, reproduce, score, smt, sweep, train, translate,
};
use display::format::counted;
use run::processes::Processes;

/// Allocator that keeps freed pages. A step allocates many short-lived tensors; the system's
/// allocator would return each large one to the kernel and fault its pages in again, which costs a
/// third of the step.
#[global_allocator]
static ALLOCATOR: peak_memory::ReportingAllocator<mimalloc::MiMalloc> =
    peak_memory::ReportingAllocator(mimalloc::MiMalloc);

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
        execute(command)
    });
    let code = done
        .and_then(|code| output::finish().map(|()| code))
        .and_then(|code| {
            if prints {
                output::was_open()?;
            }
            Ok(code)
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
        | Command::Receipt(_)
        | Command::Bench(_)
        | Command::Config(_)
        | Command::Completions(_) => true,
        Command::Reproduce(arguments) => arguments.prints_alone(),
        Command::Data(arguments) => arguments.prints_alone(),
        Command::Man(arguments) => arguments.prints_alone(),
        Command::Answer(arguments) => arguments.output.is_none(),
        Command::Eval(arguments) => arguments.output.is_none(),
        Command::Compare(arguments) => arguments.html.is_none(),
        Command::Attention(arguments) => arguments.html.is_none(),
        Command::Train(_)
        | Command::Sweep(_)
        | Command::Average(_)
        | Command::Export(_)
        | Command::Smt(_) => false,
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
    Some(if threads < most.min(asked) {
        format!(
            "warning: {} of {asked} can be started here (a limit of the system, as `ulimit -u`); \
             the results are the same, and take longer.",
            counted(threads as u64, "thread")
        )
    } else {
        format!(
            "note: {asked} threads were asked for, of which {threads} are started: more only wait \
             for each other here."
        )
    })
}

fn execute(command: Command) -> Result<ExitCode, Error> {
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
        Command::Receipt(arguments) => receipt::run(&arguments),
        Command::Attention(arguments) => attention::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments, Arguments::command()),
        Command::Man(arguments) => completions::manual(&arguments, Arguments::command()),
        Command::Bench(arguments) => bench::run(&arguments),
    }
}
