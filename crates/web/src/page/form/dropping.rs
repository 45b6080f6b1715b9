//! Files that are dropped anywhere on the page, sorted by their kind. The browser gets no dropped
//! file: it would show the file instead of the page.

use crate::page::run::intent::Intent;
use crate::page::run::model_files::{is_json, open_attention_or, read};
use crate::texts::{Source, Texts};
use gloo::events::{EventListener, EventListenerOptions};
use js_sys::Array;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, DataTransfer, Document, DragEvent, Element, File, HtmlDetailsElement};
use yew::prelude::*;

/// Endings of files that are neither texts nor models, for browsers that do not know the type.
const OTHERS: [&str; 7] = [".toml", ".pt", ".bin", ".onnx", ".npz", ".npy", ".wasm"];

#[derive(Properties, PartialEq)]
pub struct DroppingProperties {
    /// Called with the dropped texts and their names.
    pub give: Callback<Texts>,
    pub act: Callback<Intent>,
}

/// Takes files and texts that are dropped anywhere, and shows a hint while something is dragged
/// over.
#[component]
pub fn Dropping(properties: &DroppingProperties) -> Html {
    let over = use_state_eq(|| false);
    {
        let over = over.setter();
        let callbacks = (properties.give.clone(), properties.act.clone());
        use_effect_with(callbacks, move |(give, act)| {
            let document = web_sys::window().and_then(|window| window.document());
            let listeners = document.map(|document| listen(&document, &over, give, act));
            move || drop(listeners)
        });
    }
    html! {
        if *over {
            <div class="dropping" aria-hidden="true">
                <p>{ "Drop texts to learn from (.txt, .tsv, .gz), a model (.safetensors) or attention weights (.json, .safetensors)" }</p>
            </div>
        }
    }
}

fn listen(
    document: &Document,
    over: &UseStateSetter<bool>,
    give: &Callback<Texts>,
    act: &Callback<Intent>,
) -> Vec<EventListener> {
    let listen = |kind: &'static str, mut hear: Box<dyn FnMut(&DragEvent)>| {
        let options = EventListenerOptions::enable_prevent_default();
        EventListener::new_with_options(document, kind, options, move |event| {
            hear(event.unchecked_ref());
        })
    };
    // A drag that begins on the page is a slip of the pointer, not a drop.
    let own = Rc::new(Cell::new(false));
    let set_own = |is_own: bool| {
        let own = own.clone();
        Box::new(move |_: &DragEvent| own.set(is_own))
    };
    let hover = || {
        let (over, own) = (over.clone(), own.clone());
        Box::new(move |event: &DragEvent| {
            if !own.get() && is_for_page(event) {
                event.prevent_default();
                over.set(true);
            }
        })
    };
    let leave = {
        let over = over.clone();
        move |event: &DragEvent| {
            if event.related_target().is_none() {
                over.set(false);
            }
        }
    };
    let dropped = {
        let (over, own) = (over.clone(), own.clone());
        let (give, act) = (give.clone(), act.clone());
        move |event: &DragEvent| {
            over.set(false);
            if is_for_page(event) {
                event.prevent_default();
                if let Some(transfer) = event.data_transfer().filter(|_| !own.get()) {
                    take(&transfer, &give, &act);
                }
            }
        }
    };
    vec![
        listen("dragstart", set_own(true)),
        listen("dragend", set_own(false)),
        listen("dragenter", hover()),
        listen("dragover", hover()),
        listen("dragleave", Box::new(leave)),
        listen("drop", Box::new(dropped)),
    ]
}

/// True for every drop but that of text into a text box.
fn is_for_page(event: &DragEvent) -> bool {
    let types = event.data_transfer().map(|it| it.types());
    let has_files = types.is_some_and(|it| it.includes(&"Files".into(), 0));
    let target = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    let is_box = target.is_some_and(|it| it.closest("input, textarea").ok().flatten().is_some());
    has_files || !is_box
}

fn take(transfer: &DataTransfer, give: &Callback<Texts>, act: &Callback<Intent>) {
    if let Some(name) = folder(transfer) {
        let sentence = format!("“{name}” is a folder: drop the files that are in it.");
        return act.emit(Intent::Tell(sentence));
    }
    let files: Vec<File> = transfer.files().map_or_else(Vec::new, |files| {
        (0..files.length()).filter_map(|at| files.get(at)).collect()
    });
    let described: Vec<_> = files.iter().map(|it| (it.name(), it.type_())).collect();
    let taken = if described.is_empty() {
        words(transfer).map(give_words)
    } else {
        sort(&described).map(|kind| match kind {
            Kind::Model => Taken::Model(files[0].clone()),
            Kind::Json => Taken::Json(files[0].clone()),
            Kind::Texts => Taken::Texts(
                files
                    .into_iter()
                    .map(|file| (file.name(), Source::Blob(file.into())))
                    .collect(),
            ),
        })
    };
    match taken {
        Ok(Taken::Model(file)) => read(file, act.clone(), Intent::LoadFile),
        Ok(Taken::Json(file)) => {
            let texts = give.reform(|file: File| {
                show_data();
                vec![(file.name(), Source::Blob(file.into()))]
            });
            open_attention_or(file, act.clone(), texts);
        }
        Ok(Taken::Texts(texts)) => {
            give.emit(texts);
            show_data();
        }
        Err(sentence) => act.emit(Intent::Tell(sentence)),
    }
}

