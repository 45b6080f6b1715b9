//! How the user's own data are read: the task, the unit of its tokens, and the encoding.

use crate::page::pipeline::{OwnFiles, PipelineUi, ui};
use crate::texts::{Source, Texts};
use std::path::Path;
use strata_tasks::{FilesConfig, Pipeline, TaskConfig, TextConfig};
use strata_text::TokenUnit;

/// Number of bytes below which data keep every word in the vocabulary, however rare.
const SMALL: f64 = 1e6;

/// How the user's own data are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataFormat {
    /// Pipeline that learns from the data.
    pub pipeline: Pipeline,
    /// Unit of the tokens.
    pub unit: TokenUnit,
    /// Label of the chosen encoding; empty to guess the encoding.
    pub encoding: &'static str,
}

impl Default for DataFormat {
    fn default() -> Self {
        Self {
            pipeline: Pipeline::Translation,
            unit: TokenUnit::Word,
            encoding: "",
        }
    }
}

impl DataFormat {
    /// Returns what the page knows of the pipeline.
    pub fn ui(self) -> &'static dyn PipelineUi {
        ui(self.pipeline)
    }

    /// Returns the task that reads these texts, and the texts by the names that the task gives
    /// them. The worker knows texts by name, so no text gets the name of one that the `present`
    /// task reads.
    ///
    /// # Errors
    /// A sentence, if the task needs another number of texts.
    pub fn task(
        self,
        texts: &[(String, Source)],
        present: &TaskConfig,
    ) -> Result<(TaskConfig, Texts), String> {
        let ui = self.ui();
        if texts.is_empty() || texts.len() > ui.max_files() {
            return Err(ui.files_needed().to_owned());
        }
        let texts_by_name = self.named(texts, present);
        let bytes: f64 = texts.iter().map(|(_, source)| size(source)).sum();
        let mut paths = texts_by_name.iter().map(|(name, _)| name.into());
        let task = ui.task(OwnFiles {
            source: paths.next().unwrap_or_default(),
            second: paths.next(),
            unit: self.unit,
            minimum_count: if bytes < SMALL { 1 } else { 2 },
        });
        Ok((task, texts_by_name))
    }

    /// Returns the texts in the chosen encoding, each by a name that neither another of them nor
    /// the `present` task has.
    fn named(self, texts: &[(String, Source)], present: &TaskConfig) -> Texts {
        let mut named = Texts::with_capacity(texts.len());
        for (name, source) in texts {
            let first = if self.ui().lists_files() {
                unpacked(name).replace(',', " ")
            } else {
                unpacked(name).to_owned()
            };
            let names = (2..).map(|number| format!("{first} ({number})"));
            let is_free = |name: &String| {
                named.iter().all(|(other, _)| other != name)
                    && !present.paths().contains(&Path::new(name))
            };
            let mut names = std::iter::once(first.clone()).chain(names);
            // The list of names is endless, so one is always free.
            let name = names.find(is_free).unwrap_or_default();
            let source = match self.encoding {
                "" => source.clone(),
                label => source.encoded(label),
            };
            named.push((name, source));
        }
        named
    }

    /// Returns the task on the same texts, divided into tokens in the chosen way.
    pub fn task_again(self, task: &TaskConfig) -> TaskConfig {
        let level = self.unit;
        match task.clone() {
            TaskConfig::Files(config) => TaskConfig::Files(FilesConfig { level, ..config }),
            TaskConfig::Text(config) => TaskConfig::Text(TextConfig { level, ..config }),
            other => other,
        }
    }
}

/// Returns the name of a file without the extension of its compression: the worker unpacks the
/// file.
pub fn unpacked(name: &str) -> &str {
    name.strip_suffix(".gz").unwrap_or(name)
}

