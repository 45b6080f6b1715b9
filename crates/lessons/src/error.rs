//! Faults of a lesson's files.

/// Error in a file of a lesson, with file, line, and advice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}")]
pub struct LessonError {
    /// Name of the file, such as `alignment/lesson.toml`.
    pub file: String,
    /// Number of the line, from 1.
    pub line: usize,
    /// Sentence that says what is wrong and what to do.
    pub what: String,
}

/// Writes `there is no KIND "x"; did you mean "y"?`, or lists the known names if none is similar.
pub(crate) fn unknown<'a>(
    kind: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> String {
    let advice = match strata_settings::suggestion::nearest(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let known: Vec<String> = known.into_iter().map(|it| format!("`{it}`")).collect();
            if known.is_empty() {
                "there is none".to_owned()
            } else {
                format!("choose one of {}", known.join(", "))
            }
        }
    };
    format!("there is no {kind} `{name}`; {advice}")
}
