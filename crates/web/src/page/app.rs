//! The whole page, and what its buttons do.

use crate::address::{Address, Device};
use crate::keeping::{Change, Keeper, Opening, Wish};
use crate::overlay::{self, Overlay};
use crate::page::controls::Controls;
use crate::page::curves::Curves;
use crate::page::data::Data;
use crate::page::devices::Devices;
use crate::page::foreign::Languages;
use crate::page::keeping::{self, go_on_from, use_keeping};
use crate::page::messages::Messages;
use crate::page::query;
use crate::page::runs::{Runs, RunsProperties};
use crate::page::seeing::Seeing;
use crate::page::settings::{Measured, Settings};
use crate::page::share::Share;
use crate::page::status::status;
use crate::page::theme::{self, ThemeButton};
use crate::page::translate::{Question, Translate};
use crate::presets::Preset;
use crate::shared::Shared;
use crate::state::{Action, State};
use crate::texts::{Letter, Texts};
use crate::worker_handle::WorkerHandle;
use gloo::events::EventListener;
use std::rc::Rc;
use strata_session::protocol::{Command, Look};
use strata_tasks::TaskConfig;
use strata_training::Experiment;
use yew::prelude::*;

/// What a person can want.
///
/// Everything that can be done in the page is one of these, and whatever follows is an [`Action`] on
/// the page's [`State`]: a guided lesson sets the page up by giving intents to `follow`, and watches
/// for what is done in the actions that it hands on.
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
    /// To look at something of a held-out example.
    Look(Look),
    /// To look at anything, or at nothing.
    Watching(bool),
    /// A sentence to translate.
    Translate(Box<Question>),
    /// Texts of one's own to be looked at, and where they are.
    Examine(Box<TaskConfig>, Texts),
    /// Something with the kept runs.
    Wish(Wish),
    /// A run's curves are no longer compared.
    Uncompare(String),
    /// The model as a file of this name.
    SaveFile(String),
    /// A model from a file: what to call it, and its bytes.
    LoadFile(String, Rc<[u8]>),
    /// A sentence for the person to read.
    Tell(String),
}

/// The page.
#[component]
pub fn App() -> Html {
    let address = use_memo((), |_| Address::read(&query()));
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
        let (worker, keeper, address) = (worker.clone(), keeper.clone(), address.clone());
        let dispatcher = state.dispatcher();
        use_effect_with((), move |_| {
            theme::restore();
            worker.choose(address.device);
            keeping::begin(&keeper, &worker, dispatcher, &address);
        });
    }
    use_updates(&state.dispatcher());
    let dispatcher = state.dispatcher();
    let looked = (state.look.clone(), state.watching);
    let act = use_callback(looked, move |intent, (look, watching)| {
        let hands = (&*worker, Some(&keeper));
        follow(intent, hands, (look, *watching), &|action| {
            dispatcher.dispatch(action);
        });
    });
    let put_away = {
        let dispatcher = state.dispatcher();
        use_callback((), move |number, _| {
            dispatcher.dispatch(Action::PutAway(number));
        })
    };
    // What the address says of other things stays in it.
    let beside = use_memo((), |_| Shared::new(address.others.clone()));
    let measured = state.speed.step_milliseconds().and_then(Measured::roughly);
    let compared = (
        state.experiment.clone(),
        state.earlier.clone(),
        state.keeping.compared.clone(),
    );
    let others = use_memo(compared, |(experiment, earlier, kept)| {
        let mut others = overlay::named(experiment, earlier);
        others.extend(kept.iter().map(|run| Overlay {
            name: run.name.clone(),
            history: run.history.clone(),
        }));
        others
    });
    let examples = state
        .ready
        .as_ref()
        .map_or(0, |ready| ready.validation_examples);
    let languages = Languages::of(&state.experiment.task);
    html! {
        <ContextProvider<Languages> context={languages}>
            <a class="skip" href="#main">{ "Skip to the experiment" }</a>
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
            <main id="main" tabindex="-1">
                <div class="panel console">
                    <Controls preset={state.preset} device={state.device} phase={state.phase}
                        seed={state.experiment.seed} is_coming={state.ready.is_none()} act={act.clone()} />
                    { status(&state) }
                    <Share experiment={state.experiment.clone()} device={state.device} others={(*beside).clone()} />
                </div>
                <div class="stage">
                    <Curves history={state.history.clone()} experiment={state.experiment.clone()} others={(*others).clone()} />
                    <Seeing sight={state.watched.clone()} look={state.look.clone()} open={state.watching} {examples}
                        shares={state.shares.clone()} act={act.clone()} />
                </div>
                <Translate ready={state.ready.clone()} translated={state.translated.clone()}
                    translating={state.translating} act={act.clone()} />
                <Data experiment={state.experiment.clone()} examined={state.examined.clone()}
                    examining={state.examining} act={act.clone()} />
                <Settings experiment={state.experiment.clone()} ready={state.ready.clone()} {measured} act={act.clone()} />
                <Runs ..RunsProperties::of(&state, act.clone()) />
                <Devices device={state.device} phase={state.phase} ready={state.ready.clone()}
                    experiment={state.experiment.clone()} {act} />
            </main>
            <footer>
                <p>{ data(&state) }</p>
                <p>{ "Everything is computed and kept on this device; nothing is sent anywhere." }</p>
            </footer>
            <Messages messages={state.messages.clone()} {put_away} />
        </ContextProvider<Languages>>
    }
}

/// `www/offline.js` says when a new version waits.
#[hook]
fn use_updates(dispatcher: &UseReducerDispatcher<State>) {
    let dispatcher = dispatcher.clone();
    use_effect_with((), move |()| {
        let window = web_sys::window();
        let listener = window.map(|window| {
            EventListener::new(&window, "strata-update", move |_| {
                dispatcher.dispatch(Action::Tell(
                    "There is a new version of Strata: close its other windows and reload this one."
                        .to_owned(),
                ));
            })
        });
        move || drop(listener)
    });
}

/// Tells worker, keeper (where runs are kept) and state what a person wants, who looks at `look` if
/// `watching`.
pub(super) fn follow(
    intent: Intent,
    (worker, keeper): (&WorkerHandle, Option<&Keeper>),
    (look, watching): (&Look, bool),
    dispatch: &dyn Fn(Action),
) {
    let looked = watching.then_some(look);
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
            load(worker, experiment, looked);
        }
        Intent::Apply(experiment) => {
            dispatch(Action::Load(None, experiment.clone()));
            load(worker, *experiment, looked);
        }
        Intent::Device(device) => worker.choose(device),
        Intent::Look(look) => {
            dispatch(Action::Look(look.clone()));
            worker.send(Command::Watch { look: Some(look) });
        }
        Intent::Watching(false) => {
            dispatch(Action::Watching(false));
            worker.send(Command::Watch { look: None });
        }
        Intent::Watching(true) => {
            dispatch(Action::Watching(true));
            worker.send(Command::Watch {
                look: Some(look.clone()),
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
            worker.send(Letter::giving(*task, texts));
        }
        Intent::Wish(wish) => {
            if let Some(keeper) = keeper {
                keeper.wish(wish);
            }
        }
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

/// Prepares another experiment, and looks at its first held-out example as at the last one.
pub(super) fn load(worker: &WorkerHandle, experiment: Experiment, look: Option<&Look>) {
    worker.send(Command::Load {
        experiment: Box::new(experiment),
    });
    let look = look.map(|look| Look {
        example: 0,
        ..look.clone()
    });
    worker.send(Command::Watch { look });
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
