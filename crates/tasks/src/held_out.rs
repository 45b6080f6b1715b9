//! Why so much of a user's own text is held out, in a sentence.

use crate::{FilesConfig, LeftOut, TaskConfig};

impl TaskConfig {
    /// What is measured on and why, where that is taken from a user's own text: `training` and
    /// `held_out` are the examples of each, `left_out` those that are in neither.
    pub fn why_held_out(
        &self,
        training: usize,
        held_out: usize,
        left_out: LeftOut,
    ) -> Option<String> {
        match self {
            Self::Files(FilesConfig {
                validation_source: Some(path),
                ..
            }) => Some(format!(
                "Held out: {held_out} sentence pairs, those of {}.",
                path.display()
            )),
            Self::Files(FilesConfig {
                held_out: wanted, ..
            }) => {
                let all = training + held_out;
                // Pieces of words may be too many behind the choice.
                let chosen = held_out + left_out.validation.too_long;
                let why = if chosen < *wanted {
                    format!(
                        "for at most half of the sentences are, though `task.held_out` = {wanted}; \
                         lower it to learn from more"
                    )
                } else {
                    format!("as `task.held_out` = {wanted} says")
                };
                Some(format!(
                    "Held out: {held_out} of {all} sentence pairs, {why}."
                ))
            }
            Self::Text(task) => Some(match &task.validation_source {
                Some(path) => format!("Held out: the text of {}.", path.display()),
                None => "Held out: the end of the text, at most a tenth of it.".to_owned(),
            }),
            // Drawn beside what is learned from.
            _ => None,
        }
    }
}
