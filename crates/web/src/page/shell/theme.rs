//! Light or dark theme: the system's, until the user chooses one.

use crate::page::base::icons::{Icon, IconName};
use yew::prelude::*;

const KEY: &str = "strata-theme";

/// The button that switches between light and dark.
#[component]
pub fn ThemeButton() -> Html {
    let change = Callback::from(|_: MouseEvent| {
        let name = if is_dark() { "light" } else { "dark" };
        if let Some(root) = document_element() {
            // If the theme cannot be set, the page goes on with the other.
            let _ = root.set_attribute("data-theme", name);
        }
        if let Some(storage) = storage() {
            let _ = storage.set_item(KEY, name);
        }
    });
    let label = "Change between light and dark";
    html! {
        <button type="button" class="quiet icon-only theme" onclick={change} aria-label={label} title={label}>
            <Icon name={IconName::Sun} /><Icon name={IconName::Moon} />
        </button>
    }
}

/// Applies the theme that the user chose on an earlier visit.
pub fn restore() {
    let chosen = storage().and_then(|storage| storage.get_item(KEY).ok().flatten());
    if let (Some(root), Some(name @ ("light" | "dark"))) = (document_element(), chosen.as_deref()) {
        let _ = root.set_attribute("data-theme", name);
    }
}

fn is_dark() -> bool {
    let chosen = document_element().and_then(|root| root.get_attribute("data-theme"));
    match chosen.as_deref() {
        Some(name) => name == "dark",
        None => web_sys::window()
            .and_then(|window| {
                window
                    .match_media("(prefers-color-scheme: dark)")
                    .ok()
                    .flatten()
            })
            .is_some_and(|query| query.matches()),
    }
}

fn document_element() -> Option<web_sys::Element> {
    web_sys::window()?.document()?.document_element()
}

/// Returns the browser's storage; `None` if the browser forbids storage.
fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok().flatten()
}