enum Taken {
    Model(File),
    Json(File),
    Texts(Texts),
}

/// The kind of dropped files.
#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Texts,
    /// A model, or an attention file.
    Model,
    /// A single file of JSON: a text, or an attention file.
    Json,
}

/// Returns the kind of files with these names and media types, which all must have the same.
///
/// # Errors
/// A sentence, if the files cannot be read, or are of several kinds.
fn sort(files: &[(String, String)]) -> Result<Kind, String> {
    let lower = |name: &str| name.to_lowercase();
    let is_model = |(name, _): &&(String, String)| lower(name).ends_with(".safetensors");
    let is_other = |(name, kind): &&(String, String)| {
        let packed = kind.contains("zip") || kind.contains("compressed") || kind.contains("tar");
        // Questions about passages come as JSON.
        let is_json = kind == "application/json" || lower(name).ends_with(".jsonl");
        let known = !kind.is_empty() && !kind.starts_with("text/") && !packed && !is_json;
        known || kind == "text/html" || OTHERS.iter().any(|it| lower(name).ends_with(it))
    };
    if let Some((name, _)) = files.iter().find(|it| !is_model(it) && is_other(it)) {
        return Err(format!(
            "“{name}” is neither a text nor a model: drop plain text (.txt, .tsv, .json, also as .gz) to \
             learn from it, or a model of Strata (.safetensors)."
        ));
    }
    match files.iter().filter(is_model).count() {
        0 if matches!(files, [(name, _)] if is_json(name)) => Ok(Kind::Json),
        0 => Ok(Kind::Texts),
        1 if files.len() == 1 => Ok(Kind::Model),
        1 => {
            Err("Drop the model alone: texts go to “Your own data”, a model to “Runs”.".to_owned())
        }
        _ => Err("One model at a time: drop a single .safetensors file.".to_owned()),
    }
}

/// Returns the name of the first dropped folder.
fn folder(transfer: &DataTransfer) -> Option<String> {
    let items = transfer.items();
    (0..items.length()).find_map(|at| {
        let entry = items.get(at)?.webkit_get_as_entry().ok().flatten()?;
        entry.is_directory().then(|| entry.name())
    })
}

/// Returns the dropped text.
///
/// # Errors
/// A sentence, if the text is an address, or a single line.
fn words(transfer: &DataTransfer) -> Result<String, String> {
    let get = |kind: &str| transfer.get_data(kind).unwrap_or_default();
    let words = get("text/plain");
    if !get("text/uri-list").is_empty() {
        return Err("That is a link. Download the file and drop it here.".to_owned());
    }
    if words.trim().contains('\n') {
        Ok(words)
    } else {
        Err("That is no file: drop a sentence into a box for text, or several lines anywhere to learn from them.".to_owned())
    }
}

fn give_words(words: String) -> Taken {
    let parts = Array::of1(&JsValue::from_str(&words));
    let blob = Blob::new_with_str_sequence(&parts);
    let texts = blob.map(|blob| ("dropped text".to_owned(), Source::Blob(blob)));
    Taken::Texts(texts.into_iter().collect())
}

/// Opens the panel that reports on texts, and scrolls to it.
fn show_data() {
    let document = web_sys::window().and_then(|window| window.document());
    let panel =
        document.and_then(|document| document.query_selector("details.data").ok().flatten());
    if let Some(panel) = panel.and_then(|element| element.dyn_into::<HtmlDetailsElement>().ok()) {
        panel.set_open(true);
        panel.scroll_into_view();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn sorted(files: &[(&str, &str)]) -> Result<Kind, String> {
        let owned: Vec<_> = files
            .iter()
            .map(|(name, kind)| ((*name).to_owned(), (*kind).to_owned()))
            .collect();
        sort(&owned)
    }

    #[test]
    fn files_are_sorted_by_their_kind() {
        for texts in [
            &[("pairs.tsv", "text/tab-separated-values")][..],
            &[("train.de", ""), ("train.en", "")],
            &[("a.txt.gz", "application/gzip")],
            // The worker unpacks the file, or says which compression it does not know.
            &[("a.zip", "application/zip")],
            &[("squad.json", "application/json"), ("dev.jsonl", "")],
            &[("ü \u{202e}\"<b>.TXT", "text/plain")],
        ] {
            assert_eq!(sorted(texts), Ok(Kind::Texts), "{texts:?}");
        }
        assert_eq!(sorted(&[("Run 1.SafeTensors", "")]), Ok(Kind::Model));
        assert_eq!(sorted(&[("a.JSON", "application/json")]), Ok(Kind::Json));
    }

    #[test]
    fn what_is_neither_is_named() {
        for other in [
            ("photo.png", "image/png"),
            ("a.pdf", "application/pdf"),
            ("model.pt", ""),
            ("page.html", "text/html"),
        ] {
            let refused = sorted(&[("a.txt", "text/plain"), other]).unwrap_err();
            assert!(refused.contains(other.0), "{refused}");
        }
        let model = ("a.safetensors", "");
        assert!(
            sorted(&[model, ("a.txt", "")])
                .unwrap_err()
                .contains("alone")
        );
        assert!(sorted(&[model, model]).unwrap_err().contains("One model"));
    }
}
