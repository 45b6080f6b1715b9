//! Kinds of texts, determined by their contents: a user may give questions where pairs are
//! expected.

use crate::{FilesConfig, ReadingConfig, TaskConfig};

/// Number of lines that are examined.
const LOOKED_AT: usize = 200;

/// If the texts are of another kind than `task` reads, returns the task that reads them, and a
/// sentence for the user. A text for a language model can be anything, and is kept.
pub(super) fn by_contents(
    task: &TaskConfig,
    texts: &[(String, String)],
) -> Option<(TaskConfig, String)> {
    let [first, others @ ..] = texts else {
        return None;
    };
    let second = match others {
        [] => None,
        [second] => Some(second.0.as_str().into()),
        _ => return None,
    };
    let all = |is: fn(&str) -> bool| texts.iter().all(|(_, text)| is(text));
    let names: Vec<&str> = texts.iter().map(|(name, _)| name.as_str()).collect();
    let names = names.join(" and ");
    match task {
        TaskConfig::Files(config) if all(are_questions) => {
            let task = TaskConfig::Reading(ReadingConfig {
                source: first.0.as_str().into(),
                validation_source: second,
                minimum_count: config.minimum_count,
                ..ReadingConfig::default()
            });
            let read = "no sentence pairs: read as questions about passages";
            Some((task, format!("{names}: {read}.")))
        }
        TaskConfig::Reading(config) if !texts.iter().any(|(_, text)| is_json(text)) => {
            let is_pairs = second.is_some() || has_columns(&first.1);
            let task = TaskConfig::Files(FilesConfig {
                source: first.0.as_str().into(),
                target: second,
                minimum_count: config.minimum_count,
                ..FilesConfig::default()
            });
            let read = "no questions in JSON: read as sentence pairs";
            is_pairs.then(|| (task, format!("{names}: {read}.")))
        }
        _ => None,
    }
}

/// True for JSON with fields of a known format of questions.
fn are_questions(text: &str) -> bool {
    let names = [
        "\"data\"",
        "\"paragraphs\"",
        "\"documents\"",
        "\"passages\"",
    ];
    is_json(text) && !has_columns(text) && names.iter().any(|name| text.contains(name))
}

fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// True if most of the first lines that are not blank have a TAB.
fn has_columns(text: &str) -> bool {
    let lines = || {
        text.lines()
            .filter(|it| !it.trim().is_empty())
            .take(LOOKED_AT)
    };
    let columns = lines().filter(|it| it.trim().contains('\t')).count();
    2 * columns > lines().count()
}
