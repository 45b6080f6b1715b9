//! Shares the experiment: as an address with the experiment, the place in view and the user's own
//! sentence; and as a command.

use crate::address::{Address, Device, files, quoted};
use crate::by_pointer::ByPointer;
use crate::page::shell::location::whole;
use crate::page::shell::place::Place;
use strata_settings::command_line::command;
use strata_training::Experiment;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Result of copying a text.
#[derive(Clone, Debug, PartialEq)]
enum Copied {
    /// The text is in the clipboard.
    There(&'static str),
    /// The browser refused the clipboard; the user can copy the text by hand.
    ByHand(&'static str, String),
}

#[derive(Properties, PartialEq)]
pub struct ShareProperties {
    pub experiment: ByPointer<Experiment>,
    pub device: Device,
    /// Parameters of the address that do not name the experiment.
    pub others: ByPointer<Vec<(String, String)>>,
    /// The place that the link leads to.
    pub place: Place,
}

/// Two buttons that copy, and the text to copy by hand if the browser refuses.
#[component]
pub fn Share(properties: &ShareProperties) -> Html {
    let ShareProperties {
        experiment,
        device,
        others,
        place,
    } = properties;
    let copied = use_state_eq(|| None::<Copied>);
    {
        let copied = copied.clone();
        let present = (experiment.clone(), *device, others.clone(), place.clone());
        use_effect_with(present, move |_| copied.set(None));
    }
    let copy = |what: &'static str, text: Callback<(), String>| {
        let copied = copied.clone();
        Callback::from(move |_: MouseEvent| {
            let (text, copied) = (text.emit(()), copied.setter());
            spawn_local(async move {
                copied.set(Some(if to_clipboard(&text).await {
                    Copied::There(what)
                } else {
                    Copied::ByHand(what, text)
                }));
            });
        })
    };
    let link = {
        let (experiment, device) = (experiment.clone(), *device);
        let others = [&others[..], &place.write()].concat();
        Callback::from(move |()| whole(&Address::write(&experiment, device, &others)))
    };
    let line = {
        let experiment = experiment.clone();
        Callback::from(move |()| command(&experiment))
    };
    let result = match &*copied {
        None => Html::default(),
        Some(Copied::There(what)) => {
            html! { <p id="copied">{ format!("{what} copied.{}", bring(experiment)) }</p> }
        }
        Some(Copied::ByHand(what, text)) => by_hand(what, text),
    };
    html! {
        <div class="share">
            <button type="button" class="quiet" id="copy-link" onclick={copy("Link", link)}>{ "Copy link" }</button>
            <button type="button" class="quiet" id="copy-command" onclick={copy("Command", line)}>{ "Copy as CLI command" }</button>
            <div role="status">{ result }</div>
        </div>
    }
}

/// Returns a note that a link does not carry the user's own texts; empty for generated data.
fn bring(experiment: &Experiment) -> String {
    match files(&experiment.task) {
        files if files.is_empty() => String::new(),
        files => format!(
            " It names {} but does not bring the text: who opens it must have it.",
            quoted(&files)
        ),
    }
}

/// Returns a field with the text, which is selected when the field gets the focus.
fn by_hand(what: &str, text: &str) -> Html {
    let select = Callback::from(|event: FocusEvent| {
        event.target_unchecked_into::<HtmlInputElement>().select();
    });
    html! {
        <div class="by-hand">
            <label for="copy-by-hand">{ format!("{what}, to copy by hand") }</label>
            <input id="copy-by-hand" type="text" readonly=true value={text.to_owned()} onfocus={select} />
        </div>
    }
}

/// Copies a text to the clipboard; returns false if the browser refuses.
pub async fn to_clipboard(text: &str) -> bool {
    let Some(window) = web_sys::window() else {
        return false;
    };
    // Only pages with HTTPS, or of the own machine, have a clipboard.
    let navigator: JsValue = window.navigator().into();
    let clipboard = js_sys::Reflect::get(&navigator, &"clipboard".into());
    if !clipboard.is_ok_and(|clipboard| clipboard.is_object()) {
        return false;
    }
    let written = window.navigator().clipboard().write_text(text);
    JsFuture::from(written).await.is_ok()
}
