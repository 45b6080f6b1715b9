//! The kept runs: to continue, branch off, rename, delete or compare; and models as files.

use crate::by_pointer::ByPointer;
use crate::keeping::{RunCommand, model_file};
use crate::page::base::foreign::foreign;
use crate::page::base::format;
use crate::page::run::intent::Intent;
use crate::page::run::model_files::{ModelChooser, read};
use crate::state::{Keeping, KeptRun, Phase, State, name_of};
use js_sys::Date;
use strata_session::protocol::Activity;
use strata_training::Experiment;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{HtmlElement, HtmlInputElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct RunsProperties {
    pub keeping: Keeping,
    pub phase: Phase,
    /// True if the present run has steps to save.
    pub has_steps: bool,
    pub experiment: ByPointer<Experiment>,
    pub act: Callback<Intent>,
}

impl RunsProperties {
    /// Returns the panel's properties from the state.
    pub fn of(state: &State, act: Callback<Intent>) -> Self {
        Self {
            keeping: state.keeping.as_shown(),
            phase: state.phase,
            has_steps: state.step() > 0,
            experiment: state.experiment.clone(),
            act,
        }
    }
}

/// The panel of kept runs, closed at first.
#[component]
pub fn Runs(properties: &RunsProperties) -> Html {
    let RunsProperties { keeping, act, .. } = properties;
    let renaming = use_state_eq(|| None::<String>);
    let is_removing = use_state_eq(|| false);
    let runs = keeping.runs.as_deref().map_or(&[][..], Vec::as_slice);
    let send =
        |command: RunCommand| act.reform(move |_: MouseEvent| Intent::RunCommand(command.clone()));
    let load = {
        let act = act.clone();
        Callback::from(move |file| read(file, act.clone(), Intent::LoadFile))
    };
    html! {
        <details id="runs" class="panel settings runs">
            <summary><h2>{ "Runs" }</h2><span id="runs-summary" translate="no" data-words="">{ summary(keeping, runs) }</span></summary>
            <div class="runs-files">
                <button type="button" id="save-file" onclick={save_file(properties)}
                    aria-disabled={(!properties.has_steps).to_string()}>{ "Save the model to a file" }</button>
                <ModelChooser id="load-file" words="Load a model…" field="model-file" label="A model file" take={load} accept=".safetensors,.json" />
                <p>{ "Or drop a " }<code>{ ".safetensors" }</code>{ " file anywhere: the same that the command line reads and writes. A file with attention weights of any program, also as " }<code>{ ".json" }</code>{ ", opens in their views." }</p>
            </div>
            if let Some(reason) = &keeping.unavailable {
                <p id="runs-unavailable" class="runs-note">{ reason }</p>
            } else if runs.is_empty() {
                <p class="runs-note">{ "A run is kept as soon as it has taken a step, and goes on where it was when you come back." }</p>
            }
            if let Some(title) = &keeping.deleted {
                <p id="deleted" class="runs-note" role="status">
                    { "“" }{ foreign(title) }{ "” is deleted. " }
                    <button type="button" class="link" id="undelete" onclick={send(RunCommand::Undelete)}>{ "Undo" }</button>
                </p>
            }
            <ul id="runs-list">
                { for runs.iter().map(|run| item(run, properties, &renaming)) }
            </ul>
            if keeping.unavailable.is_none() && !keeping.storage.is_persisted {
                <p class="runs-note">
                    { "The browser may remove runs when it needs room. " }
                    <button type="button" class="link" id="persist" onclick={send(RunCommand::Persist)}>{ "Ask it not to" }</button>
                </p>
            }
            if keeping.unavailable.is_none() {
                { removal(&is_removing, act) }
            }
        </details>
    }
}

/// A button that removes all runs, after a second press: removal cannot be undone.
fn removal(is_removing: &UseStateHandle<bool>, act: &Callback<Intent>) -> Html {
    let set = |value: bool| {
        let is_removing = is_removing.clone();
        Callback::from(move |_: MouseEvent| is_removing.set(value))
    };
    if !**is_removing {
        return html! {
            <p class="runs-note">
                <button type="button" class="link" id="remove-all" onclick={set(true)}>{ "Remove all that this page keeps" }</button>
            </p>
        };
    }
    let remove = {
        let (is_removing, act) = (is_removing.clone(), act.clone());
        Callback::from(move |_: MouseEvent| {
            is_removing.set(false);
            act.emit(Intent::RunCommand(RunCommand::RemoveAll));
        })
    };
    html! {
        <p class="runs-note" role="status">
            { "All kept runs and all that was done in lessons will be gone, and cannot be brought back. " }
            <button type="button" class="link" id="remove-all-indeed" onclick={remove}>{ "Remove all" }</button>
            { " " }
            <button type="button" class="link" onclick={set(false)}>{ "Keep" }</button>
        </p>
    }
}

/// Saves the present model as a file with the run's name.
fn save_file(properties: &RunsProperties) -> Callback<MouseEvent> {
    let (act, experiment) = (properties.act.clone(), properties.experiment.clone());
    let (name, possible) = (properties.keeping.name.clone(), properties.has_steps);
    Callback::from(move |_| {
        if possible {
            let title = name.clone().unwrap_or_else(|| name_of(&experiment));
            act.emit(Intent::SaveFile(model_file::file_name(&title)));
        }
    })
}

fn summary(keeping: &Keeping, runs: &[KeptRun]) -> String {
    if keeping.unavailable.is_some() {
        return "not kept here; models in and out of files".to_owned();
    }
    let bytes = format::bytes(runs.iter().map(|run| run.bytes as f64).sum());
    let quota = keeping.storage.quota.map(format::bytes);
    match (runs.len(), quota) {
        (0, _) => "none kept yet; models in and out of files".to_owned(),
        (1, None) => format!("one kept, {bytes}"),
        (count, None) => format!("{count} kept, {bytes}"),
        (1, Some(quota)) => format!("one kept, {bytes} of {quota} that the browser gives"),
        (count, Some(quota)) => {
            format!("{count} kept, {bytes} of {quota} that the browser gives")
        }
    }
}

/// Renders a run in the list.
fn item(
    run: &KeptRun,
    properties: &RunsProperties,
    renaming: &UseStateHandle<Option<String>>,
) -> Html {
    let RunsProperties {
        keeping,
        phase,
        act,
        ..
    } = properties;
    let title = run.title();
    let is_present = run.id == keeping.id;
    let is_training = is_present && *phase == Phase::Active(Activity::Training);
    let is_moving = matches!(phase, Phase::Loading | Phase::Moving);
    let button = |words: &'static str, class: &'static str, command: RunCommand, possible: bool| {
        let act = act.clone();
        let press = Callback::from(move |_: MouseEvent| {
            if possible {
                act.emit(Intent::RunCommand(command.clone()));
            }
        });
        html! {
            <button type="button" class={class} onclick={press} aria-disabled={(!possible).to_string()}
                aria-label={format!("{words}: {title}")}>{ words }</button>
        }
    };
    let id = || run.id.clone();
    let is_compared = keeping.compared.iter().any(|it| it.id == run.id);
    let compare = {
        let id = id();
        act.reform(move |event: Event| {
            let checked = event.target_unchecked_into::<HtmlInputElement>().checked();
            if checked {
                Intent::RunCommand(RunCommand::Compare(id.clone()))
            } else {
                Intent::Uncompare(id.clone())
            }
        })
    };
    let checkbox = format!("compare-{}", run.id);
    html! {
        <li key={run.id.clone()} class="run" data-step={run.step.to_string()} aria-current={is_present.then_some("true")}>
            { heading(run, &title, is_present, act, renaming) }
            <p class="run-facts" translate="no" data-words="">{ facts(run) }</p>
            <div class="run-actions">
                { button("Open", "open", RunCommand::Open(id()), !is_present && !is_moving) }
                { button("As another", "branch", RunCommand::Branch(id()), !is_moving && !is_training) }
                { rename_button(run, &title, renaming) }
                { button("Delete", "delete", RunCommand::Delete(id()), !is_training) }
                if !is_present {
                    <span class="check">
                        <input type="checkbox" id={checkbox.clone()} checked={is_compared} onchange={compare} />
                        <label for={checkbox}>{ "In the curves" }<span class="unseen">{ format!(": {title}") }</span></label>
                    </span>
                }
            </div>
        </li>
    }
}

/// Renders the name of a run, or the text box in which the user changes it.
fn heading(
    run: &KeptRun,
    title: &str,
    is_present: bool,
    act: &Callback<Intent>,
    renaming: &UseStateHandle<Option<String>>,
) -> Html {
    if renaming.as_ref() != Some(&run.id) {
        return html! {
            <h3 class="run-title">{ foreign(title) }
                if is_present { <small>{ " · this run" }</small> }
            </h3>
        };
    }
    let submit = {
        let (act, renaming, id) = (act.clone(), renaming.clone(), run.id.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let form = event.target_unchecked_into::<HtmlElement>();
            let input = form.query_selector("input").ok().flatten();
            let value = input.map(|it| it.unchecked_into::<HtmlInputElement>().value());
            let name = value.unwrap_or_default().trim().to_owned();
            if !name.is_empty() {
                act.emit(Intent::RunCommand(RunCommand::Rename(id.clone(), name)));
            }
            renaming.set(None);
        })
    };
    let escape = {
        let renaming = renaming.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                renaming.set(None);
            }
        })
    };
    html! {
        <form class="line run-rename" onsubmit={submit} onkeydown={escape}>
            <input type="text" maxlength="80" dir="auto" value={title.to_owned()} aria-label={format!("New name of {title}")} />
            <button type="submit">{ "Rename" }</button>
        </form>
    }
}

