//! The person's own sentence: what the model makes of it, and what it looks at.

use crate::page::app::Intent;
use crate::page::attention::Attention;
use crate::page::icons::{Icon, IconName};
use crate::shared::Shared;
use strata_session::protocol::{Picture, Ready};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// How many samples are offered.
const SAMPLES: usize = 4;

#[derive(Properties, PartialEq)]
pub struct TranslateProperties {
    pub ready: Option<Shared<Ready>>,
    pub translated: Option<Shared<Picture>>,
    pub translating: bool,
    pub act: Callback<Intent>,
}

/// The box to type in, and the answer.
#[component]
pub fn Translate(properties: &TranslateProperties) -> Html {
    let TranslateProperties {
        ready,
        translated,
        translating,
        act,
    } = properties;
    let text = use_state_eq(String::new);
    let samples: Vec<String> = ready
        .iter()
        .flat_map(|ready| ready.samples.iter().take(SAMPLES).cloned())
        .collect();
    let edit = {
        let text = text.clone();
        Callback::from(move |event: InputEvent| {
            text.set(event.target_unchecked_into::<HtmlInputElement>().value());
        })
    };
    let send = {
        let act = act.clone();
        move |sentence: &str| {
            // An empty one is the worker's to refuse, which says why.
            act.emit(Intent::Translate(sentence.trim().to_owned()));
        }
    };
    let submit = {
        let (text, send) = (text.clone(), send.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            send(&text);
        })
    };
    let sample = |sentence: &String| {
        let (text, send, chosen) = (text.clone(), send.clone(), sentence.clone());
        let pick = Callback::from(move |_: MouseEvent| {
            text.set(chosen.clone());
            send(&chosen);
        });
        html! { <li><button type="button" class="sample" onclick={pick}>{ sentence }</button></li> }
    };
    let answer = translated.as_ref().map(|picture| picture.text.as_str());
    html! {
        <section class="panel translate" aria-labelledby="translate-title">
            <h2 id="translate-title">{ "Your sentence" }</h2>
            <div class="columns">
                <div>
                    <form onsubmit={submit}>
                        <label for="translate-input">{ "Write in the language of the source, or take a held-out sentence." }</label>
                        <div class="line">
                            <input id="translate-input" type="text" autocomplete="off" autocapitalize="off" spellcheck="false"
                                maxlength="400" value={(*text).clone()} oninput={edit}
                                placeholder={samples.first().cloned().unwrap_or_default()} />
                            <button type="submit" id="translate-button" class="primary" aria-busy={translating.to_string()}>
                                <Icon name={IconName::Arrow} /><span>{ "Translate" }</span>
                            </button>
                        </div>
                    </form>
                    <ul class="samples" aria-label="Held-out sentences">{ for samples.iter().map(sample) }</ul>
                    <div class="answer">
                        <h3>{ "The model writes" }</h3>
                        <p id="translation" class="tokens" aria-live="polite">
                            { answer.map_or("–", |text| if text.is_empty() { "(nothing)" } else { text }) }
                        </p>
                        <p class="note">{ translated.as_ref().map(|picture| unknown(&picture.unknown)) }</p>
                    </div>
                </div>
                <Attention id="translation-attention" picture={translated.clone()}
                    empty="Translate a sentence to see where the model looks." />
            </div>
        </section>
    }
}

fn unknown(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [word] => format!("The model does not know the word “{word}”."),
        words => format!(
            "The model does not know the words “{}”.",
            words.join("”, “")
        ),
    }
}
