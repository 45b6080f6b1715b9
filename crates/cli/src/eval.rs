//! `strata eval`: a model measured on its held-out sentences, or on files.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use pollster::block_on;
use strata_session::protocol::Validation;
use strata_tasks::{Example, ParallelText, TaskConfig, TextConfig};
use strata_training::{Checkpoint, Inference, Tokenizer, Trainer, ValidationReport};

use crate::args::EvalArguments;
use crate::error::Failure;
use crate::progress::print;
use crate::run_folder::checkpoint_at;
use crate::summary;
use crate::translate::read;
use crate::wording::grouped;

/// Measures, and says what came out.
pub fn run(arguments: &EvalArguments) -> Result<ExitCode, Failure> {
    let path = checkpoint_at(&arguments.model.model);
    let bytes = read(&path)?;
    let checkpoint = Checkpoint::open(&bytes).map_err(Failure::checkpoint(&path))?;
    let (device, _) = arguments.model.device.open()?;
    if let TaskConfig::Text(task) = &checkpoint.experiment().task {
        return of_text(arguments, task, &bytes);
    }
    let (inference, examples) = match &arguments.source {
        Some(source) => {
            let inference = Inference::from_checkpoint(&bytes, &device);
            let inference = inference.map_err(Failure::checkpoint(&path))?;
            let text = corpus(source, arguments.target.as_deref())?;
            let pairs = Pairs::encode(inference.tokenizer(), &text);
            if pairs.left_out > 0 {
                print(&format!(
                    "Left out: {} sentence pairs, empty or too long.",
                    pairs.left_out
                ));
            }
            if pairs.examples.is_empty() {
                return Err(Failure::NothingToMeasure {
                    path: source.clone(),
                });
            }
            (inference, pairs.examples)
        }
        None => {
            let trainer = Trainer::restore(&bytes, &device).map_err(Failure::checkpoint(&path))?;
            (trainer.inference(), trainer.validation().to_vec())
        }
    };
    let batch_size = checkpoint.experiment().training.batch_size;
    let report = block_on(inference.evaluate(&examples, batch_size, arguments.decode))?;
    print(&format!(
        "The model of step {}, on {} sentences.",
        report.step,
        examples.len()
    ));
    tell(report);
    Ok(ExitCode::SUCCESS)
}

fn tell(report: ValidationReport) {
    print(&summary::validation(&Validation {
        step: report.step,
        loss: report.loss,
        perplexity: report.perplexity,
        accuracy: report.accuracy,
        exact_match: report.exact_match,
        decoded: report.decoded,
        bleu: report.bleu,
        bits_per_character: report.bits_per_character,
    }));
}

/// A language model on a text: the one given, or the held-out one and that of `task.test_source`.
fn of_text(
    arguments: &EvalArguments,
    task: &TextConfig,
    bytes: &[u8],
) -> Result<ExitCode, Failure> {
    let file = checkpoint_at(&arguments.model.model);
    let (device, _) = arguments.model.device.open()?;
    let of_file = |tokenizer: &Tokenizer, path: &Path| -> Result<_, Failure> {
        Ok((path.display().to_string(), tokenizer.segments(task, path)?))
    };
    let (inference, texts) = match &arguments.source {
        Some(_) if arguments.target.is_some() => {
            return Err(Failure::Session(
                "a language model is measured on one text; leave out `--target`".to_owned(),
            ));
        }
        Some(source) => {
            let inference = Inference::from_checkpoint(bytes, &device);
            let inference = inference.map_err(Failure::checkpoint(&file))?;
            let text = of_file(inference.tokenizer(), source)?;
            (inference, vec![text])
        }
        None => {
            let trainer = Trainer::restore(bytes, &device).map_err(Failure::checkpoint(&file))?;
            let mut texts = vec![(
                "the held-out text".to_owned(),
                trainer.validation().to_vec(),
            )];
            if let Some(test) = &task.test_source {
                texts.push(of_file(trainer.tokenizer(), test)?);
            }
            (trainer.inference(), texts)
        }
    };
    let checkpoint = Checkpoint::open(bytes).map_err(Failure::checkpoint(&file))?;
    let batch_size = checkpoint.experiment().training.batch_size;
    for (name, segments) in texts {
        let report = block_on(inference.evaluate(&segments, batch_size, 0))?;
        let tokens: usize = segments.iter().map(|it| it.target.len()).sum();
        print(&format!(
            "The model of step {}, on {name} of {} tokens.",
            report.step,
            grouped(tokens as u64)
        ));
        tell(report);
    }
    Ok(ExitCode::SUCCESS)
}

fn corpus(source: &Path, target: Option<&Path>) -> Result<ParallelText, Failure> {
    let name = |path: &Path| path.display().to_string();
    let bytes = fs::read(source).map_err(Failure::reading(source))?;
    Ok(match target {
        Some(target) => {
            let others = fs::read(target).map_err(Failure::reading(target))?;
            ParallelText::from_sides((&name(source), &bytes), (&name(target), &others))?
        }
        None => ParallelText::from_columns(&name(source), &bytes)?,
    })
}

/// Sentence pairs in the tokens of a model.
struct Pairs {
    examples: Vec<Example>,
    left_out: usize,
}

impl Pairs {
    fn encode(tokenizer: &Tokenizer, text: &ParallelText) -> Self {
        let examples: Vec<Example> = text
            .pairs
            .iter()
            .filter_map(|(source, target)| {
                let source = tokenizer.encode(source).ok()?.ids;
                let target = tokenizer.encode_target(target);
                (1..=tokenizer.longest_target())
                    .contains(&target.len())
                    .then_some(Example { source, target })
            })
            .collect();
        Self {
            left_out: text.pairs.len() - examples.len(),
            examples,
        }
    }
}
