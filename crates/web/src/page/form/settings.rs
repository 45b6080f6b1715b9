//! The experiment in detail: a draft that becomes the experiment when the user applies it.
//!
//! Every field is drawn from the descriptions of [`strata_settings`], so a new mechanism, task or
//! setting appears here once it is described.

mod choices;
mod draft;
mod estimate;
mod group;
mod search;

pub use draft::{Draft, Pending};
pub use estimate::{Measured, Room};
pub use group::id;

use crate::by_pointer::ByPointer;
use crate::page::base::focus::focus;
use crate::page::pipeline::ui_of;
use crate::page::run::intent::Intent;
use crate::presets::Preset;
use group::{Panel, fields, variant};
use search::{Search, Sought, nothing};
use strata_session::protocol::Ready;
use strata_settings::description::{Group, groups};
use strata_settings::diff::table;
use strata_training::Experiment;
use wasm_bindgen::JsCast;
use web_sys::{HtmlDetailsElement, HtmlInputElement};
use yew::prelude::*;

/// Settings of training that are shown first, by their names.
const FIRST: [&str; 5] = [
    "steps",
    "batch_size",
    "label_smoothing",
    "clip_norm",
    "validate_every",
];

#[derive(Properties, PartialEq)]
pub struct SettingsProperties {
    /// The draft.
    pub draft: UseStateHandle<Draft>,
    /// Changes of the draft that are not applied.
    pub pending: Pending,
    /// The run's step: at step 0 a new run loses nothing. Unless the run could go on as the draft,
    /// any step above 0 may be given instead of the exact one.
    pub step: u64,
    /// Properties of the prepared run, with the vocabularies of its data.
    pub ready: Option<ByPointer<Ready>>,
    /// Training speed of the present run.
    pub measured: Option<Measured>,
    /// Room for kept runs in the browser's storage.
    pub room: Room,
    pub act: Callback<Intent>,
}

/// The panel of settings, closed at first.
#[component]
pub fn Settings(properties: &SettingsProperties) -> Html {
    let SettingsProperties {
        draft,
        pending,
        step,
        act,
        ..
    } = properties;
    let apply = {
        let (apply, act) = (Changes { draft, pending }.apply(*step), act.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if let Some(intent) = &apply {
                act.emit(intent.clone());
            }
        })
    };
    let discard = {
        let act = act.clone();
        Callback::from(move |_: MouseEvent| act.emit(Intent::Discard))
    };
    let sought = use_state(AttrValue::default);
    let seek = {
        let sought = sought.clone();
        Callback::from(move |event: InputEvent| {
            let field: HtmlInputElement = event.target_unchecked_into();
            sought.set(field.value().into());
        })
    };
    let note = match pending {
        Pending::Nothing => "These are the settings of the present run.".to_owned(),
        Pending::Wrong(complaint) => complaint.clone(),
        Pending::GoesOn if *step > 0 => {
            goes_on(&draft.experiment, properties.ready.as_deref(), *step)
        }
        _ => "Applying starts the run again from step 0.".to_owned(),
    };
    let ready = properties.ready.as_deref();
    let (changed, possible) = (
        *pending != Pending::Nothing,
        matches!(pending, Pending::GoesOn | Pending::Begins),
    );
    let class = classes!(matches!(pending, Pending::Wrong(_)).then_some("complaint"));
    html! {
        <details class="panel settings" id="settings">
            <summary><h2>{ "Settings" }</h2><span>{ "task, architecture, mechanisms, training" }</span></summary>
            <form onsubmit={apply} novalidate=true data-hint="Choose a setting, or point at it: what it does stands here.">
                <Search text={(*sought).clone()} oninput={seek} />
                <Fields draft={draft.clone()} sought={(*sought).clone()} />
                <div class="apply">
                    { estimate::estimate(&draft.experiment, ready, properties.measured, properties.room) }
                    <button type="submit" id="apply" class="primary"
                        aria-disabled={(!possible).to_string()}>{ "Apply" }</button>
                    <button type="button" id="discard" onclick={discard}
                        aria-disabled={(!changed).to_string()}>{ "Discard" }</button>
                    <p id="settings-note" role="status" {class}>{ note }</p>
                </div>
            </form>
        </details>
    }
}

/// Opens the panel at the choice of a group's variant, and moves the keyboard's focus there.
pub fn show(path: &str) {
    let document = web_sys::window().and_then(|window| window.document());
    let panel = document.and_then(|document| document.get_element_by_id("settings"));
    if let Some(panel) = panel.and_then(|element| element.dyn_into::<HtmlDetailsElement>().ok()) {
        panel.set_open(true);
    }
    focus(&id(&format!("{path}.kind")));
}

/// The draft in the form, and the effect of the draft's changes.
#[derive(Clone, Copy, Debug)]
pub struct Changes<'a> {
    /// The draft.
    pub draft: &'a Draft,
    /// Effect of applying the draft.
    pub pending: &'a Pending,
}

