//! The task that reads a user's own texts, and a model that fits that task.

use crate::presets::Preset;
use crate::texts::{Source, Texts};
use std::path::{Path, PathBuf};
use strata_models::{ModelConfig, TransformerConfig, TransformerLmConfig};
use strata_tasks::{FilesConfig, Pipeline, PoemsConfig, ReadingConfig, TaskConfig, TextConfig};
use strata_text::{TokenUnit, file_name};
use strata_training::Experiment;

/// Number of bytes below which data keep every word in the vocabulary, however rare.
const SMALL: f64 = 1e6;

/// Form of the user's own data, and the unit and encoding in which they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Own {
    /// Pairs, one text, or questions about passages.
    pub form: Pipeline,
    /// True if the data are quatrains, to write poems.
    pub poems: bool,
    /// Unit of the tokens.
    pub level: TokenUnit,
    /// Label of the chosen encoding; empty to guess it.
    pub encoding: &'static str,
}

impl Default for Own {
    fn default() -> Self {
        Self {
            form: Pipeline::Translation,
            poems: false,
            level: TokenUnit::Word,
            encoding: "",
        }
    }
}

impl Own {
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
        let most = match self.form {
            _ if self.poems => 1,
            Pipeline::Translation | Pipeline::Poetry | Pipeline::QuestionAnswering => 2,
            Pipeline::TextGeneration => 1,
        };
        if texts.is_empty() || texts.len() > most {
            return Err(match self.form {
                _ if self.poems => "Quatrains are one file: a poem a line, or the last of four columns.",
                Pipeline::Translation | Pipeline::Poetry => "Sentence pairs are one file with two columns, or two files: first the source, then its translation.",
                Pipeline::TextGeneration => "A text to write on is one file.",
                Pipeline::QuestionAnswering => "Questions are one file of JSON, or two: first the questions to learn from, then those to measure on.",
            }
            .to_owned());
        }
        let mut named = Texts::with_capacity(texts.len());
        for (name, source) in texts {
            // The setting for poems holds several paths, separated by commas.
            let first = match self.poems {
                true => unpacked(name).replace(',', " "),
                false => unpacked(name).to_owned(),
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
        let bytes: f64 = texts.iter().map(|(_, source)| size(source)).sum();
        let path = |at: usize| named.get(at).map(|(name, _)| name.into());
        let source = path(0).unwrap_or_default();
        let minimum_count = if bytes < SMALL { 1 } else { 2 };
        let task = match self.form {
            _ if self.poems => poems(source),
            Pipeline::QuestionAnswering => TaskConfig::Reading(ReadingConfig {
                source,
                validation_source: path(1),
                minimum_count,
                ..ReadingConfig::default()
            }),
            Pipeline::Translation | Pipeline::Poetry => TaskConfig::Files(FilesConfig {
                source,
                target: path(1),
                level: self.level,
                minimum_count,
                ..FilesConfig::default()
            }),
            Pipeline::TextGeneration => TaskConfig::Text(TextConfig {
                source,
                level: self.level,
                ..TextConfig::default()
            }),
        };
        Ok((task, named))
    }

    /// Returns the task on the same texts, divided into tokens in the chosen way.
    pub fn again(self, task: &TaskConfig) -> TaskConfig {
        let level = self.level;
        match task.clone() {
            TaskConfig::Files(config) => TaskConfig::Files(FilesConfig { level, ..config }),
            TaskConfig::Text(config) => TaskConfig::Text(TextConfig { level, ..config }),
            other => other,
        }
    }
}

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
        let is_it = |(other, _): &&(String, Source)| unpacked(other) == unpacked(name);
        texts.iter().rev().find(is_it)
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
    let lists = matches!(task, TaskConfig::Poems(_));
    let name = |path: &str| unpacked(&file_name(path.as_ref())).to_owned();
    for (_, path) in task.path_settings() {
        let text = path.to_string_lossy().into_owned();
        *path = match lists {
            true => text
                .split(',')
                .map(name)
                .collect::<Vec<_>>()
                .join(",")
                .into(),
            false => name(&text).into(),
        };
    }
    Awaited::Complete(Box::new(task), named.collect())
}

/// Returns the task of the preset `poems` on a file.
fn poems(source: PathBuf) -> TaskConfig {
    match Preset::Poems.experiment().task {
        TaskConfig::Poems(config) => TaskConfig::Poems(PoemsConfig { source, ..config }),
        other => other,
    }
}

/// Returns the name of a file without the extension of its compression: the worker unpacks the
/// file.
fn unpacked(name: &str) -> &str {
    name.strip_suffix(".gz").unwrap_or(name)
}

fn size(source: &Source) -> f64 {
    match source {
        Source::Blob(blob) => blob.size(),
        // Public corpora count as large: their sizes are known only once they are fetched.
        Source::Address { .. } => SMALL,
    }
}

/// Returns the present experiment on this task. If the present model is of another form, a small
/// model of the task's form takes its place.
pub fn experiment(present: &Experiment, task: &TaskConfig) -> Experiment {
    let is_of_poems = |it: &TaskConfig| matches!(it, TaskConfig::Poems(_));
    if is_of_poems(task) && !is_of_poems(&present.task) {
        return Experiment {
            seed: present.seed,
            task: task.clone(),
            ..Preset::Poems.experiment()
        };
    }
    Experiment {
        task: task.clone(),
        model: fitting(&present.model, task.pipeline()),
        ..present.clone()
    }
}

