//! Files of questions, for a reader to answer.

use std::path::Path;

use strata_tasks::{Question, ReadingConfig, ReadingFormat, TaskConfig};
use strata_text::Uploads;
use strata_training::Inference;

use super::reading;
use crate::base::error::Error;

/// Number of questions that are answered at once.
pub const AT_ONCE: usize = 32;

/// Reads the questions of a file in any format; their texts are cut as those of the reader's task
/// are. Returns the format, too.
///
/// # Errors
/// If the file cannot be read, or does not fit its format.
pub fn of_file(
    inference: &Inference,
    path: &Path,
) -> Result<(Vec<Question>, ReadingFormat), Error> {
    // The file may have another format than the training data; a generated task has none.
    let config = match inference.tokenizer().task() {
        TaskConfig::Reading(config) => config.clone(),
        _ => ReadingConfig::default(),
    };
    let config = ReadingConfig {
        format: ReadingFormat::Auto,
        ..config
    };
    let (questions, format) = config.questions(path, reading(inference), &Uploads::default())?;
    Ok((questions, format))
}
