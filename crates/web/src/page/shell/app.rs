//! The whole page: its state, its worker and keeper, and the intents that its components emit.

use crate::address::Address;
use crate::by_pointer::ByPointer;
use crate::link::worker_handle::WorkerHandle;
use crate::page::ask::asking::Asking;
use crate::page::ask::poems::{Poems, PoemsProperties};
use crate::page::ask::translate::Translate;
use crate::page::base::foreign::Languages;
use crate::page::base::format::count;
use crate::page::form::data::Data;
use crate::page::form::settings::{Draft, Measured, Pending, Room, Settings, apply};
use crate::page::lesson::{Offer, Own, Place, Region, use_desk, use_lesson, without_lessons};
use crate::page::run::controls::Controls;
use crate::page::run::devices::Devices;
use crate::page::run::follow::follow;
use crate::page::run::intent::Intent;
use crate::page::run::keeping::{self, use_keeping};
use crate::page::run::others::Others;
use crate::page::run::pressing::{Before, before, on_other_data};
use crate::page::run::run_title::RunTitle;
use crate::page::run::runs::{Runs, RunsProperties};
use crate::page::shell::location::query;
use crate::page::shell::messages::Messages;
use crate::page::shell::permalink::Share;
use crate::page::shell::theme::{self, ThemeButton};
use crate::page::shell::title::use_title;
use crate::page::shell::unread::{Asked, complaints};
use crate::page::shell::visits::{Visited, use_visits};
use crate::page::watch::beside::{Note, beside};
use crate::page::watch::curves::Curves;
use crate::page::watch::inspector::Seeing;
use crate::page::watch::status::status;
use crate::sentence::sentence;
use crate::state::end::End;
use crate::state::overlay::{self, Overlay};
use crate::state::{Action, Phase, State};
use gloo::events::EventListener;
use strata_session::protocol::Command;
use strata_tasks::TaskConfig;
use yew::prelude::*;

