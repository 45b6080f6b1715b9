//! Texts that a user gave, by name: a browser's worker uses them instead of files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::reading::check_line_ends;
use crate::{TaskConfig, TaskError, unpacked_text};

/// A text as a user gave it; may be packed with gzip.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UploadedText {
    /// Name of the text, by which a task's `source` refers to it.
    pub name: String,
    /// Bytes of the file.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}

/// Texts that [`CorpusReport::of`](crate::CorpusReport::of) accepted. A task whose path is the name
/// of one of these texts reads the text instead of a file.
#[derive(Clone, Debug, Default)]
pub struct Uploads {
    /// Unpacked and decoded texts, by name.
    texts: BTreeMap<String, Arc<str>>,
}

impl Uploads {
    /// Returns the text of this name, if there is one.
    pub(crate) fn text(&self, path: &Path) -> Option<&str> {
        self.texts.get(path.to_str()?).map(|text| &**text)
    }

    /// Changes the paths of a task to names of texts, if a text has the name of the task's file in
    /// any folder: a model that was trained on `/data/m.de` is trained further on a text `m.de`. If
    /// two files have the same name, their paths stay, because the text could be either.
    pub fn name_in(&self, task: &mut TaskConfig) {
        let paths: BTreeSet<&Path> = task.paths().into_iter().collect();
        let names: Vec<String> = paths.into_iter().map(file_name).collect();
        let is_text = |path: &str| self.texts.contains_key(path);
        let found = |path: &str| {
            let name = file_name(path.as_ref());
            let is_alone = names.iter().filter(|it| **it == name).count() == 1;
            let unpacked = name.strip_suffix(".gz").unwrap_or(&name);
            let known = [name.as_str(), unpacked].into_iter().find(|it| is_text(it));
            match known.filter(|_| is_alone && !is_text(path)) {
                Some(text) => text.to_owned(),
                None => path.to_owned(),
            }
        };
        let lists = matches!(task, TaskConfig::Poems(_));
        for (_, path) in task.path_settings() {
            let Some(text) = path.to_str().filter(|it| !it.is_empty()) else {
                continue;
            };
            *path = match lists {
                true => text
                    .split(',')
                    .map(found)
                    .collect::<Vec<_>>()
                    .join(",")
                    .into(),
                false => found(text).into(),
            };
        }
    }

    /// Returns the bytes of a text, or of a file, which may be packed.
    ///
    /// # Errors
    /// If there is neither a text nor a file.
    pub(crate) fn read(&self, path: &Path) -> Result<Vec<u8>, TaskError> {
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
    pub(crate) fn read_text(&self, path: &Path) -> Result<String, TaskError> {
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

    /// Removes all texts that none of these tasks reads.
    pub fn keep_only(&mut self, tasks: &[&TaskConfig]) {
        let paths: Vec<&Path> = tasks.iter().flat_map(|task| task.paths()).collect();
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
fn read_file(path: &Path) -> Result<Vec<u8>, TaskError> {
    if crate::expanded(path).is_dir() {
        return Err(TaskError::Folder {
            path: path.to_owned(),
        });
    }
    crate::file_bytes(path).map_err(|reason| TaskError::unread(path, reason))
}

/// Returns an error: a page has no files, only texts that a user gives.
#[cfg(target_family = "wasm")]
fn read_file(path: &Path) -> Result<Vec<u8>, TaskError> {
    Err(TaskError::NoFileSystem {
        path: path.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FilesConfig, PoemsConfig, TextConfig};

    fn uploads(names: &[&str]) -> Uploads {
        Uploads::default().with(
            names
                .iter()
                .map(|name| ((*name).to_owned(), Arc::from("a"))),
        )
    }

    #[test]
    fn a_text_is_known_by_the_name_of_the_file_wherever_that_lay() {
        let files = |source: &str, target: &str| {
            TaskConfig::Files(FilesConfig {
                source: source.into(),
                target: Some(target.into()),
                ..FilesConfig::default()
            })
        };
        let texts = uploads(&["m.de", "m.en"]);
        for (source, target) in [
            ("/data/m.de", "/data/m.en"),
            ("C:\\data\\m.de", "../m.en.gz"),
            ("m.de", "./m.en"),
        ] {
            let mut task = files(source, target);
            texts.name_in(&mut task);
            assert_eq!(task, files("m.de", "m.en"), "{source}");
        }
        // The paths stay if one text is missing, or if both files have the same name.
        let mut task = files("/data/x.de", "/data/m.en");
        texts.name_in(&mut task);
        assert_eq!(task, files("/data/x.de", "m.en"));
        let alike = files("/de/train", "/en/train");
        let mut task = alike.clone();
        uploads(&["train"]).name_in(&mut task);
        assert_eq!(task, alike);
        // The task `poems` has several files.
        let poems = |source: &str| {
            TaskConfig::Poems(PoemsConfig {
                source: source.into(),
                ..PoemsConfig::default()
            })
        };
        let mut task = poems("/x/tang.tsv.gz,song.tsv");
        uploads(&["tang.tsv"]).name_in(&mut task);
        assert_eq!(task, poems("tang.tsv,song.tsv"));
    }

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
