//! `strata ablate`: measures the contribution of each part of a trained model by removing it.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pollster::block_on;
use serde_json::json;
use strata_models::Part;
use strata_settings::numeral::parse;
use strata_text::Uploads;
use strata_training::{Checkpoint, Inference, Metric, Trainer, TrainingConfig, Validation};

use crate::base::error::Error;
use crate::base::output::{print, warn};
use crate::display::columns;
use crate::display::format::percent;
use crate::model::changed::Changed;
use crate::model::chosen;
use crate::model::device::DeviceChoice;
use crate::pipeline;
use crate::run::moved;

/// Number of sentences that are decoded for each part, unless the user asks for another.
const DECODED: usize = 200;

#[derive(Args, Debug)]
pub struct AblateArguments {
    /// A checkpoint, or the folder of a run.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Take away parts of these kinds, one at a time [default: all that the model has].
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KIND")]
    parts: Vec<Kind>,
    /// Decode at most this many held-out sentences for each part; the loss is that of all.
    #[arg(long, value_name = "N", default_value_t = DECODED, value_parser = parse::whole::<usize>, allow_negative_numbers = true)]
    decode: usize,
    /// Print one line of JSON for the whole model and one for each part.
    #[arg(long)]
    json: bool,
    /// Measure the model with another number of levels than it was trained with:
    /// `--set model.encoder_self.levels=8`.
    #[arg(long, value_name = "key=value")]
    set: Vec<String>,
    /// Device to compute on.
    #[arg(long, value_enum, default_value_t)]
    device: DeviceChoice,
    /// Paths of the model's own data, if they have moved since training:
    /// `task.source=elsewhere/de.txt`.
    #[arg(value_name = "key=value")]
    overrides: Vec<String>,
}

/// A kind of part.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Whole attention sites.
    Sites,
    /// Single heads.
    Heads,
    /// Single levels.
    Levels,
    /// Feed-forward blocks.
    FeedForward,
}

impl Kind {
    /// Returns the kind of a part; `None` for what is no part to take away: numbers of levels, and
    /// rows and nodes, which belong to a single example.
    fn of(part: &Part) -> Option<Self> {
        Some(match part {
            Part::Site { .. } => Self::Sites,
            Part::Head { .. } => Self::Heads,
            Part::Level { .. } => Self::Levels,
            Part::FeedForward { .. } => Self::FeedForward,
            Part::Levels { .. } | Part::Row { .. } | Part::Node { .. } => return None,
        })
    }
}

/// Result of measuring the model without a part.
struct Row {
    part: Part,
    measured: Validation,
    /// Share of the level in the mix of the intact model, averaged over the heads; only for levels.
    share: Option<f64>,
}

