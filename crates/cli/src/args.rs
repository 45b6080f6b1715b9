//! What can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::bench::BenchArguments;
use crate::completions::{CompletionsArguments, ManArguments};
use crate::data::DataArguments;
use crate::device::DeviceChoice;
use crate::inspect::InspectArguments;
use crate::score::ScoreArguments;

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
    /// Translate with a trained model: the text given, or standard input line by line.
    Translate(TranslateArguments),
    /// Measure a trained model on its held-out sentences, or on files.
    Eval(EvalArguments),
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

/// The experiment: a preset, a configuration file on top of it, and single settings on top of both.
#[derive(Args, Debug)]
pub struct ExperimentArguments {
    /// Begin with the settings of a published model; `strata config --presets` lists them.
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Read the experiment from this file; what it leaves out has its default.
    #[arg(long, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,
    /// Change single settings: `seed=3 model.width=128 task.kind=copy`; `strata config` shows all.
    #[arg(value_name = "key=value")]
    pub overrides: Vec<String>,
}

#[derive(Args, Debug)]
pub struct ConfigArguments {
    #[command(flatten)]
    pub experiment: ExperimentArguments,
    /// Explain a setting (`training.clip_norm`), all settings of a group (`training`), a
    /// mechanism or an option by its name; without a name, everything.
    #[arg(long, value_name = "NAME", num_args = 0..=1, conflicts_with_all = ["config", "overrides", "preset"])]
    pub explain: Option<Option<String>>,
    /// List the presets.
    #[arg(long, conflicts_with_all = ["config", "overrides", "preset", "explain"])]
    pub presets: bool,
}

#[derive(Args, Debug)]
pub struct TrainArguments {
    #[command(flatten)]
    pub experiment: ExperimentArguments,
    /// Where to compute.
    #[arg(long, value_enum, default_value_t)]
    pub device: DeviceChoice,
    /// Go on with the run of this checkpoint; of its settings only `training.steps` and
    /// `training.patience` may change.
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
    /// A checkpoint, or the folder of a run.
    #[arg(long, value_name = "FILE")]
    pub model: PathBuf,
    /// Where to compute.
    #[arg(long, value_enum, default_value_t)]
    pub device: DeviceChoice,
}

#[derive(Args, Debug)]
pub struct TranslateArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// What to translate; without it, every line of standard input.
    #[arg(value_name = "TEXT")]
    pub text: Vec<String>,
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
    /// Decode at most this many sentences for the exact match.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub decode: usize,
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
