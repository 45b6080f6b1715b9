//! Files that are chosen, and texts that are pasted.

use crate::texts::{Source, Texts};
use js_sys::Array;
use strata_tasks::Pipeline;
use wasm_bindgen::JsValue;
use web_sys::{Blob, FileList, HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ChoosingProperties {
    pub form: Pipeline,
    /// True if the files are poems, one file of quatrains.
    pub poems: bool,
    /// Called with the texts and their names.
    pub give: Callback<Texts>,
}

/// The field to choose files, with the hint that files can be dropped anywhere on the page.
#[component]
pub fn Drop(properties: &ChoosingProperties) -> Html {
    let chosen = {
        let give = properties.give.clone();
        Callback::from(move |event: Event| {
            let input = event.target_unchecked_into::<HtmlInputElement>();
            let files = files_of(input.files());
            // Without this, choosing the same file again would be no change, though it may have new
            // contents.
            input.set_value("");
            if !files.is_empty() {
                give.emit(files);
            }
        })
    };
    let words = match properties.form {
        _ if properties.poems => {
            "Drop a file of quatrains anywhere: a poem a line, or the last of four columns. It may be .gz."
        }
        Pipeline::QuestionAnswering => {
            "Drop one .json anywhere, or two: questions to learn from, and others to measure on. They may be .gz."
        }
        Pipeline::Translation | Pipeline::Poetry => {
            "Drop one .tsv anywhere, or two .txt of which line n is the translation of line n. They may be .gz."
        }
        Pipeline::TextGeneration => "Drop a .txt anywhere. It may be .gz.",
    };
    html! {
        <div id="data-drop" class="drop">
            <p>{ words }</p>
            <label for="data-files">{ "Or choose files:" }</label>
            <input id="data-files" type="file" multiple={properties.form != Pipeline::TextGeneration && !properties.poems} accept=".txt,.tsv,.json,.jsonl,.gz,text/plain"
                onchange={chosen} />
        </div>
    }
}

fn files_of(files: Option<FileList>) -> Texts {
    let Some(files) = files else {
        return Texts::new();
    };
    let files = (0..files.length()).filter_map(|at| files.get(at));
    files
        .map(|file| (file.name(), Source::Blob(file.into())))
        .collect()
}

/// Text boxes to paste texts into.
#[component]
pub fn Paste(properties: &ChoosingProperties) -> Html {
    let (source, target) = (use_node_ref(), use_node_ref());
    let pairs = properties.form.has_pairs() && !properties.poems;
    let look = {
        let (source, target) = (source.clone(), target.clone());
        let (give, pairs) = (properties.give.clone(), pairs);
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let mut texts = vec![("pasted text".to_owned(), pasted(&source))];
            let translation = pasted(&target);
            if pairs && translation.as_ref().is_some_and(|it| it.size() > 0.0) {
                texts.push(("pasted translation".to_owned(), translation));
            }
            let texts = texts
                .into_iter()
                .filter_map(|(name, blob)| Some((name, Source::Blob(blob?))));
            give.emit(texts.collect());
        })
    };
    let label = match properties.form {
        _ if properties.poems => "Or paste quatrains, a poem a line",
        Pipeline::Translation | Pipeline::Poetry => {
            "Or paste source sentences, a line each; with a TAB, the translation beside each"
        }
        Pipeline::TextGeneration => "Or paste a text",
        Pipeline::QuestionAnswering => {
            "Or paste questions with their passages and answers, as JSON"
        }
    };
    html! {
        <form class="paste" onsubmit={look}>
            <div class="field">
                <label for="data-source">{ label }</label>
                <textarea id="data-source" ref={source} rows="5" spellcheck="false" dir="auto" />
            </div>
            <div class="field" hidden={!pairs}>
                <label for="data-target">{ "Translations, line by line, where they are not beside" }</label>
                <textarea id="data-target" ref={target} rows="5" spellcheck="false" dir="auto" />
            </div>
            <button type="submit" id="data-look">{ "Look at what is pasted" }</button>
        </form>
    }
}

/// Returns the contents of a text box. The browser keeps the blob: the page only hands it on.
fn pasted(text: &NodeRef) -> Option<Blob> {
    let text = text.cast::<HtmlTextAreaElement>()?.value();
    let parts = Array::of1(&JsValue::from_str(&text));
    Blob::new_with_str_sequence(&parts).ok()
}