impl Changes<'_> {
    /// Returns the intent that applies the draft to a run at this step; `None` if the draft cannot
    /// be applied.
    pub fn apply(self, step: u64) -> Option<Intent> {
        let experiment = || Box::new(self.draft.experiment.clone());
        match self.pending {
            Pending::Nothing | Pending::Wrong(_) => None,
            Pending::GoesOn if step > 0 => Some(Intent::GoOn(experiment())),
            Pending::GoesOn | Pending::Begins => Some(Intent::Apply(experiment())),
        }
    }
}

/// Returns a sentence on what happens when a run at this step goes on as the draft.
fn goes_on(draft: &Experiment, ready: Option<&Ready>, step: u64) -> String {
    let mut note = "Applying goes on from where the run is.".to_owned();
    let next = draft.training.learning_rate(step + 1);
    let last = ready.map(|ready| ready.experiment.training.learning_rate(step));
    let is_asked = |ready: &Ready| {
        let rate = |it: &Experiment| it.training.optimizer.learning_rate;
        rate(&ready.experiment) != rate(draft)
    };
    if draft.training.steps <= step {
        note = "Applying ends the run: it has already taken that many steps.".to_owned();
    } else if last.is_some_and(|last| next > 1.05 * last) && !ready.is_some_and(is_asked) {
        note += " The learning rate rises again there because its schedule spreads over all steps.";
    }
    note
}

#[derive(Properties, PartialEq)]
struct FieldsProperties {
    draft: UseStateHandle<Draft>,
    /// Text that the user searches for.
    sought: AttrValue,
}

/// Fields of task, model, attention and training, in the order in which a user chooses them.
///
/// This is a component of its own, since the training speed changes all the time and the fields do
/// not.
#[component]
fn Fields(properties: &FieldsProperties) -> Html {
    let draft = &properties.draft;
    let preset = Preset::nearest(&draft.experiment);
    let change = {
        let setter = draft.setter();
        Callback::from(move |changed| setter.set(changed))
    };
    let sought = Sought::new(&properties.sought);
    let panel = Panel {
        draft,
        sought: &sought,
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
    html! {
        <>
            { part("Task", "settings-task", whole("task")) }
            { part("Model", "settings-model", whole("model")) }
            if !sites.is_empty() {
                { part("Attention mechanisms", "settings-attention",
                    html! { <div class="mechanisms">{ for sites.into_iter().map(fieldset) }</div> }) }
            }
            { part("Training", "settings-training", training(&panel, &groups)) }
            if !sought.is_empty() {
                <p class="nothing" role="status">{ nothing(&sought) }</p>
            }
        </>
    }
}

/// Renders the fields of training: the most important ones, and the others in a disclosure.
fn training(panel: &Panel<'_>, groups: &[Group]) -> Html {
    let group = |path: &str| groups.iter().find(|group| group.path == path);
    let some_of = |path: &str, shown: &dyn Fn(&str) -> bool| match group(path) {
        Some(group) => fields(panel, group, shown),
        None => Html::default(),
    };
    let ui = ui_of(&panel.draft.experiment.task);
    let fits = |name: &str| ui.has_setting(name);
    html! {
        <>
            <div class="fields">
                { some_of("training", &|name| FIRST.contains(&name) && fits(name)) }
                { some_of("training.optimizer", &|name| name == "learning_rate") }
                { some_of("", &|_| true) }
            </div>
            <details class="more" open={!panel.sought.is_empty()}>
                <summary>{ "More of training" }</summary>
                <div class="fields">
                    { group("training.schedule").map(|group| variant(panel, group)) }
                    { some_of("training.schedule", &|_| true) }
                    { some_of("training.optimizer", &|name| name != "learning_rate") }
                    { some_of("training", &|name| !FIRST.contains(&name) && fits(name)) }
                </div>
            </details>
        </>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_training::Schedule;

    #[test]
    fn what_changes_nothing_of_the_past_goes_on_from_where_the_run_is() {
        let present = Preset::Copy.experiment();
        let mut longer = present.clone();
        longer.training.steps += 1;
        let draft = Draft::new(longer);
        let pending = draft.pending(&present);
        let apply = |pending, step| {
            let draft = &draft;
            Changes { draft, pending }.apply(step)
        };
        assert!(matches!(apply(&pending, 60), Some(Intent::GoOn(_))));
        // Before the first step there is no run to continue.
        assert!(matches!(apply(&pending, 0), Some(Intent::Apply(_))));
        assert!(apply(&Pending::Nothing, 60).is_none());
    }

    #[test]
    fn an_end_at_once_is_told() {
        let mut shorter = Preset::Copy.experiment();
        shorter.training.steps = 50;
        shorter.training.schedule = Schedule::Constant { warmup: 0 };
        assert!(goes_on(&shorter, None, 60).contains("ends the run"));
        assert!(goes_on(&shorter, None, 40).contains("goes on from where the run is"));
    }
}
