//! `strata eval`: a model measured on its held-out sentences, or on files.

mod alignment;
mod decoded;
mod text;

use std::path::Path;
use std::process::ExitCode;

use pollster::block_on;
use serde_json::json;
use strata_session::protocol::Validation;
use strata_tasks::{Example, ParallelText, TaskConfig};
use strata_training::{Checkpoint, Inference, Tokenizer, Trainer};

use crate::args::EvalArguments;
use crate::error::Failure;
use crate::progress::print;
use crate::translate::open;
use crate::{chosen, moved, search, summary, text_file};
use decoded::Decoded;

/// Sentences that are decoded where nothing asks for more.
const DECODED: usize = 1000;

/// Measures, and says what came out.
pub fn run(arguments: &EvalArguments) -> Result<ExitCode, Failure> {
    let search = search::read(&arguments.search, None)?;
    if let Some(gold) = &arguments.alignment {
        return alignment::run(&open(&arguments.model)?, gold, arguments.json);
    }
    let (path, mut bytes) = chosen::read(&arguments.model.model)?;
    if arguments.source.is_none() {
        // Its own data are read, wherever they lie now.
        bytes = moved::found(&path, bytes, &arguments.overrides)?;
    } else if !arguments.overrides.is_empty() {
        return Err(Failure::OnlyPaths);
    }
    let checkpoint = Checkpoint::open(&bytes).map_err(Failure::checkpoint(&path))?;
    if let TaskConfig::Text(task) = &checkpoint.experiment().task {
        return text::run(arguments, task, &path, &bytes);
    }
    let (device, _) = arguments.model.device.open()?;
    let (inference, pairs) = match &arguments.source {
        Some(source) => {
            let inference = Inference::from_checkpoint(&bytes, &device);
            let inference = inference.map_err(Failure::checkpoint(&path))?;
            let text = corpus(source, arguments.target.as_deref())?;
            let pairs = Pairs::encode(inference.tokenizer(), &text);
            if pairs.examples.is_empty() {
                return Err(Failure::NothingToMeasure {
                    path: source.clone(),
                });
            }
            (inference, pairs)
        }
        None => {
            let trainer = Trainer::to_measure(&bytes, &device);
            let trainer = trainer.map_err(Failure::checkpoint(&path))?;
            let pairs = Pairs::held_out(&trainer);
            (trainer.inference(), pairs)
        }
    };
    let batch_size = checkpoint.experiment().training.batch_size;
    let teacher_forced = block_on(inference.evaluate(&pairs.examples, batch_size, 0))?;
    let all = arguments.bleu || arguments.output.is_some();
    let most = if all { usize::MAX } else { DECODED };
    let most = arguments.decode.unwrap_or(most).min(pairs.examples.len());
    let decoded = Decoded::write(&inference, &pairs, most, &search, arguments.search.limit)?;
    if let Some(path) = &arguments.output {
        decoded.save(path)?;
    }
    let scores = arguments.bleu.then(|| decoded.scores());
    let report = Validation {
        exact_match: decoded.exact_match(),
        decoded: decoded.texts.len(),
        bleu: scores.as_ref().map(|scores| scores.bleu.score),
        ..teacher_forced.into()
    };
    if arguments.json {
        let mut line = json!({
            "step": report.step,
            "sentences": pairs.examples.len(),
            "left_out": pairs.left_out,
            "loss": report.loss,
            "perplexity": report.perplexity,
            "token_accuracy": report.accuracy,
            "exact_match": report.exact_match,
            "decoded": report.decoded,
            "search": search,
        });
        if let Some(scores) = &scores {
            line["bleu"] = json!({ "score": scores.bleu.score, "signature": scores.signatures[0] });
            line["chrf"] = json!({ "score": scores.chrf.score, "signature": scores.signatures[1] });
        }
        print(&line.to_string());
        return Ok(ExitCode::SUCCESS);
    }
    if pairs.left_out > 0 {
        print(&format!(
            "Left out: {} sentence pairs, empty or too long.",
            pairs.left_out
        ));
    }
    print(&format!(
        "The model of step {}, on {} sentences.",
        report.step,
        pairs.examples.len()
    ));
    print(&summary::validation(&report));
    if let Some(scores) = scores {
        print(&format!("{}\n  {}", scores.bleu, scores.signatures[0]));
        print(&format!("{:.2}\n  {}", scores.chrf, scores.signatures[1]));
    }
    Ok(ExitCode::SUCCESS)
}

fn corpus(source: &Path, target: Option<&Path>) -> Result<ParallelText, Failure> {
    let name = |path: &Path| path.display().to_string();
    let bytes = text_file::bytes(source)?;
    Ok(match target {
        Some(target) => {
            let others = text_file::bytes(target)?;
            ParallelText::from_sides((&name(source), &bytes), (&name(target), &others))?
        }
        None => ParallelText::from_columns(&name(source), &bytes)?,
    })
}

/// Sentence pairs in the tokens of a model.
struct Pairs {
    examples: Vec<Example>,
    /// The right answers as text.
    references: Vec<String>,
    left_out: usize,
}

impl Pairs {
    fn encode(tokenizer: &Tokenizer, text: &ParallelText) -> Self {
        let encoded = text.pairs.iter().filter_map(|(source, target)| {
            let source = tokenizer.encode(source).ok()?.ids;
            let ids = tokenizer.encode_target(target);
            (1..=tokenizer.longest_target())
                .contains(&ids.len())
                .then(|| {
                    (
                        Example {
                            source,
                            target: ids,
                        },
                        target.clone(),
                    )
                })
        });
        let (examples, references): (Vec<Example>, Vec<String>) = encoded.unzip();
        Self {
            left_out: text.pairs.len() - examples.len(),
            examples,
            references,
        }
    }

    fn held_out(trainer: &Trainer) -> Self {
        let examples = trainer.validation().to_vec();
        let text = |example: &Example| trainer.tokenizer().target_text(&example.target);
        Self {
            references: examples.iter().map(text).collect(),
            examples,
            left_out: 0,
        }
    }
}
