//! Texts that a user gave, by name: a browser's worker uses them instead of files.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::TextError;
use crate::reading::{check_line_ends, unpacked_text};

/// A text as given by a user; may be packed with gzip.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UploadedText {
    /// Name by which a task's `source` refers to the text.
    pub name: String,
    /// Bytes of the file.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}

/// Uploaded texts by name. A task whose path is the name of one of these texts reads the
/// text instead of a file.
#[derive(Clone, Debug, Default)]
pub struct Uploads {
    /// Unpacked and decoded texts, by name.
    texts: BTreeMap<String, Arc<str>>,
}

impl Uploads {
    /// Returns the text of this name, if there is one.
    pub fn text(&self, path: &Path) -> Option<&str> {
        self.texts.get(path.to_str()?).map(|text| &**text)
    }

    /// Returns the name of the text that stands for the file at a path, which may be in any folder
    /// and packed, if there is one. `names` are the names of all files of a task: of two files with
    /// the same name the text could be either, so `None` is returned.
    pub fn name_for(&self, path: &str, names: &[String]) -> Option<&str> {
        if self.texts.contains_key(path) {
            return None;
        }
        let name = file_name(path.as_ref());
        let is_alone = names.iter().filter(|other| **other == name).count() == 1;
        let unpacked = name.strip_suffix(".gz").unwrap_or(&name);
        let known = [name.as_str(), unpacked]
            .into_iter()
            .find_map(|name| self.texts.get_key_value(name));
        known.filter(|_| is_alone).map(|(name, _)| name.as_str())
    }

    /// Returns the bytes of a text, or of a file, which may be packed.
    ///
    /// # Errors
    /// If there is neither a text nor a file.
    pub fn read(&self, path: &Path) -> Result<Vec<u8>, TextError> {
        match self.text(path) {
            // Uploading removed a byte order mark, and the reader will remove one. A mark is added
            // here, so that a second mark, which is part of the text, stays.
            Some(text) => Ok(["\u{feff}", text].concat().into_bytes()),
            None => read_file(path),
        }
    }

    /// Returns the unpacked text of a name, or of a file.
    ///
    /// # Errors
    /// If there is neither a text nor a file, or the file is no text.
    pub fn read_text(&self, path: &Path) -> Result<String, TextError> {
        let name = path.display().to_string();
        let text = unpacked_text(&name, &self.read(path)?)?;
        check_line_ends(&name, &text)?;
        Ok(text)
    }

    /// Returns these texts and `others`, which replace texts of the same names.
    pub fn with(&self, others: impl IntoIterator<Item = (String, Arc<str>)>) -> Self {
        let texts = self.texts.clone().into_iter().chain(others).collect();
        Self { texts }
    }

    /// Removes all texts whose names are not among these paths.
    pub fn keep_only(&mut self, paths: &[&Path]) {
        self.texts
            .retain(|name, _| paths.contains(&Path::new(name)));
    }
}

/// Returns the name of a file without its folders, for paths of any system.
pub fn file_name(path: &Path) -> String {
    let path = path.to_string_lossy();
    let name = path.rsplit(['/', '\\']).next();
    name.unwrap_or_default().to_owned()
}

#[cfg(not(target_family = "wasm"))]
fn read_file(path: &Path) -> Result<Vec<u8>, TextError> {
    if crate::expanded(path).is_dir() {
        return Err(TextError::Folder {
            path: path.to_owned(),
        });
    }
    crate::file_bytes(path).map_err(|reason| TextError::unread(path, reason))
}

/// Returns an error: a page has no files, only texts that a user gives.
#[cfg(target_family = "wasm")]
fn read_file(path: &Path) -> Result<Vec<u8>, TextError> {
    Err(TextError::NoFileSystem {
        path: path.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stays_for_as_long_as_its_name_is_among_the_paths() {
        let text = |name: &str, text: &str| (name.to_owned(), Arc::from(text));
        let before = Uploads::default().with([text("a", "1"), text("b", "2")]);
        let mut after = before.with([text("b", "3"), text("c", "4")]);
        let found = |uploads: &Uploads| {
            ["a", "b", "c"].map(|name| uploads.text(name.as_ref()).map(str::to_owned))
        };
        let of = |texts: [Option<&str>; 3]| texts.map(|text| text.map(str::to_owned));
        assert_eq!(found(&before), of([Some("1"), Some("2"), None]));
        assert_eq!(found(&after), of([Some("1"), Some("3"), Some("4")]));
        after.keep_only(&["c".as_ref(), "d".as_ref()]);
        assert_eq!(found(&after), of([None, None, Some("4")]));
    }
}
