//! Summary at the end of a run: figures, samples of the model's output, and commands to use the
//! model.

use burn::tensor::ExecutionError;
use pollster::block_on;
use strata_models::Search;
use strata_poems::{Poem, Word};
use strata_session::protocol::Validation;
use strata_tasks::Pipeline;
use strata_training::{Distinct, Encoded, Metric, PoemRequest, SpanRules, Trainer};

use crate::base::peak_memory;
use crate::display::figures;
use crate::display::format::{duration, grouped, memory as bytes, path, percent, program, quoted};
use crate::run::run_folder::RunFolder;

/// Number of held-out sentences that are shown with their translations.
const SAMPLES: usize = 5;

/// Totals over the steps of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// Number of steps that this process has taken, without those before its checkpoint.
    pub steps: u64,
    /// Number of target tokens, without padding.
    pub tokens: u64,
    /// Seconds within steps, without validations and checkpoints.
    pub seconds: f64,
}

/// Writes the speed and peak memory of the run.
pub fn effort(effort: Effort) -> String {
    let Effort {
        steps,
        tokens,
        seconds,
    } = effort;
    let rate = grouped((tokens as f64 / seconds.max(1e-9)) as u64);
    let memory = peak_memory::peak().map(|peak| format!("; at most {} of memory", bytes(peak)));
    format!(
        "{steps} steps took {}: {rate} target tokens/s{}.",
        duration(seconds),
        memory.unwrap_or_default(),
    )
}

/// Writes the figures of a validation of a model for examples of this form.
pub fn validation(validation: &Validation, form: Pipeline) -> String {
    let decoded = validation.decoded;
    let figures = figures::of(validation, Some(Metric::ExactMatch));
    match Metric::ExactMatch.of(validation) {
        Some(exact) if validation.f1().is_some() => format!(
            "Held-out questions: {} of {decoded} are answered exactly; {figures}.",
            percent(exact)
        ),
        Some(exact) => format!(
            "Held-out sentences: {} of {decoded} are translated exactly; {figures}.",
            percent(exact)
        ),
        None => {
            let examples = match form {
                Pipeline::Translation | Pipeline::Poetry => "sentences",
                Pipeline::QuestionAnswering => "questions",
                Pipeline::TextGeneration => "text",
            };
            format!("Held-out {examples}: {figures}.")
        }
    }
}

/// Returns a note on early stopping, and on the best checkpoints if the run keeps any; `None` if
/// there is nothing to tell.
pub fn standing(trainer: &Trainer, folder: &RunFolder) -> Option<String> {
    let standing = trainer.standing();
    let training = &trainer.experiment().training;
    let best = standing.best.as_ref()?;
    let mut sentences = Vec::new();
    if trainer.step_count() < training.steps {
        sentences.push(format!(
            "Ended after step {}: {} validations brought no better one than that after step {}.",
            trainer.step_count(),
            standing.since_best,
            best.step,
        ));
    }
    let kept = standing.kept.first();
    if let Some(first) = kept.filter(|it| folder.best(it.step).exists()) {
        sentences.push(format!(
            "The best checkpoint is that of step {} in {}; average the best {} with\n  {} average \
             --out {} {}",
            first.step,
            path(&folder.best(first.step)),
            standing.kept.len(),
            program(),
            path(&folder.path().join("average.safetensors")),
            path(folder.path()),
        ));
    }
    (!sentences.is_empty()).then(|| sentences.join("\n"))
}

/// Returns a few held-out sentences with the model's translations or continuations.
///
/// # Errors
/// If the device fails.
pub fn samples(trainer: &Trainer) -> Result<String, ExecutionError> {
    let held_out = trainer.held_out();
    if trainer.tokenizer().pipeline() == Pipeline::QuestionAnswering {
        return answers(trainer);
    }
    if trainer.poems().is_some() {
        return poem(trainer);
    }
    let examples = 0..SAMPLES.min(held_out.examples().len());
    let sources: Vec<Encoded> = examples.map(|at| held_out.prompt(at)).collect();
    let translations = block_on(trainer.inference().translate_all(&sources))?;
    if trainer.tokenizer().pipeline() == Pipeline::TextGeneration {
        let mut text = "Held-out lines, begun and written on:".to_owned();
        for (at, written) in translations.iter().enumerate() {
            text += &format!("\n  begun    {}", held_out.prompt_text(at));
            text += &format!("\n  written  {}", written.text);
        }
        return Ok(text);
    }
    let mut text = "Sample translations of held-out sentences:".to_owned();
    for (at, translation) in translations.iter().enumerate() {
        let is_right = held_out.is_right(at, &translation.ids);
        let verdict = if is_right { "right" } else { "wrong" };
        text += &format!("\n  {verdict}  source     {}", held_out.source(at));
        text += &format!("\n         output     {}", translation.text);
        if !is_right {
            text += &format!("\n         reference  {}", held_out.target(at));
        }
    }
    Ok(text)
}

