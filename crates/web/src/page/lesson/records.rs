//! Progress in all lessons as a file: saved, and merged into the progress of another browser.

use crate::keeping::{Keeper, RunCommand};
use crate::page::lesson::labels::{filled, label};
use crate::page::lesson::progress::Progress;
use crate::page::watch::exporting::{Content, save};
use serde_json::{Value as Json, json};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{File, HtmlElement, HtmlInputElement};
use yew::prelude::*;

/// Name and version of the format.
const FORMAT: (&str, u64) = ("lessons", 1);
/// Size of the largest file that is read, in bytes.
const LARGEST: f64 = 2e7;

/// Names of lessons, each with its progress as text.
type All = Vec<(String, String)>;

#[derive(Properties, PartialEq)]
pub struct RecordsProperties {
    pub language: String,
    pub all: Vec<(String, String)>,
    /// Called when the stored progress has changed.
    pub changed: Callback<()>,
}

/// Buttons that save, load and remove all progress.
#[component]
pub fn Records(properties: &RecordsProperties) -> Html {
    let RecordsProperties {
        language,
        all,
        changed,
    } = properties;
    let says = |english| label(language, english);
    let chooser = use_node_ref();
    let status = use_state_eq(String::new);
    let is_removing = use_state_eq(|| false);
    let export = {
        let all = all.clone();
        Callback::from(move |_: MouseEvent| save("strata-lessons.json", Content::Json(file(&all))))
    };
    let choose = {
        let chooser = chooser.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(chooser) = chooser.cast::<HtmlElement>() {
                chooser.click();
            }
        })
    };
    let take = {
        let (all, status, changed) = (all.clone(), status.clone(), changed.clone());
        let language = language.clone();
        Callback::from(move |event: Event| {
            let input = event.target_unchecked_into::<HtmlInputElement>();
            let Some(file) = input.files().and_then(|files| files.get(0)) else {
                return;
            };
            input.set_value("");
            let (all, status, changed) = (all.clone(), status.clone(), changed.clone());
            let language = language.clone();
            spawn_local(async move {
                match text(&file).await.and_then(|text| joined(&all, &text)) {
                    Some(joined) => {
                        let count = joined.len();
                        let keeper = Keeper::new(Callback::noop(), Callback::noop());
                        for (lesson, text) in joined {
                            keeper.write_progress(lesson, text);
                        }
                        status.set(filled(
                            &language,
                            "What was done in {} lessons is taken in.",
                            &[&count.to_string()],
                        ));
                        changed.emit(());
                    }
                    None => status.set(
                        label(
                            &language,
                            "This is not a progress file saved by Strata: choose a strata-lessons.json.",
                        )
                        .to_owned(),
                    ),
                }
            });
        })
    };
    let press = {
        let (is_removing, changed) = (is_removing.clone(), changed.clone());
        Callback::from(move |_: MouseEvent| {
            if *is_removing {
                let removed = changed.reform(|_| ());
                Keeper::new(removed, Callback::noop()).run(RunCommand::RemoveAll);
            }
            is_removing.set(!*is_removing);
        })
    };
    html! {
        <div class="lesson-buttons" id="lesson-records">
            <button type="button" id="save-lessons" onclick={export} disabled={all.is_empty()}>{ says("Save what was done to a file") }</button>
            <button type="button" id="load-lessons" onclick={choose}>{ says("Load it") }</button>
            <input type="file" id="lessons-file" ref={chooser} hidden=true accept=".json" onchange={take} aria-label={says("A file of what was done")} />
            <button type="button" class="link" id="remove-all" onclick={press}>
                { says(if *is_removing { "Yes, delete all runs and lesson progress" } else { "Remove all that this page keeps" }) }</button>
            <span role="status">{ (*status).clone() }</span>
        </div>
    }
}

/// Writes progress as a file.
pub(super) fn file(all: &All) -> String {
    let lessons = all.iter().filter_map(|(lesson, text)| {
        let progress: Json = serde_json::from_str(text).ok()?;
        Some((lesson.clone(), progress))
    });
    let lessons: serde_json::Map<String, Json> = lessons.collect();
    json!({ "strata": FORMAT.0, "version": FORMAT.1, "lessons": lessons }).to_string()
}

/// Merges the progress here with that in a file: no step that was done is lost. `None` if the text
/// is no such file.
fn joined(all: &All, text: &str) -> Option<All> {
    let mut joined = Vec::new();
    for (lesson, theirs) in read(text)? {
        let own = all.iter().find(|(name, _)| *name == lesson);
        let own = own.and_then(|(_, text)| Progress::parsed(text));
        let whole = match own {
            Some(own) if own.version > theirs.version => own,
            Some(mut own) if own.version == theirs.version => {
                for (step, met) in theirs.steps {
                    own.record(&step, met);
                }
                own.runs.extend(theirs.runs);
                own.seed = own.seed.or(theirs.seed);
                own
            }
            _ => theirs,
        };
        joined.push((lesson, whole.written()));
    }
    Some(joined)
}

/// Reads a file of progress: names of lessons, each with the progress in the lesson. `None` if the
/// text is no such file.
pub(super) fn read(text: &str) -> Option<Vec<(String, Progress)>> {
    let file: Json = serde_json::from_str(text).ok()?;
    if file["strata"] != FORMAT.0 || file["version"] != FORMAT.1 {
        return None;
    }
    let lessons = file["lessons"].as_object()?.iter();
    lessons
        .map(|(lesson, progress)| Some((lesson.clone(), Progress::parsed(&progress.to_string())?)))
        .collect()
}

/// Returns the text of a file; `None` if the file is too large or cannot be read.
pub(super) async fn text(file: &File) -> Option<String> {
    if file.size() > LARGEST {
        return None;
    }
    JsFuture::from(file.text()).await.ok()?.as_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn done(version: u32, steps: &str) -> String {
        format!(r#"{{"version":{version},"steps":{steps}}}"#)
    }

    #[test]
    fn what_was_done_here_and_there_is_together() {
        let here = done(1, r#"{"a":{"how":"did"},"b":{"how":"skipped"}}"#);
        let there = done(1, r#"{"a":{"how":"skipped"},"b":{"how":"did"}}"#);
        let all = vec![("levels".to_owned(), here)];
        let text = file(&vec![
            ("levels".to_owned(), there),
            ("ham".to_owned(), done(2, "{}")),
        ]);
        let joined = joined(&all, &text).unwrap();
        assert_eq!(joined.len(), 2);
        let (_, levels) = joined.iter().find(|it| it.0 == "levels").unwrap();
        let levels = Progress::parsed(levels).unwrap();
        assert!(levels.is_past("a") && levels.is_past("b"));
    }

    #[test]
    fn a_file_of_something_else_is_refused() {
        for text in [
            "",
            "{}",
            "[1]",
            r#"{"strata":"lessons","version":2,"lessons":{}}"#,
        ] {
            assert_eq!(joined(&Vec::new(), text), None, "{text}");
        }
        let odd = r#"{"strata":"lessons","version":1,"lessons":{"levels":3}}"#;
        assert_eq!(joined(&Vec::new(), odd), None);
        // Progress in an older version of a lesson loses to that in a newer one, on whichever side.
        let all = vec![("a".to_owned(), done(3, "{}"))];
        let text = file(&vec![("a".to_owned(), done(2, "{}"))]);
        let kept = joined(&all, &text).unwrap();
        assert_eq!(Progress::parsed(&kept[0].1).unwrap().version, 3);
    }
}
