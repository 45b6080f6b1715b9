//! What can be typed after `strata translate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::chosen::ModelArguments;
use crate::number;
use crate::search::SearchArguments;

#[derive(Args, Debug)]
pub struct TranslateArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Print the N best translations of each line: its number from 0, score and text, with tabs.
    #[arg(long, value_name = "N", value_parser = number::whole::<usize>, allow_negative_numbers = true)]
    pub nbest: Option<usize>,
    /// Print the score, ln p with the length penalty, and a tab before each translation.
    #[arg(long)]
    pub scores: bool,
    /// Write where the model looked into this file: .svg (heat maps; a file a line) or .json
    /// (all numbers, with tokens).
    #[arg(long, value_name = "FILE")]
    pub attention: Option<PathBuf>,
    /// What to do with a line of more tokens than the model reads: leave its line empty, or
    /// translate as much as it reads; a warning names the line [default: skip; a TEXT is refused].
    #[arg(long, value_name = "HOW")]
    pub too_long: Option<TooLong>,
    /// What to translate, or how the text of a language model begins ("": it begins by itself);
    /// without it, every line of standard input, where an empty one stays empty.
    #[arg(value_name = "TEXT")]
    pub text: Vec<String>,
}

/// What becomes of a line that is too long.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TooLong {
    /// It stays empty, so that the others keep their places.
    #[default]
    Skip,
    /// The end of a sentence is left out, of a text to write on its beginning.
    Cut,
}