/// Returns a poem by the keywords of a held-out poem, or from its first line.
fn poem(trainer: &Trainer) -> Result<String, ExecutionError> {
    let Some((held_out, keywords)) = held_out_poem(trainer) else {
        return Ok(String::new());
    };
    let given = match keywords.is_empty() {
        true => vec![held_out.line(0).to_vec()],
        false => Vec::new(),
    };
    let request = PoemRequest {
        length: held_out.length(),
        keywords,
        given,
        begun: Vec::new(),
        acrostic: Vec::new(),
        search: Search::Greedy,
        distinct: Distinct::Line,
    };
    let lines = block_on(trainer.inference().write_poem(&request))?;
    let keywords: Vec<String> = request.keywords.iter().map(Word::to_string).collect();
    let mut text = match keywords.is_empty() {
        true => "A poem from the first line of a held-out one:".to_owned(),
        false => format!(
            "A poem by the keywords of a held-out one, {}:",
            keywords.join(", ")
        ),
    };
    for line in lines.unwrap_or_default() {
        text += &format!("\n  {}", line.characters.iter().collect::<String>());
    }
    Ok(text)
}

/// Returns the first held-out poem with the keywords of its lines, which are empty if the model
/// reads none.
fn held_out_poem(trainer: &Trainer) -> Option<(&Poem, Vec<Word>)> {
    let poems = trainer.poems()?;
    let poem = poems.collection.validation.first()?;
    if trainer.tokenizer().reads_keywords() == Some(false) {
        return Some((poem, Vec::new()));
    }
    let keywords = poem.lines().map(|line| poems.finder.keyword(line));
    Some((poem, keywords.collect::<Option<_>>()?))
}

/// Returns a few held-out questions with the model's answers.
fn answers(trainer: &Trainer) -> Result<String, ExecutionError> {
    let held_out = trainer.held_out().questions();
    let rules = SpanRules::of(held_out);
    let questions: Vec<_> = held_out.iter().take(SAMPLES).collect();
    let found = block_on(trainer.inference().answer(&questions, 1))?;
    let mut text = "Answers to held-out questions:".to_owned();
    for (question, found) in questions.iter().zip(found) {
        let best = found.answers.into_iter().next();
        let best = best.map_or_else(String::new, |it| it.text);
        let scored = rules.score(best, &question.answers);
        let verdict = if scored.is_exact { "right" } else { "wrong" };
        text += &format!("\n  {verdict}  question   {}", question.question.text());
        text += &format!("\n         answer     {}", scored.text);
        if !scored.is_exact {
            let reference = question.answers.first().map_or("", String::as_str);
            text += &format!("\n         reference  {reference}");
        }
    }
    Ok(text)
}

/// Returns the path of the model, and the command to use it.
pub fn next(folder: &RunFolder, trainer: &Trainer) -> String {
    let poem = held_out_poem(trainer);
    let (use_it, command) = match (trainer.tokenizer().pipeline(), &poem) {
        (_, Some((poem, _))) => {
            let length = if poem.length() == 5 {
                " --length 5"
            } else {
                ""
            };
            ("Let it write poems", format!("poem{length}"))
        }
        (Pipeline::Translation | Pipeline::Poetry, None) => {
            ("Translate with it", "translate".to_owned())
        }
        (Pipeline::TextGeneration, None) => ("Let it write on", "translate".to_owned()),
        (Pipeline::QuestionAnswering, None) => ("Ask it", "answer --passage FILE".to_owned()),
    };
    let text = match &poem {
        Some((poem, _)) => poem.line(0).iter().collect(),
        None => trainer.held_out().prompt_text(0),
    };
    // A model without keywords continues from a first line.
    let option = match &poem {
        Some((_, keywords)) if keywords.is_empty() => "--first ",
        _ => "",
    };
    format!(
        "The model lies in {}. {use_it}:\n  {} {command} --model {} {option}{}",
        path(&folder.checkpoint()),
        program(),
        path(folder.path()),
        quoted(&text),
    )
}
