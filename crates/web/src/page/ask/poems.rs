//! Poems by a model of poems: from a text to four keywords, and from the keywords to four lines.
//!
//! - here: the panel; `form`: further settings of the request; `plan`: the keywords
//! - `sheet`: the poem as it grows; `detail`: what a character attended to, and its alternatives
//! - `beside`: another model, which writes by the same plan
//! - `figures`: measures of the poem; `saved`: the poem as text and as a picture

mod beside;
mod detail;
mod figures;
mod form;
mod plan;
mod saved;
mod sheet;

use crate::by_pointer::ByPointer;
use crate::page::base::focus::focus;
use crate::page::base::format;
use crate::page::base::icons::{Icon, IconName};
use crate::page::run::intent::Intent;
use crate::page::run::others::Others;
use crate::presets::{Preset, Sample};
use crate::state::pipeline::PoetryState;
use crate::state::{BesideModel, State};
use beside::BesideChoice;
use form::{field, form};
use plan::{Plan, is_drawn};
use sheet::Sheet;
use strata_session::protocol::{PlannedWord, PoemRequest, PoemView, Request, Writers};
use strata_tasks::{LineLength, TaskConfig};
use yew::prelude::*;

/// Language of the poems, as a value of the attribute `lang`.
const LANG: &str = "zh-Hans";

#[derive(Properties, PartialEq)]
pub struct PoemsProperties {
    /// The last poems.
    pub poetry: PoetryState,
    /// Title of the model if it was opened without its poems.
    pub opened: Option<String>,
    /// Number of the model's parameters.
    pub parameters: usize,
    /// Number of steps that the run has taken.
    pub step: u64,
    /// Models that can write beside the present one.
    pub others: Others,
    /// The model that writes beside the present one, once the worker has it.
    pub beside: Option<ByPointer<BesideModel>>,
    /// Number of characters per line, if all lines in the data have the same.
    pub length: Option<usize>,
    /// True if the model reads no keywords: it continues from a first line.
    pub continues: bool,
    /// True if the model learns from the sample that is served with the page.
    pub has_sample: bool,
    pub act: Callback<Intent>,
}

impl PoemsProperties {
    /// Returns the panel's properties from the state.
    pub fn of(state: &State, act: Callback<Intent>) -> Self {
        // While another run loads, the panel already shows that run's task.
        let task = &state.experiment.task;
        Self {
            poetry: state.pipeline.poetry.clone(),
            opened: state.opened(),
            parameters: state.ready.as_ref().map_or(0, |ready| ready.parameters),
            step: state.step(),
            others: Others::of_poems(state),
            beside: state
                .beside
                .as_ref()
                .and_then(|beside| beside.model.clone()),
            length: own_length(task),
            continues: without_keywords(task),
            has_sample: Sample::of(task).is_some(),
            act,
        }
    }
}

/// Returns the number of characters per line of a task, if all its lines have the same.
fn own_length(task: &TaskConfig) -> Option<usize> {
    match task {
        TaskConfig::Poems(task) => match task.length {
            LineLength::Five => Some(5),
            LineLength::Seven => Some(7),
            LineLength::Both => None,
        },
        _ => None,
    }
}

/// True for a task of poems whose model reads no keywords.
fn without_keywords(task: &TaskConfig) -> bool {
    matches!(task, TaskConfig::Poems(task) if !task.keywords)
}

