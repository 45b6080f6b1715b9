//! Files that are missing for a model that was opened without data.

use super::format::unpacked;
use crate::page::pipeline::ui_of;
use crate::texts::{Source, Texts};
use strata_tasks::TaskConfig;
use strata_text::file_name;

/// Result of looking for the files that a model lacks, if it was opened without its data.
#[derive(Debug, PartialEq)]
pub enum Awaited {
    /// All files are given: the model's own task, and the texts by the names that the task gives
    /// them.
    Complete(Box<TaskConfig>, Texts),
    /// Names of the files that are still missing.
    Missing(Vec<String>),
    /// None of the texts is a file that the model lacks.
    Others,
}

/// Looks for the `awaited` files of a model of this task among the texts. A file is known by its
/// name, compressed or not, in whatever folder the model has read it.
pub fn awaited(task: &TaskConfig, awaited: &[String], texts: &[(String, Source)]) -> Awaited {
    let found = |name: &String| {
        let is_file = |(other, _): &&(String, Source)| unpacked(other) == unpacked(name);
        texts.iter().rev().find(is_file)
    };
    let missing: Vec<String> = awaited
        .iter()
        .filter(|name| found(name).is_none())
        .cloned()
        .collect();
    if missing.len() == awaited.len() {
        return Awaited::Others;
    }
    if !missing.is_empty() {
        return Awaited::Missing(missing);
    }
    let named = awaited.iter().filter_map(|name| {
        let (_, source) = found(name)?;
        Some((unpacked(name).to_owned(), source.clone()))
    });
    let mut task = task.clone();
    let lists_files = ui_of(&task).lists_files();
    let name = |path: &str| unpacked(&file_name(path.as_ref())).to_owned();
    for (_, path) in task.path_settings() {
        let text = path.to_string_lossy().into_owned();
        let named = if lists_files {
            text.split(',').map(name).collect::<Vec<_>>().join(",")
        } else {
            name(&text)
        };
        *path = named.into();
    }
    Awaited::Complete(Box::new(task), named.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use strata_tasks::FilesConfig;

    fn at(name: &str) -> (String, Source) {
        let source = Source::Address {
            address: String::new(),
            sha256: String::new(),
        };
        (name.to_owned(), source)
    }

    #[test]
    fn files_of_a_model_are_known_by_their_names_one_after_the_other() {
        let task = TaskConfig::Files(FilesConfig {
            source: "/data/m.de".into(),
            target: Some("/data/m.en.gz".into()),
            ..FilesConfig::default()
        });
        let files = ["m.de".to_owned(), "m.en.gz".to_owned()];
        let of = |names: &[&str]| {
            let texts: Vec<_> = names.iter().map(|name| at(name)).collect();
            awaited(&task, &files, &texts)
        };
        assert_eq!(of(&["other.txt"]), Awaited::Others);
        assert_eq!(of(&["m.en"]), Awaited::Missing(vec!["m.de".to_owned()]));
        let Awaited::Complete(found, texts) = of(&["m.en", "m.de"]) else {
            panic!("both are here");
        };
        assert_eq!(found.paths(), [Path::new("m.de"), "m.en".as_ref()]);
        let names: Vec<_> = texts.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["m.de", "m.en"]);
    }
}
