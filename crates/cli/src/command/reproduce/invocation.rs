//! Commands of a run, in words and parsed.
//!
//! The parser knows only the commands that experiments use: a parser of all commands would know
//! `reproduce`, and this module with it.

use clap::{Parser, Subcommand};

use crate::command::eval::EvalArguments;
use crate::command::smt::SmtArguments;
use crate::command::train::TrainArguments;

/// A command of a run, without the name of the program.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// Name of the evaluation; `None` for a command that trains.
    pub evaluation: Option<String>,
    pub words: Vec<String>,
}

/// Parsed command of a run.
#[derive(Subcommand, Debug)]
pub enum RunCommand {
    Train(TrainArguments),
    Eval(EvalArguments),
    Smt(SmtArguments),
}

#[derive(Parser, Debug)]
struct CommandLine {
    #[command(subcommand)]
    command: RunCommand,
}

impl Invocation {
    /// Parses the words as the command line of the program is parsed.
    ///
    /// # Errors
    /// If the words are none of the commands that experiments use.
    pub fn parsed(&self) -> Result<RunCommand, clap::Error> {
        let words = std::iter::once("strata").chain(self.words.iter().map(String::as_str));
        CommandLine::try_parse_from(words).map(|line| line.command)
    }
}
