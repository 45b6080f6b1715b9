//! Arguments of `strata translate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use strata_settings::numeral::parse;

use crate::model::chosen::ModelArguments;
use crate::model::search::SearchArguments;

#[derive(Args, Debug)]
pub struct TranslateArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Print the N best translations of each line: its number from 0, score and text, with tabs.
    #[arg(long, value_name = "N", value_parser = parse::whole::<usize>, allow_negative_numbers = true)]
    pub nbest: Option<usize>,
    /// Print the score, ln p with the length penalty, and a tab before each translation.
    #[arg(long)]
    pub scores: bool,
    /// Write attention weights into this file: .svg (heat maps, and of a
    /// pyramid the nodes that each token opens; a file per line) or .json (all numbers, with tokens).
    #[arg(long, value_name = "FILE")]
    pub attention: Option<PathBuf>,
    /// Treat lines of more tokens than the model reads: leave their line empty, or translate as
    /// much as it reads; a warning names the line [default: skip; a TEXT is refused].
    #[arg(long, value_name = "HOW")]
    pub too_long: Option<TooLong>,
    /// Begin every translation with TEXT, and go on from it: greedily, in a beam or by draws.
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        conflicts_with = "one_pass"
    )]
    pub prefix: Option<String>,
    /// Let a language model write on past the ends of lines, up to `--limit` tokens.
    #[arg(long)]
    pub past_lines: bool,
    /// Stop a language model where it writes TEXT, which is left out; several may be given. `\\n` is a
    /// line's end.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub stop: Vec<String>,
    /// Text to translate, or the beginning of a language model's text, read as typed with its lines
    /// and spaces ("" for none); without it, every line of standard input, where an empty one stays
    /// empty.
    #[arg(value_name = "TEXT")]
    pub text: Vec<String>,
}

/// Treatment of a line that is too long.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TooLong {
    /// Leave its line empty, so that other lines keep their places.
    #[default]
    Skip,
    /// Cut the end off a sentence to translate, or the beginning off a text to continue.
    Cut,
}
