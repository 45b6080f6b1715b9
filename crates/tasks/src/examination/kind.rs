//! Kinds of texts, told by their contents: a user may give questions where pairs are asked for.

use crate::{FilesConfig, ReadingConfig, TaskConfig};

/// Lines that are looked at.
const LOOKED_AT: usize = 200;

/// The task that reads these texts for what they are, and a sentence that says so, where they are of
/// another kind than `task` reads. One text to write on can be anything, and stays that.
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

/// True for JSON with what makes up questions in one of the formats that are read.
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

/// True if most of the first lines have a TAB.
fn has_columns(text: &str) -> bool {
    let lines = || {
        text.lines()
            .filter(|it| !it.trim().is_empty())
            .take(LOOKED_AT)
    };
    let columns = lines().filter(|it| it.trim().contains('\t')).count();
    2 * columns > lines().count()
}
