//! The texts that a new worker must be given again, and those that the run reads.
//!
//! A worker knows a text by its name alone, and the page gives no text the name of one that the
//! present run reads. A kept run brings its own names: until it is prepared its texts may lie where
//! those of the present run were.

use crate::texts::{Texts, WorkerRequest};
use strata_session::protocol::Command;
use strata_tasks::TaskConfig;

/// The texts that a worker was given and has not forgotten.
#[derive(Clone, Debug, Default)]
pub struct WorkerTexts {
    /// Texts of the run.
    of_run: Option<WorkerRequest>,
    /// Texts of the run that a worker prepares.
    of_next: Option<WorkerRequest>,
    /// Texts that were examined last.
    examined: Option<WorkerRequest>,
}

impl WorkerTexts {
    /// Notes a request to the worker.
    pub fn note(&mut self, letter: &WorkerRequest) {
        match &letter.command {
            // Without texts, those before are examined again.
            Command::Examine { .. } if !letter.sources.is_empty() => {
                self.examined = Some(letter.clone());
            }
            Command::Load { experiment } => {
                self.of_next = self.read_by(&experiment.task).cloned();
            }
            // A kept run's texts are given just before.
            Command::Restore { .. } | Command::Open { .. } => {
                self.of_next = self.examined.clone();
            }
            _ => {}
        }
    }

    /// Notes that a run of this task is prepared; returns the texts that it reads.
    pub fn ready(&mut self, task: &TaskConfig) -> Texts {
        self.of_run = self.read_by(task).cloned();
        self.of_next = None;
        self.of_run
            .as_ref()
            .map(WorkerRequest::texts)
            .unwrap_or_default()
    }

    /// Notes that the run is not prepared after all; returns the texts that the worker must be
    /// given again, where the texts of that run took the place of those of the present one.
    pub fn refused(&mut self) -> Option<WorkerRequest> {
        let next = self.of_next.take()?.texts();
        let run = self.of_run.clone()?;
        let is_replaced = |(name, source)| {
            let mut next = next.iter();
            next.any(|(other, its)| *other == name && *its != source)
        };
        if !run.texts().into_iter().any(is_replaced) {
            return None;
        }
        self.examined = Some(run.clone());
        Some(run)
    }

    /// True if the worker has the texts that this task reads.
    pub fn has(&self, task: &TaskConfig) -> bool {
        self.read_by(task).is_some()
    }

    /// Requests for a new worker. It forgets texts that its run does not read and that were not
    /// examined last, so `run` follows the texts that it reads, and those that were examined come
    /// after both.
    pub fn around(&self, run: impl IntoIterator<Item = WorkerRequest>) -> Vec<WorkerRequest> {
        let of_run = self.of_next.as_ref().or(self.of_run.as_ref());
        let examined = self.examined.as_ref();
        let others = examined.filter(|it| of_run.is_none_or(|run| run.sources != it.sources));
        let (of_run, others) = (of_run.cloned(), others.cloned());
        of_run.into_iter().chain(run).chain(others).collect()
    }

    fn read_by(&self, task: &TaskConfig) -> Option<&WorkerRequest> {
        let known = [&self.of_next, &self.of_run, &self.examined];
        let reads = |letter: &&WorkerRequest| match &letter.command {
            Command::Examine { task: other, .. } => other.paths() == task.paths(),
            _ => false,
        };
        known.into_iter().flatten().find(reads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets::Preset;
    use crate::texts::Source;
    use strata_tasks::FilesConfig;
    use strata_training::Experiment;

    fn task(name: &str) -> TaskConfig {
        TaskConfig::Files(FilesConfig {
            source: name.into(),
            ..FilesConfig::default()
        })
    }

    fn texts(name: &str, contents: &str) -> Texts {
        let source = Source::Address {
            address: contents.to_owned(),
            sha256: String::new(),
        };
        vec![(name.to_owned(), source)]
    }

    fn look(name: &str, contents: &str) -> WorkerRequest {
        WorkerRequest::giving(task(name), texts(name, contents))
    }

    fn load(name: &str) -> WorkerRequest {
        let task = task(name);
        let preset = Preset::Copy.experiment();
        let experiment = Box::new(Experiment { task, ..preset });
        Command::Load { experiment }.into()
    }

    fn restore() -> WorkerRequest {
        let checkpoint = Vec::new();
        Command::Restore { checkpoint }.into()
    }

    /// Texts of the requests for a new worker; the command of the run has none.
    fn told(given: &WorkerTexts) -> Vec<Texts> {
        let letters = given.around([restore()]);
        letters.iter().map(WorkerRequest::texts).collect()
    }

    fn none() -> Texts {
        Texts::new()
    }

    /// A run on the text `mine`.
    fn given() -> WorkerTexts {
        let mut given = WorkerTexts::default();
        given.note(&look("mine", "a"));
        given.note(&load("mine"));
        assert_eq!(given.ready(&task("mine")), texts("mine", "a"));
        given
    }

    #[test]
    fn a_run_keeps_its_texts_while_others_are_looked_at() {
        let mut given = given();
        assert_eq!(told(&given), [texts("mine", "a"), none()]);
        given.note(&look("other", "b"));
        let all = [texts("mine", "a"), none(), texts("other", "b")];
        assert_eq!(told(&given), all);
        // Another worker, or another seed.
        assert_eq!(given.ready(&task("mine")), texts("mine", "a"));
        given.note(&load("other"));
        assert!(given.refused().is_none());
        assert_eq!(given.ready(&task("mine")), texts("mine", "a"));
        given.note(&load("other"));
        assert_eq!(given.ready(&task("other")), texts("other", "b"));
    }

    #[test]
    fn a_run_without_texts_has_none() {
        let mut given = given();
        let generated = Preset::Copy.experiment().task;
        assert!(!given.has(&generated));
        assert_eq!(given.ready(&generated), Texts::new());
        // Nothing reads them now, but they are still looked at.
        assert_eq!(told(&given), [none(), texts("mine", "a")]);
        assert!(given.has(&task("mine")));
    }

    #[test]
    fn a_kept_run_brings_its_own_even_under_the_same_name() {
        let mut given = given();
        given.note(&look("mine", "kept"));
        given.note(&restore());
        given.note(&look("other", "b"));
        let all = [texts("mine", "kept"), none(), texts("other", "b")];
        assert_eq!(told(&given), all);
        assert_eq!(given.ready(&task("mine")), texts("mine", "kept"));
    }

    #[test]
    fn a_kept_run_that_is_refused_leaves_the_texts_as_they_were() {
        let mut given = given();
        given.note(&look("mine", "kept"));
        given.note(&restore());
        let again = given.refused().map(|letter| letter.texts());
        assert_eq!(again, Some(texts("mine", "a")));
        assert!(given.refused().is_none());
        assert_eq!(told(&given), [texts("mine", "a"), none()]);
    }

    #[test]
    fn a_model_from_a_file_reads_what_was_looked_at() {
        let mut given = WorkerTexts::default();
        given.note(&look("mine", "a"));
        given.note(&restore());
        assert_eq!(given.ready(&task("mine")), texts("mine", "a"));
        given.note(&restore());
        assert_eq!(given.ready(&task("unknown")), Texts::new());
    }
}
