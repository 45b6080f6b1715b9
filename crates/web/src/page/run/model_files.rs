//! Model files that a user chooses, and attention files among them.

use crate::by_pointer::ByPointer;
use crate::keeping::model_file;
use crate::page::run::intent::Intent;
use crate::state::OpenedAttention;
use std::rc::Rc;
use strata_session::attention_file::{self, MOST_BYTES};
use wasm_bindgen_futures::spawn_local;
use web_sys::{File, HtmlElement, HtmlInputElement};
use yew::prelude::*;

/// Reads a model file, and emits the intent that `make` returns for its title and bytes. An attention
/// file is opened as such.
pub fn read(file: File, act: Callback<Intent>, make: fn(String, Rc<[u8]>) -> Intent) {
    spawn_local(async move {
        let name = file.name();
        act.emit(match model_file::read(&file).await {
            Ok(bytes) if is_json(&name) || attention_file::is_one(&bytes) => {
                open_attention(name, &bytes)
            }
            Ok(bytes) => make(model_file::title(&file.name()), bytes.into()),
            Err(reason) => Intent::Tell(reason),
        });
    });
}

/// True if a file has the name of JSON, which a model never has.
pub fn is_json(name: &str) -> bool {
    name.to_lowercase().ends_with(".json")
}

/// Opens a JSON file with attention weights; calls `otherwise` for a JSON file to learn from.
pub fn open_attention_or(file: File, act: Callback<Intent>, otherwise: Callback<File>) {
    if file.size() > MOST_BYTES as f64 {
        return otherwise.emit(file);
    }
    spawn_local(async move {
        match model_file::read(&file).await {
            Ok(bytes) if attention_file::is_one(&bytes) => {
                act.emit(open_attention(file.name(), &bytes));
            }
            Ok(_) => otherwise.emit(file),
            Err(reason) => act.emit(Intent::Tell(reason)),
        }
    });
}

/// Returns the intent to show an attention file, or to say why the file cannot be shown.
fn open_attention(name: String, bytes: &[u8]) -> Intent {
    match attention_file::read(bytes) {
        Ok(sentences) => Intent::OpenAttention(ByPointer::new(OpenedAttention { name, sentences })),
        Err(error) => Intent::Tell(format!("“{name}”: {error}.")),
    }
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
    /// Endings of the files that are offered.
    #[prop_or(AttrValue::Static(".safetensors"))]
    pub accept: AttrValue,
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
        accept,
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
            <input type="file" id={field} ref={chooser} hidden=true {accept} onchange={chosen} aria-label={label} />
        </>
    }
}
