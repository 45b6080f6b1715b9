//! The texts that a new worker must be given again, and those that the run reads.
//!
//! A worker knows a text by its name alone, and the page gives no new text the name of one that the
//! present run reads. A kept run, however, brings names of its own: while it is being prepared, its
//! texts may replace the present run's texts of the same names.

use crate::texts::{Texts, WorkerRequest};
use strata_session::protocol::Command;
use strata_tasks::TaskConfig;

/// The texts that a worker was given and still has.
#[derive(Clone, Debug, Default)]
pub struct WorkerTexts {
    /// Texts that the present run reads.
    of_run: Option<WorkerRequest>,
    /// Texts that the run which is being prepared reads.
    of_next: Option<WorkerRequest>,
    /// Texts that were examined last.
    examined: Option<WorkerRequest>,
}

impl WorkerTexts {
    /// Takes in a request to the worker.
    pub fn note(&mut self, request: &WorkerRequest) {
        match &request.command {
            // `Examine` without texts reads those of the last request again.
            Command::Examine { .. } if !request.sources.is_empty() => {
                self.examined = Some(request.clone());
            }
            Command::Load { experiment } => {
                self.of_next = self.read_by(&experiment.task).cloned();
            }
            // The texts of a kept run come in the `Examine` just before.
            Command::Restore { .. } | Command::Open { .. } => {
                self.of_next = self.examined.clone();
            }
            _ => {}
        }
    }

    /// Records that a run of this task is ready; returns the texts that the run reads.
    pub fn ready(&mut self, task: &TaskConfig) -> Texts {
        self.of_run = self.read_by(task).cloned();
        self.of_next = None;
        self.of_run
            .as_ref()
            .map(WorkerRequest::texts)
            .unwrap_or_default()
    }

    /// Records that the worker refused the run. Returns the texts of the present run if the refused
    /// run's texts have replaced them in the worker, which must be given them again.
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

    /// Returns the requests for a new worker: the texts of the run, then `run`, then the texts that
    /// were examined last. A worker forgets texts that its run does not read and that were not
    /// examined last, hence the order.
    pub fn around(&self, run: impl IntoIterator<Item = WorkerRequest>) -> Vec<WorkerRequest> {
        let of_run = self.of_next.as_ref().or(self.of_run.as_ref());
        let examined = self.examined.as_ref();
        let others = examined.filter(|it| of_run.is_none_or(|run| run.sources != it.sources));
        let (of_run, others) = (of_run.cloned(), others.cloned());
        of_run.into_iter().chain(run).chain(others).collect()
    }

    fn read_by(&self, task: &TaskConfig) -> Option<&WorkerRequest> {
        let known = [&self.of_next, &self.of_run, &self.examined];
        let reads = |request: &&WorkerRequest| match &request.command {
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

    fn examine(name: &str, contents: &str) -> WorkerRequest {
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

    /// Texts in the requests for a new worker; the command that restores the run has none.
    fn sent_to_new(worker: &WorkerTexts) -> Vec<Texts> {
        let requests = worker.around([restore()]);
        requests.iter().map(WorkerRequest::texts).collect()
    }

    fn none() -> Texts {
        Texts::new()
    }

    /// Texts of a worker whose run reads the text `mine`.
    fn worker() -> WorkerTexts {
        let mut worker = WorkerTexts::default();
        worker.note(&examine("mine", "a"));
        worker.note(&load("mine"));
        assert_eq!(worker.ready(&task("mine")), texts("mine", "a"));
        worker
    }

    #[test]
    fn a_run_keeps_its_texts_while_others_are_looked_at() {
        let mut worker = worker();
        assert_eq!(sent_to_new(&worker), [texts("mine", "a"), none()]);
        worker.note(&examine("other", "b"));
        let all = [texts("mine", "a"), none(), texts("other", "b")];
        assert_eq!(sent_to_new(&worker), all);
        // The run is ready again, in another worker or with another seed.
        assert_eq!(worker.ready(&task("mine")), texts("mine", "a"));
        worker.note(&load("other"));
        assert!(worker.refused().is_none());
        assert_eq!(worker.ready(&task("mine")), texts("mine", "a"));
        worker.note(&load("other"));
        assert_eq!(worker.ready(&task("other")), texts("other", "b"));
    }

    #[test]
    fn a_run_without_texts_has_none() {
        let mut worker = worker();
        let generated = Preset::Copy.experiment().task;
        assert!(!worker.has(&generated));
        assert_eq!(worker.ready(&generated), Texts::new());
        // No run reads the texts now, but the report on them is still shown.
        assert_eq!(sent_to_new(&worker), [none(), texts("mine", "a")]);
        assert!(worker.has(&task("mine")));
    }

    #[test]
    fn a_kept_run_brings_its_own_even_under_the_same_name() {
        let mut worker = worker();
        worker.note(&examine("mine", "kept"));
        worker.note(&restore());
        worker.note(&examine("other", "b"));
        let all = [texts("mine", "kept"), none(), texts("other", "b")];
        assert_eq!(sent_to_new(&worker), all);
        assert_eq!(worker.ready(&task("mine")), texts("mine", "kept"));
    }

    #[test]
    fn a_kept_run_that_is_refused_leaves_the_texts_as_they_were() {
        let mut worker = worker();
        worker.note(&examine("mine", "kept"));
        worker.note(&restore());
        let again = worker.refused().map(|request| request.texts());
        assert_eq!(again, Some(texts("mine", "a")));
        assert!(worker.refused().is_none());
        assert_eq!(sent_to_new(&worker), [texts("mine", "a"), none()]);
    }

    #[test]
    fn a_model_from_a_file_reads_what_was_looked_at() {
        let mut worker = WorkerTexts::default();
        worker.note(&examine("mine", "a"));
        worker.note(&restore());
        assert_eq!(worker.ready(&task("mine")), texts("mine", "a"));
        worker.note(&restore());
        assert_eq!(worker.ready(&task("unknown")), Texts::new());
    }
}
