//! The user's own data: pasted, dropped, chosen, or fetched from a public source.
//!
//! - here: the panel; `fields`: choices of pipeline, encoding and tokens
//! - `format`: the task that reads the texts; `reading`: has the worker read them; `awaited`: files
//!   that a model lacks
//! - `choosing`: chosen files and pasted text; `corpora`: public files
//! - `report`: contents of the texts
//!
//! The page never reads a text: the worker does, and reports on the text.

mod awaited;
mod choosing;
mod corpora;
mod fields;
mod format;
mod reading;
mod report;

use crate::by_pointer::ByPointer;
use crate::page::base::focus::focus;
use crate::page::form::dropping::Dropping;
use crate::page::pipeline::{experiment_on, replaced};
use crate::page::run::intent::Intent;
use crate::page::run::small_models::SmallModels;
use choosing::{Drop, Paste};
use corpora::corpora;
use fields::fields;
use format::DataFormat;
use reading::{Reading, use_reading};
use report::report;
use strata_tasks::{CorpusReport, Pipeline};
use strata_training::Experiment;
use web_sys::HtmlDetailsElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct DataProperties {
    pub experiment: ByPointer<Experiment>,
    /// Names of the files that the present model lacks, if it was opened without its data.
    pub awaited: Vec<String>,
    pub examined: Option<ByPointer<CorpusReport>>,
    pub examining: bool,
    /// True while a complaint about the texts is shown.
    pub complains: bool,
    /// Number of times that a user asked for a model of poems; each time the panel opens.
    pub bring_poems: u32,
    pub act: Callback<Intent>,
}

/// The panel, closed at first.
#[component]
pub fn Data(properties: &DataProperties) -> Html {
    let DataProperties {
        experiment,
        examining,
        act,
        ..
    } = properties;
    let panel = use_node_ref();
    let format = use_format(properties, &panel);
    let Reading { give, change } = use_reading(properties, &format);
    let pipeline = format.pipeline;
    html! {
        <>
        <Dropping give={give.clone()} act={act.clone()} />
        <details class="panel data" ref={panel}>
            <summary><h2>{ "Your own data" }</h2><span>{ "sentence pairs, a text, questions or poems: paste, drop, choose or fetch them" }</span></summary>
            <div class="data-body">
                { fields(*format, &change) }
                if let Some(note) = format.ui().served_models_note() {
                    <SmallModels id="small-model" words="Load" {note}
                        take={act.reform(|(name, bytes)| Intent::LoadFile(name, bytes))} />
                }
                <Drop {pipeline} give={give.clone()} />
                <Paste {pipeline} {give} />
                { corpora(*format, experiment, act) }
                <div class="report" role="status" aria-busy={examining.to_string()}>
                    if *examining {
                        <p class="waiting">{ "The worker is reading the text." }</p>
                    }
                    { examined(properties) }
                </div>
            </div>
        </details>
        </>
    }
}

/// Returns the format of the user's own data. The format follows what the worker finds in a file,
/// whatever was chosen before, and a user who asks for a model of poems.
#[hook]
fn use_format(properties: &DataProperties, panel: &NodeRef) -> UseStateHandle<DataFormat> {
    let format = use_state_eq(DataFormat::default);
    let choose = {
        let format = format.clone();
        move |pipeline| {
            format.set(DataFormat {
                pipeline,
                ..*format
            })
        }
    };
    {
        let (choose, panel) = (choose.clone(), panel.clone());
        use_effect_with(properties.bring_poems, move |times| {
            if let (1.., Some(panel)) = (*times, panel.cast::<HtmlDetailsElement>()) {
                choose(Pipeline::Poetry);
                panel.set_open(true);
                focus("data-files");
            }
        });
    }
    let found = properties.examined.as_ref().map(|it| it.task.clone());
    use_effect_with(found, move |task| {
        if let Some(task) = task {
            choose(task.pipeline());
        }
    });
    format
}

/// Returns the report on the texts, with the buttons that take them as data of the run.
fn examined(properties: &DataProperties) -> Html {
    let DataProperties {
        experiment,
        examined: Some(examined),
        act,
        ..
    } = properties
    else {
        return Html::default();
    };
    let take = |intent: fn(Box<Experiment>) -> Intent| {
        let (experiment, examined) = (experiment.clone(), examined.clone());
        act.reform(move |_: MouseEvent| {
            intent(Box::new(experiment_on(&experiment, &examined.task)))
        })
    };
    let is_applied = examined.task == experiment.task;
    let replaced = replaced(experiment, &examined.task);
    html! {
        <>
            { report(examined) }
            <div class="apply">
                <button type="button" id="data-apply" class="primary" onclick={take(Intent::TrainOn)}>{ "Train on this" }</button>
                <button type="button" id="data-prepare" onclick={take(Intent::Prepare)}>{ "Only prepare it" }</button>
                <p>{ if is_applied { "This is what the run is trained on." } else { "A new run begins, from step 0." } }</p>
                if let Some(replaced) = replaced {
                    <p id="data-replaces">{ replaced }</p>
                }
            </div>
        </>
    }
}