fn fitting(model: &ModelConfig, form: Pipeline) -> ModelConfig {
    match (form, model) {
        (
            Pipeline::Translation | Pipeline::Poetry,
            ModelConfig::Seq2Seq(_) | ModelConfig::Transformer(_),
        )
        | (Pipeline::TextGeneration, ModelConfig::RecurrentLm(_) | ModelConfig::TransformerLm(_)) => {
            model.clone()
        }
        (Pipeline::QuestionAnswering, reader) if reader.is_reader() => reader.clone(),
        (Pipeline::QuestionAnswering, _) => Preset::Reading.experiment().model,
        (Pipeline::Translation | Pipeline::Poetry, _) => {
            ModelConfig::Transformer(TransformerConfig {
                width: 64,
                layers: 1,
                feed_forward: 128,
                ..TransformerConfig::default()
            })
        }
        (Pipeline::TextGeneration, _) => ModelConfig::TransformerLm(TransformerLmConfig {
            width: 64,
            layers: 2,
            feed_forward: 128,
            ..TransformerLmConfig::default()
        }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

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
        let own = Own::default();
        let (task, texts) = own
            .task(&[at("a.txt.gz"), at("a.txt")], &generated())
            .unwrap();
        let names: Vec<_> = texts.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a.txt", "a.txt (2)"]);
        let paths: Vec<_> = task.paths().into_iter().map(|it| it.to_owned()).collect();
        assert_eq!(paths, [Path::new("a.txt"), "a.txt (2)".as_ref()]);
        assert!(task.validate().is_ok());
        let again = Own {
            level: TokenUnit::Bpe,
            ..own
        }
        .again(&task);
        assert_eq!(again.paths(), task.paths());
        assert_ne!(again, task);
    }

    #[test]
    fn the_names_of_the_present_run_stay_its_own() {
        let own = Own::default();
        let texts = [at("a"), at("b")];
        let (first, _) = own.task(&texts, &generated()).unwrap();
        let (second, named) = own.task(&texts, &first).unwrap();
        let names: Vec<_> = named.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a (2)", "b (2)"]);
        let (third, _) = own.task(&texts, &second).unwrap();
        assert_eq!(third, first);
        let (_, named) = own.task(&[at("a"), at("a")], &first).unwrap();
        assert_eq!(named[0].0, "a (2)");
        assert_eq!(named[1].0, "a (3)");
    }

    #[test]
    fn quatrains_bring_the_preset_of_poems() {
        let own = Own {
            poems: true,
            ..Own::default()
        };
        let present = Experiment::default();
        let (task, named) = own.task(&[at("a,b.tsv.gz")], &present.task).unwrap();
        assert_eq!(named[0].0, "a b.tsv");
        assert_eq!(task.paths(), [Path::new("a b.tsv")]);
        let on_poems = experiment(&present, &task);
        assert_eq!(on_poems.model, Preset::Poems.experiment().model);
        on_poems.check().unwrap();
        // Settings that a user has changed for poems stay.
        let mut changed = on_poems.clone();
        changed.training.steps = 7;
        assert_eq!(experiment(&changed, &task).training.steps, 7);
        assert!(own.task(&[at("a"), at("b")], &present.task).is_err());
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

    #[test]
    fn too_many_files_or_none_are_told() {
        let text = Own {
            form: Pipeline::TextGeneration,
            ..Own::default()
        };
        let present = generated();
        assert!(text.task(&[at("a"), at("b")], &present).is_err());
        let own = Own::default();
        assert!(own.task(&[], &present).is_err());
        assert!(own.task(&[at("a"), at("b"), at("c")], &present).is_err());
    }

    #[test]
    fn a_model_of_the_right_form_is_kept() {
        let present = Experiment::default();
        let (pairs, _) = Own::default().task(&[at("a.tsv")], &present.task).unwrap();
        assert_eq!(experiment(&present, &pairs).model, present.model);
        let own = Own {
            form: Pipeline::TextGeneration,
            ..Own::default()
        };
        let (text, _) = own.task(&[at("a.txt")], &present.task).unwrap();
        let on_text = experiment(&present, &text);
        assert!(matches!(on_text.model, ModelConfig::TransformerLm(_)));
        on_text.model.check().unwrap();
        let back = experiment(&on_text, &pairs);
        assert!(matches!(back.model, ModelConfig::Transformer(_)));
        let own = Own {
            form: Pipeline::QuestionAnswering,
            ..Own::default()
        };
        let two = [at("a.json"), at("b.json")];
        let (questions, _) = own.task(&two, &present.task).unwrap();
        assert_eq!(questions.paths().len(), 2);
        let on_questions = experiment(&present, &questions);
        assert!(on_questions.model.is_reader());
        on_questions.check().unwrap();
        assert_eq!(experiment(&on_questions, &questions), on_questions);
        experiment(&on_questions, &pairs).check().unwrap();
    }
}
