//! Answers and predictions of files, as `strata score` compares them.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use strata_describe::shortened;
use strata_text::Uploads;

use super::json::{File, begins_list, identifier};
use super::{ReadingError, ReadingFormat};
use crate::TaskError;

/// Right answers to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoldAnswers {
    /// Identifier of the question.
    pub id: String,
    /// Right answers; may be empty.
    pub answers: Vec<String>,
}

#[derive(Deserialize)]
struct Squad {
    data: Vec<Article>,
}

#[derive(Deserialize)]
struct Article {
    paragraphs: Vec<Paragraph>,
}

#[derive(Deserialize)]
struct Paragraph {
    qas: Vec<Asked>,
}

#[derive(Deserialize)]
struct Asked {
    id: Value,
    #[serde(default)]
    question: String,
    answers: Option<Vec<Answer>>,
}

#[derive(Deserialize)]
struct Answer {
    text: String,
}

/// A line of a file of DuReader or MS MARCO, or of predictions for either.
#[derive(Deserialize)]
struct Line {
    #[serde(alias = "query_id")]
    question_id: Value,
    #[serde(default, alias = "query")]
    question: String,
    answers: Option<Vec<String>>,
}

/// Reads the right answers of a file of questions. For DuReader and MS MARCO, lines with only
/// identifier and answers are enough.
///
/// # Errors
/// If the file cannot be read, or is not in its format.
pub fn gold_answers(path: &Path, format: ReadingFormat) -> Result<Vec<GoldAnswers>, TaskError> {
    let name = path.display().to_string();
    let file = File {
        name: &name,
        format,
    };
    let text = super::formats::text(path, &Uploads::default())?;
    Ok(answers(file, &text)?)
}

fn answers(file: File<'_>, text: &str) -> Result<Vec<GoldAnswers>, ReadingError> {
    let mut all = Vec::new();
    let mut seen = HashSet::new();
    let mut add = |id: &Value, question: &str, answers: Vec<String>| {
        let id = identifier(file, id, question)?;
        if !seen.insert(id.clone()) {
            return Err(file.repeated(&id));
        }
        all.push(GoldAnswers { id, answers });
        Ok(())
    };
    if matches!(file.format, ReadingFormat::Auto | ReadingFormat::Squad) {
        let whole = file.whole(text);
        let whole: Squad = whole.map_err(|error| file.not_squad(text, error))?;
        let paragraphs = whole.data.into_iter().flat_map(|it| it.paragraphs);
        for asked in paragraphs.flat_map(|it| it.qas) {
            let answers = asked.answers.unwrap_or_default().into_iter();
            add(
                &asked.id,
                &asked.question,
                answers.map(|it| it.text).collect(),
            )?;
        }
    } else {
        let take = |line: Line| {
            let answers = line.answers.unwrap_or_default();
            add(&line.question_id, &line.question, answers)
        };
        if begins_list(text) {
            file.each_of_list(text, take)?
        } else {
            file.each_line(text, take)?
        }
    }
    Ok(all)
}

/// Reads predictions by id of the question: one object of id → text, or lines of identifier and
/// answers, of which the first counts (as the official programs of DuReader and MS MARCO read
/// them).
///
/// # Errors
/// If the text has neither of the two forms.
pub fn predictions(name: &str, text: &str) -> Result<BTreeMap<String, String>, TaskError> {
    let file = File {
        name,
        format: ReadingFormat::Auto,
    };
    Ok(predicted(file, text)?)
}

fn predicted(file: File<'_>, text: &str) -> Result<BTreeMap<String, String>, ReadingError> {
    let no_predictions = |found: String| ReadingError::Predictions {
        name: file.name.to_owned(),
        found,
    };
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let first = match values.next() {
        Some(first) => first.map_err(|error| file.of_parser(&error, 1))?,
        None => return Err(no_predictions("nothing".to_owned())),
    };
    let Value::Object(first) = first else {
        return Err(no_predictions("JSON that is no object".to_owned()));
    };
    let mut all = BTreeMap::new();
    if first.contains_key("question_id") || first.contains_key("query_id") {
        let read = file.each_line(text, |line: Line| {
            let id = identifier(file, &line.question_id, &line.question)?;
            let answer = line.answers.unwrap_or_default().into_iter().next();
            match all.insert(id.clone(), answer.unwrap_or_default()) {
                None => Ok(()),
                Some(_) => Err(file.repeated(&id)),
            }
        });
        return match read {
            Err(ReadingError::Field { line, reason, .. }) => {
                Err(no_predictions(format!("on line {line} {reason}")))
            }
            read => read.map(|()| all),
        };
    }
    if values.next().is_some() {
        return Err(no_predictions("several objects".to_owned()));
    }
    for (id, value) in first {
        let Value::String(text) = value else {
            let (id, value) = (shortened(&id), shortened(&value.to_string()));
            return Err(no_predictions(format!("`{id}`: {value}")));
        };
        all.insert(id, text);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(text: &str) -> Result<Vec<(String, String)>, String> {
        let read = predictions("p", text).map_err(|error| error.to_string())?;
        Ok(read.into_iter().collect())
    }

    fn pair(id: &str, text: &str) -> (String, String) {
        (id.to_owned(), text.to_owned())
    }

    #[test]
    fn predictions_are_one_object_or_lines() {
        assert_eq!(
            read(r#"{"1": "a", "b": ""}"#).unwrap(),
            [pair("1", "a"), pair("b", "")]
        );
        let lines = "{\"query_id\": 1, \"answers\": [\"a\", \"c\"]}\n\n{\"question_id\": \"b\", \"answers\": []}\n";
        assert_eq!(read(lines).unwrap(), [pair("1", "a"), pair("b", "")]);
        assert_eq!(read("{}").unwrap(), []);
    }

    #[test]
    fn what_are_no_predictions_is_refused() {
        for (text, told) in [
            ("", "nothing was found"),
            ("[1]", "no object"),
            (r#"{"1": 2}"#, "`1`: 2"),
            (r#"{"1": "a"} {"2": "b"}"#, "several objects"),
            ("{\"1\": \"a\"", "line 1, column 9"),
            (
                "{\"query_id\": 1}\n{\"query_id\": 1}",
                "question 1: its id occurs twice",
            ),
            ("{\"query_id\": 1}\nx", "line 2, column 1"),
            ("{\"query_id\": 1}\n{\"a\": 1}", "on line 2 missing field"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(told), "{text:?}: {error}");
        }
    }

    #[test]
    fn answers_are_read_without_their_passages() {
        let read = |text, format| answers(File { name: "g", format }, text);
        let lines = "{\"answers\": [\"x\"], \"query_id\": 1}\n{\"query_id\": 2}";
        let gold = read(lines, ReadingFormat::Msmarco).unwrap();
        assert_eq!(
            (&*gold[0].id, &gold[0].answers[..]),
            ("1", &["x".to_owned()][..])
        );
        assert!(gold[1].answers.is_empty());
        let squad =
            r#"{"data": [{"paragraphs": [{"qas": [{"id": "a", "answers": [{"text": "x"}]}]}]}]}"#;
        assert_eq!(read(squad, ReadingFormat::Squad).unwrap()[0].answers, ["x"]);
        let rows = "{\"context\": \"x\", \"question\": \"y\", \"answers\": {\"text\": []}}\n";
        let error = read(rows, ReadingFormat::Squad).unwrap_err().to_string();
        assert!(error.contains("Hugging Face"), "{error}");
        let error = read(lines, ReadingFormat::Squad).unwrap_err().to_string();
        assert!(
            error.contains("`data`") && error.contains("squad"),
            "{error}"
        );
    }
}
