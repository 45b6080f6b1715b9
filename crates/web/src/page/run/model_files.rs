//! Model files that a user chooses.

use crate::keeping::model_file;
use crate::page::run::intent::Intent;
use std::rc::Rc;
use wasm_bindgen_futures::spawn_local;
use web_sys::{File, HtmlElement, HtmlInputElement};
use yew::prelude::*;

/// Reads a model file, and emits the intent that `make` returns for its title and bytes.
pub fn read(file: File, act: Callback<Intent>, make: fn(String, Rc<[u8]>) -> Intent) {
    spawn_local(async move {
        act.emit(match model_file::read(&file).await {
            Ok(bytes) => make(model_file::title(&file.name()), bytes.into()),
            Err(reason) => Intent::Tell(reason),
        });
    });
}

#[derive(Properties, PartialEq)]
pub struct ModelChooserProperties {
    /// Id of the button.
    pub id: AttrValue,
    #[prop_or_default]
    pub class: Classes,
    /// Label of the button.
    pub words: AttrValue,
    /// Id of the hidden file field that the button opens.
    pub field: AttrValue,
    /// Label of the file field.
    pub label: AttrValue,
    pub take: Callback<File>,
}

/// A button by which a user chooses a model file.
#[component]
pub fn ModelChooser(properties: &ModelChooserProperties) -> Html {
    let ModelChooserProperties {
        id,
        class,
        words,
        field,
        label,
        take,
    } = properties;
    let chooser = use_node_ref();
    let choose = {
        let chooser = chooser.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(chooser) = chooser.cast::<HtmlElement>() {
                chooser.click();
            }
        })
    };
    let chosen = {
        let take = take.clone();
        Callback::from(move |event: Event| {
            let input = event.target_unchecked_into::<HtmlInputElement>();
            if let Some(file) = input.files().and_then(|files| files.get(0)) {
                take.emit(file);
            }
            // Without this, choosing the same file again would be no change.
            input.set_value("");
        })
    };
    html! {
        <>
            <button type="button" {id} class={class.clone()} onclick={choose}>{ words }</button>
            <input type="file" id={field} ref={chooser} hidden=true accept=".safetensors" onchange={chosen} aria-label={label} />
        </>
    }
}
