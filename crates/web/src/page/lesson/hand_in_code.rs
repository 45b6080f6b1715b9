//! Hand-in of a learner: a file, or a code for devices without files.

use crate::page::lesson::code;
use crate::page::lesson::labels::label;
use crate::page::lesson::progress::Progress;
use crate::page::lesson::records::file;
use crate::page::shell::permalink::to_clipboard;
use crate::page::watch::exporting::{Content, save};
use std::rc::Rc;
use strata_lessons::Compiled;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct HandInCodeProperties {
    pub lesson: Rc<Compiled>,
    pub progress: Rc<Progress>,
    pub language: String,
}

/// A button that saves a lesson's progress as a file, and the same as a code.
#[component]
pub fn HandInCode(properties: &HandInCodeProperties) -> Html {
    let HandInCodeProperties {
        lesson,
        progress,
        language,
    } = properties;
    let told = use_state_eq(|| "");
    let says = |english| label(language, english);
    let code = use_memo((lesson.clone(), progress.clone()), |(lesson, progress)| {
        code::write(lesson, progress)
    });
    if progress.steps.is_empty() {
        return Html::default();
    }
    let keep = {
        let (name, text) = (lesson.name.clone(), progress.written());
        Callback::from(move |_: MouseEvent| {
            let all = vec![(name.clone(), text.clone())];
            save(&format!("strata-{name}.json"), Content::Json(file(&all)));
        })
    };
    let copy = {
        let (told, code) = (told.clone(), code.clone());
        Callback::from(move |_: MouseEvent| {
            let (told, code) = (told.clone(), code.clone());
            spawn_local(async move {
                told.set(if to_clipboard(&code).await {
                    "Copied."
                } else {
                    "The browser did not let the page copy: mark the code and copy it."
                });
            });
        })
    };
    html! {
        <details class="hand-in-code" id="hand-in-code">
            <summary>{ says("Hand in") }</summary>
            <p class="help">{ says("If your class hands in what was done: save the file, or copy the code and send it. Both hold your guesses, what was measured, and what your runs came to; no name.") }</p>
            <div class="lesson-buttons">
                <button type="button" id="hand-in-save" onclick={keep}>{ says("Save as a file") }</button>
                <button type="button" id="hand-in-copy" onclick={copy}>{ says("Copy the code") }</button>
                <span role="status">{ says(*told) }</span>
            </div>
            <output class="code" id="hand-in-text" translate="no">{ (*code).clone() }</output>
        </details>
    }
}
