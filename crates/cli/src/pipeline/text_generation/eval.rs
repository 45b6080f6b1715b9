//! Measures a language model on texts.

use std::path::Path;

use burn::tensor::Device;
use pollster::block_on;
use serde_json::{Value, json};
use strata_tasks::{Example, Learned, Lost, TaskConfig, TextConfig, Written, identity_of_line};
use strata_text::{Uploads, special};
use strata_training::{HeldOut, Inference, Tokenizer, Trainer, Validation};

use super::{TextGeneration, floors};
use crate::base::error::Error;
use crate::display::format::grouped;
use crate::pipeline::evaluation::{EvalRequest, Measured};
use crate::pipeline::{PipelineCommands, floors as count_models};

/// A text on which the model is measured.
struct Text {
    name: String,
    segments: Vec<Example>,
    written: Written,
    /// Number of lines that the model has learned, among those that are long enough to be
    /// recognised.
    learned: usize,
    /// Lines of which the tokens spell another text.
    lost: Lost,
}

impl Text {
    /// Reads a file; counts the lines that the model has learned, and those that are another text
    /// as tokens.
    fn of_file(
        task: &TextConfig,
        path: &Path,
        tokenizer: &Tokenizer,
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
        let is_learned = learned.map(|learned| learned.holds_any(identities));
        let learned = is_learned
            .into_iter()
            .flatten()
            .filter(|&learned| learned)
            .count();
        Self {
            name: "the held-out text".to_owned(),
            segments: held_out.examples().to_vec(),
            written: held_out.written().clone(),
            learned,
            lost: trainer.facts().sides[0].lost.clone(),
        }
    }

    /// Returns the number of tokens that are asked for.
    fn tokens(&self) -> usize {
        let targets = self.segments.iter().flat_map(|it| &it.target);
        targets.filter(|&&id| id != special::PAD).count()
    }

    /// Returns remarks on unknown tokens, on what tokens lose of the text, and on learned lines.
    fn remarks(&self, task: &TaskConfig) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.unknown() > 0 {
            remarks.push(format!(
                "{} of these tokens are not in the vocabulary: the loss is that of `<unk>`, and \
                 what spells them is in no bit.",
                grouped(self.unknown() as u64)
            ));
        }
        let (level, form) = (task.levels()[1], task.text_form());
        let unspelled = "; what is lost of it is in no bit";
        remarks.extend(self.lost.sentence("the text", level, form, unspelled));
        if self.learned > 0 {
            remarks.push(format!(
                "{} of its lines are among what the model has learned: what is measured on them is \
                 what it has by heart.",
                grouped(self.learned as u64)
            ));
        }
        remarks
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
///
/// # Errors
/// If the user gave such an option, or several models.
pub(super) fn check(request: &EvalRequest<'_>) -> Result<(), Error> {
    let arguments = request.arguments;
    let refusal = if request.models.len() > 1 {
        "language models cannot be joined; name one model"
    } else if arguments.bleu || arguments.output.is_some() {
        "a language model translates nothing; leave out `--bleu` and `--output`"
    } else if arguments.target.is_some() {
        "a language model is measured on one text; leave out `--target`"
    } else {
        return request.refuse_decoding("a language model is measured, and writes nothing");
    };
    Err(Error::Session(refusal.to_owned()))
}

/// Measures a language model on the given text, or on its held-out text and that of
/// `task.test_source`.
///
/// # Errors
/// If a text or the data cannot be read, or the device fails.
pub(super) fn measure(request: &EvalRequest<'_>) -> Result<Vec<Measured>, Error> {
    let device = request.device()?;
    let training = training_segments(request, &device)?;
    let (inference, texts) = texts(request, &device)?;
    texts
        .iter()
        .map(|text| measure_text(request, &inference, &training, text))
        .collect()
}

/// Returns the segments from which count models learn, which only a trainer has; none without
/// `--floors`.
fn training_segments(request: &EvalRequest<'_>, device: &Device) -> Result<Vec<Example>, Error> {
    if !request.arguments.floors {
        return Ok(Vec::new());
    }
    let trainer = request.trainer(device)?;
    count_models::check(trainer.training().len())?;
    Ok(trainer.training().to_vec())
}

/// Returns the model, and the texts on which the model is measured.
fn texts(request: &EvalRequest<'_>, device: &Device) -> Result<(Inference, Vec<Text>), Error> {
    // The text of other tasks is generated, and in no file.
    let of_files = match &request.checkpoint.experiment().task {
        TaskConfig::Text(task) => Some(task),
        _ => None,
    };
    let learned = request.checkpoint.learned();
    let learned = learned.map_err(Error::checkpoint(request.path()))?;
    if let Some(source) = &request.arguments.source {
        let Some(task) = of_files else {
            let task = request.checkpoint.experiment().task.name();
            return Err(Error::Session(format!(
                "the text of the task `{task}` is generated, and no file of it can be measured; leave \
                 out `--source` to measure the model on its held-out text"
            )));
        };
        let inference = request.inference(device)?;
        let text = Text::of_file(task, source, inference.tokenizer(), learned.as_ref())?;
        return Ok((inference, vec![text]));
    }
    let trainer = request.trainer(device)?;
    let mut texts = vec![Text::held_out(&trainer, learned.as_ref())];
    if let Some((task, test)) = of_files.and_then(|it| Some((it, it.test_source.as_ref()?))) {
        let text = Text::of_file(task, test, trainer.tokenizer(), learned.as_ref())?;
        texts.push(text);
    }
    Ok((trainer.inference(), texts))
}

/// Measures a language model on a text. Count models learn from `training`.
fn measure_text(
    request: &EvalRequest<'_>,
    inference: &Inference,
    training: &[Example],
    text: &Text,
) -> Result<Measured, Error> {
    let experiment = request.checkpoint.experiment();
    let held_out = HeldOut::new(inference.tokenizer(), &text.segments, &text.written);
    let report = block_on(inference.evaluate(held_out, experiment.training.batch_size, 0))?;
    let mut lines = vec![
        format!(
            "{}, on {} of {} tokens.",
            request.model_name(),
            text.name,
            grouped(text.tokens() as u64)
        ),
        TextGeneration.validation(&report),
    ];
    lines.extend(text.remarks(&experiment.task));
    let mut json = as_json(&report, text);
    if request.arguments.floors {
        let tokenizer = inference.tokenizer();
        let characters = held_out.characters();
        let floors = floors::of_text(tokenizer, training, &text.segments, characters);
        lines.extend(count_models::lines(&floors));
        json["floors"] = floors;
    }
    Ok(Measured { json, lines })
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
