//! The whole page, and what its buttons do.

use crate::address::{Address, Device};
use crate::keeping::{Change, Keeper, Opening, Wish};
use crate::page::controls::Controls;
use crate::page::curves::Curves;
use crate::page::devices::Devices;
use crate::page::keeping::{self, go_on_from, use_keeping};
use crate::page::messages::Messages;
use crate::page::runs::{Runs, RunsProperties};
use crate::page::settings::Settings;
use crate::page::status::status;
use crate::page::theme::{self, ThemeButton};
use crate::page::translate::Translate;
use crate::page::watch::Watch;
use crate::presets::Preset;
use crate::state::{Action, State};
use crate::worker_handle::WorkerHandle;
use std::rc::Rc;
use strata_session::protocol::Command;
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
    Translate(String),
    /// Something with the kept runs.
    Wish(Wish),
    /// A run's curves are no longer compared.
    Uncompare(String),
    /// The model as a file of this name.
    SaveFile(String),
    /// A model from a file: what to call it, and its bytes.
    LoadFile(String, Rc<[u8]>),
    /// A sentence for the person.
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
        use_reducer(move || State::new(&address, keeping::page_name()))
    };
    let worker = {
        let dispatcher = state.dispatcher();
        use_memo((), move |_| {
            WorkerHandle::new(Callback::from(move |action| dispatcher.dispatch(action)))
        })
    };
    let keeper = use_keeping(&state, &worker);
    {
        let (worker, keeper) = (worker.clone(), keeper.clone());
        use_effect_with((), move |_| {
            theme::restore();
            worker.choose(address.device);
            let experiment = address.preset.experiment();
            keeping::begin(&keeper, &worker, experiment, address.is_asked_for);
        });
    }
    let dispatcher = state.dispatcher();
    let act = use_callback((), move |intent, _| {
        follow(intent, &worker, &keeper, &|action| {
            dispatcher.dispatch(action)
        });
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
                <Settings experiment={state.experiment.clone()} act={act.clone()} />
                <Runs ..RunsProperties::of(&state, act.clone()) />
                <Devices device={state.device} phase={state.phase} ready={state.ready.clone()}
                    experiment={state.experiment.clone()} {act} />
            </main>
            <footer>
                <p>{ data(&state) }</p>
                <p>{ "Everything is computed and kept on this device; nothing is sent anywhere." }</p>
            </footer>
            <Messages messages={state.messages.clone()} {put_away} />
        </>
    }
}

/// Tells worker and state what a person wants.
fn follow(intent: Intent, worker: &WorkerHandle, keeper: &Keeper, dispatch: &dyn Fn(Action)) {
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
        Intent::Translate(text) => {
            dispatch(Action::Translate);
            worker.send(Command::Translate {
                text,
                search: Default::default(),
                details: false,
            });
        }
        Intent::Wish(wish) => keeper.wish(wish),
        Intent::Uncompare(id) => {
            dispatch(Action::Keeping(Box::new(Change::Uncompare(id))));
        }
        Intent::SaveFile(name) => {
            if !worker.save_to_file(name) {
                dispatch(Action::Tell(
                    "There is no model to save yet: wait until it is prepared.".to_owned(),
                ));
            }
        }
        Intent::LoadFile(name, checkpoint) => {
            dispatch(Action::Open(Box::new(Opening {
                name: Some(name),
                ..Opening::default()
            })));
            go_on_from(worker, checkpoint.to_vec());
        }
        Intent::Tell(text) => dispatch(Action::Tell(text)),
    }
}

/// Begins this experiment.
pub fn load(worker: &WorkerHandle, experiment: Experiment) {
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