fn rename_button(run: &KeptRun, title: &str, renaming: &UseStateHandle<Option<String>>) -> Html {
    let press = {
        let (renaming, id) = (renaming.clone(), run.id.clone());
        Callback::from(move |_: MouseEvent| {
            renaming.set(if renaming.as_ref() == Some(&id) {
                None
            } else {
                Some(id.clone())
            });
        })
    };
    html! {
        <button type="button" class="rename" onclick={press} aria-label={format!("Rename: {title}")}>{ "Rename" }</button>
    }
}

fn facts(run: &KeptRun) -> String {
    let mut facts = vec![format!(
        "Step {} of {}",
        format::count(run.step),
        format::count(run.experiment.training.steps)
    )];
    if let Some(latest) = &run.latest {
        facts.push(format!("loss {}", format::loss(latest.loss)));
    }
    if let Some(validation) = &run.validation {
        facts.push(match validation.f1() {
            Some(f1) => format!(
                "{} of held-out answers exact, F1 {}",
                format::percent(validation.exact_match),
                format::percent(f1)
            ),
            None => format!(
                "{} of held-out tokens",
                format::percent(validation.accuracy)
            ),
        });
    }
    facts.push(format!(
        "trained for {}",
        format::duration(run.milliseconds)
    ));
    facts.push(format::bytes(run.bytes as f64));
    facts.push(moment(&Date::new(&JsValue::from_f64(run.changed_at))));
    facts.join(" · ")
}

/// Writes a time as `2026-11-22 04:31`, in the user's time zone.
///
/// Not by the browser's formatter, which takes a twentieth of a second the first time.
fn moment(when: &Date) -> String {
    format!(
        "{}-{:02}-{:02} {:02}:{:02}",
        when.get_full_year(),
        when.get_month() + 1,
        when.get_date(),
        when.get_hours(),
        when.get_minutes()
    )
}
