//! `strata eval`: measures a model on its held-out sentences, or on files.

mod alignment;
mod arguments;
mod decoded;
mod floors;
mod learned;
mod poems;
mod questions;
mod sentences;
mod text;

use std::path::Path;
use std::process::ExitCode;

use pollster::block_on;
use serde_json::{Value, json};
use strata_metrics::Bleu;
use strata_session::protocol::Validation;
use strata_tasks::{TaskConfig, Written, identity};
use strata_text::{ParallelText, Uploads};
use strata_training::{Checkpoint, Experiment, HeldOut, Inference, Trainer};

use crate::base::error::Error;
use crate::base::files;
use crate::base::output::print;
use crate::base::output_file;
use crate::base::text_file;
use crate::command::translate::open;
use crate::display::format::{grouped, path as shown, shortened};
use crate::display::summary;
use crate::model::chosen::{self, Chosen};
use crate::model::replace_unknown;
use crate::model::search;
use crate::run::moved;
use decoded::{Decoded, Scores};
use learned::Unlearned;
use sentences::Sentences;

pub use arguments::EvalArguments;

/// Number of sentences that are decoded, unless the user asks for another.
const DECODED: usize = 1000;

/// Results of measuring one text.
pub struct Measured {
    /// Results as an object, printed as one line of JSON.
    pub json: Value,
    /// Results in words, line by line.
    pub lines: Vec<String>,
}

impl Measured {
    /// Prints the results.
    pub fn print(&self, as_json: bool) {
        match as_json {
            true => print(&self.json.to_string()),
            false => self.lines.iter().for_each(|line| print(line)),
        }
    }
}

