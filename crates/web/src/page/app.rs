//! The whole page, and what its buttons do.

use crate::address::{Address, Device};
use crate::page::controls::Controls;
use crate::page::curves::Curves;
use crate::page::data::Data;
use crate::page::messages::Messages;
use crate::page::settings::Settings;
use crate::page::status::status;
use crate::page::theme::{self, ThemeButton};
use crate::page::translate::{Question, Translate};
use crate::page::watch::Watch;
use crate::presets::Preset;
use crate::state::{Action, State};
use crate::texts::{Letter, Source};
use crate::worker_handle::WorkerHandle;
use strata_session::protocol::Command;
use strata_tasks::{GivenText, TaskConfig};
use strata_training::Experiment;
use yew::prelude::*;

/// What a person can want.
#[derive(Clone, Debug)]
pub enum Intent {
    /// Train on.
    Train,
    /// Stop after this step.
    Pause,
    /// One step.
    Step,
    /// Back to step 0, with the same initial parameters.
    Reset,
    /// Back to step 0, with others.
    NewSeed,
    /// Another experiment.
    Preset(Preset),
    /// An experiment of one's own.
    Apply(Box<Experiment>),
    /// Another device.
    Device(Device),
    /// Another held-out example.
    Watch(usize),
    /// A sentence to translate.
    Translate(Box<Question>),
    /// Texts of one's own to be looked at, and where they are.
    Examine(Box<TaskConfig>, Vec<(String, Source)>),
    /// A sentence for the person to read.
    Tell(String),
}

/// The page.
#[component]
pub fn App() -> Html {
    let address = use_memo((), |_| {
        let search = web_sys::window().map(|window| window.location().search());
        Address::read(&search.and_then(Result::ok).unwrap_or_default())
    });
    let state = {
        let address = address.clone();
        use_reducer(move || State::new(&address))
    };
    let worker = {
        let dispatcher = state.dispatcher();
        use_memo((), move |_| {
            WorkerHandle::new(Callback::from(move |action| dispatcher.dispatch(action)))
        })
    };
    {
        let worker = worker.clone();
        use_effect_with((), move |_| {
            theme::restore();
            worker.choose(address.device);
            load(&worker, address.preset.experiment());
        });
    }
    let dispatcher = state.dispatcher();
    let act = use_callback((), move |intent, _| {
        follow(intent, &worker, &|action| dispatcher.dispatch(action));
    });
    let put_away = {
        let dispatcher = state.dispatcher();
        use_callback((), move |number, _| {
            dispatcher.dispatch(Action::PutAway(number));
        })
    };
    let examples = state
        .ready
        .as_ref()
        .map_or(0, |ready| ready.validation_examples);
    html! {
        <>
            <header class="top">
                <div class="brand">
                    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
                        <path d="M3 10c5-5 8 3 13 0s8-4 13-1" /><path d="M3 17c5-5 8 3 13 0s8-4 13-1" /><path d="M3 24c5-5 8 3 13 0s8-4 13-1" />
                    </svg>
                    <h1>{ "Strata" }</h1>
                    <p>{ "Train attention in your browser, and see what it attends to." }</p>
                </div>
                <ThemeButton />
            </header>
            <main>
                <div class="panel console">
                    <Controls preset={state.preset} device={state.device} phase={state.phase}
                        seed={state.experiment.seed} act={act.clone()} />
                    { status(&state) }
                </div>
                <div class="stage">
                    <Curves history={state.history.clone()} />
                    <Watch picture={state.watched.clone()} example={state.example} {examples} act={act.clone()} />
                </div>
                <Translate ready={state.ready.clone()} translated={state.translated.clone()}
                    translating={state.translating} act={act.clone()} />
                <Data experiment={state.experiment.clone()} examined={state.examined.clone()}
                    examining={state.examining} act={act.clone()} />
                <Settings experiment={state.experiment.clone()} {act} />
            </main>
            <footer>
                <p>{ data(&state) }</p>
                <p>{ "Everything is computed on this device; nothing is sent anywhere." }</p>
            </footer>
            <Messages messages={state.messages.clone()} {put_away} />
        </>
    }
}

/// Tells worker and state what a person wants.
fn follow(intent: Intent, worker: &WorkerHandle, dispatch: &dyn Fn(Action)) {
    match intent {
        Intent::Train => worker.send(Command::Train),
        Intent::Pause => worker.send(Command::Pause),
        Intent::Step => worker.send(Command::Step),
        Intent::Reset => worker.send(Command::Reset),
        Intent::NewSeed => worker.send(Command::NewSeed {
            // Short enough to be read and typed again.
            seed: (js_sys::Math::random() * 1e6) as u64,
        }),
        Intent::Preset(preset) => {
            let experiment = preset.experiment();
            dispatch(Action::Load(Some(preset), Box::new(experiment.clone())));
            load(worker, experiment);
        }
        Intent::Apply(experiment) => {
            dispatch(Action::Load(None, experiment.clone()));
            load(worker, *experiment);
        }
        Intent::Device(device) => worker.choose(device),
        Intent::Watch(example) => {
            dispatch(Action::Watch(example));
            worker.send(Command::Watch {
                example: Some(example),
            });
        }
        Intent::Translate(question) => {
            dispatch(Action::Translate);
            let Question {
                text,
                prefix,
                search,
            } = *question;
            worker.send(Command::Translate {
                text,
                prefix,
                search,
                details: true,
            });
        }
        Intent::Examine(task, texts) => {
            dispatch(Action::Examine);
            let (names, sources): (Vec<_>, _) = texts.into_iter().unzip();
            let texts = names.into_iter().map(|name| GivenText {
                name,
                bytes: Vec::new(),
            });
            let texts = texts.collect();
            worker.send(Letter {
                command: Command::Examine { task, texts },
                sources,
            });
        }
        Intent::Tell(text) => dispatch(Action::Tell(text)),
    }
}

fn load(worker: &WorkerHandle, experiment: Experiment) {
    worker.send(Command::Load {
        experiment: Box::new(experiment),
    });
    worker.send(Command::Watch { example: Some(0) });
}

/// The data in a sentence, with what was dropped from it.
fn data(state: &State) -> String {
    use crate::page::format::count;
    let Some(ready) = &state.ready else {
        return "The data is being prepared.".to_owned();
    };
    let sentence = format!(
        "{} examples to learn from, {} held out; {} source and {} target tokens in the vocabularies.",
        count(ready.training_examples as u64),
        count(ready.validation_examples as u64),
        count(ready.source_vocabulary as u64),
        count(ready.target_vocabulary as u64),
    );
    let notes = ready.notes.iter().map(String::as_str);
    std::iter::once(sentence.as_str())
        .chain(notes)
        .collect::<Vec<_>>()
        .join(" ")
}
