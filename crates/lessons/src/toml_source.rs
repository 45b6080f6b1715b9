//! TOML file with the line number of every value.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::LessonError;

/// Parsed TOML file, with the line number of every value.
pub(crate) struct TomlSource<'a> {
    file: &'a str,
    text: &'a str,
    root: Spanned<DeTable<'a>>,
}

impl<'a> TomlSource<'a> {
    /// Reads a file as TOML.
    ///
    /// # Errors
    /// The first place that is not valid TOML, with its line.
    pub fn read(file: &'a str, text: &'a str) -> Result<Self, LessonError> {
        match DeTable::parse(text) {
            Ok(root) => Ok(Self { file, text, root }),
            Err(error) => Err(at(file, text, &error)),
        }
    }

    /// Parses the file as a type.
    ///
    /// # Errors
    /// The first place that does not fit the type, with its line.
    pub fn parse<T: serde::de::DeserializeOwned>(&self) -> Result<T, LessonError> {
        toml::from_str(self.text).map_err(|error| at(self.file, self.text, &error))
    }

    /// Creates a fault at a path such as `step.2.until.0.measure`, or at the longest part of the
    /// path that exists.
    pub fn fault(&self, path: &str, what: impl Into<String>) -> LessonError {
        let mut span = 0..0;
        let mut table = Some(self.root.get_ref());
        let mut array = None;
        for part in path.split('.') {
            let value: Option<&Spanned<DeValue<'_>>> = match (table, array) {
                (Some(table), _) => {
                    let found = table.get_key_value(part);
                    if let Some((key, _)) = found {
                        span = key.span();
                    }
                    found.map(|(_, value)| value)
                }
                (None, Some(array)) => {
                    let array: &toml::de::DeArray<'_> = array;
                    let found = part.parse().ok().and_then(|at: usize| array.get(at));
                    span = found.map_or(span, Spanned::span);
                    found
                }
                (None, None) => None,
            };
            let Some(value) = value else {
                break;
            };
            table = value.get_ref().as_table();
            array = value.get_ref().as_array();
        }
        LessonError {
            file: self.file.to_owned(),
            line: line(self.text, span.start),
            what: what.into(),
        }
    }
}

/// Returns the line of a byte offset in a text, from 1.
pub(crate) fn line(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().iter().take(offset);
    1 + before.filter(|byte| **byte == b'\n').count()
}

fn at(file: &str, text: &str, error: &toml::de::Error) -> LessonError {
    LessonError {
        file: file.to_owned(),
        line: line(text, error.span().map_or(0, |span| span.start)),
        what: meant(error.message()),
    }
}

/// Rewrites serde's message on an unknown name, with a suggestion if a known name is similar.
fn meant(message: &str) -> String {
    let is_unknown = message.starts_with("unknown field") || message.starts_with("unknown variant");
    let mut names = message.split('`').skip(1).step_by(2);
    match (is_unknown, names.next()) {
        (true, Some(name)) => {
            let kind = if message.starts_with("unknown field") {
                "key"
            } else {
                "word"
            };
            let known: Vec<&str> = names.collect();
            crate::error::unknown(kind, name, known)
        }
        _ => message.trim().replace('\n', "; "),
    }
}
