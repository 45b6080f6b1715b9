//! Questions of a file, for a reader to answer.

use std::path::Path;

use strata_tasks::{Question, ReadingConfig, ReadingFormat, TaskConfig, Uploads};
use strata_training::Inference;

use crate::base::error::Error;

/// Questions that are answered at once.
pub const AT_ONCE: usize = 32;

/// Questions of a file of any format, their texts cut as those of the reader's own task, and the
/// format.
///
/// # Errors
/// If the file cannot be read, or is not what its format says.
pub fn of_file(
    inference: &Inference,
    path: &Path,
) -> Result<(Vec<Question>, ReadingFormat), Error> {
    let tokenizer = inference.tokenizer();
    let Some(reading) = tokenizer.reading() else {
        return Ok((Vec::new(), ReadingFormat::Auto));
    };
    // The file may be of another format than that of training; a generated task has none.
    let config = match tokenizer.task() {
        TaskConfig::Reading(config) => config.clone(),
        _ => ReadingConfig::default(),
    };
    let config = ReadingConfig {
        format: ReadingFormat::Auto,
        ..config
    };
    let (questions, format) = config.questions(path, reading, &Uploads::default())?;
    Ok((questions, format))
}
