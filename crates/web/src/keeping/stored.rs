//! A kept run with its curves, checkpoint and texts, as the store has them.

use super::Contents;
use crate::state::KeptRun;
use crate::state::history::History;
use crate::texts::Texts;
use std::path::Path;

/// A kept run with its curves, checkpoint and texts.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Properties of the run, as the list of runs shows them.
    pub run: KeptRun,
    /// Curves of the run.
    pub history: History,
    /// Checkpoint of the run.
    pub checkpoint: Contents,
    /// The user's own texts that the run reads; empty for a generated task.
    pub texts: Texts,
}

impl Stored {
    /// True if the run reads texts that are not stored with it, as in runs of earlier versions.
    pub fn lacks_texts(&self) -> bool {
        let is_there = |path: &Path| self.texts.iter().any(|(name, _)| path == Path::new(name));
        !self.run.experiment.task.paths().into_iter().all(is_there)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_pointer::ByPointer;
    use crate::presets::Preset;
    use crate::texts::Source;
    use strata_tasks::{FilesConfig, TaskConfig};
    use strata_training::Experiment;

    fn stored(task: TaskConfig, texts: &[&str]) -> Stored {
        let preset = Preset::Copy.experiment();
        let source = Source::Address {
            address: String::new(),
            sha256: String::new(),
        };
        let texts = texts
            .iter()
            .map(|name| ((*name).to_owned(), source.clone()));
        Stored {
            run: KeptRun {
                id: String::new(),
                name: None,
                label: String::new(),
                experiment: Experiment { task, ..preset },
                step: 1,
                milliseconds: 0.0,
                latest: None,
                validation: None,
                begun_at: 0.0,
                changed_at: 0.0,
                bytes: 0,
                revision: 0,
            },
            history: History::default(),
            checkpoint: Contents::Bytes(ByPointer::new(Vec::new())),
            texts: texts.collect(),
        }
    }

    #[test]
    fn a_run_lacks_the_texts_that_it_reads_and_that_were_not_kept() {
        assert!(!stored(Preset::Copy.experiment().task, &[]).lacks_texts());
        let task = TaskConfig::Files(FilesConfig {
            source: "a".into(),
            target: Some("b".into()),
            ..FilesConfig::default()
        });
        assert!(stored(task.clone(), &[]).lacks_texts());
        assert!(stored(task.clone(), &["a"]).lacks_texts());
        assert!(!stored(task, &["a", "b"]).lacks_texts());
    }
}
