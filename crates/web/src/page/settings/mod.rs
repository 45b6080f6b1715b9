//! The experiment in detail: a draft that becomes the experiment when it is applied.
//!
//! Every field is drawn from the descriptions of [`strata_settings`]: a new mechanism, task or
//! setting appears here by being described.

mod choices;
mod draft;
mod estimate;
mod group;

pub use estimate::Measured;

use crate::page::app::Intent;
use crate::presets::Preset;
use crate::sentence::sentence;
use crate::shared::Shared;
use draft::Draft;
use group::{Panel, fields, variant};
use strata_session::protocol::Ready;
use strata_settings::change::table;
use strata_settings::description::{Group, groups};
use strata_training::Experiment;
use yew::prelude::*;

/// The settings of training that one looks at first.
const FIRST: [&str; 5] = [
    "steps",
    "batch_size",
    "label_smoothing",
    "clip_norm",
    "validate_every",
];

#[derive(Properties, PartialEq)]
pub struct SettingsProperties {
    pub experiment: Shared<Experiment>,
    /// What is prepared, with the vocabularies of its data.
    pub ready: Option<Shared<Ready>>,
    /// How fast it trains.
    pub measured: Option<Measured>,
    pub act: Callback<Intent>,
}

/// The panel, closed at first.
#[component]
pub fn Settings(properties: &SettingsProperties) -> Html {
    let SettingsProperties {
        experiment, act, ..
    } = properties;
    let draft = use_state_eq(|| Draft::new((**experiment).clone()));
    {
        let draft = draft.clone();
        use_effect_with(experiment.clone(), move |experiment| {
            draft.set(Draft::new((**experiment).clone()));
        });
    }
    let complaint = draft.complaint();
    let changed = draft.experiment != **experiment || !draft.wrong.is_empty();
    let apply = {
        let (draft, act) = (draft.clone(), act.clone());
        let possible = changed && complaint.is_none();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if possible {
                act.emit(Intent::Apply(Box::new(draft.experiment.clone())));
            }
        })
    };
    let discard = {
        let (draft, experiment) = (draft.clone(), experiment.clone());
        Callback::from(move |_: MouseEvent| draft.set(Draft::new((*experiment).clone())))
    };
    let note = match (&complaint, changed) {
        (Some(complaint), _) => sentence(complaint),
        (None, true) => "Applying starts the run again from step 0.".to_owned(),
        (None, false) => "These are the settings of the present run.".to_owned(),
    };
    let ready = properties.ready.as_deref();
    html! {
        <details class="panel settings" id="settings">
            <summary><h2>{ "Settings" }</h2><span>{ "task, architecture, mechanisms, training" }</span></summary>
            <form onsubmit={apply} novalidate=true>
                <Fields draft={draft.clone()} />
                <div class="apply">
                    { estimate::estimate(&draft.experiment, ready, properties.measured) }
                    <button type="submit" id="apply" class="primary"
                        aria-disabled={(!changed || complaint.is_some()).to_string()}>{ "Apply" }</button>
                    <button type="button" id="discard" onclick={discard}
                        aria-disabled={(!changed).to_string()}>{ "Discard" }</button>
                    <p id="settings-note" role="status" class={classes!(complaint.map(|_| "complaint"))}>{ note }</p>
                </div>
            </form>
        </details>
    }
}

#[derive(Properties, PartialEq)]
struct FieldsProperties {
    draft: UseStateHandle<Draft>,
}

/// Task, model, its attention, training: in the order in which one chooses them.
///
/// A component of its own, for that how fast a run trains changes all the time, and these do not.
#[component]
fn Fields(properties: &FieldsProperties) -> Html {
    let draft = &properties.draft;
    let preset = Preset::nearest(&draft.experiment);
    let change = {
        let setter = draft.setter();
        Callback::from(move |changed| setter.set(changed))
    };
    let panel = Panel {
        draft,
        present: table(&draft.experiment),
        preset: (table(&preset.experiment()), preset.title()),
        change,
    };
    let groups = groups(&draft.experiment);
    let group = |path: &str| groups.iter().find(|group| group.path == path);
    let part = |title: &'static str, id: &'static str, inner: Html| {
        html! { <section aria-labelledby={id}><h3 {id}>{ title }</h3>{ inner }</section> }
    };
    let whole = |path: &str| match group(path) {
        Some(group) => html! {
            <div class="fields">{ variant(&panel, group) }{ fields(&panel, group, |_| true) }</div>
        },
        None => Html::default(),
    };
    let fieldset = |group: &Group| {
        html! {
            <fieldset key={group.path.clone()}>
                <legend>{ group.title }</legend>
                { variant(&panel, group) }
                { fields(&panel, group, |_| true) }
            </fieldset>
        }
    };
    let sites: Vec<&Group> = groups.iter().filter(|group| group.site.is_some()).collect();
    let some_of = |path: &str, shown: &dyn Fn(&str) -> bool| match group(path) {
        Some(group) => fields(&panel, group, shown),
        None => Html::default(),
    };
    let training = html! {
        <>
            <div class="fields">
                { some_of("training", &|name| FIRST.contains(&name)) }
                { some_of("training.optimizer", &|name| name == "learning_rate") }
                { some_of("", &|_| true) }
            </div>
            <details class="more">
                <summary>{ "More of training" }</summary>
                <div class="fields">
                    { group("training.schedule").map(|group| variant(&panel, group)) }
                    { some_of("training.schedule", &|_| true) }
                    { some_of("training.optimizer", &|name| name != "learning_rate") }
                    { some_of("training", &|name| !FIRST.contains(&name)) }
                </div>
            </details>
        </>
    };
    html! {
        <>
            { part("Task", "settings-task", whole("task")) }
            { part("Model", "settings-model", whole("model")) }
            if !sites.is_empty() {
                { part("Attention mechanisms", "settings-attention",
                    html! { <div class="mechanisms">{ for sites.into_iter().map(fieldset) }</div> }) }
            }
            { part("Training", "settings-training", training) }
        </>
    }
}
