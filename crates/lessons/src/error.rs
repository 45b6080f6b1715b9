//! Faults of a lesson's files.

/// A fault of a lesson's file: where, what, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}")]
pub struct LessonError {
    /// The file, as `alignment/lesson.toml`.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// A sentence.
    pub what: String,
}

/// `there is no MEASURE "x"; did you mean "y"?`, or the known ones where none is near.
pub(crate) fn unknown<'a>(
    kind: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> String {
    let advice = match strata_settings::suggestion::nearest(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let known: Vec<String> = known.into_iter().map(|it| format!("`{it}`")).collect();
            match known.is_empty() {
                true => "there is none".to_owned(),
                false => format!("choose one of {}", known.join(", ")),
            }
        }
    };
    format!("there is no {kind} `{name}`; {advice}")
}