/// Measures a model, and prints the results.
pub fn run(arguments: &EvalArguments) -> Result<ExitCode, Error> {
    if let Some(gold) = &arguments.alignment {
        refuse_search(arguments, "attention is looked at, and nothing is written")?;
        return alignment::run(&open(&arguments.model)?, gold, arguments.json);
    }
    for measured in measure(arguments)? {
        measured.print(arguments.json);
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads the first of the models; returns its checkpoint, with the paths at which its data are now.
fn opened(arguments: &EvalArguments) -> Result<(Chosen, Vec<u8>), Error> {
    let mut chosen = chosen::read(&arguments.model.paths()[0])?;
    let bytes = std::mem::take(&mut chosen.bytes);
    if arguments.source.is_none() {
        // The model is measured on its own data, which may have moved since training.
        let advice = "measure it on files by `--source` and `--target`, or say where its data lie \
                      now, for example `task.source=…`";
        let bytes = moved::found(&chosen.path, bytes, &arguments.overrides, advice)?;
        return Ok((chosen, bytes));
    }
    match arguments.overrides.first() {
        None => Ok((chosen, bytes)),
        Some(typed) => Err(Error::Session(format!(
            "`{}` is a setting of the model's own data, and `--source` measures another file; leave out \
             one of the two",
            shortened(typed)
        ))),
    }
}

/// Measures a model on its held-out sentences or text, or on files; a language model may be
/// measured on several texts.
///
/// # Errors
/// If the options contradict each other or the model, or a file cannot be used.
pub fn measure(arguments: &EvalArguments) -> Result<Vec<Measured>, Error> {
    let search = search::read(&arguments.search, None)?;
    let bounds = search::bounds(&arguments.search)?;
    let models = arguments.model.paths();
    let (mut chosen, bytes) = opened(arguments)?;
    let path = chosen.path.clone();
    // Poems, language models and readers are measured by functions of their own, which return
    // early. Everything after them is for models that translate.
    if arguments.poems {
        if let Some(option) = search::bound(&arguments.search) {
            return Err(Error::Search(format!(
                "the lines of a poem have their length and characters; leave out `{option}`"
            )));
        }
        if models.len() > 1 {
            return Err(Error::Session(
                "`--poems` measures one model; name one".to_owned(),
            ));
        }
        chosen.tell();
        let (device, _) = arguments.model.device.open()?;
        let trainer = Trainer::to_measure(&bytes, &Uploads::default(), &device);
        let trainer = trainer.map_err(Error::checkpoint(&path))?;
        return Ok(vec![poems::measure(
            &trainer,
            &search,
            arguments.distinct.into(),
        )?]);
    }
    let checkpoint = Checkpoint::open(&bytes).map_err(Error::checkpoint(&path))?;
    // Before anything is computed: an output that cannot be written should not cost the whole
    // evaluation.
    if let Some(output) = &arguments.output {
        let given = [arguments.source.as_deref(), arguments.target.as_deref()];
        let mut read = checkpoint.experiment().task.paths();
        read.extend(given.into_iter().flatten().chain([path.as_path()]));
        files::not_onto(output, "--output", &read)?;
        output_file::check(output, "translations", "--output")?;
    }
    if let TaskConfig::Text(task) = &checkpoint.experiment().task {
        text::check(arguments, models.len())?;
        chosen.tell();
        return text::measure(arguments, task, &path, &bytes);
    }
    if checkpoint.experiment().model.is_reader() {
        questions::check(arguments, models.len())?;
        chosen.tell();
        return questions::measure(arguments, &path, &bytes).map(|it| vec![it]);
    }
    chosen.tell();
    let (device, _) = arguments.model.device.open()?;
    let experiment = checkpoint.experiment();
    // Count models need the training examples, which only a trainer has.
    let learned = match arguments.floors {
        true => {
            let trainer = Trainer::to_measure(&bytes, &Uploads::default(), &device);
            let trainer = trainer.map_err(Error::checkpoint(&path))?;
            floors::check(trainer.training().len())?;
            trainer.training().to_vec()
        }
        false => Vec::new(),
    };
    let mut remembered = None;
    // A file may contain sentences that the model has learned. So may the held-out part, if the run
    // began from another model.
    let (mut inference, mut sentences, mut notes, mut unlearned) = match &arguments.source {
        Some(source) => {
            let inference = Inference::from_checkpoint(&bytes, &device);
            let inference = inference.map_err(Error::checkpoint(&path))?;
            let text = corpus(source, arguments.target.as_deref())?;
            let mut unlearned = Unlearned::of(of_sources(&text));
            if let Some(learned) = checkpoint.learned().map_err(Error::checkpoint(&path))? {
                unlearned.mark(&learned, shown(&models[0]));
            }
            let sentences = Sentences::of_text(inference.tokenizer(), text);
            if sentences.examples.is_empty() {
                return Err(Error::NothingToMeasure {
                    path: source.clone(),
                });
            }
            (inference, sentences, Vec::new(), unlearned)
        }
        None => {
            let trainer = Trainer::to_measure(&bytes, &Uploads::default(), &device);
            let trainer = trainer.map_err(Error::checkpoint(&path))?;
            let (sentences, notes, mut unlearned) = held_out(&trainer)?;
            remembered = trainer.remembered();
            let mut notes = notes;
            notes.extend(overlap_note(&trainer, &checkpoint, &path)?);
            if let Some(learned) = trainer.learned_before() {
                unlearned.mark(learned, "the model from which the run began".to_owned());
            }
            (trainer.inference(), sentences, notes, unlearned)
        }
    };
    arguments
        .model
        .join_and_look(&mut inference, |name, other| {
            match other.has_data_of(&checkpoint) {
                // A model with the same data holds out the same sentences; any other model may have
                // learned some of them.
                true if arguments.source.is_none() => Ok(()),
                _ => unlearned.look(name, other),
            }
        })?;
    // Sentences of files stay, since the user asked for them; of held-out sentences the learned
    // ones are left out.
    match &arguments.source {
        Some(_) => notes.extend(unlearned.note("lines")),
        None => notes.extend(unlearned.leave_out(&mut sentences, remembered)?),
    }
    notes.extend(sentences.notes());
    let held_out = HeldOut::new(
        inference.tokenizer(),
        &sentences.examples,
        &Written::AsTokens,
    );
    let batch_size = experiment.training.batch_size;
    let teacher_forced = block_on(inference.evaluate(held_out, batch_size, 0))?;
    // Loss and accuracy with teacher forcing, then BLEU and exact matches from decoding: decoding
    // is slow, so by default only some sentences are decoded.
    let all = arguments.bleu || arguments.output.is_some();
    let most = if all { usize::MAX } else { DECODED };
    let most = arguments.decode.unwrap_or(most).min(sentences.all.len());
    let decoded_lines = &sentences.all[..most];
    if bounds.replace_unknown {
        replace_unknown::check(&inference)?;
    }
    bounds.check(inference.tokenizer())?;
    let decoded = Decoded::write(&inference, decoded_lines, &search, &bounds)?;
    if let Some(path) = &arguments.output {
        decoded.save(path)?;
    }
    let scores = arguments
        .bleu
        .then(|| decoded.scores(bleu(arguments, experiment)));
    // Teacher forcing leaves the figures of decoding empty.
    let report = Validation {
        exact_match: decoded.exact_match(),
        decoded: decoded.compared(),
        bleu: scores.as_ref().map(|scores| scores.bleu.score),
        ..teacher_forced
    };
    let mut json = json!({
        "step": report.step,
        "sentences": sentences.examples.len(),
        "lines": sentences.all.len(),
        "left_out": sentences.all.len() - sentences.examples.len(),
        "lines_left_out": sentences.lines_left_out(),
        "learned": unlearned.count(),
        "unknown_tokens": sentences.unknown_tokens()[0],
        "loss": report.loss,
        "perplexity": report.perplexity,
        "token_accuracy": report.accuracy,
        "exact_match": report.exact_match,
        "decoded": report.decoded,
        "decoded_lines": most,
        "search": search,
    });
    let mut lines = notes;
    let measured = match models.len() {
        1 => model_of(&checkpoint),
        count => format!("{count} models together"),
    };
    lines.push(format!(
        "{measured}, on {} sentences.",
        sentences.examples.len()
    ));
    let form = inference.tokenizer().pipeline();
    lines.push(summary::validation(&report, form));
    if matches!(experiment.task, TaskConfig::Poems(_)) {
        lines.push(
            "Loss and perplexity count the ends of lines, which are nearly certain, too; `--poems` \
             measures the characters alone."
                .to_owned(),
        );
    }
    if let Some(Scores {
        bleu,
        chrf,
        ter,
        signatures,
    }) = scores
    {
        json["bleu"] = json!({ "score": bleu.score, "signature": signatures[0] });
        json["chrf"] = json!({ "score": chrf.score, "signature": signatures[1] });
        json["ter"] = json!({ "score": ter.score, "signature": signatures[2] });
        lines.push(format!("{bleu}\n  {}", signatures[0]));
        lines.push(format!("{chrf:.2}\n  {}", signatures[1]));
        lines.push(format!("{ter:.2}\n  {}", signatures[2]));
        if writes_lower_case(experiment) && !arguments.lowercase {
            lines.push(
                "The model writes lower case only, and the scores compare with the text as it is; \
                 `--lowercase` takes no notice of case."
                    .to_owned(),
            );
        }
    }
    if arguments.floors {
        let bleu = arguments.bleu.then(|| bleu(arguments, experiment));
        let tokenizer = inference.tokenizer();
        let examples = &sentences.examples;
        let floors = floors::of_sentences(tokenizer, &learned, examples, decoded_lines, bleu);
        lines.extend(floors::lines(&floors));
        json["floors"] = floors;
    }
    Ok(vec![Measured { json, lines }])
}

/// Names the model of a checkpoint by its step, or by the steps whose mean the checkpoint is.
fn model_of(checkpoint: &Checkpoint<'_>) -> String {
    match checkpoint.averaged() {
        [] | [_] => format!("The model of step {}", checkpoint.step()),
        steps => {
            let steps: Vec<String> = steps.iter().map(u64::to_string).collect();
            format!("The mean of the models of the steps {}", steps.join(", "))
        }
    }
}

/// Returns the sentences to measure a run on, with notes on them: all lines of its validation file,
/// or the held-out part of its corpus.
fn held_out(trainer: &Trainer) -> Result<(Sentences, Vec<String>, Unlearned), Error> {
    let text = match &trainer.experiment().task {
        TaskConfig::Files(task) => task.validation_text(&Uploads::default())?,
        _ => None,
    };
    let Some(text) = text else {
        let identities = trainer.held_out_identities().unwrap_or_default();
        let unlearned = Unlearned::of(identities.to_vec());
        return Ok((Sentences::held_out(trainer), Vec::new(), unlearned));
    };
    let unlearned = Unlearned::of(of_sources(&text));
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
    let sentences = Sentences::of_text(trainer.tokenizer(), text);
    Ok((sentences, note.into_iter().collect(), unlearned))
}

/// Note on held-out pairs that the training text has too, where a user keeps these
/// (`task.keep_overlap`).
fn overlap_note(
    trainer: &Trainer,
    checkpoint: &Checkpoint<'_>,
    path: &Path,
) -> Result<Option<String>, Error> {
    let keeps = matches!(&trainer.experiment().task, TaskConfig::Files(task) if task.keep_overlap);
    let Some(identities) = trainer.held_out_identities().filter(|_| keeps) else {
        return Ok(None);
    };
    let mut overlap = Unlearned::of(identities.to_vec());
    overlap.look(path, checkpoint)?;
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

/// Refuses search options if nothing is decoded; `because` says what is measured instead.
fn refuse_search(arguments: &EvalArguments, because: &str) -> Result<(), Error> {
    match search::option(&arguments.search) {
        Some(option) => Err(Error::Search(format!("{because}; leave out `{option}`"))),
        None => Ok(()),
    }
}

/// Returns BLEU with the tokeniser of the arguments, or else that of the run.
fn bleu(arguments: &EvalArguments, experiment: &Experiment) -> Bleu {
    let of_run = experiment.training.bleu_words.into();
    Bleu {
        tokenizer: arguments.tokenize.unwrap_or(of_run),
        lowercase: arguments.lowercase,
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
