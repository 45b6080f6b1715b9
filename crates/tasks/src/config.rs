//! All tasks with their settings: a closed list.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use strata_describe::{Description, Domain, Settings};
use strata_text::{Segmenter, SubwordModel, TextForm, TokenUnit, Uploads, Vocabulary};

use crate::comprehension::{config as reading, toy as toy_reading};
use crate::task::{LearnedVocabularies, Task};
use crate::{
    ChineseEnglishConfig, CopyConfig, Dataset, DatesConfig, FilesConfig, GermanEnglishConfig,
    HopsConfig, NeedleConfig, Pipeline, PoemsConfig, ReadingConfig, RecallConfig, ReverseConfig,
    SentencesConfig, SortConfig, TaskError, TextConfig, ToyReadingConfig, VariablesConfig, files,
    generated::chinese_english, generated::copy, generated::dates, generated::german_english,
    generated::hops, generated::needle, generated::recall, generated::reverse,
    generated::sentences, generated::sort, generated::variables, poems, text,
};

/// A task with its settings, as written in a configuration: `kind = "copy"`, `symbols = 20`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum TaskConfig {
    /// Copy a sequence.
    Copy(CopyConfig),
    /// Reverse a sequence.
    Reverse(ReverseConfig),
    /// Sort a sequence by the order of the alphabet.
    Sort(SortConfig),
    /// Follow arrows from place to place.
    Hops(HopsConfig),
    /// Answer a key with the value that stood behind the key.
    Recall(RecallConfig),
    /// Find a marked block in a long source.
    Needle(NeedleConfig),
    /// Convert dates to ISO 8601.
    Dates(DatesConfig),
    /// Translate a toy German.
    GermanEnglish(GermanEnglishConfig),
    /// Translate a toy Chinese.
    ChineseEnglish(ChineseEnglishConfig),
    /// Continue sentences of a toy English.
    Sentences(SentencesConfig),
    /// Continue lines that assign variables and ask for one.
    Variables(VariablesConfig),
    /// Translate, learned from the user's own parallel corpus.
    Files(FilesConfig),
    /// Continue text, learned from the user's own file.
    Text(TextConfig),
    /// Find answers in the passages of the user's own files.
    Reading(ReadingConfig),
    /// Find answers in a few generated sentences.
    ToyReading(ToyReadingConfig),
    /// Write a quatrain, line by line.
    Poems(PoemsConfig),
}

/// Calls a method of the configured task. There is no table of methods, so that a program contains
/// only the methods that it calls: the page draws no sentences.
macro_rules! of_task {
    ($config:ident.$method:ident($($argument:expr),*)) => {
        match $config {
            Self::Copy(task) => task.$method($($argument),*),
            Self::Reverse(task) => task.$method($($argument),*),
            Self::Sort(task) => task.$method($($argument),*),
            Self::Hops(task) => task.$method($($argument),*),
            Self::Recall(task) => task.$method($($argument),*),
            Self::Needle(task) => task.$method($($argument),*),
            Self::Dates(task) => task.$method($($argument),*),
            Self::GermanEnglish(task) => task.$method($($argument),*),
            Self::ChineseEnglish(task) => task.$method($($argument),*),
            Self::Sentences(task) => task.$method($($argument),*),
            Self::Variables(task) => task.$method($($argument),*),
            Self::Files(task) => task.$method($($argument),*),
            Self::Text(task) => task.$method($($argument),*),
            Self::Reading(task) => task.$method($($argument),*),
            Self::ToyReading(task) => task.$method($($argument),*),
            Self::Poems(task) => task.$method($($argument),*),
        }
    };
}

