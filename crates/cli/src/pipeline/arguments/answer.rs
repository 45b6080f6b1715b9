//! Arguments of `strata answer`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use strata_settings::numeral::parse;

use crate::model::chosen::ModelArguments;

#[derive(Args, Debug)]
pub struct AnswerArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Text in which the answer is; given several times, several texts.
    #[arg(long, value_name = "FILE", conflicts_with = "questions")]
    pub passage: Vec<PathBuf>,
    /// Print the N most probable answers of each question: its number from 0, answer, place and
    /// probability, with tabs.
    #[arg(long, value_name = "N", value_parser = parse::whole_in::<usize>(1..=1_000_000), allow_negative_numbers = true)]
    pub nbest: Option<usize>,
    /// Most tokens of an answer [default: what 99 % of the answers learned from do not exceed].
    #[arg(long, value_name = "N", value_parser = parse::whole_in::<usize>(1..=1_000_000), allow_negative_numbers = true)]
    pub longest: Option<usize>,
    /// Answer all questions of this file: SQuAD, DuReader or MS MARCO, may be `.gz`.
    #[arg(long, value_name = "FILE", requires = "output")]
    pub questions: Option<PathBuf>,
    /// Write the answers to `--questions` into this file, in the form that the official program of
    /// their data set reads.
    #[arg(long, value_name = "FILE", requires = "questions")]
    pub output: Option<PathBuf>,
    /// Form of the answers in `--output` [default: that of the data set].
    #[arg(long, value_enum, value_name = "FORM", requires = "questions")]
    pub format: Option<AnswerFormat>,
    /// Write attention weights into this file: .svg (heat maps; a file per question) or .json (all
    /// numbers, with tokens).
    #[arg(long, value_name = "FILE", conflicts_with = "questions")]
    pub attention: Option<PathBuf>,
    /// Question to answer; `-`: every line of standard input, `passage TAB question` (behind the last
    /// tab), or with `--passage` a question. The line of one that cannot be answered stays empty.
    #[arg(value_name = "QUESTION")]
    pub question: Vec<String>,
}

/// Form of a file of answers.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerFormat {
    /// One object of id and text: SQuAD, CMRC and DRCD.
    Squad,
    /// Lines of `question_id`, `question_type`, `answers`, `yesno_answers` and `entity_answers`.
    Dureader,
    /// Lines of `query_id` and `answers`.
    Msmarco,
}
