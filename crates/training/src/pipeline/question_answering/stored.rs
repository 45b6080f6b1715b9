//! Tokenizer of a reader in a checkpoint.

use serde::{Deserialize, Serialize};
use strata_tasks::{ReadingLevel, ReadingLimits, ReadingTokenizer};

use super::ReaderTokenizer;
use crate::CheckpointError;
use crate::checkpoint::Contents;

/// Reader's tokenizer without the vocabularies, and the length of the longest answer.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct StoredReading {
    pub level: ReadingLevel,
    pub lowercase: bool,
    pub limits: ReadingLimits,
    pub longest_answer: usize,
}

impl StoredReading {
    pub fn of(reader: &ReaderTokenizer) -> Self {
        let tokenizer = &reader.tokenizer;
        Self {
            level: tokenizer.level,
            lowercase: tokenizer.lowercase,
            limits: tokenizer.limits,
            longest_answer: reader.longest_answer,
        }
    }
}

impl ReaderTokenizer {
    /// Restores the tokenizer of a checkpoint, whose vocabularies are those of words and of
    /// characters.
    pub fn stored(contents: &Contents) -> Result<Self, CheckpointError> {
        let stored = contents.reading.as_ref();
        let stored = stored.ok_or_else(|| CheckpointError::Damaged {
            reason: "it does not say how its reader cuts texts into words".to_owned(),
        })?;
        Ok(Self {
            tokenizer: ReadingTokenizer {
                level: stored.level,
                lowercase: stored.lowercase,
                limits: stored.limits,
                vocabulary: contents.source_vocabulary.clone(),
                characters: contents.target_vocabulary.clone(),
            },
            longest_answer: stored.longest_answer,
            reads_characters: contents.experiment.model.reads_characters(),
        })
    }
}
