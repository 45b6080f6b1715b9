//! Arguments of `strata eval`.

use std::path::PathBuf;

use clap::Args;
use strata_metrics::BleuTokenizer;
use strata_settings::numeral::parse;

use crate::model::bleu_tokenizer::names;
use crate::model::chosen::ModelArguments;
use crate::model::search::SearchArguments;
use crate::pipeline::arguments::poem::DistinctChoice;

#[derive(Args, Debug)]
pub struct EvalArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Measure on this text, a sentence per line, or source TAB target; a reader on this file of
    /// questions; may be `.gz`.
    #[arg(long, value_name = "FILE")]
    pub source: Option<PathBuf>,
    /// The translation of `--source`, line by line.
    #[arg(long, value_name = "FILE", requires = "source")]
    pub target: Option<PathBuf>,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Measure how much the N best translations of a sentence differ: the entropy of their
    /// probabilities, the share of different token pairs, and repeated tokens.
    #[arg(long, value_name = "N", conflicts_with_all = ["poems", "alignment", "sample"], value_parser = parse::whole::<usize>, allow_negative_numbers = true)]
    pub nbest: Option<usize>,
    /// Also translate this sentence, and report what the model writes; with `--poems` write a poem
    /// about this text. Several may be given.
    #[arg(
        long = "case",
        value_name = "TEXT",
        conflicts_with = "alignment",
        allow_hyphen_values = true
    )]
    pub cases: Vec<String>,
    /// Decode at most this many sentences [default: 1000, or all with `--bleu` or `--output`].
    #[arg(long, value_name = "N", value_parser = parse::whole::<usize>, allow_negative_numbers = true)]
    pub decode: Option<usize>,
    /// Measure BLEU, chrF and TER of the translations, as sacreBLEU does, against the text of the file.
    #[arg(long)]
    pub bleu: bool,
    /// Tokeniser for BLEU, by the names of `score --tokenize` [default: `training.bleu_words` of
    /// the run].
    #[arg(long, value_name = "TOKENIZER", value_parser = names(), requires = "bleu")]
    pub tokenize: Option<BleuTokenizer>,
    /// Ignore case in BLEU and chrF; TER always does.
    #[arg(long, requires = "bleu")]
    pub lowercase: bool,
    /// Measure ROUGE of summaries or paraphrases, and which share of their words stands in the source.
    #[arg(long, conflicts_with_all = ["poems", "alignment"])]
    pub rouge: bool,
    /// Write the translations into this file: a line for each line of the source, empty where
    /// there is nothing to translate, or too much.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Measure the alignment error rate of the attention against these links, `NAME.gold`, of the
    /// sentences in `NAME.src-tgt` beside it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["source", "bleu", "output", "decode"])]
    pub alignment: Option<PathBuf>,
    /// Measure a model of poems: perplexity, BLEU of lines 2 to 4 with intervals, copying, beside
    /// what lines score that nobody wrote; a beam of 10 without another search.
    #[arg(long, conflicts_with_all = ["source", "bleu", "output", "decode", "alignment"])]
    pub poems: bool,
    /// Characters that a measured poem may not have again: of the line, or of the poem.
    #[arg(long, value_enum, default_value_t, requires = "poems")]
    pub distinct: DistinctChoice,
    /// Measure besides what counting alone scores: unigrams and bigrams of the training targets, and a
    /// translation word by word (IBM model 1); n-grams of a text; for a reader frequent and random
    /// answers, and the words around a question's.
    #[arg(long, conflicts_with_all = ["poems", "alignment"])]
    pub floors: bool,
    /// Print one line of JSON.
    #[arg(long)]
    pub json: bool,
    /// Paths of the model's own data, if they have moved since training:
    /// `task.source=elsewhere/de.txt`.
    #[arg(value_name = "key=value")]
    pub overrides: Vec<String>,
}
