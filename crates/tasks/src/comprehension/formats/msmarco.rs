//! MS MARCO v1.1 (Nguyen et al. 2016): passages of a search and free answers.

use serde::Deserialize;
use serde_json::Value;

use super::{Identifiers, check_documents, check_paragraph, given};
use crate::comprehension::free::{self, Searched};
use crate::comprehension::json::{File, identifier};
use crate::comprehension::record::{Chosen, Corpus, Record};
use crate::comprehension::{ReadingError, TokenText, counts};

/// A question as written in the file.
#[derive(Deserialize)]
pub(super) struct Entry {
    query_id: Value,
    query: String,
    passages: Value,
    answers: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Columns {
    is_selected: Vec<Value>,
    passage_text: Vec<String>,
}

#[derive(Deserialize)]
struct Row {
    is_selected: Value,
    passage_text: String,
}

/// Reader of questions in the format of MS MARCO.
pub(super) struct Reader<'a> {
    file: File<'a>,
    identifiers: Identifiers,
}

impl<'a> Reader<'a> {
    pub(super) fn new(file: File<'a>) -> Self {
        Self {
            file,
            identifiers: Identifiers::default(),
        }
    }

    /// Adds a question to the corpus.
    pub(super) fn take(&mut self, entry: Entry, corpus: &mut Corpus) -> Result<(), ReadingError> {
        let id = identifier(self.file, &entry.query_id, &entry.query)?;
        self.identifiers.add(self.file, &id)?;
        let passages = self.passages(&id, entry.passages)?;
        check_documents(self.file, &id, passages.len())?;
        for (_, text) in &passages {
            check_paragraph(self.file, &id, text)?;
        }
        let answers = entry.answers.unwrap_or_default();
        let counts = &mut corpus.counts;
        counts.documents += 1;
        counts.passages += passages.len();
        counts.answers += answers.len();
        let answers = given(answers);
        let is_selected: Vec<bool> = passages.iter().map(|it| it.0).collect();
        let none_selected = !is_selected.contains(&true);
        if none_selected && !answers.is_empty() {
            counts.fault(counts::WITHOUT_SELECTED, &id);
        }
        let level = corpus.level;
        let cut: Vec<TokenText> = passages
            .into_iter()
            .map(|(_, text)| {
                let places = level.places(&text);
                TokenText::new(text, places)
            })
            .collect();
        let wanted: Vec<TokenText> = answers
            .iter()
            .map(|it| TokenText::new(it.clone(), level.places(it)))
            .collect();
        let searched = Searched {
            passages: cut
                .iter()
                .zip(&is_selected)
                .map(|(text, &selected)| (selected || none_selected).then_some(text))
                .collect(),
            lowercase: true,
        };
        let wanted: Vec<Vec<&str>> = wanted.iter().map(|it| it.tokens().collect()).collect();
        let target = free::target(&searched, &wanted);
        let numbers: Vec<(u32, u32)> = (0..)
            .zip(cut)
            .map(|(document, text)| (document, corpus.paragraph(text)))
            .collect();
        let places = level.places(&entry.query);
        let article = corpus.counts.questions as u32;
        corpus.record(Record {
            id,
            article,
            question: TokenText::new(entry.query, places),
            answers,
            trained: Chosen::with_answer(&numbers, target, corpus.most),
            measured: Chosen::first(&numbers, target, corpus.most),
        });
        Ok(())
    }

    /// Returns the passages of a question, from either form; each with true if the file marks it as
    /// selected.
    fn passages(&self, id: &str, value: Value) -> Result<Vec<(bool, String)>, ReadingError> {
        let fault = |error: serde_json::Error| {
            self.file.fault(
                id,
                format!(
                    "`passages`: {error}; it is {{is_selected, \
             passage_text}}, of lists, or a list of such"
                ),
            )
        };
        if value.is_array() {
            let rows: Vec<Row> = serde_json::from_value(value).map_err(fault)?;
            let rows = rows.into_iter();
            return Ok(rows
                .map(|row| (is_true(&row.is_selected), row.passage_text))
                .collect());
        }
        let Columns {
            is_selected,
            passage_text,
        } = serde_json::from_value(value).map_err(fault)?;
        if is_selected.len() != passage_text.len() {
            return Err(self.file.fault(
                id,
                format!(
                    "`passages` has {} in `is_selected`, but {} in `passage_text`; both lists must \
                     have the same length",
                    is_selected.len(),
                    passage_text.len()
                ),
            ));
        }
        let selected = is_selected.iter().map(is_true);
        Ok(selected.zip(passage_text).collect())
    }
}

/// True for `true` and for every number but 0.
pub(super) fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(is) => *is,
        Value::Number(number) => number.as_f64() != Some(0.0),
        _ => false,
    }
}
