//! JSON reader that knows the place of each fault, and reads lists value by value.

use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, IgnoredAny, SeqAccess, Visitor,
};
use serde_json::Value;
use strata_describe::shortened;

use super::{ReadingError, ReadingFormat};

/// Name of a file, and the format in which it is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct File<'a> {
    pub name: &'a str,
    pub format: ReadingFormat,
}

impl File<'_> {
    /// Builds the error for a fault of a question.
    pub(super) fn fault(self, id: &str, fault: impl Into<String>) -> ReadingError {
        ReadingError::Question {
            name: self.name.to_owned(),
            id: shortened(id),
            fault: fault.into(),
        }
    }

    /// Builds the error for a question with the id of another one.
    pub(super) fn repeated(self, id: &str) -> ReadingError {
        self.fault(
            id,
            "its id occurs twice, so that a prediction would belong to two questions; give each its \
             own",
        )
    }

    /// Builds an error from that of the parser; lines are counted from `first`.
    pub(super) fn of_parser(self, error: &serde_json::Error, first: usize) -> ReadingError {
        let told = error.to_string();
        let reason = told.rsplit_once(" at line ").map_or(&*told, |it| it.0);
        let (name, reason) = (self.name.to_owned(), shortened(reason));
        let (line, column) = (first + error.line().max(1) - 1, error.column().max(1));
        if error.is_data() {
            ReadingError::Field {
                name,
                line,
                column,
                reason,
                format: self.format.name(),
            }
        } else {
            ReadingError::NotJson {
                name,
                line,
                column,
                reason,
            }
        }
    }

    /// Parses the whole text as one value.
    pub(super) fn whole<T: DeserializeOwned>(self, text: &str) -> Result<T, ReadingError> {
        serde_json::from_str(text).map_err(|error| self.of_parser(&error, 1))
    }

    /// Parses each line that is not blank as a value.
    pub(super) fn each_line<T: DeserializeOwned>(
        self,
        text: &str,
        mut take: impl FnMut(T) -> Result<(), ReadingError>,
    ) -> Result<(), ReadingError> {
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(value) = self.line(line, number)? {
                take(value)?;
            }
        }
        Ok(())
    }

    /// Parses a line as a value; `None` for a blank line.
    pub(super) fn line<T: DeserializeOwned>(
        self,
        line: &str,
        number: usize,
    ) -> Result<Option<T>, ReadingError> {
        if line.trim().is_empty() {
            return Ok(None);
        }
        let value = serde_json::from_str(line);
        value
            .map(Some)
            .map_err(|error| self.of_parser(&error, number))
    }

    /// Parses the values of a list, one by one.
    pub(super) fn each_of_list<T: DeserializeOwned>(
        self,
        text: &str,
        take: impl FnMut(T) -> Result<(), ReadingError>,
    ) -> Result<(), ReadingError> {
        let fault = RefCell::new(None);
        let mut parser = serde_json::Deserializer::from_str(text);
        let list = List {
            take,
            fault: &fault,
            of: PhantomData,
        };
        let read = list.deserialize(&mut parser).and_then(|()| parser.end());
        match (fault.take(), read) {
            (Some(fault), _) => Err(fault),
            (None, read) => read.map_err(|error| self.of_parser(&error, 1)),
        }
    }

    /// Determines the format from the contents, and refuses unknown ones.
    pub(super) fn told_by(self, text: &str) -> Result<ReadingFormat, ReadingError> {
        let name = || self.name.to_owned();
        let first = if begins_list(text) {
            let mut first = None;
            let stop = || ReadingError::UnknownFormat { name: name() };
            let read = self.each_of_list(text, |keys: Keys| {
                first = Some(keys);
                Err(stop())
            });
            match first {
                Some(first) => first,
                None => return Err(read.err().unwrap_or_else(stop)),
            }
        } else {
            let mut values = serde_json::Deserializer::from_str(text).into_iter::<Keys>();
            match values.next() {
                Some(first) => first.map_err(|error| self.of_parser(&error, 1))?,
                None => return Err(ReadingError::UnknownFormat { name: name() }),
            }
        };
        match first {
            Keys { data: Some(_), .. } => Ok(ReadingFormat::Squad),
            Keys {
                documents: Some(_), ..
            } => Ok(ReadingFormat::Dureader),
            Keys {
                passages: Some(_),
                query,
                ..
            } => match query {
                Some(Value::Object(_)) => Err(ReadingError::ByColumns { name: name() }),
                _ => Ok(ReadingFormat::Msmarco),
            },
            other => match other.form() {
                Some((form, advice)) => Err(ReadingError::OtherForm {
                    name: name(),
                    form,
                    advice,
                }),
                None => Err(ReadingError::UnknownFormat { name: name() }),
            },
        }
    }

    /// Returns the reason why a text is not in the format of SQuAD: the name of its form if that
    /// form is known, else the parser's error.
    pub(super) fn not_squad(self, text: &str, error: ReadingError) -> ReadingError {
        match self.told_by(text) {
            Err(named @ ReadingError::OtherForm { .. }) => named,
            _ => error,
        }
    }
}

