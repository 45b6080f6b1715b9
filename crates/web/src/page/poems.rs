//! A poem by a model of poems: from a text to four keywords, and from these to four lines.
//!
//! - here: what is asked for; `plan`: the keywords
//! - `sheet`: the poem as it grows; `detail`: what a character attended to, and what could stand there
//! - `figures`: what the poem is worth; `saved`: as text and as a picture

mod detail;
mod figures;
mod plan;
mod saved;
mod sheet;

use crate::by_pointer::ByPointer;
use crate::page::fields::Select;
use crate::page::icons::{Icon, IconName};
use crate::page::intent::Intent;
use plan::{Plan, is_drawn};
use sheet::Sheet;
use strata_models::{SamplingConfig, Search};
use strata_session::protocol::{PlannedWord, PoemView, PoemWish, PoetView};
use strata_tasks::{LineLength, TaskConfig};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Language of the poems.
const LANG: &str = "zh-Hans";

/// Searches that are offered.
const SEARCHES: [(&str, &str); 4] = [
    ("beam", "Best of a beam of 10"),
    ("greedy", "Greedy"),
    ("calm", "Drawn, temperature 0.7"),
    ("free", "Drawn, temperature 1"),
];

#[derive(Properties, PartialEq)]
pub struct PoemsProperties {
    pub poem: Option<ByPointer<PoemView>>,
    /// A model that writes in the place of the run's.
    pub poet: Option<ByPointer<PoetView>>,
    pub composing: bool,
    /// Length of all lines that the model has learned from, if they have one.
    pub length: Option<usize>,
    /// True if the run's model reads no keywords, and goes on from a first line.
    pub continues: bool,
    pub act: Callback<Intent>,
}

/// Length of the lines of a task, if all have one.
pub fn own_length(task: &TaskConfig) -> Option<usize> {
    match task {
        TaskConfig::Poems(task) => match task.length {
            LineLength::Five => Some(5),
            LineLength::Seven => Some(7),
            LineLength::Both => None,
        },
        _ => None,
    }
}

/// True of a task of poems whose model reads no keywords.
pub fn without_keywords(task: &TaskConfig) -> bool {
    matches!(task, TaskConfig::Poems(task) if !task.keywords)
}

/// The text box, the plan, and the poem.
#[component]
pub fn Poems(properties: &PoemsProperties) -> Html {
    let PoemsProperties {
        poem,
        poet,
        composing,
        length,
        continues,
        act,
    } = properties;
    // Of a model that writes in the run's place its poems tell.
    let continues = match poet {
        Some(_) => {
            let written = poem.as_ref().filter(|it| !it.lines.is_empty());
            written.is_some_and(|it| it.keywords.is_empty())
        }
        None => *continues,
    };
    // The form, and what was asked for last, which alternatives go on from.
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
    let go_on = {
        let (asked, send, poem) = (asked.clone(), send.clone(), poem.clone());
        Callback::from(move |(given, begun): (Vec<String>, String)| {
            let keywords = poem.as_ref().map(|it| it.keywords.clone());
            send.emit(PoemWish {
                keywords: keywords.unwrap_or_default(),
                plans_only: false,
                given,
                begun,
                ..(*asked).clone()
            });
        })
    };
    let text = field(&wish, |wish, text| wish.text = text);
    html! {
        <section class="panel poems" aria-labelledby="poems-title">
            <h2 id="poems-title">{ "Your poem" }</h2>
            <div class="columns">
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
                    if let Some(poet) = poet {
                        <p class="note">{ format!("Written by the model that was opened, of {} numbers after {} steps.", poet.parameters, poet.step) }</p>
                    }
                </div>
                <Sheet poem={poem.clone().filter(|it| !it.lines.is_empty())} {composing} {go_on} />
            </div>
        </section>
    }
}

/// Handler of a text field that changes the wish.
fn field(wish: &UseStateHandle<PoemWish>, set: fn(&mut PoemWish, String)) -> Callback<InputEvent> {
    let wish = wish.clone();
    Callback::from(move |event: InputEvent| {
        let mut next = (*wish).clone();
        set(
            &mut next,
            event.target_unchecked_into::<HtmlInputElement>().value(),
        );
        wish.set(next);
    })
}

/// Length, acrostic, search and seed.
fn form(wish: &UseStateHandle<PoemWish>, change: &Callback<PoemWish>) -> Html {
    let present = wish.clone();
    let set_length = change.reform(move |name: String| PoemWish {
        length: if name == "5" { 5 } else { 7 },
        ..(*present).clone()
    });
    let present = wish.clone();
    let set_search = change.reform(move |name: String| PoemWish {
        search: search_of(&name),
        ..(*present).clone()
    });
    let lengths = ["5", "7"].map(|it| (it.into(), format!("{it} characters").into()));
    let searches = SEARCHES.map(|(name, title)| (name.into(), title.into()));
    let acrostic = field(wish, |wish, text| wish.acrostic = text);
    let seed = field(wish, |wish, text| {
        wish.seed = text.trim().parse().unwrap_or_default();
    });
    html! {
        <div class="fields search">
            <Select id="poem-length" label="A line has" options={lengths.to_vec()} value={wish.length.to_string()} onchange={set_length} />
            <Select id="poem-search" label="Search" options={searches.to_vec()} value={name_of(&wish.search)} onchange={set_search} />
            <div class="field">
                <label for="poem-acrostic">{ "Acrostic" }</label>
                <input id="poem-acrostic" type="text" autocomplete="off" translate="no" lang={LANG} placeholder="春夏秋冬"
                    value={wish.acrostic.clone()} oninput={acrostic} />
            </div>
            <div class="field">
                <label for="poem-seed">{ "Seed" }</label>
                <input id="poem-seed" type="number" min="0" max="4294967295" value={wish.seed.to_string()} oninput={seed} />
            </div>
        </div>
    }
}

fn search_of(name: &str) -> Search {
    let drawn = |temperature| {
        Search::Sampling(SamplingConfig {
            temperature,
            ..SamplingConfig::default()
        })
    };
    match name {
        "greedy" => Search::Greedy,
        "calm" => drawn(0.7),
        "free" => drawn(1.0),
        _ => PoemWish::default().search,
    }
}

fn name_of(search: &Search) -> &'static str {
    match search {
        Search::Beam(_) => "beam",
        Search::Sampling(config) if config.temperature < 1.0 => "calm",
        Search::Sampling(_) => "free",
        _ => "greedy",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_found_by_their_names() {
        for (name, _) in SEARCHES {
            assert_eq!(name_of(&search_of(name)), name);
            assert!(search_of(name).check().is_ok());
        }
    }
}