fn size(source: &Source) -> f64 {
    match source {
        Source::Blob(blob) => blob.size(),
        // Public corpora count as large: their sizes are known only once they are fetched.
        Source::Address { .. } => SMALL,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::page::pipeline::{experiment_on, replaced};
    use crate::presets::Preset;
    use strata_models::ModelConfig;
    use strata_training::Experiment;

    fn of(pipeline: Pipeline) -> DataFormat {
        DataFormat {
            pipeline,
            ..DataFormat::default()
        }
    }

    fn at(name: &str) -> (String, Source) {
        let source = Source::Address {
            address: String::new(),
            sha256: String::new(),
        };
        (name.to_owned(), source)
    }

    fn generated() -> TaskConfig {
        Experiment::default().task
    }

    #[test]
    fn files_are_named_as_they_lie_unpacked_and_apart() {
        let format = DataFormat::default();
        let (task, texts) = format
            .task(&[at("a.txt.gz"), at("a.txt")], &generated())
            .unwrap();
        let names: Vec<_> = texts.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a.txt", "a.txt (2)"]);
        let paths: Vec<_> = task.paths().into_iter().map(|it| it.to_owned()).collect();
        assert_eq!(paths, [Path::new("a.txt"), "a.txt (2)".as_ref()]);
        assert!(task.validate().is_ok());
        let again = DataFormat {
            unit: TokenUnit::Bpe,
            ..format
        }
        .task_again(&task);
        assert_eq!(again.paths(), task.paths());
        assert_ne!(again, task);
    }

    #[test]
    fn the_names_of_the_present_run_stay_its_own() {
        let format = DataFormat::default();
        let texts = [at("a"), at("b")];
        let (first, _) = format.task(&texts, &generated()).unwrap();
        let (second, named) = format.task(&texts, &first).unwrap();
        let names: Vec<_> = named.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a (2)", "b (2)"]);
        let (third, _) = format.task(&texts, &second).unwrap();
        assert_eq!(third, first);
        let (_, named) = format.task(&[at("a"), at("a")], &first).unwrap();
        assert_eq!(named[0].0, "a (2)");
        assert_eq!(named[1].0, "a (3)");
    }

    #[test]
    fn quatrains_bring_the_preset_of_poems() {
        let format = of(Pipeline::Poetry);
        let present = Experiment::default();
        let (task, named) = format.task(&[at("a,b.tsv.gz")], &present.task).unwrap();
        assert_eq!(named[0].0, "a b.tsv");
        assert_eq!(task.paths(), [Path::new("a b.tsv")]);
        let on_poems = experiment_on(&present, &task);
        assert_eq!(on_poems.model, Preset::Poems.experiment().model);
        on_poems.check().unwrap();
        // Settings that a user has changed for poems stay.
        let mut changed = on_poems.clone();
        changed.training.steps = 7;
        assert_eq!(experiment_on(&changed, &task).training.steps, 7);
        assert!(format.task(&[at("a"), at("b")], &present.task).is_err());
    }

    /// A model or training that other data replace is told before the run; what stays is not.
    #[test]
    fn what_other_data_replace_is_told() {
        let present = Experiment::default();
        let task = |pipeline, name| {
            let task = of(pipeline).task(&[at(name)], &present.task);
            task.unwrap().0
        };
        assert_eq!(
            replaced(&present, &task(Pipeline::Translation, "a.tsv")),
            None
        );
        for (pipeline, name, part) in [
            (Pipeline::TextGeneration, "a.txt", "The model becomes"),
            (Pipeline::QuestionAnswering, "a.json", "The model becomes"),
            (Pipeline::Poetry, "a.tsv", "All settings become"),
        ] {
            let task = task(pipeline, name);
            let told = replaced(&present, &task).unwrap();
            let next = experiment_on(&present, &task);
            let title = next.model.description().words.title;
            assert!(told.starts_with(part) && told.contains(title), "{told}");
            assert_eq!(replaced(&next, &task), None);
        }
    }

    #[test]
    fn too_many_files_or_none_are_told() {
        let text = of(Pipeline::TextGeneration);
        let present = generated();
        assert!(text.task(&[at("a"), at("b")], &present).is_err());
        let format = DataFormat::default();
        assert!(format.task(&[], &present).is_err());
        assert!(format.task(&[at("a"), at("b"), at("c")], &present).is_err());
    }

    #[test]
    fn a_model_of_the_same_pipeline_is_kept() {
        let present = Experiment::default();
        let (pairs, _) = DataFormat::default()
            .task(&[at("a.tsv")], &present.task)
            .unwrap();
        assert_eq!(experiment_on(&present, &pairs).model, present.model);
        let (text, _) = of(Pipeline::TextGeneration)
            .task(&[at("a.txt")], &present.task)
            .unwrap();
        let on_text = experiment_on(&present, &text);
        assert!(matches!(on_text.model, ModelConfig::TransformerLm(_)));
        on_text.model.check().unwrap();
        let back = experiment_on(&on_text, &pairs);
        assert!(matches!(back.model, ModelConfig::Transformer(_)));
        let two = [at("a.json"), at("b.json")];
        let (questions, _) = of(Pipeline::QuestionAnswering)
            .task(&two, &present.task)
            .unwrap();
        assert_eq!(questions.paths().len(), 2);
        let on_questions = experiment_on(&present, &questions);
        assert!(on_questions.model.is_reader());
        on_questions.check().unwrap();
        assert_eq!(experiment_on(&on_questions, &questions), on_questions);
        experiment_on(&on_questions, &pairs).check().unwrap();
    }
}
