//! Measures a translation model on held-out sentences or on files.

use std::path::Path;

use burn::tensor::Device;
use pollster::block_on;
use serde_json::{Value as Json, json};
use strata_metrics::Bleu;
use strata_tasks::{Example, TaskConfig, Written, identity};
use strata_text::{ParallelText, Uploads};
use strata_training::{Experiment, HeldOut, Inference, Trainer, Validation};

use super::cases::Case;
use super::decoded::{Decoded, Scores};
use super::sentences::Sentences;
use super::{Translation, cases, floors};
use crate::base::error::Error;
use crate::base::text_file;
use crate::display::format::{counted, grouped, path as shown};
use crate::pipeline::evaluation::{EvalRequest, Measured};
use crate::pipeline::generation::replace_unknown;
use crate::pipeline::unlearned::Unlearned;
use crate::pipeline::{PipelineCommands, floors as count_models};

/// Number of sentences that are decoded, unless the user asks for another.
const DECODED: usize = 1000;

/// Measures the model; `remark` is printed below the figures.
///
/// # Errors
/// If a file or the data cannot be read, the options contradict the model, or the device fails.
pub(in crate::pipeline) fn measure(
    request: &EvalRequest<'_>,
    remark: Option<&str>,
) -> Result<Measured, Error> {
    request.chosen.tell();
    let arguments = request.arguments;
    let device = request.device()?;
    let training = training_examples(request, &device)?;
    let Material {
        inference,
        sentences,
        learned,
        mut notes,
    } = Material::of(request, &device)?;
    notes.extend(sentences.notes());
    let held_out = HeldOut::new(
        inference.tokenizer(),
        &sentences.examples,
        &Written::AsTokens,
    );
    let batch_size = request.checkpoint.experiment().training.batch_size;
    let teacher_forced = block_on(inference.evaluate(held_out, batch_size, 0))?;
    let decoded = decode(request, &inference, &sentences)?;
    if let Some(path) = &arguments.output {
        decoded.save(path)?;
    }
    let scores = arguments.bleu.then(|| decoded.scores(bleu(request)));
    // Teacher forcing leaves the figures of decoding empty.
    let report = Validation {
        exact_match: decoded.exact_match(),
        decoded: decoded.compared(),
        bleu: scores.as_ref().map(|scores| scores.bleu.score),
        ..teacher_forced
    };
    let mut measured = Measured {
        json: json_of(request, &report, &sentences),
        lines: notes,
    };
    measured.json["learned"] = learned.into();
    measured.json["decoded_lines"] = decoded.texts.len().into();
    measured.lines.push(format!(
        "{}, on {}.",
        match request.models.len() {
            1 => request.model_name(),
            count => format!("{count} models together"),
        },
        counted(sentences.examples.len() as u64, "sentence")
    ));
    measured.lines.push(Translation.validation(&report));
    measured.lines.extend(remark.map(str::to_owned));
    if let Some(scores) = scores {
        add_scores(&mut measured, &scores, request);
    }
    if arguments.rouge {
        let rouge = decoded.rouge();
        measured.json["rouge"] = rouge.json();
        measured.lines.extend(rouge.lines());
    }
    if let Some(outputs) = arguments.nbest {
        measured.json["nbest"] = decoded.n_best.json(outputs);
        measured.lines.extend(decoded.n_best.words(outputs));
    }
    if !arguments.cases.is_empty() {
        let cases = cases::translate(&inference, request)?;
        measured.lines.extend(cases.iter().flat_map(Case::lines));
        measured.json["cases"] = cases.iter().map(Case::json).collect();
    }
    if arguments.floors {
        let floors = floors::of_sentences(
            inference.tokenizer(),
            &training,
            &sentences.examples,
            &sentences.all[..decoded.texts.len()],
            arguments.bleu.then(|| bleu(request)),
        );
        measured.lines.extend(count_models::lines(&floors));
        measured.json["floors"] = floors;
    }
    Ok(measured)
}

/// Returns the examples from which count models learn, which only a trainer has; none without
/// `--floors`.
fn training_examples(request: &EvalRequest<'_>, device: &Device) -> Result<Vec<Example>, Error> {
    if !request.arguments.floors {
        return Ok(Vec::new());
    }
    let trainer = request.trainer(device)?;
    count_models::check(trainer.training().len())?;
    Ok(trainer.training().to_vec())
}