/// Measures the model without each of its parts, and prints the results.
pub fn run(arguments: &AblateArguments) -> Result<ExitCode, Error> {
    let (trainer, changed) = open(arguments)?;
    let mut inference = trainer.inference();
    let changed = changed.parts(&inference);
    mute(&mut inference, &changed)?;
    let parts = parts(arguments, &inference);
    if parts.is_empty() {
        return Err(Error::Session(nothing_to_mute(&inference)));
    }
    let kind = inference.tokenizer().pipeline();
    let training = TrainingConfig {
        bleu_sentences: arguments.decode,
        ..trainer.experiment().training.clone()
    };
    let decode = arguments.decode;
    let bleu = decode > 0 && kind.has_pairs();
    let measure = |inference: &Inference| {
        block_on(inference.validate(trainer.held_out(), &training, decode, bleu))
    };
    let whole = measure(&inference)?;
    if arguments.json {
        print(&json_of(None, &whole, None));
    } else {
        print(&format!("The whole model, of step {}.", whole.step));
        print(&pipeline::of(kind).validation(&whole));
    }
    let bar = bar(parts.len());
    let mut rows = Vec::new();
    for part in parts {
        bar.set_message(part.to_string());
        let share = share(&inference, &part)?;
        mute(&mut inference, &[&changed[..], &[part]].concat())?;
        let measured = measure(&inference)?;
        mute(&mut inference, &changed)?;
        bar.inc(1);
        if arguments.json {
            bar.suspend(|| print(&json_of(Some(&part), &measured, share)));
        }
        rows.push(Row {
            part,
            measured,
            share,
        });
    }
    bar.finish_and_clear();
    if !arguments.json {
        tell(&whole, &rows);
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens the model with the data of the model's run. Also returns the changes that `--set` makes.
fn open(arguments: &AblateArguments) -> Result<(Trainer, Changed), Error> {
    let mut chosen = chosen::read(&arguments.run)?;
    let bytes = std::mem::take(&mut chosen.bytes);
    let advice = "say where its data lie now, for example `task.source=…`";
    let bytes = moved::found(&chosen.path, bytes, &arguments.overrides, advice)?;
    let checkpoint = Checkpoint::open(&bytes).map_err(Error::checkpoint(&chosen.path))?;
    let changed = Changed::of_model(&arguments.set, checkpoint.experiment())?;
    drop(checkpoint);
    let bytes = changed.checkpoint(&chosen.path, bytes)?;
    chosen.tell();
    let (device, _) = arguments.device.open()?;
    let trainer = Trainer::to_measure(&bytes, &Uploads::default(), &device);
    let trainer = trainer.map_err(Error::checkpoint(&chosen.path))?;
    Ok((trainer, changed))
}

/// Returns the parts of the model that are of the kinds that the user asks for.
fn parts(arguments: &AblateArguments, inference: &Inference) -> Vec<Part> {
    let is_asked_for = |part: &Part| {
        let kind = Kind::of(part);
        kind.is_some_and(|kind| arguments.parts.is_empty() || arguments.parts.contains(&kind))
    };
    inference.parts().into_iter().filter(is_asked_for).collect()
}

/// Takes parts of the model away, and puts back all others.
fn mute(inference: &mut Inference, parts: &[Part]) -> Result<(), Error> {
    let muted = inference.mute(parts);
    muted.map_err(|refusal| Error::Session(refusal.to_string()))
}

fn nothing_to_mute(inference: &Inference) -> String {
    match inference.parts().first() {
        None => "the model has no attention and no feed-forward block that could be taken away; \
                 choose a run with attention"
            .to_owned(),
        Some(first) => {
            format!("the model has no part of this kind; leave out `--parts` (it has `{first}`, …)")
        }
    }
}

/// Share of a level in the mix, averaged over the heads; `None` if the part is no level.
fn share(inference: &Inference, part: &Part) -> Result<Option<f64>, Error> {
    let Part::Level { site, level } = part else {
        return Ok(None);
    };
    let Some(shares) = inference.shares(*site) else {
        return Ok(None);
    };
    let [mixes, depth] = shares.dims();
    let shares: Vec<f64> = block_on(shares.into_data_async())?.iter().collect();
    let of_level = shares.iter().skip(*level).step_by(depth);
    Ok(Some(of_level.sum::<f64>() / mixes as f64))
}

fn bar(parts: usize) -> ProgressBar {
    let target = if io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    if target.is_hidden() && parts > 1 {
        warn(&format!("{parts} parts are taken away, one at a time."));
    }
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} without {msg}")
        .expect("the template is well-formed")
        .progress_chars("━╸ ");
    ProgressBar::with_draw_target(Some(parts as u64), target).with_style(style)
}

/// Returns a line of JSON, with all metrics of all kinds of work; `null` for those not measured.
fn json_of(part: Option<&Part>, measured: &Validation, share: Option<f64>) -> String {
    let mut line = json!({
        "without": part,
        "name": part.map(Part::to_string),
        "step": measured.step,
        "loss": measured.loss,
        "perplexity": measured.perplexity,
        "token_accuracy": measured.accuracy,
        "exact_match": measured.exact_match,
        "decoded": measured.decoded,
        "bleu": measured.bleu,
        "bits_per_character": measured.bits_per_character(),
        "share": share,
    });
    for metric in Metric::ALL {
        let key = match metric {
            Metric::Accuracy => "token_accuracy",
            other => other.key(),
        };
        if line.get(key).is_none() {
            line[key] = json!(metric.of(measured));
        }
    }
    line.to_string()
}

/// Returns the table of the parts: a head, then a line for each part. Scores that cannot be
/// measured for this kind of model have no columns.
fn table(whole: &Validation, rows: &[Row]) -> Vec<Vec<String>> {
    let has_shares = rows.iter().any(|row| row.share.is_some());
    let mut head = vec!["without", "loss", "change", "accuracy"];
    if whole.bleu.is_some() {
        head.extend(["exact", "BLEU", "change"]);
    }
    if whole.f1().is_some() {
        head.extend(["exact", "F1", "change"]);
    }
    if has_shares {
        head.push("share");
    }
    let mut table: Vec<Vec<String>> = vec![head.into_iter().map(str::to_owned).collect()];
    for row in rows {
        let measured = &row.measured;
        let mut cells = vec![
            row.part.to_string(),
            format!("{:.4}", measured.loss),
            format!("{:+.4}", measured.loss - whole.loss),
            percent(measured.accuracy),
        ];
        if let (Some(bleu), Some(before)) = (measured.bleu, whole.bleu) {
            cells.push(percent(measured.exact_match));
            cells.push(format!("{bleu:.2}"));
            cells.push(format!("{:+.2}", bleu - before));
        }
        if let (Some(f1), Some(before)) = (measured.f1(), whole.f1()) {
            cells.push(percent(measured.exact_match));
            cells.push(percent(f1));
            cells.push(format!("{:+.1}", 100.0 * (f1 - before)));
        }
        if has_shares {
            cells.push(row.share.map_or(String::new(), percent));
        }
        table.push(cells);
    }
    table
}

/// Prints a line for each part, then the parts whose removal costs most and least.
fn tell(whole: &Validation, rows: &[Row]) {
    print("");
    for line in columns::aligned(&table(whole, rows), 1) {
        print(&line);
    }
    let by_loss = |a: &&Row, b: &&Row| a.measured.loss.total_cmp(&b.measured.loss);
    if let (Some(least), Some(most)) = (rows.iter().min_by(by_loss), rows.iter().max_by(by_loss))
        && rows.len() > 1
    {
        print(&format!(
            "\nMissed most: {} (loss {:+.4}); least: {} ({:+.4}). Parts that stand in for each other \
             are missed less one at a time than together.",
            most.part,
            most.measured.loss - whole.loss,
            least.part,
            least.measured.loss - whole.loss,
        ));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::Value;
    use strata_training::Scores;

    use super::*;

    #[test]
    fn a_line_of_json_has_the_metrics_of_every_kind_of_work() {
        let of_reader = Validation {
            accuracy: 0.5,
            scores: Scores::Answers {
                f1: 0.75,
                free: None,
            },
            ..Validation::default()
        };
        let line: Value = serde_json::from_str(&json_of(None, &of_reader, None)).unwrap();
        assert_eq!(line["f1"], 0.75);
        assert_eq!(line["token_accuracy"], 0.5);
        assert!(line.get("accuracy").is_none());
        for metric in Metric::ALL.into_iter().filter(|&it| it != Metric::Accuracy) {
            assert!(line.get(metric.key()).is_some(), "{metric:?}");
        }
    }

    #[test]
    fn the_table_has_the_scores_of_answers() {
        let answers = |f1| Validation {
            exact_match: 0.5,
            scores: Scores::Answers { f1, free: None },
            ..Validation::default()
        };
        let row = Row {
            part: Part::FeedForward {
                layer: "encoder.0".parse().unwrap(),
            },
            measured: answers(0.625),
            share: None,
        };
        let table = table(&answers(0.75), &[row]);
        assert_eq!(table[0][4..], ["exact", "F1", "change"]);
        assert_eq!(table[1][4..], ["50.0 %", "62.5 %", "-12.5"]);
    }
}
