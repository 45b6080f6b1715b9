//! A passage with an answer marked in it, and below each word the probabilities that the answer
//! starts and ends there.

use crate::page::base::foreign::{foreign, use_languages};
use crate::page::base::format::percent;
use strata_session::protocol::{AnswerView, FoundAnswerView};
use yew::prelude::*;

/// Least probability that is drawn as a bar.
const LEAST: f32 = 0.005;

#[derive(Properties, PartialEq)]
pub struct PassageProperties {
    /// Prefix of the ids of the elements.
    pub id: AttrValue,
    pub answer: AnswerView,
    /// The right answer as the data word it, if it is known.
    #[prop_or_default]
    pub right: Option<AttrValue>,
    /// True if screen readers announce the answer, because a user asked for it.
    #[prop_or_default]
    pub is_told: bool,
}

/// The best answer, marked in its passage; the user can choose another of the best answers.
#[component]
pub fn Passage(properties: &PassageProperties) -> Html {
    let PassageProperties {
        id, answer, right, ..
    } = properties;
    // The question, and the number of the answer that the user chose for it.
    let chosen = use_state_eq(|| (String::new(), 0));
    let number = if chosen.0 == answer.question {
        chosen.1
    } else {
        0
    };
    let lang = use_languages().target;
    let found = answer.answers.get(number).or(answer.answers.first());
    let passage = found.and_then(|it| answer.passages.get(it.place.passage));
    let (Some(found), Some(passage)) = (found, passage) else {
        return html! { <p class="empty">{ "There is no answer: the passage has no words." }</p> };
    };
    let place = found.place;
    let right_place = answer.right.filter(|it| it.passage == place.passage);
    let word = |at: usize| {
        let token = &passage.tokens[at];
        let is_right = right_place.is_some_and(|it| (it.first..=it.last).contains(&at));
        let class = classes!(
            "word",
            is_right.then_some("right"),
            (!token.is_known).then_some("unknown")
        );
        let [start, end] = [token.start, token.end].map(|it| if it < LEAST { 0.0 } else { it });
        let title = format!(
            "starts here {}, ends here {}",
            percent(token.start.into()),
            percent(token.end.into())
        );
        html! {
            <span {class} {title} data-start={format!("{start:.3}")} data-end={format!("{end:.3}")}
                ~style={format!("--start: {start:.3}; --end: {end:.3}")}>{ &token.text }</span>
        }
    };
    let spaced = |at: usize| html! { <>{ &passage.tokens[at].before }{ word(at) }</> };
    let choose = {
        let (chosen, question) = (chosen.clone(), answer.question.clone());
        Callback::from(move |number| chosen.set((question.clone(), number)))
    };
    html! {
        <div class="reading" id={id.clone()}>
            if properties.is_told {
                <p class="answer" id={format!("{id}-told")} role="status" aria-atomic="true">
                    <b>{ foreign(&found.text) }</b>{ ", in “" }{ foreign(&found.sentence) }{ "”" }
                </p>
            }
            <p class="passage" dir="auto" translate="no" {lang} tabindex="0">
                { for (0..place.first).map(spaced) }
                { &passage.tokens[place.first].before }
                <mark id={format!("{id}-answer")} data-text={found.text.clone()}>
                    { word(place.first) }
                    { for (place.first + 1..=place.last).map(spaced) }
                </mark>
                { for (place.last + 1..passage.tokens.len()).map(spaced) }
            </p>
            <p class="note">
                { "Marked: the answer. Under each word: how probable it is that the answer " }
                <span class="word starts">{ "starts" }</span>{ " and " }<span class="word ends">{ "ends" }</span>{ " there." }
                if let Some(right) = right {
                    { " The right answer, “" }<span class="word right">{ foreign(right) }</span>{ "”, is underlined." }
                }
            </p>
            { ranked(id, &answer.answers, number, &choose) }
        </div>
    }
}

/// Returns the list of the best answers, from which one can be chosen.
fn ranked(id: &str, answers: &[FoundAnswerView], chosen: usize, choose: &Callback<usize>) -> Html {
    let row = |(number, found): (usize, &FoundAnswerView)| {
        let pick = choose.reform(move |_: MouseEvent| number);
        html! {
            <li key={number}>
                <button type="button" class="best tokens" onclick={pick} aria-pressed={(number == chosen).to_string()}>
                    <span class="text" dir="auto">{ &found.text }</span>
                    <small>{ percent(found.probability) }</small>
                </button>
            </li>
        }
    };
    html! {
        <div class="best-list">
            <h3>{ "The most probable answers" }</h3>
            <ol id={format!("{id}-ranked")} translate="no">{ for answers.iter().enumerate().map(row) }</ol>
        </div>
    }
}