/// Decodes the sentences, or as many as the user asks for. Decoding is slow, so that by default only
/// some sentences are decoded.
fn decode<'a>(
    request: &EvalRequest<'_>,
    inference: &Inference,
    sentences: &'a Sentences,
) -> Result<Decoded<'a>, Error> {
    let arguments = request.arguments;
    let needs_all = arguments.bleu || arguments.rouge || arguments.output.is_some();
    let most = if needs_all { usize::MAX } else { DECODED };
    let most = arguments.decode.unwrap_or(most).min(sentences.all.len());
    if request.bounds.replace_unknown {
        replace_unknown::check(inference)?;
    }
    request.bounds.check(inference.tokenizer())?;
    Decoded::write(
        inference,
        &sentences.all[..most],
        &request.search,
        &request.bounds,
    )
}

/// The model, and the sentences on which the model is measured.
struct Material {
    inference: Inference,
    sentences: Sentences,
    /// Number of sentences that one of the models has learned.
    learned: usize,
    notes: Vec<String>,
}

impl Material {
    fn of(request: &EvalRequest<'_>, device: &Device) -> Result<Self, Error> {
        match &request.arguments.source {
            Some(source) => Self::of_file(request, device, source),
            None => Self::held_out(request, device),
        }
    }

    /// Reads the sentences of files. They stay although a model has learned them, since the user
    /// named the files.
    fn of_file(request: &EvalRequest<'_>, device: &Device, source: &Path) -> Result<Self, Error> {
        let mut inference = request.inference(device)?;
        let text = corpus(source, request.arguments.target.as_deref())?;
        let mut unlearned = Unlearned::of(of_sources(&text));
        let learned = request.checkpoint.learned();
        if let Some(learned) = learned.map_err(Error::checkpoint(request.path()))? {
            unlearned.mark(&learned, shown(&request.models[0]));
        }
        let sentences = Sentences::of_text(inference.tokenizer(), text);
        if sentences.examples.is_empty() {
            return Err(Error::NothingToMeasure {
                path: source.to_owned(),
            });
        }
        let model = &request.arguments.model;
        model.join_others_with(&mut inference, &request.changed, |name, other| {
            unlearned.mark_learned_by(name, other)
        })?;
        Ok(Self {
            inference,
            sentences,
            learned: unlearned.count(),
            notes: unlearned.note("lines").into_iter().collect(),
        })
    }

    /// Returns the held-out sentences of the run that no model has learned.
    fn held_out(request: &EvalRequest<'_>, device: &Device) -> Result<Self, Error> {
        let trainer = request.trainer(device)?;
        let HeldOutText {
            mut sentences,
            note,
            mut unlearned,
        } = held_out(&trainer)?;
        let mut notes: Vec<String> = note.into_iter().collect();
        notes.extend(overlap_note(&trainer, request)?);
        if let Some(learned) = trainer.learned_before() {
            let model = if request.changed.is_of_task() {
                "the model"
            } else {
                "the model from which the run began"
            };
            unlearned.mark(learned, model.to_owned());
        }
        let mut inference = trainer.inference();
        let model = &request.arguments.model;
        model.join_others_with(&mut inference, &request.changed, |name, other| {
            // A model with the same data holds out the same sentences; any other model may have
            // learned some of them.
            if other.has_data_of(&request.checkpoint) {
                Ok(())
            } else {
                unlearned.mark_learned_by(name, other)
            }
        })?;
        let remove = |is_learned: &[bool]| sentences.leave_out(is_learned);
        notes.extend(unlearned.leave_out(trainer.remembered(), remove)?);
        Ok(Self {
            inference,
            sentences,
            learned: unlearned.count(),
            notes,
        })
    }
}

/// Sentences to measure a run on.
struct HeldOutText {
    sentences: Sentences,
    /// Note on the number of sentences.
    note: Option<String>,
    unlearned: Unlearned,
}

