//! `strata data`: lists, fetches, inspects and filters corpora.
//!
//! - `list`, `fetch`: shows and fetches the corpora of `strata_tasks::corpora`, which `catalogue`
//!   finds by name
//! - `download`, `store`: downloads files, and keeps those whose checksum is right
//! - `quatrains`: makes files from whole collections of poems
//! - `inspect`: statistics of a corpus
//! - `without_overlap`: removes the lines that another corpus also has
//! - `lines`: reads any text line by line

mod catalogue;
mod download;
mod fetch;
mod inspect;
mod lines;
mod list;
mod quatrains;
mod store;
mod without_overlap;

use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::base::error::Error;

pub use fetch::SourceArguments;
pub use store::room_or_folder;

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

impl DataArguments {
    /// True if what is printed is all that the command leaves.
    pub fn prints_alone(&self) -> bool {
        matches!(self.command, DataCommand::List(_) | DataCommand::Inspect(_))
    }
}

/// Runs a `strata data` command.
pub fn run(arguments: &DataArguments) -> Result<ExitCode, Error> {
    match &arguments.command {
        DataCommand::List(arguments) => list::run(arguments),
        DataCommand::Fetch(arguments) => fetch::run(arguments),
        DataCommand::Inspect(arguments) => inspect::run(arguments),
        DataCommand::WithoutOverlap(arguments) => without_overlap::run(arguments),
    }
}

/// Finds the corpus of this name in `folder`, and fetches its missing files; returns false if the
/// user does not agree to the terms.
///
/// # Errors
/// If there is no such corpus, or a file of it cannot be fetched, or has other contents than the
/// catalogue says.
pub fn provide(name: &str, folder: &Path, source: &SourceArguments) -> Result<bool, Error> {
    let corpus = catalogue::named(name)?;
    let missing = fetch::missing(corpus, folder)?;
    Ok(missing.is_empty() || fetch::bring(corpus, &missing, folder, source)?)
}

/// True if the folder has all files of the corpus of this name.
///
/// # Errors
/// If there is no such corpus, or a file in the folder has the name but not the contents of one of
/// its files.
pub fn is_complete(name: &str, folder: &Path) -> Result<bool, Error> {
    Ok(fetch::missing(catalogue::named(name)?, folder)?.is_empty())
}
