//! The user's own question about a passage of their own, and the answer of a reader.

use crate::by_pointer::ByPointer;
use crate::page::ask::passage::Passage;
use crate::page::base::foreign::{self, use_languages};
use crate::page::base::format::{count, percent};
use crate::page::base::icons::{Icon, IconName};
use crate::page::run::intent::Intent;
use crate::page::watch::attention::Attention;
use crate::state::Asked;
use crate::state::same_question::{AnswerOfRun, SameQuestion};
use strata_session::protocol::{AnswerView, Ready, TranslationView};
use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

/// Number of held-out questions that are offered.
const SAMPLES: usize = 4;

#[derive(Properties, PartialEq)]
pub struct AskingProperties {
    pub ready: Option<ByPointer<Ready>>,
    /// The last question that was asked.
    pub asked: Option<ByPointer<Asked>>,
    pub answered: Option<ByPointer<AnswerView>>,
    /// Attention of the model while it looked for the answer.
    pub attention: Option<ByPointer<TranslationView>>,
    /// Answers of the runs so far to the same question.
    pub same: ByPointer<SameQuestion>,
    pub asking: bool,
    pub act: Callback<Intent>,
}

/// The boxes for question and passage, and the answer.
#[component]
pub fn Asking(properties: &AskingProperties) -> Html {
    let AskingProperties {
        ready,
        answered,
        attention,
        asking,
        act,
        ..
    } = properties;
    // `None` until the user writes: then the first held-out question is shown.
    let written = use_state_eq(|| None::<Asked>);
    {
        // A question about other data's passage is forgotten.
        let written = written.clone();
        let task = ready.as_ref().map(|it| it.experiment.task.clone());
        use_effect_with(task, move |_| written.set(None));
    }
    {
        let written = written.clone();
        use_effect_with(properties.asked.clone(), move |asked| {
            if let Some(asked) = asked {
                written.set(Some((**asked).clone()));
            }
        });
    }
    let samples: Vec<Asked> = ready.as_deref().map_or(Vec::new(), |ready| {
        let both = ready.samples.iter().zip(&ready.passages).take(SAMPLES);
        let sample = |(question, passage): (&String, &String)| Asked {
            question: question.clone(),
            passage: passage.clone(),
        };
        both.map(sample).collect()
    });
    let shown = (*written).clone().or(samples.first().cloned());
    let shown = shown.unwrap_or_default();
    let edit = |change: fn(&mut Asked, String)| {
        let (written, shown) = (written.clone(), shown.clone());
        move |text: String| {
            let mut next = shown.clone();
            change(&mut next, text);
            written.set(Some(next));
        }
    };
    let question = edit(|asked, text| asked.question = text);
    let question = Callback::from(move |event: InputEvent| {
        question(event.target_unchecked_into::<HtmlInputElement>().value());
    });
    let passage = edit(|asked, text| asked.passage = text);
    let passage = Callback::from(move |event: InputEvent| {
        passage(event.target_unchecked_into::<HtmlTextAreaElement>().value());
    });
    let send = {
        let (act, shown) = (act.clone(), shown.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            // The worker refuses an empty text, with a reason.
            act.emit(Intent::Ask(Box::new(shown.clone())));
        })
    };
    let lang = use_languages().source;
    let sample = |asked: &Asked| {
        let this = asked.clone();
        let pick = act.reform(move |_: MouseEvent| Intent::Ask(Box::new(this.clone())));
        html! { <li><button type="button" class="sample" dir="auto" translate="no" {lang} onclick={pick}>{ &asked.question }</button></li> }
    };
    html! {
        <section class="panel translate asking" aria-labelledby="asking-title">
            <h2 id="asking-title">{ "Your question" }</h2>
            <div class="columns">
                <div>
                    <form onsubmit={send}>
                        <label for="ask-passage">{ "Passage: write or paste one, or keep this held-out one." }</label>
                        <textarea id="ask-passage" rows="6" spellcheck="false" dir="auto" {lang}
                            value={shown.passage.clone()} oninput={passage} />
                        <label for="ask-question">{ "Question about it" }</label>
                        <div class="line">
                            <input id="ask-question" type="text" autocomplete="off" spellcheck="false" dir="auto" {lang}
                                value={shown.question.clone()} oninput={question} />
                            <button type="submit" id="ask-button" class="primary" aria-busy={asking.to_string()}>
                                <Icon name={IconName::Arrow} /><span>{ "Ask" }</span>
                            </button>
                        </div>
                    </form>
                    <ul class="samples" aria-label="Held-out questions">{ for samples.iter().map(sample) }</ul>
                    if let Some(answer) = answered {
                        <p class="note" id="ask-unknown">{ foreign::unknown(&answer.unknown) }</p>
                        <Passage id="asked" answer={(**answer).clone()} is_told=true />
                    }
                    { of_runs(&properties.same.answers) }
                </div>
                <Attention id="asking-attention" picture={attention.clone()}
                    empty="Ask a question to see where the model looks." />
            </div>
        </section>
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