/// The page's root component.
#[component]
pub fn App() -> Html {
    let address = use_memo((), |_| {
        let mut address = Address::read(&query());
        let asked = match Place::read(&address.others) {
            Some(_) => Asked::Lesson,
            None => Asked::Whole,
        };
        let told = complaints(asked, &address.others);
        address.complaints.extend(told);
        address
    });
    let state = {
        let address = address.clone();
        use_reducer(move || State::new(&address, keeping::page_name()))
    };
    let (desk, lesson_revision) = use_desk();
    // Created once: the worker must outlive every drawing. Each action passes the lesson first,
    // which notices it; what the lesson does in turn comes after the state has changed.
    let worker = {
        let (dispatcher, desk) = (state.dispatcher(), desk.clone());
        use_memo((), move |_| {
            let told = desk.clone();
            let act = Callback::from(move |action| {
                let follows = desk.heard(&action);
                dispatcher.dispatch(action);
                desk.carry_out(follows);
            });
            WorkerHandle::new(act, move |command| told.sent(command))
        })
    };
    let keeper = use_keeping(&state, &worker, desk.is_open());
    use_lesson(&desk, &state);
    let draft = use_draft(&state);
    // While another experiment loads, the draft still belongs to the one before: nothing is
    // compared.
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
    // Writing an address is slow, so it is written when experiment or device change, not at every
    // drawing.
    let written = (state.applied.clone(), state.device);
    let own_query = use_memo(written, |(applied, device)| {
        Address::write(applied, *device, &[])
    });
    let own = Own {
        run: (state.step() > 0).then(|| state.keeping.id.clone()),
        query: (*own_query).clone(),
    };
    // Callbacks are created once and would keep the values of the first drawing, so the present run
    // lives in a cell that every drawing updates.
    let stands = use_mut_ref(|| own.clone());
    stands.replace(own.clone());
    let visited = {
        let (worker, keeper, dispatcher) = (worker.clone(), keeper.clone(), state.dispatcher());
        let (desk, stands) = (desk.clone(), stands.clone());
        use_callback((), move |visited: Visited, ()| {
            match Place::read(&visited.1.others) {
                Some(place) => desk.go(place, stands.borrow().clone()),
                None => {
                    desk.close();
                    keeping::take_up(&keeper, &worker, dispatcher.clone(), visited, false);
                }
            }
        })
    };
    let lesson_query = desk.place().map(|it| it.query());
    use_visits(
        &state,
        &without_lessons(&address.others),
        lesson_query,
        visited,
    );
    // On the first drawing only: begins with what the address asks for, a lesson or a run.
    {
        let (worker, keeper, address) = (worker.clone(), keeper.clone(), address.clone());
        let (dispatcher, desk) = (state.dispatcher(), desk.clone());
        use_effect_with((), move |_| {
            theme::restore();
            worker.choose(address.device);
            desk.equip((*worker).clone(), keeper.clone(), dispatcher.clone());
            match Place::read(&address.others) {
                Some(place) => desk.go(place, keeping::own(&keeper, &address)),
                None => keeping::begin(&keeper, &worker, dispatcher, &address),
            }
        });
    }
    {
        // The comparison may end in several ways (a removed run, another choice): in each the
        // worker must drop the model beside.
        let (worker, was_beside) = (worker.clone(), use_mut_ref(|| false));
        use_effect_with(state.beside.is_some(), move |is_beside| {
            if was_beside.replace(*is_beside) && !is_beside {
                worker.send(Command::Beside { checkpoint: None });
            }
        });
    }
    use_updates(&state.dispatcher());
    let dispatcher = state.dispatcher();
    // If the changed settings continue the run, Train follows them and not the offer at the run's
    // end.
    let end = End::of(&state).filter(|_| *pending != Pending::GoesOn);
    // Data that the present run lacks; while another run loads, its own data are not known yet.
    let lacks = state.lacks().filter(|_| state.phase != Phase::Loading);
    let lacks = lacks.map(|it| AttrValue::from(sentence(&it.reason)));
    // All values that an intent's consequences depend on: whenever one changes, the callback is a
    // new one.
    let pressed = (
        (state.watch.request.clone(), state.watch.is_on),
        (draft.clone(), pending.clone()),
        (state.applied.clone(), end, state.step().min(1)),
        lacks.clone(),
    );
    let act = {
        let (dispatcher, desk) = (dispatcher.clone(), desk.clone());
        use_callback(pressed, move |intent, (looked, changed, stands, lacks)| {
            let (look, watching) = looked;
            let ((draft, pending), (applied, end, step)) = (changed, stands);
            let follow = |intent: Intent| {
                let hands = (&*worker, Some(&keeper));
                follow(intent.clone(), hands, (look, *watching), &|action| {
                    dispatcher.dispatch(action)
                });
                desk.intended(&intent);
            };
            // Without its data a model can be looked at, but not trained: say why, and do nothing.
            if let Some(reason) = lacks
                && needs_data(&intent)
            {
                return dispatcher.dispatch(Action::Tell(reason.to_string()));
            }
            let trains = matches!(intent, Intent::TrainOn(_));
            // Train and Step apply changed settings first (`before`). All other intents are
            // followed at once.
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
    // Parameters of the address that do not name an experiment stay in links that are shared.
    let other_names = use_memo((), |_| ByPointer::new(without_lessons(&address.others)));
    let measured = state.speed.step_milliseconds().and_then(Measured::roughly);
    let compared = (
        state.experiment.clone(),
        state.earlier.clone(),
        state.keeping.compared.clone(),
        desk.is_open(),
    );
    let others = use_memo(compared, |(experiment, earlier, kept, is_lesson)| {
        // In a lesson, the lesson decides which runs are drawn beside the present one.
        let earlier = if *is_lesson { &[][..] } else { earlier };
        let mut others = overlay::named(experiment, earlier);
        others.extend(kept.iter().map(|run| Overlay {
            name: run.name.clone(),
            history: run.history.clone(),
        }));
        others
    });
    // The panel of settings names the run's step only if the run goes on with the changes.
    // Otherwise it need only know whether there is a run to lose, and is not drawn again with every
    // step.
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
    let is_known = match (&state.keeping.runs, &state.keeping.unavailable) {
        (Some(runs), _) => !runs.is_empty(),
        (None, unavailable) => unavailable.is_none(),
    };
    let begin_lesson = {
        let desk = desk.clone();
        Callback::from(move |name: String| desk.go(Place::of(&name, "en"), own.clone()))
    };
    let examples = state
        .ready
        .as_ref()
        .map_or(0, |ready| ready.validation_examples);
    let awaited = state.lacks().map_or(Vec::new(), |it| it.files.clone());
    let languages = Languages::of(&state.experiment.task);
    let titled = (state.keeping.name.clone(), state.applied.clone());
    let run_title = use_memo(titled, |(name, experiment)| {
        RunTitle::of(name.as_deref(), experiment)
    });
    let writes_poems = matches!(state.experiment.task, TaskConfig::Poems(_));
    let is_beside = |id: &str| state.keeping.compared.iter().any(|it| it.id == id);
    let offered = state.keeping.offered.iter().filter(|it| !is_beside(&it.id));
    let offered: Vec<(String, String)> =
        offered.map(|it| (it.id.clone(), it.name.clone())).collect();
    html! {
        <ContextProvider<Languages> context={languages}>
        <ContextProvider<RunTitle> context={(*run_title).clone()}>
            <a class="skip" href="#main">{ "Skip to the experiment" }</a>
            <header class="top">
                <div class="brand">
                    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
                        <path d="M3 10c5-5 8 3 13 0s8-4 13-1" /><path d="M3 17c5-5 8 3 13 0s8-4 13-1" /><path d="M3 24c5-5 8 3 13 0s8-4 13-1" />
                    </svg>
                    <h1>{ "Strata" }</h1>
                    <p>{ "Train attention in your browser, and see what it attends to." }</p>
                </div>
                if !desk.is_open() {
                    <Offer is_known={is_known} begin={begin_lesson} />
                }
                <ThemeButton />
            </header>
            <div class={classes!("around", desk.is_open().then_some("with-lesson"))}>
            <Region desk={desk.clone()} revision={lesson_revision} act={act.clone()} />
            <main id="main" tabindex="-1">
                <div class="panel console">
                    <Controls preset={state.preset} device={state.device} phase={state.phase} {end}
                        seed={state.experiment.seed} is_coming={state.ready.is_none()} lacks={lacks.clone()} act={act.clone()} />
                    { status(&state) }
                    <div class="console-foot">
                        { beside(&Note::of(&state, &pending), apply(&draft, &pending, state.step()), &act) }
                        <Share experiment={state.experiment.clone()} device={state.device} others={(*other_names).clone()} />
                    </div>
                </div>
                <div class="stage">
                    <Seeing sight={state.watch.update.clone()} look={state.watch.request.clone()} open={state.watch.is_on} {examples}
                        shares={state.watch.shares.clone()} past={state.watch.past.clone()} ready={state.ready.clone()} muted={state.muted.clone()}
                        without={state.without} validation={state.validation} others={Others::of(&state)} act={act.clone()} />
                    <Curves history={state.history.clone()} experiment={state.experiment.clone()} others={(*others).clone()}
                        offered={offered} act={act.clone()} />
                </div>
                if writes_poems {
                    <Poems ..PoemsProperties::of(&state, act.clone()) />
                } else if state.is_reader() {
                    <Asking ready={state.ready.clone()} asking={state.pipeline.question_answering.clone()} act={act.clone()} />
                } else {
                    <Translate ready={state.ready.clone()} translation={state.pipeline.translation.clone()} act={act.clone()} />
                }
                <Data experiment={state.experiment.clone()} {awaited} examined={state.examined.clone()}
                    examining={state.examining} complains={state.complains()} bring_poems={state.pipeline.poetry.bring_count} act={act.clone()} />
                <Settings draft={draft.clone()} pending={(*pending).clone()} {step} ready={state.ready.clone()} {measured}
                    {room} act={act.clone()} />
                <Runs ..RunsProperties::of(&state, act.clone()) />
                <Devices device={state.device} phase={state.phase} ready={state.ready.clone()}
                    experiment={state.experiment.clone()} {act} />
            </main>
            </div>
            <footer>
                <p>{ data(&state) }</p>
                <p>{ "Everything is computed and kept on this device; nothing is sent anywhere. " }<a href="./?lessons">{ "Lessons" }</a>{ " · " }<a href="./published.html">{ "Published figures" }</a></p>
            </footer>
            <Messages messages={state.messages.clone()} {put_away} />
        </ContextProvider<RunTitle>>
        </ContextProvider<Languages>>
    }
}

/// True if an intent trains the present run, which needs the data of that run.
fn needs_data(intent: &Intent) -> bool {
    matches!(
        intent,
        Intent::Train | Intent::Step | Intent::Reset | Intent::NewSeed | Intent::GoOn(_)
    )
}

/// Returns the draft of the settings. When another experiment is applied, a new draft begins.
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

/// Shows the user a message when `www/offline.js` has found a new version of the page.
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

/// Returns a sentence on the data: their sizes, and what was left out.
fn data(state: &State) -> String {
    let Some(ready) = &state.ready else {
        return "The data is being prepared.".to_owned();
    };
    if let Some(lacks) = &ready.lacks {
        return sentence(&lacks.reason);
    }
    let [source, target] = match state.is_reader() {
        true => ["words", "characters"],
        false => ["source", "target tokens"],
    };
    let told = format!(
        "{} examples to learn from, {} held out; {} {source} and {} {target} in the vocabularies.",
        count(ready.training_examples as u64),
        count(ready.validation_examples as u64),
        count(ready.source_vocabulary as u64),
        count(ready.target_vocabulary as u64),
    );
    let notes = ready.notes.iter().map(|note| sentence(note));
    let told: Vec<String> = std::iter::once(told).chain(notes).collect();
    told.join(" ")
}
