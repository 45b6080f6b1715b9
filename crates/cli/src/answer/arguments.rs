//! Arguments of `strata answer`.

use std::path::PathBuf;

use clap::Args;

use crate::chosen::ModelArguments;
use crate::number;

#[derive(Args, Debug)]
pub struct AnswerArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Text in which the answer is; given several times, several texts.
    #[arg(long, value_name = "FILE", conflicts_with = "questions")]
    pub passage: Vec<PathBuf>,
    /// Print the N most probable answers of each question: its number from 0, answer, place and
    /// probability, with tabs.
    #[arg(long, value_name = "N", value_parser = number::whole::<usize>, allow_negative_numbers = true)]
    pub nbest: Option<usize>,
    /// Most tokens of an answer [default: what 99 % of the answers learned from do not exceed].
    #[arg(long, value_name = "N", value_parser = number::whole::<usize>, allow_negative_numbers = true)]
    pub longest: Option<usize>,
    /// Answer all questions of this file: SQuAD, DuReader or MS MARCO, may be `.gz`.
    #[arg(long, value_name = "FILE", requires = "output")]
    pub questions: Option<PathBuf>,
    /// Write the answers to `--questions` into this file: a JSON object of id and text, as the
    /// official programs read it.
    #[arg(long, value_name = "FILE", requires = "questions")]
    pub output: Option<PathBuf>,
    /// Write attention weights into this file: .svg (heat maps; a file per question) or .json (all
    /// numbers, with tokens).
    #[arg(long, value_name = "FILE", conflicts_with = "questions")]
    pub attention: Option<PathBuf>,
    /// Question to answer; `-`: every line of standard input, `passage TAB question`, or with
    /// `--passage` a question.
    #[arg(value_name = "QUESTION")]
    pub question: Vec<String>,
}