/// The text box, the plan, and the poem.
#[component]
pub fn Poems(properties: &PoemsProperties) -> Html {
    let PoemsProperties {
        poetry,
        opened,
        others,
        length,
        act,
        ..
    } = properties;
    // The request in the form, and the last request, from which alternatives continue.
    let request = use_state_eq(|| PoemRequest {
        length: length.unwrap_or(7),
        ..PoemRequest::default()
    });
    let last = use_state_eq(PoemRequest::default);
    {
        let request = request.clone();
        use_effect_with(poetry.output.clone(), move |poem| {
            if let Some(poem) = poem {
                request.set(PoemRequest {
                    keywords: poem.keywords.clone(),
                    ..(*request).clone()
                });
            }
        });
    }
    use_poem_of_beside(properties, &last);
    use_effect_with(opened.clone(), |opened| {
        if opened.is_some() {
            focus("poem-text");
        }
    });
    let send = {
        let (act, last) = (act.clone(), last.clone());
        Callback::from(move |request: PoemRequest| {
            last.set(request.clone());
            act.emit(Intent::Run(Request::Poem(Box::new(request))));
        })
    };
    let is_compared = others.chosen.is_some();
    html! {
        <section class="panel poems" aria-labelledby="poems-title">
            <h2 id="poems-title">{ "Your poem" }</h2>
            <div class={classes!("columns", is_compared.then_some("two"))}>
                <div class="asked">
                    { text_form(properties, &request, &send) }
                    { plan(properties, &request, &send) }
                </div>
                { sheets(properties, &last, &send) }
            </div>
        </section>
    }
}

/// Has a model that is newly laid beside write the poem that the present one has just written.
#[hook]
fn use_poem_of_beside(properties: &PoemsProperties, last: &UseStateHandle<PoemRequest>) {
    let PoemsProperties {
        poetry,
        beside,
        act,
        ..
    } = properties;
    let (act, last, poem) = (act.clone(), last.clone(), poetry.output.clone());
    use_effect_with(beside.clone(), move |beside| {
        if let (Some(_), Some(poem)) = (beside, poem.filter(|poem| !poem.lines.is_empty())) {
            act.emit(Intent::Run(Request::Poem(Box::new(PoemRequest {
                keywords: poem.keywords.clone(),
                given: Vec::new(),
                begun: String::new(),
                plans_only: false,
                writers: Writers::Beside,
                ..(*last).clone()
            }))));
        }
    });
}

/// Returns the request without keywords, so that they are planned anew from the text.
fn planned_anew(request: &PoemRequest, plans_only: bool) -> PoemRequest {
    PoemRequest {
        keywords: Vec::new(),
        plans_only,
        ..request.clone()
    }
}

/// Renders the text box, and the further settings of the request.
fn text_form(
    properties: &PoemsProperties,
    request: &UseStateHandle<PoemRequest>,
    send: &Callback<PoemRequest>,
) -> Html {
    let change = {
        let request = request.clone();
        Callback::from(move |next| request.set(next))
    };
    let submit = {
        let (request, send) = (request.clone(), send.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            send.emit(planned_anew(&request, false));
        })
    };
    let text = field(request, |request, text| request.text = text);
    html! {
        <div>
            <form onsubmit={submit}>
                <label for="poem-text">{ if properties.continues { "Type a first line in Chinese, without punctuation; the model goes on from it." } else { "Say in Chinese what the poem is about: a word or a whole text." } }</label>
                <div class="line">
                    <input id="poem-text" type="text" autocomplete="off" spellcheck="false" translate="no" lang={LANG}
                        placeholder="明月" value={request.text.clone()} oninput={text} />
                    <button type="submit" id="poem-button" class="primary" aria-busy={properties.poetry.is_waiting.to_string()}>
                        <Icon name={IconName::Arrow} /><span>{ "Write a poem" }</span>
                    </button>
                </div>
            </form>
            { form(request, &change) }
            if properties.has_sample {
                { on_sample(properties.step, &properties.act) }
            }
        </div>
    }
}

/// Renders a note on the sample, and the way to a file of one's own.
fn on_sample(step: u64, act: &Callback<Intent>) -> Html {
    let own = act.reform(|_: MouseEvent| Intent::Preset(Preset::Poems));
    let first = "The model has learned nothing yet: press Train first.";
    let note = "The sample is 115 well-known quatrains of the Tang dynasty. A small model learns so few poems by \
                heart: most of its lines are theirs, word for word, and what is new is how they come together.";
    html! {
        <p class="note" id="poem-sample">
            { if step == 0 { first } else { note } }{ " " }
            <button type="button" class="link" id="poem-own-file" onclick={own}>{ "Learn from a file of your own" }</button>
        </p>
    }
}

