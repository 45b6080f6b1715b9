//! Measures a language model on texts.

use std::path::Path;

use pollster::block_on;
use serde_json::{Value, json};
use strata_tasks::{Example, Learned, Lost, Pipeline, TextConfig, Written, identity_of_line};
use strata_text::Uploads;
use strata_training::{Checkpoint, HeldOut, Inference, Tokenizer, Trainer, Validation};

use super::arguments::EvalArguments;
use super::{Measured, floors};
use crate::base::error::Error;
use crate::display::format::grouped;
use crate::display::summary;

/// A text on which the model is measured.
struct Text {
    name: String,
    segments: Vec<Example>,
    written: Written,
    /// Number of lines that the model has learned, among those that are long enough to be
    /// recognised.
    learned: usize,
    /// Lines that are another text once they are tokens.
    lost: Lost,
}

impl Text {
    /// Reads a file; counts the lines that the model has learned, and those that are another text
    /// as tokens.
    fn of_file(
        task: &TextConfig,
        tokenizer: &Tokenizer,
        path: &Path,
        learned: Option<&Learned>,
    ) -> Result<Self, Error> {
        let text = Uploads::default().read_text(path)?;
        let name = path.display().to_string();
        let (segments, written) = tokenizer.segments(task, &name, &text)?;
        let mut lost = Lost::default();
        for line in text.lines() {
            lost.add_line(line, &tokenizer.rejoined_line(line));
        }
        let count = |learned: &Learned| {
            let lines: Vec<u64> = text.lines().filter_map(identity_of_line).collect();
            let is_learned = learned.holds(&lines).into_iter();
            is_learned.filter(|&is_learned| is_learned).count()
        };
        Ok(Self {
            name,
            segments,
            written,
            learned: learned.map_or(0, count),
            lost,
        })
    }

    fn held_out(trainer: &Trainer, learned: Option<&Learned>) -> Self {
        let held_out = trainer.held_out();
        let identities = trainer.held_out_identities().unwrap_or_default();
        let learned = learned.or(trainer.learned_before());
        let is_learned = learned.map(|it| it.holds_any(identities));
        let learned = is_learned.into_iter().flatten().filter(|&it| it).count();
        Self {
            name: "the held-out text".to_owned(),
            segments: held_out.examples().to_vec(),
            written: held_out.written().clone(),
            learned,
            lost: trainer.facts().sides[0].lost.clone(),
        }
    }

    fn tokens(&self) -> usize {
        self.segments.iter().map(|it| it.target.len()).sum()
    }

    /// Returns the number of tokens outside of the vocabulary.
    fn unknown(&self) -> usize {
        match &self.written {
            Written::Text(written) => written.unknown_tokens(),
            _ => 0,
        }
    }
}

/// Refuses options that only make sense for a model that translates.
pub(super) fn check(arguments: &EvalArguments, models: usize) -> Result<(), Error> {
    let refusal = if models > 1 {
        "language models cannot be joined; name one model"
    } else if arguments.bleu || arguments.output.is_some() {
        "a language model translates nothing; leave out `--bleu` and `--output`"
    } else if arguments.target.is_some() {
        "a language model is measured on one text; leave out `--target`"
    } else {
        return super::refuse_search(
            arguments,
            "a language model is measured, and writes nothing",
        );
    };
    Err(Error::Session(refusal.to_owned()))
}

/// Measures a language model on the given text, or on its held-out text and that of
/// `task.test_source`.
pub(super) fn measure(
    arguments: &EvalArguments,
    task: &TextConfig,
    file: &Path,
    bytes: &[u8],
) -> Result<Vec<Measured>, Error> {
    let (device, _) = arguments.model.device.open()?;
    let learned = if arguments.floors {
        let trainer = Trainer::to_measure(bytes, &Uploads::default(), &device);
        let trainer = trainer.map_err(Error::checkpoint(file))?;
        floors::check(trainer.training().len())?;
        trainer.training().to_vec()
    } else {
        Vec::new()
    };
    let checkpoint = Checkpoint::open(bytes).map_err(Error::checkpoint(file))?;
    let known = checkpoint.learned().map_err(Error::checkpoint(file))?;
    let (inference, texts) = match &arguments.source {
        Some(source) => {
            let inference = Inference::from_checkpoint(bytes, &device);
            let inference = inference.map_err(Error::checkpoint(file))?;
            let text = Text::of_file(task, inference.tokenizer(), source, known.as_ref())?;
            (inference, vec![text])
        }
        None => {
            let trainer = Trainer::to_measure(bytes, &Uploads::default(), &device);
            let trainer = trainer.map_err(Error::checkpoint(file))?;
            let mut texts = vec![Text::held_out(&trainer, known.as_ref())];
            if let Some(test) = &task.test_source {
                let text = Text::of_file(task, trainer.tokenizer(), test, known.as_ref())?;
                texts.push(text);
            }
            (trainer.inference(), texts)
        }
    };
    let cut = &checkpoint.experiment().task;
    let (level, form) = (cut.levels()[1], cut.text_form());
    let batch_size = checkpoint.experiment().training.batch_size;
    let mut measured = Vec::new();
    for text in texts {
        let held_out = HeldOut::new(inference.tokenizer(), &text.segments, &text.written);
        let report = block_on(inference.evaluate(held_out, batch_size, 0))?;
        let mut lines = vec![
            format!(
                "{}, on {} of {} tokens.",
                super::model_of(&checkpoint),
                text.name,
                grouped(text.tokens() as u64)
            ),
            summary::validation(&report, Pipeline::TextGeneration),
        ];
        if text.unknown() > 0 {
            lines.push(format!(
                "{} of these tokens are not in the vocabulary: the loss is that of `<unk>`, and \
                 what spells them is in no bit.",
                grouped(text.unknown() as u64)
            ));
        }
        let unspelled = "; what is lost of it is in no bit";
        lines.extend(text.lost.sentence("the text", level, form, unspelled));
        if text.learned > 0 {
            lines.push(format!(
                "{} of its lines are among what the model has learned: what is measured on them is \
                 what it has by heart.",
                grouped(text.learned as u64)
            ));
        }
        let mut json = as_json(&report, &text);
        if arguments.floors {
            let tokenizer = inference.tokenizer();
            let characters = held_out.characters();
            let floors = floors::of_text(tokenizer, &learned, &text.segments, characters);
            lines.extend(floors::lines(&floors));
            json["floors"] = floors;
        }
        measured.push(Measured { json, lines });
    }
    Ok(measured)
}

fn as_json(report: &Validation, text: &Text) -> Value {
    json!({
        "step": report.step,
        "text": text.name,
        "tokens": text.tokens(),
        "unknown_tokens": text.unknown(),
        "learned_lines": text.learned,
        "loss": report.loss,
        "perplexity": report.perplexity,
        "token_accuracy": report.accuracy,
        "bits_per_character": report.bits_per_character(),
    })
}
