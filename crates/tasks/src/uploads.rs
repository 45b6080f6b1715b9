//! Texts that a user gave, by name: a browser's worker has them in place of files.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::reading::check_line_ends;
use crate::{TaskConfig, TaskError, unpacked_text};

/// A text as it was given, perhaps packed with gzip.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UploadedText {
    /// Name, by which a task's `source` refers to it.
    pub name: String,
    /// Bytes of the file.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}

/// Texts that were accepted by [`CorpusReport::of`](crate::CorpusReport::of). A task whose path is
/// the name of one of them reads it instead of a file.
#[derive(Clone, Debug, Default)]
pub struct Uploads {
    /// Unpacked and decoded.
    texts: BTreeMap<String, Arc<str>>,
}

impl Uploads {
    /// The text of this name, if there is one.
    pub(crate) fn text(&self, path: &Path) -> Option<&str> {
        self.texts.get(path.to_str()?).map(|text| &**text)
    }

    /// The bytes of a text, or of a file, unpacked or not.
    ///
    /// # Errors
    /// If there is neither.
    pub(crate) fn read(&self, path: &Path) -> Result<Vec<u8>, TaskError> {
        match self.text(path) {
            // Uploading removed a byte order mark, and the reader removes one again: it must not be
            // a second one, which is text.
            Some(text) => Ok(["\u{feff}", text].concat().into_bytes()),
            None => read_file(path),
        }
    }

    /// The same as text, unpacked.
    ///
    /// # Errors
    /// If there is neither, or it is no text.
    pub(crate) fn read_text(&self, path: &Path) -> Result<String, TaskError> {
        let name = path.display().to_string();
        let text = unpacked_text(&name, &self.read(path)?)?;
        check_line_ends(&name, &text)?;
        Ok(text)
    }

    /// Returns these texts and `others`, which replace those of the same names.
    pub fn with(&self, others: impl IntoIterator<Item = (String, Arc<str>)>) -> Self {
        let texts = self.texts.clone().into_iter().chain(others).collect();
        Self { texts }
    }

    /// Forgets all texts that none of these tasks reads.
    pub fn keep_only(&mut self, tasks: &[&TaskConfig]) {
        let paths: Vec<&Path> = tasks.iter().flat_map(|task| task.paths()).collect();
        self.texts
            .retain(|name, _| paths.contains(&Path::new(name)));
    }
}

#[cfg(not(target_family = "wasm"))]
fn read_file(path: &Path) -> Result<Vec<u8>, TaskError> {
    if crate::expanded(path).is_dir() {
        return Err(TaskError::Folder {
            path: path.to_owned(),
        });
    }
    crate::file_bytes(path).map_err(|reason| TaskError::unread(path, reason))
}

/// A page has no files, only what a user gives it.
#[cfg(target_family = "wasm")]
fn read_file(path: &Path) -> Result<Vec<u8>, TaskError> {
    Err(TaskError::NoFileSystem {
        path: path.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TextConfig;

    #[test]
    fn a_text_stays_for_as_long_as_a_task_names_it() {
        let text = |name: &str, text: &str| (name.to_owned(), Arc::from(text));
        let before = Uploads::default().with([text("a", "1"), text("b", "2")]);
        let mut after = before.with([text("b", "3"), text("c", "4")]);
        let found = |uploads: &Uploads| {
            ["a", "b", "c"].map(|name| uploads.text(name.as_ref()).map(str::to_owned))
        };
        let of = |texts: [Option<&str>; 3]| texts.map(|text| text.map(str::to_owned));
        assert_eq!(found(&before), of([Some("1"), Some("2"), None]));
        assert_eq!(found(&after), of([Some("1"), Some("3"), Some("4")]));
        let task = TaskConfig::Text(TextConfig {
            source: "c".into(),
            validation_source: Some("d".into()),
            ..TextConfig::default()
        });
        after.keep_only(&[&task]);
        assert_eq!(found(&after), of([None, None, Some("4")]));
    }
}
