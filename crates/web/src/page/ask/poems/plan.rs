//! Keywords of a poem as chips, which a user can edit, reorder, and replace by similar words.

use super::LANG;
use std::cell::RefCell;
use std::rc::Rc;
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
    let chips = Chips {
        keywords,
        change,
        dragged: use_mut_ref(|| None),
    };
    let press = write.reform(|_: MouseEvent| ());
    html! {
        <div class="plan">
            <h3>{ "Keywords, one for each line" }</h3>
            <ol class="chips">{ for keywords.iter().enumerate().map(|(at, keyword)| chips.chip(at, keyword)) }</ol>
            <button type="button" id="poem-write" onclick={press}>{ "Write with these keywords" }</button>
        </div>
    }
}

/// Keywords as chips.
struct Chips<'a> {
    keywords: &'a [PlannedWord],
    change: &'a Callback<Vec<PlannedWord>>,
    /// Index of the chip that is being dragged.
    dragged: Rc<RefCell<Option<usize>>>,
}

impl Chips<'_> {
    fn chip(&self, at: usize, keyword: &PlannedWord) -> Html {
        let number = at + 1;
        let edit = {
            let replace = self.replace(at);
            Callback::from(move |event: InputEvent| {
                let word = event.target_unchecked_into::<HtmlInputElement>().value();
                replace(word, Origin::Given);
            })
        };
        let begin = {
            let dragged = self.dragged.clone();
            Callback::from(move |_: DragEvent| *dragged.borrow_mut() = Some(at))
        };
        let over = {
            let dragged = self.dragged.clone();
            Callback::from(move |event: DragEvent| {
                if dragged.borrow().is_some() {
                    event.prevent_default();
                }
            })
        };
        let drop = {
            let (dragged, move_to) = (self.dragged.clone(), self.move_to());
            Callback::from(move |event: DragEvent| {
                if let Some(from) = dragged.borrow_mut().take() {
                    event.prevent_default();
                    event.stop_propagation();
                    move_to(from, at);
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
                    { self.step(at, at.checked_sub(1), "to the line before", "↑") }
                    { self.step(at, Some(at + 1), "to the next line", "↓") }
                </span>
                { self.similar(at, keyword) }
            </li>
        }
    }

    /// Renders the choice of a similar word, if there are any.
    fn similar(&self, at: usize, keyword: &PlannedWord) -> Html {
        if keyword.near.is_empty() {
            return Html::default();
        }
        let replace = self.replace(at);
        let choose = Callback::from(move |event: Event| {
            let select = event.target_unchecked_into::<HtmlSelectElement>();
            let word = select.value();
            select.set_value("");
            if !word.is_empty() {
                replace(word, Origin::Neighbour);
            }
        });
        let label = format!("A word near keyword {} in its place", at + 1);
        html! {
            <select aria-label={label} translate="no" lang={LANG} onchange={choose}>
                <option value="">{ "≈" }</option>
                { for keyword.near.iter().map(|word| html! { <option value={word.clone()}>{ word }</option> }) }
            </select>
        }
    }

    /// Renders the button that moves a keyword to the place `to`.
    fn step(&self, at: usize, to: Option<usize>, words: &str, arrow: &str) -> Html {
        let to = to.filter(|to| *to < self.keywords.len());
        let move_to = self.move_to();
        let press = Callback::from(move |_: MouseEvent| {
            if let Some(to) = to {
                move_to(at, to);
            }
        });
        html! {
            <button type="button" class="quiet" onclick={press} aria-disabled={to.is_none().to_string()}
                aria-label={format!("Keyword {}: {words}", at + 1)}>{ arrow }</button>
        }
    }

    /// Returns the function that moves a keyword from one place to another.
    fn move_to(&self) -> impl Fn(usize, usize) + 'static {
        let (keywords, change) = (self.keywords.to_vec(), self.change.clone());
        move |from, to| {
            let mut next = keywords.clone();
            let word = next.remove(from);
            next.insert(to, word);
            change.emit(next);
        }
    }

    /// Returns the function that replaces the keyword at a place.
    fn replace(&self, at: usize) -> impl Fn(String, Origin) + 'static {
        let (keywords, change) = (self.keywords.to_vec(), self.change.clone());
        move |word, origin| {
            let mut next = keywords.clone();
            next[at].word = word;
            next[at].origin = origin;
            change.emit(next);
        }
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
