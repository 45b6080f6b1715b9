//! Choice of another model that writes by the same plan: of a kept run, a file, or served with the
//! page.

use crate::page::form::fields::Select;
use crate::page::run::intent::Intent;
use crate::page::run::model_files::{ModelChooser, read};
use crate::page::run::others::Others;
use crate::page::run::small_models::SmallModels;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct BesideChoiceProperties {
    pub others: Others,
    /// Title of the present model, if it was opened from a file.
    pub present: Option<String>,
    pub act: Callback<Intent>,
}

/// A field to choose among known models, and buttons for others.
#[component]
pub fn BesideChoice(properties: &BesideChoiceProperties) -> Html {
    let BesideChoiceProperties {
        others,
        present,
        act,
    } = properties;
    let of_file = {
        let act = act.clone();
        Callback::from(move |file| read(file, act.clone(), Intent::BesideFile))
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
                <ModelChooser id="poem-beside-choose" class="quiet" words="Choose a model file…" field="poem-beside-file"
                    label="A model file to write beside" take={of_file} />
            </div>
        </details>
    }
}