/// Renders the keywords, notes on the model, and the choice of a model to write beside.
fn plan(
    properties: &PoemsProperties,
    request: &UseStateHandle<PoemRequest>,
    send: &Callback<PoemRequest>,
) -> Html {
    let PoemsProperties {
        poetry,
        opened,
        parameters,
        step,
        others,
        act,
        ..
    } = properties;
    let plan_only = {
        let (request, send) = (request.clone(), send.clone());
        Callback::from(move |_: MouseEvent| send.emit(planned_anew(&request, true)))
    };
    let set_keywords = {
        let request = request.clone();
        Callback::from(move |keywords: Vec<PlannedWord>| {
            request.set(PoemRequest {
                keywords,
                ..(*request).clone()
            });
        })
    };
    let write = {
        let (request, send) = (request.clone(), send.clone());
        Callback::from(move |()| send.emit((*request).clone()))
    };
    html! {
        <div>
            if properties.continues {
                <p class="note">{ "This model reads no keywords, only the lines before." }</p>
            } else if request.keywords.is_empty() {
                <p><button type="button" id="poem-plan" class="quiet" onclick={plan_only}>{ "Only choose keywords" }</button></p>
            } else {
                <Plan keywords={request.keywords.clone()} change={set_keywords} {write} />
                if poetry.output.as_ref().is_some_and(|poem| is_drawn(&poem.keywords)) {
                    <p class="note">{ "The poems that the model has learned from know no word of your text: these are drawn." }</p>
                }
            }
            if opened.is_some() {
                <p class="note">{ format!("Written by the model that was opened, of {} numbers after {} steps.", format::count(*parameters as u64), format::count(*step)) }</p>
            }
            <BesideChoice others={others.clone()} present={opened.clone()} act={act.clone()} />
        </div>
    }
}

/// Renders the poem, and the poem of the model beside.
fn sheets(
    properties: &PoemsProperties,
    last: &UseStateHandle<PoemRequest>,
    send: &Callback<PoemRequest>,
) -> Html {
    let PoemsProperties { poetry, others, .. } = properties;
    // Continues with one of the models, after the lines that stay.
    let go_on = |writers: Writers| {
        let (last, send, poem) = (last.clone(), send.clone(), poetry.output.clone());
        Callback::from(move |(given, begun): (Vec<String>, String)| {
            let keywords = poem.as_ref().map(|poem| poem.keywords.clone());
            send.emit(PoemRequest {
                keywords: keywords.unwrap_or_default(),
                plans_only: false,
                given,
                begun,
                writers,
                ..(*last).clone()
            });
        })
    };
    let is_compared = others.chosen.is_some();
    let name = |at: usize| {
        let model = ["This model", "Beside"][at];
        is_compared.then(|| {
            AttrValue::from(match others.names[at].as_str() {
                "" => model.to_owned(),
                name => format!("{model}: {name}"),
            })
        })
    };
    let (written, lack) = match poetry.beside.clone() {
        Some(Ok(poem)) => (Some(poem), None),
        Some(Err(lack)) => (None, Some(AttrValue::from(lack))),
        None => (None, None),
    };
    let has_lines = |poem: &ByPointer<PoemView>| !poem.lines.is_empty();
    html! {
        <div class="sheets">
            <Sheet id="poem" name={name(0)} poem={poetry.output.clone().filter(has_lines)} is_waiting={poetry.is_waiting}
                go_on={go_on(Writers::Present)} />
            if is_compared {
                <Sheet id="poem-beside" name={name(1)} poem={written} {lack} is_waiting={poetry.beside_is_waiting}
                    go_on={go_on(Writers::Beside)} />
            }
        </div>
    }
}
