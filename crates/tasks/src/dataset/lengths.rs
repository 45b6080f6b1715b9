//! Lengths of sources and targets, which a model that answers in place needs to be equal.

use strata_text::Uploads;

use crate::{Dataset, TaskConfig, TaskError};

impl TaskConfig {
    /// False if targets differ from their sources in length, whatever the data are: dates are
    /// written anew, sentences and lines are translated, and of a long text little is asked.
    pub fn may_keep_lengths(&self) -> bool {
        !matches!(
            self,
            Self::GermanEnglish(_)
                | Self::ChineseEnglish(_)
                | Self::Dates(_)
                | Self::Poems(_)
                | Self::Needle(_)
        )
    }

    /// Checks that every target of `dataset`, which this task loaded, has as many tokens as its
    /// source.
    ///
    /// # Errors
    /// If a pair differs: names the first line of the files that does. Otherwise if examples on
    /// disk, or the files, cannot be read.
    pub fn check_equal_lengths(
        &self,
        dataset: &Dataset,
        uploads: &Uploads,
    ) -> Result<(), TaskError> {
        let Some([source, target]) = dataset.first_unequal()? else {
            return Ok(());
        };
        let in_files = match self {
            Self::Files(task) => task.first_unequal(dataset, uploads)?,
            _ => None,
        };
        Err(in_files.unwrap_or_else(|| TaskError::UnequalPair {
            place: format!("a pair of the task `{}`", self.name()),
            source_tokens: source,
            target_tokens: target,
        }))
    }
}

impl Dataset {
    /// Numbers of tokens of source and target of a pair in which the two differ; `None` if there is
    /// no such pair.
    ///
    /// # Errors
    /// If examples on disk cannot be read.
    fn first_unequal(&self) -> Result<Option<[usize; 2]>, TaskError> {
        let mut examples = self.training().iter().chain(self.validation());
        let unequal = examples.find(|example| example.source.len() != example.target.len());
        match (unequal, &self.stored) {
            (Some(example), _) => Ok(Some([example.source.len(), example.target.len()])),
            (None, Some(stored)) => stored.first_unequal(),
            (None, None) => Ok(None),
        }
    }
}
