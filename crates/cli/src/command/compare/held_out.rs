//! Parts of the data that runs hold out, and whether these parts are the same.

use std::collections::BTreeSet;
use std::path::PathBuf;

use strata_tasks::{ReadingSplit, TaskConfig};

use super::group::Run;

/// All that decides which examples of its files a run holds out.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    /// Values of settings.
    settings: String,
    /// Settings that must be the same for all runs, in words; empty if the files alone decide.
    remedy: &'static str,
    files: Vec<File>,
}

/// A data file of a run.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct File {
    setting: &'static str,
    path: PathBuf,
    digest: Option<String>,
}

impl File {
    /// True if the contents are the same; if a digest is not recorded, if the paths are.
    fn is_same(&self, other: &Self) -> bool {
        let same = match (&self.digest, &other.digest) {
            (Some(one), Some(two)) => one == two,
            _ => self.path == other.path,
        };
        same && self.setting == other.setting
    }
}

impl Part {
    /// Returns the part that a run holds out; `None` for tasks without files.
    fn of(run: &Run) -> Option<Self> {
        let seed = |split: u64| (split == 0).then_some(run.experiment.seed);
        let (settings, remedy, names): (String, &'static str, &[&str]) = match &run.experiment.task
        {
            TaskConfig::Files(task) if task.validation_source.is_some() => (
                String::new(),
                "",
                &["validation_source", "validation_target"],
            ),
            TaskConfig::Files(task) => (
                format!("{} {} {:?}", task.held_out, task.split, seed(task.split)),
                "one `task.split`, not 0, and one `task.held_out`",
                &["source", "target"],
            ),
            TaskConfig::Reading(task) if task.validation_source.is_some() => {
                (String::new(), "", &["validation_source"])
            }
            TaskConfig::Reading(task) => {
                let drawn = task.split == ReadingSplit::Question;
                let seed = seed(task.split_number).filter(|_| drawn);
                (
                    format!(
                        "{:?} {} {} {seed:?}",
                        task.split, task.held_out, task.split_number
                    ),
                    "one `task.split`, one `task.split_number`, not 0, and one `task.held_out`",
                    &["source"],
                )
            }
            TaskConfig::Text(task) if task.validation_source.is_some() => {
                (String::new(), "", &["validation_source"])
            }
            TaskConfig::Text(_) => (String::new(), "", &["source"]),
            TaskConfig::Poems(task) => (
                format!(
                    "{:?} {} {:?} {} {}",
                    task.script, task.vocabulary, task.length, task.keywords, task.held_out_poems
                ),
                "one `task.held_out_poems`, `task.script`, `task.vocabulary`, `task.length` and \
                 `task.keywords`",
                &["source"],
            ),
            _ => return None,
        };
        let mut task = run.experiment.task.clone();
        let kind = task.name();
        let files = task.path_settings().into_iter();
        let files = files.filter(|(name, _)| names.contains(name));
        let files = files.map(|(setting, path)| File {
            setting,
            path: path.clone(),
            digest: run.data.get(&format!("task.{setting}")).cloned(),
        });
        Some(Self {
            settings: format!("{kind} {settings}"),
            remedy,
            files: files.collect(),
        })
    }

    /// True if the files of two parts are the same.
    fn has_files_of(&self, other: &Self) -> bool {
        let mut pairs = self.files.iter().zip(&other.files);
        self.files.len() == other.files.len() && pairs.all(|(one, two)| one.is_same(two))
    }
}

/// Returns a remark on runs that hold out different parts of the data.
pub fn remark<'a>(runs: impl Iterator<Item = &'a Run>) -> Option<String> {
    let parts: BTreeSet<Part> = runs.filter_map(Part::of).collect();
    let (mut settings, mut files) = (false, false);
    for (at, one) in parts.iter().enumerate() {
        for other in parts.iter().skip(at + 1) {
            settings |= one.settings != other.settings;
            files |= !one.has_files_of(other);
        }
    }
    if !settings && !files {
        return None;
    }
    let mut remedies = Vec::new();
    if files {
        remedies.push("the same files, unchanged from run to run,");
    }
    if settings {
        let named = parts.iter().map(|it| it.remedy);
        let named: BTreeSet<&str> = named.filter(|it| !it.is_empty()).collect();
        remedies.extend(named);
    }
    if remedies.is_empty() {
        remedies.push("one `task.kind`");
    }
    Some(format!(
        "These runs hold out other sentences, so that their figures differ by these, too; {} make \
         them the same.",
        remedies.join(" and ")
    ))
}
