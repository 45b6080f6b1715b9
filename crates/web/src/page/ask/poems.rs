//! Poems by a model of poems: from a text to four keywords, and from the keywords to four lines.
//!
//! - here: the panel; `form`: wishes in detail; `plan`: the keywords
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
use crate::state::{BesideModel, State};
use beside::BesideChoice;
use form::{field, form};
use plan::{Plan, is_drawn};
use sheet::Sheet;
use strata_session::protocol::{PlannedWord, PoemView, PoemWish, Writers};
use strata_tasks::{LineLength, TaskConfig};
use yew::prelude::*;

/// Language of the poems, as a value of the attribute `lang`.
const LANG: &str = "zh-Hans";

#[derive(Properties, PartialEq)]
pub struct PoemsProperties {
    pub poem: Option<ByPointer<PoemView>>,
    /// Title of the model if it was opened without its poems.
    pub opened: Option<String>,
    /// Number of the model's parameters, and of its steps.
    pub size: (usize, u64),
    pub composing: bool,
    /// Models that can write beside the present one.
    pub others: Others,
    /// The model that writes beside the present one, once the worker has it.
    pub beside: Option<ByPointer<BesideModel>>,
    /// The poem of the model beside, or a sentence that says why there is none.
    pub poem_beside: Option<Result<ByPointer<PoemView>, String>>,
    pub composing_beside: bool,
    /// Number of characters per line, if all lines in the data have the same.
    pub length: Option<usize>,
    /// True if the model reads no keywords: it continues from a first line.
    pub continues: bool,
    pub act: Callback<Intent>,
}

