//! `strata data`: corpora by name, and what is in a corpus.
//!
//! - `list`, `fetch`: the catalogue of `strata_tasks::corpora`, shown and brought here
//!   by `catalogue`
//! - `download`, `store`: bytes from a server, and what is kept of them
//! - `inspect`: a corpus counted
//! - `without_overlap`: a corpus without what another one holds
//! - `lines`: any text, line by line

mod catalogue;
mod download;
mod fetch;
mod inspect;
mod lines;
mod list;
mod store;
mod without_overlap;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::error::Error;

#[derive(Args, Debug)]
pub struct DataArguments {
    #[command(subcommand)]
    command: DataCommand,
}

const EXAMPLES: &str = "\
Examples:
  strata data list
  strata data fetch multi30k
  strata data inspect multi30k
  strata data inspect de.txt en.txt --test test.de.txt test.en.txt
  strata data inspect task.kind=files task.source=de.txt task.target=en.txt
  strata data without-overlap cn.txt en.txt --held-out cn.test.txt en.test.txt --out clean";

#[derive(Subcommand, Debug)]
#[command(after_help = EXAMPLES)]
enum DataCommand {
    /// Show the corpora that have a name; with a name, its files, licence and use.
    List(list::ListArguments),
    /// Bring a corpus here: shows size, licence and addresses, fetches, checks and unpacks.
    Fetch(fetch::FetchArguments),
    /// Count a corpus: lines, tokens, lengths, vocabulary, repeats, overlaps, faults.
    Inspect(inspect::InspectArguments),
    /// Write a corpus without the lines that a held-out one also has.
    WithoutOverlap(without_overlap::WithoutOverlapArguments),
}

/// Does what was asked about data.
pub fn run(arguments: &DataArguments) -> Result<ExitCode, Error> {
    match &arguments.command {
        DataCommand::List(arguments) => list::run(arguments),
        DataCommand::Fetch(arguments) => fetch::run(arguments),
        DataCommand::Inspect(arguments) => inspect::run(arguments),
        DataCommand::WithoutOverlap(arguments) => without_overlap::run(arguments),
    }
}
