//! The whole page, and what its buttons do.

use crate::address::{Address, Device};
use crate::by_pointer::ByPointer;
use crate::end::End;
use crate::keeping::{Change, Keeper, Opening, RunCommand};
use crate::overlay::{self, Overlay};
use crate::page::beside::{Note, beside, focus};
use crate::page::controls::Controls;
use crate::page::curves::Curves;
use crate::page::data::Data;
use crate::page::devices::Devices;
use crate::page::foreign::Languages;
use crate::page::inspector::Seeing;
use crate::page::keeping::{self, go_on_from, use_keeping};
use crate::page::messages::Messages;
use crate::page::permalink::Share;
use crate::page::pressing::{Before, before, on_other_data};
use crate::page::query;
use crate::page::runs::{Runs, RunsProperties};
use crate::page::settings::{Draft, Measured, Pending, Room, Settings, apply};
use crate::page::status::status;
use crate::page::theme::{self, ThemeButton};
use crate::page::title::use_title;
use crate::page::translate::{Question, Translate};
use crate::page::visits::use_visits;
use crate::presets::Preset;
use crate::state::{Action, Phase, State};
use crate::texts::{Texts, WorkerRequest};
use crate::worker_handle::WorkerHandle;
use gloo::events::EventListener;
use std::rc::Rc;
use strata_session::protocol::{Command, Part, ViewRequest};
use strata_tasks::TaskConfig;
use strata_training::Experiment;
use yew::prelude::*;

/// Intent of a user.
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
    /// An experiment of one's own, from step 0.
    Apply(Box<Experiment>),
    /// The present experiment on other data, trained at once.
    TrainOn(Box<Experiment>),
    /// The same, from step 0 when it is wanted.
    Prepare(Box<Experiment>),
    /// The present run goes on as this experiment has it.
    GoOn(Box<Experiment>),
    /// Changed settings are given up.
    Discard,
    /// Another device.
    Device(Device),
    /// To look at something of a held-out example.
    ViewRequest(ViewRequest),
    /// To look at anything, or at nothing.
    Watching(bool),
    /// To take these parts of the model away, and no others.
    Mute(Vec<Part>),
    /// A sentence to translate.
    Translate(Box<Question>),
    /// Texts of one's own to be looked at, and where they are.
    Examine(Box<TaskConfig>, Texts),
    /// Something with the kept runs.
    RunCommand(RunCommand),
    /// A run's curves are no longer compared.
    Uncompare(String),
    /// The model as a file of this name.
    SaveFile(String),
    /// A model from a file: what to call it, and its bytes.
    LoadFile(String, Rc<[u8]>),
    /// A sentence for the user to read.
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
    let draft = use_draft(&state);
    // Not while another experiment is on its way, of which the draft is not yet.
    let compared = (
        draft.clone(),
        state.applied.clone(),
        state.phase == Phase::Loading,
    );
    let pending = use_memo(compared, |(draft, applied, is_loading)| match is_loading {
        true => Pending::Nothing,
        false => draft.pending(applied),
    });
    use_title(&state);
    let visited = {
        let (worker, keeper, dispatcher) = (worker.clone(), keeper.clone(), state.dispatcher());
        use_callback((), move |visited, ()| {
            keeping::take_up(&keeper, &worker, dispatcher.clone(), visited, false);
        })
    };
    use_visits(&state, &address.others, visited);
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
    // What is typed in the form decides what Train goes on as.
    let end = End::of(&state).filter(|_| *pending != Pending::GoesOn);
    let pressed = (
        (state.look.clone(), state.watching),
        (draft.clone(), pending.clone()),
        (state.applied.clone(), end, state.step().min(1)),
    );
    let act = {
        let dispatcher = dispatcher.clone();
        use_callback(pressed, move |intent, (looked, changed, stands)| {
            let (look, watching) = looked;
            let ((draft, pending), (applied, end, step)) = (changed, stands);
            let follow = |intent| {
                let hands = (&*worker, Some(&keeper));
                follow(intent, hands, (look, *watching), &|action| {
                    dispatcher.dispatch(action)
                });
            };
            let trains = matches!(intent, Intent::TrainOn(_));
            let takes_steps = match intent {
                Intent::Train => Command::Train,
                Intent::Step => Command::Step,
                Intent::Discard => return draft.set(Draft::new((**applied).clone())),
                Intent::TrainOn(asked) | Intent::Prepare(asked) => {
                    match on_other_data(asked, (draft, pending)) {
                        Ok(experiment) if trains => follow(Intent::TrainOn(experiment)),
                        Ok(experiment) => follow(Intent::Apply(experiment)),
                        Err(reason) => dispatcher.dispatch(Action::Tell(reason)),
                    }
                    return;
                }
                other => return follow(other),
            };
            match before((draft, pending), (applied, *end), *step) {
                Before::Nothing => follow(intent),
                Before::First(first) => {
                    follow(first);
                    worker.then(takes_steps);
                }
                Before::Refused(reason) => dispatcher.dispatch(Action::Tell(reason)),
            }
        })
    };
    let put_away = {
        let dispatcher = state.dispatcher();
        use_callback((), move |number, _| {
            dispatcher.dispatch(Action::PutAway(number));
        })
    };
    // What the address says of other things stays in it.
    let other_names = use_memo((), |_| ByPointer::new(address.others.clone()));
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
    let step = match *pending {
        Pending::GoesOn => state.step(),
        _ => state.step().min(1),
    };
    let storage = state.keeping.storage;
    let room = Room::of(
        state.keeping.unavailable.is_some(),
        storage.usage,
        storage.quota,
    );
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
                    <Controls preset={state.preset} device={state.device} phase={state.phase} {end}
                        seed={state.experiment.seed} is_coming={state.ready.is_none()} act={act.clone()} />
                    { beside(&Note::of(&state, &pending), apply(&draft, &pending, state.step()), &act) }
                    { status(&state) }
                    <Share experiment={state.experiment.clone()} device={state.device} others={(*other_names).clone()} />
                </div>
                <div class="stage">
                    <Curves history={state.history.clone()} experiment={state.experiment.clone()} others={(*others).clone()} />
                    <Seeing sight={state.watched.clone()} look={state.look.clone()} open={state.watching} {examples}
                        shares={state.shares.clone()} ready={state.ready.clone()} muted={state.muted.clone()}
                        without={state.without} validation={state.validation} act={act.clone()} />
                </div>
                <Translate ready={state.ready.clone()} translated={state.translated.clone()}
                    translating={state.translating} act={act.clone()} />
                <Data experiment={state.experiment.clone()} examined={state.examined.clone()}
                    examining={state.examining} act={act.clone()} />
                <Settings draft={draft.clone()} pending={(*pending).clone()} {step} ready={state.ready.clone()} {measured}
                    {room} act={act.clone()} />
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

