//! Keywords of a poem as chips, which a user can edit, reorder, and replace by similar words.

use super::LANG;
use strata_session::protocol::{Origin, PlannedWord};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct PlanProperties {
    pub keywords: Vec<PlannedWord>,
    pub change: Callback<Vec<PlannedWord>>,
    /// Called to write the poem by the present keywords.
    pub write: Callback<()>,
}

/// True if no keyword comes from the text or the user, because all were drawn at random.
pub fn is_drawn(keywords: &[PlannedWord]) -> bool {
    keywords.iter().all(|it| it.origin == Origin::Drawn)
}

/// The chips, one for each line.
#[component]
pub fn Plan(properties: &PlanProperties) -> Html {
    let PlanProperties {
        keywords,
        change,
        write,
    } = properties;
    // Number of the chip that is being dragged.
    let dragged = use_mut_ref(|| None::<usize>);
    let moved = {
        let (keywords, change) = (keywords.clone(), change.clone());
        move |from: usize, to: usize| {
            let mut next = keywords.clone();
            let word = next.remove(from);
            next.insert(to, word);
            change.emit(next);
        }
    };
    let replaced = {
        let (keywords, change) = (keywords.clone(), change.clone());
        move |at: usize, word: String, origin: Origin| {
            let mut next = keywords.clone();
            next[at].word = word;
            next[at].origin = origin;
            change.emit(next);
        }
    };
    let chip = |(at, keyword): (usize, &PlannedWord)| {
        let number = at + 1;
        let edit = {
            let replaced = replaced.clone();
            Callback::from(move |event: InputEvent| {
                let word = event.target_unchecked_into::<HtmlInputElement>().value();
                replaced(at, word, Origin::Given);
            })
        };
        let choose = {
            let replaced = replaced.clone();
            Callback::from(move |event: Event| {
                let select = event.target_unchecked_into::<HtmlSelectElement>();
                let word = select.value();
                select.set_value("");
                if !word.is_empty() {
                    replaced(at, word, Origin::Neighbour);
                }
            })
        };
        let step = |to: Option<usize>, words: &str, arrow: &str| {
            let (moved, to) = (moved.clone(), to.filter(|it| *it < keywords.len()));
            let press = Callback::from(move |_: MouseEvent| {
                if let Some(to) = to {
                    moved(at, to);
                }
            });
            html! {
                <button type="button" class="quiet" onclick={press} aria-disabled={to.is_none().to_string()}
                    aria-label={format!("Keyword {number}: {words}")}>{ arrow }</button>
            }
        };
        let begin = {
            let dragged = dragged.clone();
            Callback::from(move |_: DragEvent| *dragged.borrow_mut() = Some(at))
        };
        let over = {
            let dragged = dragged.clone();
            Callback::from(move |event: DragEvent| {
                if dragged.borrow().is_some() {
                    event.prevent_default();
                }
            })
        };
        let drop = {
            let (dragged, moved) = (dragged.clone(), moved.clone());
            Callback::from(move |event: DragEvent| {
                if let Some(from) = dragged.borrow_mut().take() {
                    event.prevent_default();
                    event.stop_propagation();
                    moved(from, at);
                }
            })
        };
        html! {
            <li key={at} class="chip" data-origin={origin(keyword.origin)} draggable="true" ondragstart={begin}
                ondragover={over} ondrop={drop}>
                <input id={format!("keyword-{number}")} type="text" autocomplete="off" translate="no" lang={LANG} size="3"
                    aria-label={format!("Keyword of line {number}")} value={keyword.word.clone()} oninput={edit} />
                <small>{ origin(keyword.origin) }</small>
                <span class="moves">
                    { step(at.checked_sub(1), "to the line before", "↑") }
                    { step(Some(at + 1), "to the next line", "↓") }
                </span>
                if !keyword.near.is_empty() {
                    <select aria-label={format!("A word near keyword {number} in its place")} translate="no" lang={LANG} onchange={choose}>
                        <option value="">{ "≈" }</option>
                        { for keyword.near.iter().map(|word| html! { <option value={word.clone()}>{ word }</option> }) }
                    </select>
                }
            </li>
        }
    };
    let press = write.reform(|_: MouseEvent| ());
    html! {
        <div class="plan">
            <h3>{ "Keywords, one for each line" }</h3>
            <ol class="chips">{ for keywords.iter().enumerate().map(chip) }</ol>
            <button type="button" id="poem-write" onclick={press}>{ "Write with these keywords" }</button>
        </div>
    }
}

fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Text => "text",
        Origin::Knowledge => "knowledge",
        Origin::Neighbour => "neighbour",
        Origin::Drawn => "drawn",
        Origin::Given => "yours",
    }
}
