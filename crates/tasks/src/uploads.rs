//! Paths of tasks, changed to names of texts that a user gave.

use std::collections::BTreeSet;
use std::path::Path;

use strata_text::{Uploads, file_name};

use crate::TaskConfig;

impl TaskConfig {
    /// Changes the paths of the task to names of texts, if a text has the name of the task's file in
    /// any folder: a model that was trained on `/data/m.de` is trained further on a text `m.de`. If
    /// two files have the same name, their paths stay, because the text could be either.
    pub fn name_uploads(&mut self, uploads: &Uploads) {
        let paths: BTreeSet<&Path> = self.paths().into_iter().collect();
        let names: Vec<String> = paths.into_iter().map(file_name).collect();
        let renamed = |path: &str| uploads.name_for(path, &names).unwrap_or(path).to_owned();
        let is_list = matches!(self, Self::Poems(_));
        for (_, path) in self.path_settings() {
            let Some(text) = path.to_str().filter(|text| !text.is_empty()) else {
                continue;
            };
            *path = if is_list {
                let files: Vec<String> = text.split(',').map(renamed).collect();
                files.join(",").into()
            } else {
                renamed(text).into()
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FilesConfig, PoemsConfig};

    fn uploads(names: &[&str]) -> Uploads {
        Uploads::default().with(names.iter().map(|name| ((*name).to_owned(), "a".into())))
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
            task.name_uploads(&texts);
            assert_eq!(task, files("m.de", "m.en"), "{source}");
        }
        // The paths stay if one text is missing, or if both files have the same name.
        let mut task = files("/data/x.de", "/data/m.en");
        task.name_uploads(&texts);
        assert_eq!(task, files("/data/x.de", "m.en"));
        let alike = files("/de/train", "/en/train");
        let mut task = alike.clone();
        task.name_uploads(&uploads(&["train"]));
        assert_eq!(task, alike);
        // The task `poems` has several files.
        let poems = |source: &str| {
            TaskConfig::Poems(PoemsConfig {
                source: source.into(),
                ..PoemsConfig::default()
            })
        };
        let mut task = poems("/x/tang.tsv.gz,song.tsv");
        task.name_uploads(&uploads(&["tang.tsv"]));
        assert_eq!(task, poems("tang.tsv,song.tsv"));
    }

    #[test]
    fn a_text_stays_for_as_long_as_a_task_names_it() {
        let mut texts = uploads(&["a", "c"]);
        let task = TaskConfig::Files(FilesConfig {
            source: "c".into(),
            validation_source: Some("d".into()),
            ..FilesConfig::default()
        });
        texts.keep_only(&task.paths());
        assert!(texts.text("a".as_ref()).is_none());
        assert!(texts.text("c".as_ref()).is_some());
    }
}
