//! What can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use strata_metrics::BleuTokenizer;

use crate::ablate::AblateArguments;
use crate::bench::BenchArguments;
use crate::completions::{CompletionsArguments, ManArguments};
use crate::data::DataArguments;
use crate::device::DeviceChoice;
use crate::inspect::InspectArguments;
use crate::parse;
use crate::score::{ScoreArguments, tokenizers};

/// A laboratory for attention with levels: trains small sequence models and translates with them.
#[derive(Parser, Debug)]
#[command(name = "strata", version)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  strata train
  strata train task.kind=copy task.maximum_length=20 model.width=32
  strata train model.architecture=seq2seq model.cell=lstm
  strata train model.cross.kind=multilevel model.cross.levels=4
  strata train task.kind=files task.source=de.txt task.target=en.txt
  strata train --preset rnnsearch task.source=de.txt task.target=en.txt
  strata train --preset lstm_lm_characters task.source=shakespeare.txt
  strata config seed=3 > experiment.toml; strata train --config experiment.toml
  strata train --resume runs/copy-transformer-seed0 training.steps=5000";

const SCORE_EXAMPLES: &str = "\
Examples:
  strata translate --model runs/mine < test.de | strata score --reference test.en
  strata score --reference test.en --metric bleu,chrf,chrf++ --json translated.en
  strata score --reference a.en --reference b.en --tokenize intl --sentence translated.en
  strata score --reference answers.txt --metric exact,rouge-l given.txt";

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Train a model; without arguments, a small German-to-English one.
    #[command(after_help = EXAMPLES)]
    Train(TrainArguments),
    /// Average checkpoints of one run into a model to translate with.
    Average(AverageArguments),
    /// Translate, or write on, with a trained model: a text, or standard input line by line.
    Translate(TranslateArguments),
    /// Measure a trained model on its held-out sentences, or on files.
    Eval(EvalArguments),
    /// Measure what each head, level and block of a trained model is worth, by taking it away.
    Ablate(AblateArguments),
    /// Score translations or answers against references, as sacreBLEU and SQuAD do.
    #[command(after_help = SCORE_EXAMPLES)]
    Score(ScoreArguments),
    /// Print the experiment that `train` would run, as a configuration file with comments.
    Config(ConfigArguments),
    /// Corpora: list and fetch public ones, look into any, drop what is held out.
    Data(DataArguments),
    /// Show what is in a checkpoint: experiment, progress, parameters.
    Inspect(InspectArguments),
    /// Print a script by which a shell completes commands.
    Completions(CompletionsArguments),
    /// Print the manual page, or write those of all commands.
    Man(ManArguments),
    /// Run workloads that other programs run too, and say how long a step takes.
    Bench(BenchArguments),
}

/// The experiment: a preset or an address of the page, a configuration file on top of it, and
/// single settings on top of both.
#[derive(Args, Debug)]
pub struct ExperimentArguments {
    /// Begin with the settings of a published model, or of a preset of the playground; `strata
    /// config --presets` lists them.
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Begin with the experiment of this address of the playground, or of what follows its `?`.
    #[arg(long, value_name = "URL", conflicts_with = "preset")]
    pub from_url: Option<String>,
    /// Read the experiment from this file; what it leaves out has its default.
    #[arg(long, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,
    /// Change single settings: `seed=3 model.width=128 task.kind=copy`; `strata config` shows all.
    /// Steps count for epochs that a preset or file asks for.
    #[arg(value_name = "key=value")]
    pub overrides: Vec<String>,
}

impl ExperimentArguments {
    /// True if nothing is asked for.
    pub fn is_empty(&self) -> bool {
        let Self {
            preset,
            from_url,
            config,
            overrides,
        } = self;
        preset.is_none() && from_url.is_none() && config.is_none() && overrides.is_empty()
    }
}

#[derive(Args, Debug)]
pub struct ConfigArguments {
    #[command(flatten)]
    pub experiment: ExperimentArguments,
    /// Explain a setting (`training.clip_norm`), all settings of a group (`training`), a
    /// mechanism or an option by its name; without a name, everything.
    #[arg(long, value_name = "NAME", num_args = 0..=1, conflicts_with_all = ["config", "overrides", "preset", "from_url"])]
    pub explain: Option<Option<String>>,
    /// List the presets.
    #[arg(long, conflicts_with_all = ["config", "overrides", "preset", "from_url", "explain"])]
    pub presets: bool,
}

#[derive(Args, Debug)]
pub struct TrainArguments {
    #[command(flatten)]
    pub experiment: ExperimentArguments,
    /// Where to compute.
    #[arg(long, value_enum, default_value_t)]
    pub device: DeviceChoice,
    /// Go on with the run of this checkpoint or folder. Steps, epochs, patience, learning rate,
    /// schedule, clipping, dropout, how often it validates and saves, and the paths of its data
    /// may change; all else stays as it is.
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Write checkpoint, metrics and configuration into this folder [default: a new one in `runs`].
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Show nothing before the end.
    #[arg(long)]
    pub quiet: bool,
    /// Show live curves in the terminal; q saves and stops, p pauses.
    #[arg(long, conflicts_with = "quiet")]
    pub tui: bool,
}

