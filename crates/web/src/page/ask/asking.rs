//! The user's own question about a passage of their own, and the answer of a reader.

use crate::by_pointer::ByPointer;
use crate::page::ask::passage::Passage;
use crate::page::base::foreign::{self, use_languages};
use crate::page::base::format::{count, percent};
use crate::page::base::icons::{Icon, IconName};
use crate::page::run::intent::Intent;
use crate::page::watch::attention::Attention;
use crate::state::pipeline::AnswerState;
use crate::state::pipeline::same_question::AnswerOfRun;
use strata_session::protocol::{AnswerRequest, Ready, Request};
use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

/// Number of held-out questions that are offered.
const SAMPLES: usize = 4;

#[derive(Properties, PartialEq)]
pub struct AskingProperties {
    pub ready: Option<ByPointer<Ready>>,
    /// The last question, and the answers found.
    pub asking: AnswerState,
    pub act: Callback<Intent>,
}

/// The boxes for question and passage, and the answer.
#[component]
pub fn Asking(properties: &AskingProperties) -> Html {
    let AskingProperties { ready, asking, act } = properties;
    // `None` until the user writes: then the first held-out question is shown.
    let written = use_state_eq(|| None::<AnswerRequest>);
    {
        // A question about other data's passage is forgotten.
        let written = written.clone();
        let task = ready.as_ref().map(|ready| ready.experiment.task.clone());
        use_effect_with(task, move |_| written.set(None));
    }
    {
        let written = written.clone();
        use_effect_with(asking.request.clone(), move |request| {
            if let Some(request) = request {
                written.set(Some((**request).clone()));
            }
        });
    }
    let samples = samples(ready.as_deref());
    let shown = (*written).clone().or(samples.first().cloned());
    let shown = shown.unwrap_or_default();
    let lang = use_languages().source;
    let sample = |request: &AnswerRequest| {
        let this = request.clone();
        let pick = act.reform(move |_: MouseEvent| Intent::Run(Request::Answer(this.clone())));
        html! { <li><button type="button" class="sample" dir="auto" translate="no" {lang} onclick={pick}>{ &request.question }</button></li> }
    };
    html! {
        <section class="panel translate asking" aria-labelledby="asking-title">
            <h2 id="asking-title">{ "Your question" }</h2>
            // Without an answer there is nothing to stand beside the question.
            <div class={classes!("columns", asking.attention.is_none().then_some("alone"))}>
                <div>
                    { form(&written, &shown, asking.is_waiting, act, lang) }
                    <ul class="samples" aria-label="Held-out questions">{ for samples.iter().map(sample) }</ul>
                    if let Some(answer) = &asking.output {
                        <p class="note" id="ask-unknown">{ foreign::unknown(&answer.unknown) }</p>
                        <Passage id="asked" answer={(**answer).clone()} is_told=true />
                    }
                    { of_runs(&asking.same_question.answers) }
                </div>
                <Attention id="asking-attention" picture={asking.attention.clone()}
                    empty="Ask a question to see where the model looks." />
            </div>
        </section>
    }
}

/// Returns the held-out questions that are offered.
fn samples(ready: Option<&Ready>) -> Vec<AnswerRequest> {
    let Some(ready) = ready else {
        return Vec::new();
    };
    let both = ready.samples.iter().zip(&ready.passages).take(SAMPLES);
    let sample = |(question, passage): (&String, &String)| AnswerRequest {
        question: question.clone(),
        passage: passage.clone(),
    };
    both.map(sample).collect()
}

/// Renders the boxes for question and passage; `shown` is what stands in the boxes, `written` what
/// the user wrote.
fn form(
    written: &UseStateHandle<Option<AnswerRequest>>,
    shown: &AnswerRequest,
    is_waiting: bool,
    act: &Callback<Intent>,
    lang: Option<&'static str>,
) -> Html {
    let edit = |change: fn(&mut AnswerRequest, String)| {
        let (written, shown) = (written.clone(), shown.clone());
        move |text: String| {
            let mut next = shown.clone();
            change(&mut next, text);
            written.set(Some(next));
        }
    };
    let question = edit(|request, text| request.question = text);
    let question = Callback::from(move |event: InputEvent| {
        question(event.target_unchecked_into::<HtmlInputElement>().value());
    });
    let passage = edit(|request, text| request.passage = text);
    let passage = Callback::from(move |event: InputEvent| {
        passage(event.target_unchecked_into::<HtmlTextAreaElement>().value());
    });
    let send = {
        let (act, shown) = (act.clone(), shown.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            // The worker refuses an empty text, with a reason.
            act.emit(Intent::Run(Request::Answer(shown.clone())));
        })
    };
    html! {
        <form onsubmit={send}>
            <label for="ask-question">{ "Question: write one, or choose one below." }</label>
            <div class="line">
                <input id="ask-question" type="text" autocomplete="off" spellcheck="false" dir="auto" {lang}
                    value={shown.question.clone()} oninput={question} />
                <button type="submit" id="ask-button" class="primary" aria-busy={is_waiting.to_string()}>
                    <Icon name={IconName::Arrow} /><span>{ "Ask" }</span>
                </button>
            </div>
            <label for="ask-passage">{ "Passage with the answer in it: write or paste one, or keep this held-out one." }</label>
            <textarea id="ask-passage" rows="4" spellcheck="false" dir="auto" {lang}
                value={shown.passage.clone()} oninput={passage} />
        </form>
    }
}

/// Answers of several runs to the same question; nothing if there is only one.
fn of_runs(answers: &[AnswerOfRun]) -> Html {
    if answers.len() < 2 {
        return Html::default();
    }
    let row = |it: &AnswerOfRun| {
        html! {
            <tr>
                <th scope="row">{ &it.run }</th><td>{ count(it.step) }</td>
                <td dir="auto">{ &it.text }</td><td>{ percent(it.probability) }</td>
            </tr>
        }
    };
    html! {
        <table id="ask-runs" class="runs-drawn">
            <caption>{ "The same question, asked before and now." }</caption>
            <thead>
                <tr>
                    <th scope="col">{ "Run" }</th><th scope="col">{ "Step" }</th>
                    <th scope="col">{ "Answer" }</th><th scope="col">{ "Probability" }</th>
                </tr>
            </thead>
            <tbody translate="no">{ for answers.iter().map(row) }</tbody>
        </table>
    }
}
