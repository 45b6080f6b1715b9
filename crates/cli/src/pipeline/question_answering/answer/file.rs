//! Answers all questions of a file.

use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;

use pollster::block_on;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use strata_tasks::{Question, ReadingFormat};
use strata_text::is_blank;
use strata_training::Inference;

use super::remarks::{is_cut, is_unknown};
use crate::base::error::Error;
use crate::base::output::warn;
use crate::base::output_file;
use crate::base::text_file;
use crate::display::format::counted;
use crate::pipeline::arguments::answer::AnswerFormat;
use crate::pipeline::question_answering::questions::{AT_ONCE, of_file};

/// Answers all questions and writes the answers in the form that the data set's official program
/// reads, or in the form `chosen`.
pub(super) fn run(
    inference: &Inference,
    path: &Path,
    output: &Path,
    chosen: Option<AnswerFormat>,
) -> Result<ExitCode, Error> {
    output_file::check(output, "answers", "--output")?;
    let (questions, format) = of_file(inference, path)?;
    tell(path, &questions);
    let format = chosen.unwrap_or(match format {
        ReadingFormat::Auto | ReadingFormat::Squad => AnswerFormat::Squad,
        ReadingFormat::Dureader => AnswerFormat::Dureader,
        ReadingFormat::Msmarco => AnswerFormat::Msmarco,
    });
    let fields = match format {
        AnswerFormat::Squad => HashMap::new(),
        _ => fields_by_id(&text_file::read(path)?),
    };
    let answers = answers(inference, &questions)?;
    let ids: Vec<&str> = questions.iter().map(|question| &*question.id).collect();
    let text = written(format, &ids, &answers, &fields);
    output_file::write(output, text.as_bytes())
        .map_err(output_file::unwritable(output, "answers", "--output"))?;
    let sentence = format!(
        "{} answered, in {}.",
        counted(answers.len() as u64, "question"),
        output.display()
    );
    output_file::tell(output, &sentence);
    Ok(ExitCode::SUCCESS)
}

/// Returns the best answer to each question; empty if there is none.
fn answers(inference: &Inference, questions: &[Question]) -> Result<Vec<String>, Error> {
    // Questions of similar length go into one batch.
    let mut order: Vec<usize> = (0..questions.len()).collect();
    order.sort_by_key(|&at| questions[at].longest_passage() * questions[at].passages.len());
    let mut answers = vec![String::new(); questions.len()];
    for indices in order.chunks(AT_ONCE) {
        let batch: Vec<&Question> = indices.iter().map(|&at| &questions[at]).collect();
        let found = block_on(inference.answer(&batch, 1))?;
        for (&at, found) in indices.iter().zip(found) {
            let best = found.answers.into_iter().next();
            // A blank question has no answer, whatever the passage contains.
            let best = best.filter(|_| !is_blank_question(&questions[at]));
            answers[at] = best.map_or_else(String::new, |answer| answer.text);
        }
    }
    Ok(answers)
}

fn is_blank_question(question: &Question) -> bool {
    is_blank(question.question.text())
}

/// A test of whether a question is unusual in one way.
type Trait = fn(&Question) -> bool;

/// Warns of questions that the model does not read as they are in the file.
fn tell(path: &Path, questions: &[Question]) {
    let kinds: [(Trait, &str); 4] = [
        (is_blank_question, "blank: not answered"),
        (
            |question| question.longest_passage() == 0,
            "without a passage to read: not answered",
        ),
        (
            |question| is_cut(&question.question),
            "longer than what the model reads: cut to the first tokens",
        ),
        (
            |question| !is_blank_question(question) && is_unknown(&question.question),
            "without a word that the model knows",
        ),
    ];
    for (is_of, what) in kinds {
        let mut found = questions.iter().filter(|question| is_of(question));
        if let Some(first) = found.next() {
            let count = counted(1 + found.count() as u64, "question");
            warn(&format!(
                "warning: {}: {count} {what} (first `{}`).",
                path.display(),
                first.id
            ));
        }
    }
}

/// Fields of a question that the official program wants repeated with the answer, as the file has
/// them.
#[derive(Deserialize)]
struct QuestionFields {
    #[serde(alias = "query_id")]
    question_id: Value,
    question_type: Option<String>,
}

/// Returns the questions of a JSON list, or of JSON lines, by their identifiers.
fn fields_by_id(text: &str) -> HashMap<String, QuestionFields> {
    let all: Vec<QuestionFields> = if text.trim_start().starts_with('[') {
        serde_json::from_str(text).unwrap_or_default()
    } else {
        let lines = text.lines().map(serde_json::from_str);
        lines.filter_map(Result::ok).collect()
    };
    let named = all.into_iter().map(|fields| match &fields.question_id {
        Value::String(id) => (id.clone(), fields),
        id => (id.to_string(), fields),
    });
    named.collect()
}

/// Writes the answers in a format.
fn written(
    format: AnswerFormat,
    ids: &[&str],
    answers: &[String],
    fields: &HashMap<String, QuestionFields>,
) -> String {
    let pairs = ids.iter().copied().zip(answers);
    let id_in_file = |id: &str| {
        let value = fields.get(id).map(|question| question.question_id.clone());
        value.unwrap_or_else(|| Value::String(id.to_owned()))
    };
    let line = |(id, answer): (&str, &String)| match format {
        AnswerFormat::Dureader => {
            let kind = fields
                .get(id)
                .and_then(|question| question.question_type.as_deref());
            json!({
                "question_id": id_in_file(id),
                "question_type": kind.unwrap_or("DESCRIPTION"),
                "answers": [answer],
                "entity_answers": [[]],
                "yesno_answers": [],
            })
        }
        _ => json!({ "query_id": id_in_file(id), "answers": [answer] }),
    };
    match format {
        AnswerFormat::Squad => {
            let answers = pairs.map(|(id, text)| (id.to_owned(), Value::String(text.clone())));
            Value::Object(answers.collect::<Map<_, _>>()).to_string()
        }
        _ => pairs.map(|pair| format!("{}\n", line(pair))).collect(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use strata_tasks::predictions;

    use super::*;

    #[test]
    fn each_form_has_the_ids_as_given_and_is_read_again() {
        let ids = ["17", "b"];
        let answers = ["x \"y\"".to_owned(), String::new()];
        let file = "{\"question_id\": 17, \"question_type\": \"YES_NO\"}\n{\"query_id\": \"b\"}\n";
        let fields = fields_by_id(file);
        for format in [
            AnswerFormat::Squad,
            AnswerFormat::Dureader,
            AnswerFormat::Msmarco,
        ] {
            let text = written(format, &ids, &answers, &fields);
            let read = predictions("p", &text).unwrap();
            assert_eq!(read["17"], answers[0], "{text}");
            assert_eq!(read["b"], "", "{text}");
        }
        let text = written(AnswerFormat::Dureader, &ids, &answers, &fields);
        let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(
            first,
            json!({ "question_id": 17, "question_type": "YES_NO", "answers": ["x \"y\""],
                "entity_answers": [[]], "yesno_answers": [] })
        );
    }
}
