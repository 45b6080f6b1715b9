//! Explanation of the number of held-out examples of a user's own text.

use crate::{FilesConfig, LeftOut, ReadingConfig, ReadingSplit, TaskConfig};

impl TaskConfig {
    /// Returns a sentence on which part of a user's own text is held out and why; `None` for other
    /// tasks. `training`, `held_out` and `tested` are numbers of examples, the last of a part that
    /// neither trains nor chooses a checkpoint; `left_out` counts examples in no part.
    pub fn why_held_out(
        &self,
        training: usize,
        [held_out, tested]: [usize; 2],
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
                held_out: wanted,
                split,
                ..
            }) => {
                let all = training + held_out;
                // Some of the chosen sentences were left out later, because they have too many
                // subwords or were learned before.
                let chosen = held_out + left_out.validation.too_long + left_out.validation.learned;
                let which = match split {
                    0 => "drawn by the seed",
                    _ => "the same ones for every seed",
                };
                let why = if chosen < *wanted {
                    format!(
                        "at most half of the sentences are, though `task.held_out` = {wanted}; lower it \
                         to learn from more"
                    )
                } else {
                    format!("`task.held_out` = {wanted}")
                };
                Some(format!(
                    "Held out: {held_out} of {all} sentence pairs, {which}: {why}."
                ))
            }
            Self::Text(task) => Some(match &task.validation_source {
                Some(path) => format!("Held out: the text of {}.", path.display()),
                None => "Held out: the end of the text, at most a tenth of it.".to_owned(),
            }),
            Self::Reading(task) => Some(why_questions(task, held_out, tested)),
            // Other tasks draw held-out examples beside the training examples.
            _ => None,
        }
    }
}

/// Returns a sentence on the held-out part of a file of questions.
fn why_questions(task: &ReadingConfig, held_out: usize, tested: usize) -> String {
    let why = match (&task.validation_source, task.split) {
        (Some(path), _) => {
            format!(
                "Held out: {held_out} questions, those of {}.",
                path.display()
            )
        }
        (None, ReadingSplit::Article) => {
            let which = match task.split_number {
                0 => "the last articles",
                _ => "articles that are the same for every seed",
            };
            format!("Held out: {held_out} questions, those about {which}.")
        }
        (None, ReadingSplit::Question) => {
            let which = match task.split_number {
                0 => "drawn by the seed",
                _ => "the same ones for every seed",
            };
            format!(
                "Held out: {held_out} questions, {which}; most of their passages are \
                 learned from, too."
            )
        }
    };
    match tested {
        0 => why,
        tested => format!(
            "{why} {tested} more (`task.tested` = {}) are neither learned from nor looked at while \
             training: `strata eval` measures those.",
            task.tested
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tested_questions_are_counted() {
        let task = TaskConfig::Reading(ReadingConfig {
            tested: 100_000,
            ..ReadingConfig::default()
        });
        let why = |tested| {
            let why = task.why_held_out(108, [24, tested], LeftOut::default());
            why.unwrap_or_default()
        };
        assert!(
            why(108).contains("24 questions")
                && why(108).contains("108 more (`task.tested` = 100000)"),
            "{}",
            why(108)
        );
        assert!(!why(0).contains("task.tested"), "{}", why(0));
    }
}
