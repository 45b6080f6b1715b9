//! Poetry: Chinese quatrains, each line written from a keyword and the lines before.

use super::{ExampleLengths, OwnFiles, PipelineUi};
use crate::presets::Preset;
use strata_tasks::corpora::CorpusKind;
use strata_tasks::{Pipeline, PoemsConfig, TaskConfig};
use strata_training::Experiment;

/// Words and views of poetry.
pub struct Poetry;

impl PipelineUi for Poetry {
    fn name(&self) -> &'static str {
        "poems"
    }

    fn label(&self) -> &'static str {
        "Chinese quatrains, to write poems"
    }

    fn file_hint(&self) -> &'static str {
        "Drop a file of quatrains anywhere: a poem a line, or the last of four columns. It may be .gz."
    }

    fn paste_label(&self) -> &'static str {
        "Or paste quatrains, a poem a line"
    }

    fn max_files(&self) -> usize {
        1
    }

    fn files_needed(&self) -> &'static str {
        "Quatrains are one file: a poem a line, or the last of four columns."
    }

    fn lists_files(&self) -> bool {
        true
    }

    fn task(&self, files: OwnFiles) -> TaskConfig {
        let config = match Preset::Poems.experiment().task {
            TaskConfig::Poems(config) => config,
            _ => PoemsConfig::default(),
        };
        TaskConfig::Poems(PoemsConfig {
            source: files.source,
            ..config
        })
    }

    fn experiment(&self, present: &Experiment, task: &TaskConfig) -> Experiment {
        // All settings of the preset are chosen for poems, so other pipelines' settings do not stay.
        let present = if present.task.pipeline() == Pipeline::Poetry {
            present.clone()
        } else {
            Experiment {
                seed: present.seed,
                ..Preset::Poems.experiment()
            }
        };
        Experiment {
            task: task.clone(),
            ..present
        }
    }

    fn corpus_kind(&self) -> Option<CorpusKind> {
        None
    }

    fn served_models_note(&self) -> Option<&'static str> {
        Some("Or load a model trained on quatrains (downloaded from this site):")
    }

    fn examples(&self) -> &'static str {
        "pairs"
    }

    fn columns(&self) -> Option<[&'static str; 2]> {
        Some(["Source", "Target"])
    }

    fn lengths(&self, usual: ExampleLengths, _is_of_files: bool) -> ExampleLengths {
        usual
    }

    fn without_view(&self) -> &'static str {
        "Write a poem below: its last line is drawn here."
    }
}