impl TaskConfig {
    /// Descriptions of all tasks, in the order in which they are offered.
    pub fn kinds() -> &'static [Description] {
        const KINDS: &[Description] = &[
            german_english::DESCRIPTION,
            chinese_english::DESCRIPTION,
            copy::DESCRIPTION,
            reverse::DESCRIPTION,
            sort::DESCRIPTION,
            hops::DESCRIPTION,
            recall::DESCRIPTION,
            needle::DESCRIPTION,
            dates::DESCRIPTION,
            sentences::DESCRIPTION,
            variables::DESCRIPTION,
            files::DESCRIPTION,
            text::DESCRIPTION,
            reading::DESCRIPTION,
            toy_reading::DESCRIPTION,
            poems::DESCRIPTION,
        ];
        KINDS
    }

    /// Creates the task called `kind` with default settings; `None` if there is no such task.
    pub fn of_kind(kind: &str) -> Option<Self> {
        serde_json::from_value(json!({ "kind": kind })).ok()
    }

    /// Completes the saved settings of a task from a program that had no setting for the split: the
    /// seed, or the order of the file, decided which examples are held out.
    pub fn complete_saved(task: &mut Value) {
        let setting = match task.get("kind").and_then(Value::as_str) {
            Some("files") => "split",
            Some("reading") => "split_number",
            _ => return,
        };
        if let Value::Object(task) = task {
            task.entry(setting).or_insert(0.into());
        }
    }

    /// Name of the task in configurations.
    pub fn name(&self) -> &'static str {
        self.description().words.name
    }

    /// Description of the task and its settings.
    pub fn description(&self) -> &'static Description {
        of_task!(self.description())
    }

    /// Checks the settings, before any data are read.
    ///
    /// # Errors
    /// If a setting is out of range or two of them contradict each other.
    pub fn validate(&self) -> Result<(), TaskError> {
        of_task!(self.check_ranges())
            .map_err(|found| TaskError::out_of_range(self.name(), found))?;
        of_task!(self.validate())
    }

    /// Generates or reads the data of the task. For a path, the text of `uploads` with that name is
    /// read, if there is one, else the file. The same settings and seed give the same data on every
    /// machine.
    ///
    /// # Errors
    /// Those of [`validate`](Self::validate), and faults of the corpus.
    pub fn load(&self, seed: u64, uploads: &Uploads) -> Result<Dataset, TaskError> {
        self.validate()?;
        of_task!(self.load(seed, uploads))
    }

    /// Loads the data again with the segmenters and vocabularies of an earlier load, so that
    /// subwords are not learned a second time.
    ///
    /// # Errors
    /// Those of [`load`](Self::load).
    pub fn reload(
        &self,
        seed: u64,
        uploads: &Uploads,
        kept: LearnedVocabularies<'_>,
    ) -> Result<Dataset, TaskError> {
        self.validate()?;
        of_task!(self.reload(seed, uploads, kept))
    }

    /// True if the task draws its examples from a seed and reads no files.
    pub fn is_generated(&self) -> bool {
        let settings = self.description().settings;
        !settings
            .iter()
            .any(|setting| matches!(setting.domain, Domain::Path { .. }))
    }

    /// Paths of the task's files, or names of uploaded texts.
    pub fn paths(&self) -> Vec<&Path> {
        of_task!(self.paths())
    }

    /// Paths of the task's files that are set, to be changed, by the name of the setting: `source`,
    /// `target`, ….
    pub fn path_settings(&mut self) -> Vec<(&'static str, &mut PathBuf)> {
        let named = match self {
            Self::Files(task) => vec![
                ("source", Some(&mut task.source)),
                ("target", task.target.as_mut()),
                ("validation_source", task.validation_source.as_mut()),
                ("validation_target", task.validation_target.as_mut()),
                ("source_vocabulary", task.source_vocabulary.as_mut()),
                ("target_vocabulary", task.target_vocabulary.as_mut()),
                ("pieces", task.pieces.as_mut()),
                ("target_pieces", task.target_pieces.as_mut()),
                ("source_vectors", task.source_vectors.as_mut()),
                ("target_vectors", task.target_vectors.as_mut()),
            ],
            Self::Text(task) => vec![
                ("source", Some(&mut task.source)),
                ("validation_source", task.validation_source.as_mut()),
                ("test_source", task.test_source.as_mut()),
                ("vectors", task.vectors.as_mut()),
                ("pieces", task.pieces.as_mut()),
            ],
            Self::Reading(task) => vec![
                ("source", Some(&mut task.source)),
                ("validation_source", task.validation_source.as_mut()),
                ("vectors", task.vectors.as_mut()),
            ],
            Self::Poems(task) => vec![("source", Some(&mut task.source))],
            _ => Vec::new(),
        };
        let set = |(name, path): (_, Option<_>)| path.map(|path| (name, path));
        named.into_iter().filter_map(set).collect()
    }

    /// Takes over the paths of `other`, if it is a task of the same kind: a file may have moved.
    pub fn take_paths_of(&mut self, other: &Self) {
        match (self, other) {
            (Self::Files(task), Self::Files(other)) => {
                task.source.clone_from(&other.source);
                task.target.clone_from(&other.target);
                task.validation_source.clone_from(&other.validation_source);
                task.validation_target.clone_from(&other.validation_target);
                task.source_vocabulary.clone_from(&other.source_vocabulary);
                task.target_vocabulary.clone_from(&other.target_vocabulary);
                task.pieces.clone_from(&other.pieces);
                task.target_pieces.clone_from(&other.target_pieces);
                task.source_vectors.clone_from(&other.source_vectors);
                task.target_vectors.clone_from(&other.target_vectors);
            }
            (Self::Text(task), Self::Text(other)) => {
                task.source.clone_from(&other.source);
                task.validation_source.clone_from(&other.validation_source);
                task.test_source.clone_from(&other.test_source);
                task.vectors.clone_from(&other.vectors);
                task.pieces.clone_from(&other.pieces);
            }
            (Self::Reading(task), Self::Reading(other)) => {
                task.source.clone_from(&other.source);
                task.validation_source.clone_from(&other.validation_source);
                task.vectors.clone_from(&other.vectors);
            }
            (Self::Poems(task), Self::Poems(other)) => task.source.clone_from(&other.source),
            _ => {}
        }
    }

    /// Names of the settings for pretrained vectors of source and target; for a task of one text,
    /// of its tokens first. `None` where no file is set. The vectors of questions about passages
    /// are not included.
    pub fn vectors(&self) -> [Option<&'static str>; 2] {
        let set = |path: &Option<PathBuf>, setting| path.as_ref().map(|_| setting);
        match self {
            Self::Files(task) => [
                set(&task.source_vectors, "source_vectors"),
                set(&task.target_vectors, "target_vectors"),
            ],
            Self::Text(task) => [set(&task.vectors, "vectors"), None],
            _ => [None, None],
        }
    }

    /// Levels at which source and target are cut into tokens.
    pub fn levels(&self) -> [TokenUnit; 2] {
        of_task!(self.levels())
    }

    /// Normal form in which text is cut into tokens.
    pub fn text_form(&self) -> TextForm {
        of_task!(self.text_form())
    }

    /// Kind of work that the task asks for.
    pub fn pipeline(&self) -> Pipeline {
        of_task!(self.pipeline())
    }

    /// Restores the segmenters of source and target from saved vocabularies and subword models.
    ///
    /// # Errors
    /// If a model is missing or damaged, or a level is not available here.
    pub fn segmenters(
        &self,
        vocabularies: [&Vocabulary; 2],
        subwords: [Option<SubwordModel>; 2],
    ) -> Result<[Segmenter; 2], TaskError> {
        let form = of_task!(self.text_form());
        let [source, target] = of_task!(self.levels());
        let [source_subwords, target_subwords] = subwords;
        Ok([
            Segmenter::restore(source, form, source_subwords, vocabularies[0])?,
            Segmenter::restore(target, form, target_subwords, vocabularies[1])?,
        ])
    }

    /// Converts a user's input to the form of the task's data; for a toy language, for example, to
    /// lower case with punctuation set apart.
    pub fn normalise(&self, text: &str) -> String {
        of_task!(self.normalise(text))
    }

    /// Converts a line of a source file to the form of the task's data. Unlike for a user's input,
    /// a missing full stop is not added.
    pub fn normalise_line(&self, line: &str) -> String {
        let normal = self.normalise(line);
        let marks = ['.', '!', '?', '。', '！', '？'];
        if line.trim_end().ends_with(marks) {
            normal
        } else {
            normal.trim_end().trim_end_matches(marks).to_owned()
        }
    }
}