/// The draft of the settings. Another experiment begins it anew.
#[hook]
fn use_draft(state: &State) -> UseStateHandle<Draft> {
    let draft = use_state_eq(|| Draft::new((*state.applied).clone()));
    let before = use_mut_ref(|| state.applied.clone());
    {
        let draft = draft.clone();
        use_effect_with(state.applied.clone(), move |applied| {
            let before = before.replace(applied.clone());
            draft.set(draft.onto(&before, applied));
        });
    }
    draft
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

/// Tells worker, keeper (where runs are kept) and state what a user wants, who looks at `look` if
/// `watching`.
pub(super) fn follow(
    intent: Intent,
    (worker, keeper): (&WorkerHandle, Option<&Keeper>),
    (look, watching): (&ViewRequest, bool),
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
        Intent::Apply(experiment) | Intent::Prepare(experiment) => {
            dispatch(Action::Load(None, experiment.clone()));
            load(worker, *experiment, looked);
        }
        Intent::TrainOn(experiment) => {
            dispatch(Action::Load(None, experiment.clone()));
            load(worker, *experiment, looked);
            worker.then(Command::Train);
            // Whoever asked for it may be far below the curves.
            focus("pause");
        }
        Intent::GoOn(experiment) => worker.go_on_as(*experiment),
        // The draft is the page's own.
        Intent::Discard => {}
        Intent::Device(device) => worker.choose(device),
        Intent::ViewRequest(look) => {
            dispatch(Action::ViewRequest(look.clone()));
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
        Intent::Mute(parts) => worker.send(Command::Mute { parts }),
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
            worker.send(WorkerRequest::giving(*task, texts));
        }
        Intent::RunCommand(wish) => {
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
pub(super) fn load(worker: &WorkerHandle, experiment: Experiment, look: Option<&ViewRequest>) {
    worker.send(Command::Load {
        experiment: Box::new(experiment),
    });
    let look = look.map(|look| ViewRequest {
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
    let notes = ready
        .notes
        .iter()
        .map(|note| crate::sentence::sentence(note));
    let told: Vec<String> = std::iter::once(sentence).chain(notes).collect();
    told.join(" ")
}