/// Returns the sentences to measure a run on: all lines of its validation file, or the held-out part
/// of its corpus.
fn held_out(trainer: &Trainer) -> Result<HeldOutText, Error> {
    let text = match &trainer.experiment().task {
        TaskConfig::Files(task) => task.validation_text(&Uploads::default())?,
        _ => None,
    };
    let Some(text) = text else {
        let identities = trainer.held_out_identities().unwrap_or_default();
        return Ok(HeldOutText {
            sentences: Sentences::held_out(trainer),
            note: None,
            unlearned: Unlearned::of(identities.to_vec()),
        });
    };
    // While training, validation leaves out lines that are too long and those learned before. Here
    // all lines are measured, and a note explains the different number.
    let before = trainer.dropped().validation.learned;
    let left_out = text
        .pairs
        .len()
        .saturating_sub(trainer.validation().len() + before);
    let note = (left_out > 0).then(|| {
        format!(
            "All {} lines of {} are measured; validation while training leaves {left_out} of them \
             out.",
            text.pairs.len(),
            text.name
        )
    });
    Ok(HeldOutText {
        note,
        unlearned: Unlearned::of(of_sources(&text)),
        sentences: Sentences::of_text(trainer.tokenizer(), text),
    })
}

/// Returns a note on held-out pairs that the training text has too, where a user keeps these
/// (`task.keep_overlap`).
fn overlap_note(trainer: &Trainer, request: &EvalRequest<'_>) -> Result<Option<String>, Error> {
    let keeps = matches!(&trainer.experiment().task, TaskConfig::Files(task) if task.keep_overlap);
    let Some(identities) = trainer.held_out_identities().filter(|_| keeps) else {
        return Ok(None);
    };
    let mut overlap = Unlearned::of(identities.to_vec());
    overlap.mark_learned_by(request.path(), &request.checkpoint)?;
    let count = overlap.count();
    Ok((count > 0).then(|| {
        format!(
            "{} of {} held-out pairs are in the training text too (`task.keep_overlap`): what is \
             measured on them is known by heart.",
            grouped(count as u64),
            grouped(identities.len() as u64)
        )
    }))
}

/// Returns the identities of the sources, line by line.
fn of_sources(text: &ParallelText) -> Vec<Vec<u64>> {
    let sources = text.pairs.iter().map(|(source, _)| vec![identity(source)]);
    sources.collect()
}

fn json_of(request: &EvalRequest<'_>, report: &Validation, sentences: &Sentences) -> Json {
    json!({
        "step": report.step,
        "sentences": sentences.examples.len(),
        "lines": sentences.all.len(),
        "left_out": sentences.all.len() - sentences.examples.len(),
        "lines_left_out": sentences.lines_left_out(),
        "learned": null,
        "unknown_tokens": sentences.unknown_tokens()[0],
        "loss": report.loss,
        "perplexity": report.perplexity,
        "token_accuracy": report.accuracy,
        "exact_match": report.exact_match,
        "decoded": report.decoded,
        "decoded_lines": null,
        "search": request.search,
    })
}

/// Adds BLEU, chrF and TER to the results.
fn add_scores(measured: &mut Measured, scores: &Scores, request: &EvalRequest<'_>) {
    let Scores {
        bleu,
        chrf,
        ter,
        signatures,
    } = scores;
    let Measured { json, lines } = measured;
    json["bleu"] = json!({ "score": bleu.score, "signature": signatures[0] });
    json["chrf"] = json!({ "score": chrf.score, "signature": signatures[1] });
    json["ter"] = json!({ "score": ter.score, "signature": signatures[2] });
    lines.push(format!("{bleu}\n  {}", signatures[0]));
    lines.push(format!("{chrf:.2}\n  {}", signatures[1]));
    lines.push(format!("{ter:.2}\n  {}", signatures[2]));
    if writes_lower_case(request.checkpoint.experiment()) && !request.arguments.lowercase {
        lines.push(
            "The model writes lower case only, and the scores compare with the text as it is; \
             `--lowercase` takes no notice of case."
                .to_owned(),
        );
    }
}

/// Returns BLEU with the tokeniser of the arguments, or else that of the run.
fn bleu(request: &EvalRequest<'_>) -> Bleu {
    let of_run = request.checkpoint.experiment().training.bleu_words.into();
    Bleu {
        tokenizer: request.arguments.tokenize.unwrap_or(of_run),
        lowercase: request.arguments.lowercase,
        ..Bleu::default()
    }
}

fn writes_lower_case(experiment: &Experiment) -> bool {
    matches!(&experiment.task, TaskConfig::Files(task) if task.lowercase)
}

fn corpus(source: &Path, target: Option<&Path>) -> Result<ParallelText, Error> {
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
