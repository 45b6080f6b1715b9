//! Choice of another model, which writes by the same plan: a kept run, a file, or one that is served.

use crate::page::fields::Select;
use crate::page::intent::Intent;
use crate::page::others::Others;
use crate::page::runs;
use crate::page::served::SmallModels;
use web_sys::{HtmlElement, HtmlInputElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct BesideChoiceProperties {
    pub others: Others,
    /// Title of the present model, if it was opened.
    pub present: Option<String>,
    pub act: Callback<Intent>,
}

/// A field for the models that the page knows, and buttons for others.
#[component]
pub fn BesideChoice(properties: &BesideChoiceProperties) -> Html {
    let BesideChoiceProperties {
        others,
        present,
        act,
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
        let act = act.clone();
        Callback::from(move |event: Event| {
            let input = event.target_unchecked_into::<HtmlInputElement>();
            let file = input.files().and_then(|files| files.get(0));
            runs::read(file, act.clone(), Intent::BesideFile);
            // Lets the same file be chosen again.
            input.set_value("");
        })
    };
    let take = act.reform(|(name, bytes)| Intent::BesideFile(name, bytes));
    let known = [present, &others.title];
    let known: Vec<String> = known.into_iter().flatten().cloned().collect();
    html! {
        <details class="poems-beside" open={others.chosen.is_some()}>
            <summary>{ "Two models on one plan" }</summary>
            <div>
                <p class="note">{ "Another model, of another depth perhaps, writes by the same keywords, with the same search and seed." }</p>
                if !others.is_empty() {
                    <Select id="poem-beside-run" label="Beside" options={others.options()} value={others.chosen.clone().unwrap_or_default()}
                        onchange={others.choice(act)} />
                }
                <SmallModels id="small-beside" words="Compare with" except={known} {take} />
                <button type="button" id="poem-beside-choose" class="quiet" onclick={choose}>{ "Choose a model file…" }</button>
                <input type="file" id="poem-beside-file" ref={chooser} hidden=true accept=".safetensors" onchange={chosen}
                    aria-label="A model file to write beside" />
            </div>
        </details>
    }
}
