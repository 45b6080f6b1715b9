//! A language model measured on texts.

use std::path::Path;
use std::process::ExitCode;

use pollster::block_on;
use serde_json::{Value, json};
use strata_tasks::TextConfig;
use strata_training::{Checkpoint, Inference, Tokenizer, Trainer, ValidationReport};

use crate::args::EvalArguments;
use crate::error::Failure;
use crate::progress::print;
use crate::summary;
use crate::wording::grouped;

/// A language model on a text: the one given, or the held-out one and that of `task.test_source`.
pub(super) fn run(
    arguments: &EvalArguments,
    task: &TextConfig,
    file: &Path,
    bytes: &[u8],
) -> Result<ExitCode, Failure> {
    if arguments.bleu || arguments.output.is_some() {
        return Err(Failure::Session(
            "a language model translates nothing; leave out `--bleu` and `--output`".to_owned(),
        ));
    }
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
            let inference = inference.map_err(Failure::checkpoint(file))?;
            let text = of_file(inference.tokenizer(), source)?;
            (inference, vec![text])
        }
        None => {
            let trainer = Trainer::to_measure(bytes, &device);
            let trainer = trainer.map_err(Failure::checkpoint(file))?;
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
    let checkpoint = Checkpoint::open(bytes).map_err(Failure::checkpoint(file))?;
    let batch_size = checkpoint.experiment().training.batch_size;
    for (name, segments) in texts {
        let report = block_on(inference.evaluate(&segments, batch_size, 0))?;
        let tokens: usize = segments.iter().map(|it| it.target.len()).sum();
        if arguments.json {
            print(&as_json(&report, &name, tokens).to_string());
            continue;
        }
        print(&format!(
            "The model of step {}, on {name} of {} tokens.",
            report.step,
            grouped(tokens as u64)
        ));
        print(&summary::validation(&report.into()));
    }
    Ok(ExitCode::SUCCESS)
}

fn as_json(report: &ValidationReport, text: &str, tokens: usize) -> Value {
    json!({
        "step": report.step,
        "text": text,
        "tokens": tokens,
        "loss": report.loss,
        "perplexity": report.perplexity,
        "token_accuracy": report.accuracy,
        "bits_per_character": report.bits_per_character,
    })
}