impl PoemsProperties {
    /// Returns the panel's properties from the state.
    pub fn of(state: &State, act: Callback<Intent>) -> Self {
        // While another run loads, the panel already shows that run's task.
        let task = &state.experiment.task;
        let parameters = state.ready.as_ref().map_or(0, |it| it.parameters);
        Self {
            poem: state.poem.clone(),
            opened: state.opened(),
            size: (parameters, state.step()),
            composing: state.composing,
            others: Others::of_poems(state),
            beside: state.beside.as_ref().and_then(|it| it.model.clone()),
            poem_beside: state.poem_beside.clone(),
            composing_beside: state.composing_beside,
            length: own_length(task),
            continues: without_keywords(task),
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
        poem,
        opened,
        size: (parameters, step),
        composing,
        others,
        beside,
        poem_beside,
        composing_beside,
        length,
        continues,
        act,
    } = properties;
    let continues = *continues;
    // The form's present wish, and the wish of the last poem, from which alternatives continue.
    let wish = use_state_eq(|| PoemWish {
        length: length.unwrap_or(7),
        ..PoemWish::default()
    });
    let asked = use_state_eq(PoemWish::default);
    {
        let wish = wish.clone();
        use_effect_with(poem.clone(), move |poem| {
            if let Some(poem) = poem {
                wish.set(PoemWish {
                    keywords: poem.keywords.clone(),
                    ..(*wish).clone()
                });
            }
        });
    }
    let send = {
        let (act, asked) = (act.clone(), asked.clone());
        Callback::from(move |wish: PoemWish| {
            asked.set(wish.clone());
            act.emit(Intent::WritePoem(Box::new(wish)));
        })
    };
    let change = {
        let wish = wish.clone();
        Callback::from(move |next| wish.set(next))
    };
    let plan = {
        let (wish, send) = (wish.clone(), send.clone());
        move |plans_only| {
            send.emit(PoemWish {
                keywords: Vec::new(),
                plans_only,
                ..(*wish).clone()
            });
        }
    };
    let submit = {
        let plan = plan.clone();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            plan(false);
        })
    };
    let plan_only = Callback::from(move |_: MouseEvent| plan(true));
    let set_keywords = {
        let wish = wish.clone();
        Callback::from(move |keywords: Vec<PlannedWord>| {
            wish.set(PoemWish {
                keywords,
                ..(*wish).clone()
            });
        })
    };
    let write = {
        let (wish, send) = (wish.clone(), send.clone());
        Callback::from(move |()| send.emit((*wish).clone()))
    };
    // Continues with one of the models, after the lines that stay.
    let go_on = |writers: Writers| {
        let (asked, send, poem) = (asked.clone(), send.clone(), poem.clone());
        Callback::from(move |(given, begun): (Vec<String>, String)| {
            let keywords = poem.as_ref().map(|it| it.keywords.clone());
            send.emit(PoemWish {
                keywords: keywords.unwrap_or_default(),
                plans_only: false,
                given,
                begun,
                writers,
                ..(*asked).clone()
            });
        })
    };
    {
        // A model that is newly laid beside writes the poem that the present one has just written.
        let (act, asked, poem) = (act.clone(), asked.clone(), poem.clone());
        use_effect_with(beside.clone(), move |beside| {
            if let (Some(_), Some(poem)) = (beside, poem.filter(|it| !it.lines.is_empty())) {
                act.emit(Intent::WritePoem(Box::new(PoemWish {
                    keywords: poem.keywords.clone(),
                    given: Vec::new(),
                    begun: String::new(),
                    plans_only: false,
                    writers: Writers::Beside,
                    ..(*asked).clone()
                })));
            }
        });
    }
    use_effect_with(opened.clone(), |opened| {
        if opened.is_some() {
            focus("poem-text");
        }
    });
    let text = field(&wish, |wish, text| wish.text = text);
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
    let (written, lack) = match poem_beside.clone() {
        Some(Ok(poem)) => (Some(poem), None),
        Some(Err(lack)) => (None, Some(AttrValue::from(lack))),
        None => (None, None),
    };
    html! {
        <section class="panel poems" aria-labelledby="poems-title">
            <h2 id="poems-title">{ "Your poem" }</h2>
            <div class={classes!("columns", is_compared.then_some("two"))}>
                <div class="asked">
                    <div>
                        <form onsubmit={submit}>
                            <label for="poem-text">{ if continues { "Type a first line in Chinese, without punctuation; the model goes on from it." } else { "Say in Chinese what the poem is about: a word or a whole text." } }</label>
                            <div class="line">
                                <input id="poem-text" type="text" autocomplete="off" spellcheck="false" translate="no" lang={LANG}
                                    placeholder="明月" value={wish.text.clone()} oninput={text} />
                                <button type="submit" id="poem-button" class="primary" aria-busy={composing.to_string()}>
                                    <Icon name={IconName::Arrow} /><span>{ "Write a poem" }</span>
                                </button>
                            </div>
                        </form>
                        { form(&wish, &change) }
                    </div>
                    <div>
                        if continues {
                            <p class="note">{ "This model reads no keywords, only the lines before." }</p>
                        } else if wish.keywords.is_empty() {
                            <p><button type="button" id="poem-plan" class="quiet" onclick={plan_only}>{ "Only choose keywords" }</button></p>
                        } else {
                            <Plan keywords={wish.keywords.clone()} change={set_keywords} {write} />
                            if poem.as_ref().is_some_and(|it| is_drawn(&it.keywords)) {
                                <p class="note">{ "The poems that the model has learned from know no word of your text: these are drawn." }</p>
                            }
                        }
                        if opened.is_some() {
                            <p class="note">{ format!("Written by the model that was opened, of {} numbers after {} steps.", format::count(*parameters as u64), format::count(*step)) }</p>
                        }
                        <BesideChoice others={others.clone()} present={opened.clone()} act={act.clone()} />
                    </div>
                </div>
                <div class="sheets">
                    <Sheet id="poem" name={name(0)} poem={poem.clone().filter(|it| !it.lines.is_empty())} {composing}
                        go_on={go_on(Writers::Present)} />
                    if is_compared {
                        <Sheet id="poem-beside" name={name(1)} poem={written} {lack} composing={*composing_beside}
                            go_on={go_on(Writers::Beside)} />
                    }
                </div>
            </div>
        </section>
    }
}
