//! Answers to all questions of a file.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use pollster::block_on;
use serde_json::{Map, Value};
use strata_tasks::Question;
use strata_training::Inference;

use crate::error::Error;
use crate::format::counted;
use crate::output::print;
use crate::questions::{AT_ONCE, of_file};

/// Answers all questions and writes an object of id and text.
pub(super) fn run(inference: &Inference, path: &Path, output: &Path) -> Result<ExitCode, Error> {
    let (questions, _) = of_file(inference, path)?;
    // Those of like length together.
    let mut order: Vec<&Question> = questions.iter().collect();
    order.sort_by_key(|it| it.longest_passage() * it.passages.len());
    let mut answers = Map::new();
    for questions in order.chunks(AT_ONCE) {
        let found = block_on(inference.answer(questions, 1))?;
        for (question, found) in questions.iter().zip(found) {
            let best = found.answers.into_iter().next();
            let text = best.map_or_else(String::new, |it| it.text);
            answers.insert(question.id.clone(), Value::String(text));
        }
    }
    let count = answers.len();
    let text = Value::Object(answers).to_string();
    fs::write(output, text).map_err(|reason| Error::Write {
        path: output.to_owned(),
        what: "answers",
        reason,
        advice: "name another file, or make room".to_owned(),
    })?;
    print(&format!(
        "{} answered, in {}.",
        counted(count as u64, "question"),
        output.display()
    ));
    Ok(ExitCode::SUCCESS)
}
