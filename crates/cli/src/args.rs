//! The commands of `strata`. Each command's arguments are defined beside its code.

use clap::{Parser, Subcommand};

use crate::command::ablate::AblateArguments;
use crate::command::answer::AnswerArguments;
use crate::command::attention::AttentionArguments;
use crate::command::average::AverageArguments;
use crate::command::bench::BenchArguments;
use crate::command::compare::CompareArguments;
use crate::command::completions::{CompletionsArguments, ManArguments};
use crate::command::config::ConfigArguments;
use crate::command::data::DataArguments;
use crate::command::eval::EvalArguments;
use crate::command::export::ExportArguments;
use crate::command::inspect::InspectArguments;
use crate::command::poem::PoemArguments;
use crate::command::receipt::ReceiptArguments;
use crate::command::reproduce::ReproduceArguments;
use crate::command::score::ScoreArguments;
use crate::command::smt::SmtArguments;
use crate::command::sweep::SweepArguments;
use crate::command::train::TrainArguments;
use crate::command::translate::TranslateArguments;

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

const REPRODUCE_EXAMPLES: &str = "\
Examples:
  strata reproduce
  strata reproduce e2 --only copy --plan
  strata reproduce e1 --only sound --seeds 5
  strata reproduce e2 --scale paper --device cuda --out runs/hri";

const ANSWER_EXAMPLES: &str = "\
Examples:
  strata answer --model runs/mine --passage text.txt \"Who found the ball?\"
  strata answer --model runs/mine --passage text.txt --nbest 5 \"Who found the ball?\"
  strata answer --model runs/mine --passage text.txt --attention match.svg \"Who found the ball?\"
  strata answer --model runs/mine --questions dev.json --output predictions.json
  printf 'Mary found the ball.\\tWho found the ball?\\n' | strata answer --model runs/mine -";

const SCORE_EXAMPLES: &str = "\
Examples:
  strata translate --model runs/mine < test.de | strata score --reference test.en
  strata score --reference test.en --metric bleu,chrf,chrf++ --json translated.en
  strata score --reference a.en --reference b.en --tokenize intl --sentence translated.en
  strata score --reference answers.txt --metric exact,rouge-l given.txt";

const ATTENTION_EXAMPLES: &str = "\
Examples:
  strata attention weights.json
  strata attention weights.safetensors --site encoder.1.self --head 3
  strata attention weights.json --sentence 2 --rollout 5
  strata attention weights.json --html weights.html
  python examples/write_attention.py torch \"a b c\" | strata attention -";

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Train a model; without arguments, a small German-to-English one.
    #[command(after_help = EXAMPLES)]
    Train(TrainArguments),
    /// Train every combination of some settings, or print a command for each.
    Sweep(SweepArguments),
    /// Run a published experiment, and report its table beside the published one.
    #[command(after_help = REPRODUCE_EXAMPLES)]
    Reproduce(ReproduceArguments),
    /// Compare runs: what differs between them, what came of it, with deviation over seeds.
    Compare(CompareArguments),
    /// Average checkpoints of one run into a model to translate with.
    Average(AverageArguments),
    /// Translate, or write on, with a trained model: a text, or standard input line by line.
    Translate(TranslateArguments),
    /// Answer questions about passages with a trained reader.
    #[command(after_help = ANSWER_EXAMPLES)]
    Answer(AnswerArguments),
    /// Measure a trained model on its held-out sentences, or on files.
    Eval(EvalArguments),
    /// Measure what each head, level and block of a trained model is worth, by taking it away.
    Ablate(AblateArguments),
    /// Score translations or answers against references, as sacreBLEU and SQuAD do.
    #[command(after_help = SCORE_EXAMPLES)]
    Score(ScoreArguments),
    /// Write a trained model for another program: parameters, and code that computes it.
    Export(ExportArguments),
    /// Write a Chinese quatrain about a text, with a model of the task `poems`.
    Poem(PoemArguments),
    /// Learn to translate each line of a poem into the next, and measure it: the baseline of poems.
    Smt(SmtArguments),
    /// Print the experiment that `train` would run, as a configuration file with comments.
    Config(ConfigArguments),
    /// Corpora: list and fetch public ones, look into any, drop what is held out.
    Data(DataArguments),
    /// Show what is in a checkpoint: experiment, progress, parameters.
    Inspect(InspectArguments),
    /// Check what a file says that runs have come to, by running each again; or print it of a run.
    Receipt(ReceiptArguments),
    /// Show attention weights in a file of any program: sentences, sites, a map, or a page.
    #[command(after_help = ATTENTION_EXAMPLES)]
    Attention(AttentionArguments),
    /// Print a script by which a shell completes commands.
    Completions(CompletionsArguments),
    /// Print the manual page, or write those of all commands.
    Man(ManArguments),
    /// Run workloads that other programs run too, and say how long a step takes.
    Bench(BenchArguments),
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
