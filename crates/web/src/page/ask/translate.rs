//! The user's own sentence: its output token by token, with the attention.
//!
//! - `letters`: words split into letters, for tasks without a language
//! - `search`: controls of the search; `search_setting`: reads and changes its settings
//! - `playback`, `steps`: the translation as it grows, with the candidates for each token
//! - `tree`: the hypotheses of a beam

mod letters;
pub mod playback;
mod search;
mod search_setting;
mod steps;
mod tree;

use crate::by_pointer::ByPointer;
use crate::page::base::foreign::{self, Languages, or_nothing, use_languages};
use crate::page::base::icons::{Icon, IconName};
use crate::page::pipeline::words;
use crate::page::run::intent::Intent;
use crate::page::watch::attention::Attention;
use crate::page::watch::view::{Choice, Matrix};
use crate::state::pipeline::TranslationState;
use letters::Letters;
use playback::{Playback, use_playback};
use search::search_controls;
use std::rc::Rc;
use steps::Steps;
use strata_models::Search;
use strata_session::protocol::{Ready, Request, TranslateRequest, TranslationView};
use strata_tasks::{GermanEnglishConfig, Pipeline, TaskConfig};
use tree::{best_list, tree};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Number of held-out sentences that are offered.
const SAMPLES: usize = 4;

#[derive(Properties, PartialEq)]
pub struct TranslateProperties {
    pub ready: Option<ByPointer<Ready>>,
    /// The last request, and the translation found.
    pub translation: TranslationState,
    pub act: Callback<Intent>,
}

/// The text box, the controls of the search, and the output.
#[component]
pub fn Translate(properties: &TranslateProperties) -> Html {
    let TranslateProperties {
        ready,
        translation,
        act,
    } = properties;
    let text = use_state_eq(String::new);
    let search = use_state_eq(Search::default);
    // The output belongs to the last request, which may have come from a lesson or a sample.
    let last = translation.request.as_deref().cloned().unwrap_or_default();
    {
        let (text, search) = (text.clone(), search.clone());
        use_effect_with(translation.request.clone(), move |request| {
            if let Some(request) = request {
                text.set(request.text.clone());
                search.set(request.search);
            }
        });
    }
    let pipeline = ready.as_ref().map_or(Pipeline::Translation, |ready| {
        ready.experiment.task.pipeline()
    });
    let samples: Vec<String> = ready
        .iter()
        .flat_map(|ready| ready.samples.iter().take(SAMPLES).cloned())
        .collect();
    let ask = act.reform(|request: TranslateRequest| Intent::Run(Request::Translate(request)));
    let send = {
        let (ask, search) = (ask.clone(), *search);
        Callback::from(move |text: String| {
            // The worker refuses an empty text, with a reason.
            ask.emit(TranslateRequest {
                text: text.trim().to_owned(),
                prefix: Vec::new(),
                search,
                details: true,
            });
        })
    };
    let change_search = {
        let search = search.clone();
        Callback::from(move |chosen| search.set(chosen))
    };
    let go_on = {
        let (ask, last) = (ask.clone(), last.clone());
        Callback::from(move |prefix: Vec<String>| {
            ask.emit(TranslateRequest {
                prefix,
                details: true,
                ..last.clone()
            });
        })
    };
    let letters = ready
        .as_ref()
        .and_then(|it| Letters::of(&it.experiment.task));
    let words = Words::of(ready.as_ref().map(|it| &it.experiment.task));
    let languages = use_languages();
    let form = AskForm {
        words: &words,
        lang: languages.source,
        text: &text,
        letters,
        samples: &samples,
        is_waiting: translation.is_waiting,
        send: &send,
    };
    html! {
        <section class="panel translate" aria-labelledby="translate-title">
            <h2 id="translate-title">{ words.title }</h2>
            <div class="columns">
                <div>
                    { ask_form(&form) }
                    { search_controls(*search, &change_search) }
                    <Answer output={translation.output.clone()} {pipeline} prefix={last.prefix.len()} {go_on} />
                </div>
                <Attention id="translation-attention" picture={translation.output.clone()} empty={words.empty} />
            </div>
        </section>
    }
}

/// Words of the panel.
struct Words {
    title: &'static str,
    label: &'static str,
    button: &'static str,
    empty: &'static str,
}

impl Words {
    /// Returns the words for a task; `None` until a run is prepared.
    fn of(task: Option<&TaskConfig>) -> Self {
        let Some(task) = task else {
            return Self::of(Some(&TaskConfig::GermanEnglish(
                GermanEnglishConfig::default(),
            )));
        };
        let words = words(task);
        Self {
            title: match task.pipeline() {
                Pipeline::TextGeneration => "Your beginning",
                // A reader has the panel `Asking` instead; its words here are never shown.
                Pipeline::Translation | Pipeline::Poetry | Pipeline::QuestionAnswering => {
                    "Your sentence"
                }
            },
            label: words.label,
            button: words.verb,
            empty: words.empty,
        }
    }
}

/// The text box, the button, and the samples.
struct AskForm<'a> {
    words: &'a Words,
    /// Language of the source.
    lang: Option<&'static str>,
    text: &'a UseStateHandle<String>,
    /// Letters of a task without a language.
    letters: Option<Letters>,
    samples: &'a [String],
    is_waiting: bool,
    /// Called with the text to translate.
    send: &'a Callback<String>,
}