/// True if a text begins with a list.
pub(super) fn begins_list(text: &str) -> bool {
    text.trim_start().starts_with('[')
}

/// Fields that distinguish the formats.
#[derive(Deserialize)]
struct Keys {
    data: Option<IgnoredAny>,
    documents: Option<IgnoredAny>,
    passages: Option<IgnoredAny>,
    query: Option<Value>,
    paragraphs: Option<IgnoredAny>,
    context: Option<IgnoredAny>,
    qas: Option<IgnoredAny>,
    context_text: Option<IgnoredAny>,
    question: Option<IgnoredAny>,
    rows: Option<IgnoredAny>,
}

impl Keys {
    /// Returns the name of a known form that cannot be read, and advice on how to convert it.
    fn form(&self) -> Option<(&'static str, &'static str)> {
        Some(match self {
            Self {
                context_text: Some(_),
                ..
            } => (
                "the raw form of CMRC 2018, with `context_text` and `query_text`",
                "take its files in the form of SQuAD (`squad-style-data` of the same corpus)",
            ),
            Self {
                context: Some(_),
                qas: Some(_),
                ..
            } => (
                "a list of paragraphs (`context` and `qas`) without the articles of SQuAD around them",
                "write `{\"data\": [{\"paragraphs\": […]}]}` around the list of them",
            ),
            Self {
                paragraphs: Some(_),
                ..
            } => (
                "a list of articles (`paragraphs`) without the object of SQuAD around them",
                "write `{\"data\": […]}` around the list of them",
            ),
            Self {
                context: Some(_),
                question: Some(_),
                ..
            }
            | Self { rows: Some(_), .. } => (
                "a list of rows as data sets of Hugging Face have them, a question each",
                "write them as SQuAD does: `{\"data\": [{\"paragraphs\": [{\"context\": …, \"qas\": \
                 [{\"id\": …, \"question\": …, \"answers\": [{\"text\": …, \"answer_start\": …}]}]}]}]}`",
            ),
            _ => return None,
        })
    }
}

struct List<'a, T, F> {
    take: F,
    fault: &'a RefCell<Option<ReadingError>>,
    of: PhantomData<T>,
}

impl<'de, T: DeserializeOwned, F: FnMut(T) -> Result<(), ReadingError>> DeserializeSeed<'de>
    for List<'_, T, F>
{
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: DeserializeOwned, F: FnMut(T) -> Result<(), ReadingError>> Visitor<'de>
    for List<'_, T, F>
{
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of questions")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        while let Some(value) = list.next_element()? {
            if let Err(fault) = (self.take)(value) {
                self.fault.replace(Some(fault));
                return Err(A::Error::custom("a fault of a question"));
            }
        }
        Ok(())
    }
}

/// Reads an identifier, a text or a number.
///
/// # Errors
/// If the identifier is neither; `question` then names the question in the message.
pub(super) fn identifier(
    file: File<'_>,
    id: &Value,
    question: &str,
) -> Result<String, ReadingError> {
    match id {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        other => {
            let beginning: String = question.chars().take(60).collect();
            Err(file.fault(
                &format!("“{beginning}”"),
                format!(
                    "its id is {}; an id is a text or a number",
                    shortened(&other.to_string())
                ),
            ))
        }
    }
}
