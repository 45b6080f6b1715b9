//! Operations that every task has.

use std::path::Path;

use strata_describe::{Description, Settings};
use strata_text::{Segmenter, TextForm, TokenUnit, Uploads, Vocabulary};

use crate::{Dataset, Pipeline, TaskError};

/// The segmenters and vocabularies of source and target, kept from an earlier load.
pub type LearnedVocabularies<'a> = [(&'a Segmenter, &'a Vocabulary); 2];

/// Operations of every task.
pub(crate) trait Task: Settings {
    /// Description of the task and of the task's settings.
    fn description(&self) -> &'static Description;
    /// Refuses settings that contradict each other, before any data are read. Each setting has
    /// already been checked to be in its range.
    fn validate(&self) -> Result<(), TaskError> {
        Ok(())
    }

    /// Loads the data of the task, whose settings have been validated.
    fn load(&self, seed: u64, uploads: &Uploads) -> Result<Dataset, TaskError>;

    /// Loads the data like [`load`](Self::load), but with given segmenters and vocabularies.
    fn reload(
        &self,
        seed: u64,
        uploads: &Uploads,
        _kept: LearnedVocabularies<'_>,
    ) -> Result<Dataset, TaskError> {
        self.load(seed, uploads)
    }

    /// Levels at which source and target are cut into tokens.
    fn levels(&self) -> [TokenUnit; 2] {
        [TokenUnit::Word; 2]
    }

    /// Normal form in which text is cut into tokens.
    fn text_form(&self) -> TextForm {
        TextForm::from(false)
    }

    /// Kind of work that the task asks for.
    fn pipeline(&self) -> Pipeline {
        Pipeline::Translation
    }

    /// Paths of the task's files.
    fn paths(&self) -> Vec<&Path> {
        Vec::new()
    }

    /// Converts a user's input to the form of the task's data.
    fn normalise(&self, text: &str) -> String {
        text.to_owned()
    }
}