#[derive(Args, Debug)]
pub struct AverageArguments {
    /// Write the average into this file, which must not be there yet.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Checkpoints, or the folder of a run: the checkpoints of its best validations, which
    /// `training.keep_best` keeps.
    #[arg(value_name = "CHECKPOINT", required = true)]
    pub checkpoints: Vec<PathBuf>,
}

#[derive(Args, Debug)]
pub struct ModelArguments {
    /// A checkpoint, or the folder of a run: the best of its validations if that was kept
    /// (`training.keep_best=1`), else the last one, `checkpoint.safetensors` in it.
    #[arg(long, value_name = "FILE")]
    pub model: PathBuf,
    /// Where to compute.
    #[arg(long, value_enum, default_value_t)]
    pub device: DeviceChoice,
}

/// How translations are searched for; without any of it, greedily.
#[derive(Args, Debug)]
pub struct SearchArguments {
    /// Search with a beam of N hypotheses.
    #[arg(long, value_name = "N", conflicts_with_all = ["sample", "one_pass"], value_parser = parse::whole::<usize>, allow_negative_numbers = true)]
    pub beam: Option<usize>,
    /// How far a beam makes longer translations up for their lower probability: score / ((5 +
    /// length) / 6)^A [default: 0.6].
    #[arg(long, value_name = "A", requires = "beam", value_parser = parse::real, allow_negative_numbers = true)]
    pub length_penalty: Option<f64>,
    /// Draw tokens from the model's distribution.
    #[arg(long, conflicts_with = "one_pass")]
    pub sample: bool,
    /// Divide the logits by T before drawing; 0 is greedy [default: 1].
    #[arg(long, value_name = "T", requires = "sample", value_parser = parse::real, allow_negative_numbers = true)]
    pub temperature: Option<f64>,
    /// Draw from the K most probable tokens; 0: from all [default: 0].
    #[arg(long, value_name = "K", requires = "sample", value_parser = parse::whole::<usize>, allow_negative_numbers = true)]
    pub top_k: Option<usize>,
    /// Draw from the fewest tokens that have the probability P together [default: 1].
    #[arg(long, value_name = "P", requires = "sample", value_parser = parse::real, allow_negative_numbers = true)]
    pub top_p: Option<f64>,
    /// Draw the same tokens again with the same seed [default: 0].
    #[arg(long, value_name = "SEED", requires = "sample", value_parser = parse::whole::<u32>, allow_negative_numbers = true)]
    pub seed: Option<u32>,
    /// Write all tokens in one pass: the model reads padding instead of what it wrote. For
    /// comparison with results that were published so.
    #[arg(long)]
    pub one_pass: bool,
    /// Write at most N tokens a sentence [default: as many as the data need].
    #[arg(long, value_name = "N", value_parser = parse::whole::<usize>, allow_negative_numbers = true)]
    pub limit: Option<usize>,
}

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

#[derive(Args, Debug)]
pub struct EvalArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Measure on this text, a sentence per line, or source TAB target; may be `.gz`.
    #[arg(long, value_name = "FILE")]
    pub source: Option<PathBuf>,
    /// The translation of `--source`, line by line.
    #[arg(long, value_name = "FILE", requires = "source")]
    pub target: Option<PathBuf>,
    #[command(flatten)]
    pub search: SearchArguments,
    /// Decode at most this many sentences [default: 1000, or all with `--bleu` or `--output`].
    #[arg(long, value_name = "N", value_parser = parse::whole::<usize>, allow_negative_numbers = true)]
    pub decode: Option<usize>,
    /// Measure BLEU and chrF of the translations, as sacreBLEU does, against the text of the file.
    #[arg(long)]
    pub bleu: bool,
    /// What is a word for BLEU, by the names of `score --tokenize` [default: as
    /// `training.bleu_words` of the run says].
    #[arg(long, value_name = "TOKENIZER", value_parser = tokenizers(), requires = "bleu")]
    pub tokenize: Option<BleuTokenizer>,
    /// Take no notice of case in BLEU and chrF.
    #[arg(long, requires = "bleu")]
    pub lowercase: bool,
    /// Write the translations into this file: a line for each line of the source, empty where
    /// there is nothing to translate, or too much.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Measure the alignment error rate of the attention against these links, `NAME.gold`, of the
    /// sentences in `NAME.src-tgt` beside it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["source", "bleu", "output", "decode"])]
    pub alignment: Option<PathBuf>,
    /// Print one line of JSON.
    #[arg(long)]
    pub json: bool,
    /// Where the model's own data lie, if not where it was trained: `task.source=elsewhere/de.txt`.
    #[arg(value_name = "key=value")]
    pub overrides: Vec<String>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