/// A toy language that can be learned in minutes.
impl Default for TaskConfig {
    fn default() -> Self {
        Self::GermanEnglish(GermanEnglishConfig::default())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use strata_describe::Setting;

    use super::*;

    #[test]
    fn a_task_has_one_name() {
        for description in TaskConfig::kinds() {
            let name = description.words.name;
            let task = TaskConfig::of_kind(name).unwrap();
            assert_eq!(task.name(), name);
            let json = serde_json::to_value(&task).unwrap();
            assert_eq!(json["kind"], name);
            assert_eq!(serde_json::from_value::<TaskConfig>(json).unwrap(), task);
        }
        assert_eq!(TaskConfig::of_kind("sing"), None);
    }

    /// Every setting that is a path is among those that `path_settings` lists.
    #[test]
    fn paths_are_the_settings_that_are_described_as_such() {
        for description in TaskConfig::kinds() {
            let mut json =
                serde_json::to_value(TaskConfig::of_kind(description.words.name)).unwrap();
            let is_path = |field: &&Setting| matches!(field.domain, Domain::Path { .. });
            let described: Vec<&str> = description
                .settings
                .iter()
                .filter(is_path)
                .map(|field| field.words.name)
                .collect();
            for name in &described {
                json[*name] = format!("{name}.txt").into();
            }
            let mut task: TaskConfig = serde_json::from_value(json).unwrap();
            let mut other = TaskConfig::of_kind(description.words.name).unwrap();
            other.take_paths_of(&task);
            assert_eq!(other, task);
            let found = task.path_settings();
            for (name, path) in &found {
                assert_eq!(path.to_str(), Some(&*format!("{name}.txt")));
            }
            assert_eq!(found.len(), described.len(), "{}", description.words.name);
        }
    }

    #[test]
    fn every_number_is_held_to_its_range() {
        for description in TaskConfig::kinds() {
            for field in description.settings {
                let Domain::Whole {
                    minimum, maximum, ..
                } = field.domain
                else {
                    continue;
                };
                for value in [minimum.checked_sub(1), maximum.checked_add(1)]
                    .into_iter()
                    .flatten()
                {
                    let task = TaskConfig::of_kind(description.words.name).unwrap();
                    let mut json = serde_json::to_value(task).unwrap();
                    json[field.words.name] = value.into();
                    let task: TaskConfig = serde_json::from_value(json).unwrap();
                    let error = task.load(0, &Uploads::default()).unwrap_err().to_string();
                    let setting = format!("`task.{}` is {value}", field.words.name);
                    assert!(error.contains(&setting), "{setting}: {error}");
                }
            }
        }
    }

    #[test]
    fn a_task_that_was_saved_before_there_was_a_split_is_drawn_as_it_was() {
        for (kind, setting) in [("files", "split"), ("reading", "split_number")] {
            let present = TaskConfig::of_kind(kind).unwrap();
            let mut json = serde_json::to_value(&present).unwrap();
            assert_eq!(json[setting], 1);
            TaskConfig::complete_saved(&mut json);
            assert_eq!(
                serde_json::from_value::<TaskConfig>(json.clone()).unwrap(),
                present
            );
            json.as_object_mut().unwrap().remove(setting);
            TaskConfig::complete_saved(&mut json);
            assert_eq!(json[setting], 0);
        }
        let mut other = serde_json::to_value(TaskConfig::of_kind("copy").unwrap()).unwrap();
        let before = other.clone();
        TaskConfig::complete_saved(&mut other);
        assert_eq!(other, before);
    }

    #[test]
    fn an_unknown_setting_or_kind_is_refused_by_name() {
        let read = |json: &str| {
            serde_json::from_str::<TaskConfig>(json)
                .unwrap_err()
                .to_string()
        };
        assert!(read(r#"{"kind": "copy", "symbol": 3}"#).contains("`symbol`"));
        assert!(read(r#"{"kind": "sing"}"#).contains("`sing`"));
        assert!(read("{}").contains("kind"));
    }
}