fn ask_form(form: &AskForm<'_>) -> Html {
    let AskForm {
        words,
        lang,
        text,
        letters,
        samples,
        is_waiting,
        send,
    } = *form;
    let edit = {
        let text = text.clone();
        Callback::from(move |event: InputEvent| {
            text.set(event.target_unchecked_into::<HtmlInputElement>().value());
        })
    };
    let submit = {
        let (text, send, first) = (text.clone(), send.clone(), samples.first().cloned());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            // With an empty text box, the sentence that the box shows as an example is translated.
            let asked = match &first {
                Some(first) if text.is_empty() => first.clone(),
                _ => letters.map_or_else(|| (*text).clone(), |letters| letters.split(&text)),
            };
            text.set(asked.clone());
            send.emit(asked);
        })
    };
    let sample = |sentence: &String| {
        let (text, send, chosen) = (text.clone(), send.clone(), sentence.clone());
        let pick = Callback::from(move |_: MouseEvent| {
            text.set(chosen.clone());
            send.emit(chosen.clone());
        });
        html! { <li><button type="button" class="sample" dir="auto" translate="no" {lang} onclick={pick}>{ sentence }</button></li> }
    };
    html! {
        <>
            <form onsubmit={submit}>
                <label for="translate-input">{ words.label }</label>
                <div class="line">
                    <input id="translate-input" type="text" autocomplete="off" autocapitalize="off" spellcheck="false"
                        maxlength="400" dir="auto" {lang} value={(**text).clone()} oninput={edit}
                        placeholder={samples.first().cloned().unwrap_or_default()} />
                    <button type="submit" id="translate-button" class="primary" aria-busy={is_waiting.to_string()}>
                        <Icon name={IconName::Arrow} /><span>{ words.button }</span>
                    </button>
                </div>
                if let Some(letters) = letters {
                    <p class="help" id="learned">{ letters.learned() }{ letters.reading(text) }</p>
                    <p class="warns" id="outside" role="status">{ letters.outside(text) }</p>
                }
            </form>
            <ul class="samples" aria-label="Held-out sentences">{ for samples.iter().map(sample) }</ul>
        </>
    }
}

#[derive(Properties, PartialEq)]
struct AnswerProperties {
    output: Option<ByPointer<TranslationView>>,
    pipeline: Pipeline,
    /// Number of tokens that the user gave as the beginning.
    prefix: usize,
    go_on: Callback<Vec<String>>,
}

/// Output of the model: tokens appear one by one, and the user can go back and forth among them.
#[component]
fn Answer(properties: &AnswerProperties) -> Html {
    let AnswerProperties {
        output,
        pipeline,
        prefix,
        go_on,
    } = properties;
    // The translations, and the number of the one that the user chose among them.
    let chosen = use_state_eq(|| (None::<ByPointer<TranslationView>>, 0));
    let number = if chosen.0 == *output { chosen.1 } else { 0 };
    let found = output.as_ref().and_then(|it| it.search.as_ref());
    let translation = found.and_then(|it| it.translations.get(number));
    let length = translation.map_or(0, |it| it.tokens.len());
    let typed = match (pipeline, output) {
        (Pipeline::TextGeneration, Some(output)) => output.source.len(),
        _ => 0,
    };
    let playback = use_playback((output.clone(), number), length, typed + prefix);
    let matrix = use_memo(output.clone(), |output| {
        Some(Rc::new(Choice::default().matrix(output.as_ref()?)?))
    });
    let choose = {
        let (chosen, output) = (chosen.clone(), output.clone());
        Callback::from(move |number| chosen.set((output.clone(), number)))
    };
    let change = {
        let playback = playback.clone();
        Callback::from(move |next: Playback| playback.set(next))
    };
    let Languages { target: lang, .. } = use_languages();
    let now = playback.inside(length);
    let grown = now.grown >= length;
    let text = match (translation, output) {
        (Some(translation), _) if !grown => translation.tokens[..now.grown].join(" "),
        (Some(translation), _) => or_nothing(&translation.text).to_owned(),
        (None, Some(output)) => or_nothing(&output.text).to_owned(),
        (None, None) => "–".to_owned(),
    };
    // Attention was recorded for the best translation alone.
    let matrix: Option<Matrix> = (*matrix)
        .clone()
        .filter(|_| number == 0)
        .map(|matrix| (*matrix).clone());
    html! {
        <>
            // The element stays in the page, so that screen readers say what is written into it
            // later.
            <div class={classes!("answer", output.is_none().then_some("unseen"))}>
                <h3>{ "The model writes" }</h3>
                <p id="translation" class="tokens" dir="auto" translate="no" {lang} aria-live="polite" aria-busy={(!grown).to_string()}>{ text }</p>
                <p class="note">{ output.as_ref().map(|output| foreign::unknown(&output.unknown)) }</p>
            </div>
            if let (Some(translation), Some(found)) = (translation, found) {
                { best_list(found, number, &choose) }
                <Steps translation={translation.clone()} playback={now} {typed} {matrix} {change} go_on={go_on.clone()} />
                { tree(found, number) }
            }
        </>
    }
}
