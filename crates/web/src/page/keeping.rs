//! What keeps the page's run: it is written when a checkpoint comes, asked for once more before the
//! page ends, and taken up again when the page is back.

use crate::address::Address;
use crate::keeping::{Keeper, Opening, StoreError, Stored, Wish, pointer};
use crate::page::app::load;
use crate::presets::Preset;
use crate::shared::Shared;
use crate::state::{Action, Phase, State};
use crate::texts::Letter;
use crate::worker_handle::WorkerHandle;
use gloo::events::EventListener;
use strata_session::protocol::{Command, Look};
use web_sys::VisibilityState;
use yew::prelude::*;

/// Tells this page from all others that are ever opened, for the names of its runs.
pub fn page_name() -> String {
    let now = js_sys::Date::now() as u64;
    let random = (js_sys::Math::random() * 1e9) as u64;
    format!("{now:x}-{random:x}")
}

/// The keeper, which is told of every checkpoint, and of the page's end and return.
#[hook]
pub fn use_keeping(state: &UseReducerHandle<State>, worker: &WorkerHandle) -> Keeper {
    let keeper = {
        let (dispatcher, worker) = (state.dispatcher(), worker.clone());
        use_memo((), move |()| {
            let act = {
                let dispatcher = dispatcher.clone();
                Callback::from(move |action| dispatcher.dispatch(action))
            };
            let opened = Callback::from(move |(opening, stored): (Opening, Stored)| {
                let (is_incomplete, task) = (stored.lacks_texts(), stored.run.experiment.task);
                if is_incomplete && !worker.has_texts_of(&task) {
                    dispatcher.dispatch(Action::Tell(StoreError::WithoutTexts.sentence()));
                    return;
                }
                dispatcher.dispatch(Action::Open(Box::new(opening)));
                if !stored.texts.is_empty() {
                    worker.send(Letter::giving(task, stored.texts));
                }
                go_on_from(&worker, stored.checkpoint);
            });
            Keeper::new(act, opened)
        })
    };
    {
        let keeper = keeper.clone();
        use_effect_with(
            state.keeping.snapshot.clone(),
            move |snapshot: &Option<Shared<_>>| {
                if let Some(snapshot) = snapshot {
                    keeper.wish(Wish::Keep(snapshot.clone()));
                }
            },
        );
    }
    let present = (
        state.keeping.id.clone(),
        state.keeping.is_kept,
        state.ready.is_some(),
    );
    use_effect_with(present, |(id, is_kept, is_ready)| {
        if *is_kept {
            pointer::set(id);
        } else if *is_ready {
            pointer::clear();
        }
    });
    let has_nothing = state.ready.is_none() && matches!(state.phase, Phase::Active(_));
    {
        let (dispatcher, worker) = (state.dispatcher(), worker.clone());
        use_effect_with(has_nothing, move |has_nothing| {
            if *has_nothing {
                // What the page should have begun with was refused.
                let preset = Preset::DEFAULT;
                let experiment = preset.experiment();
                dispatcher.dispatch(Action::Load(Some(preset), Box::new(experiment.clone())));
                load(&worker, experiment, Some(&Look::default()));
            }
        });
    }
    {
        let (keeper, worker) = (keeper.clone(), worker.clone());
        use_effect_with((), move |()| {
            let listeners = listen(&keeper, &worker);
            move || drop(listeners)
        });
    }
    (*keeper).clone()
}

/// Hears of the page's end, as far as browsers tell of it, and of its return.
fn listen(keeper: &Keeper, worker: &WorkerHandle) -> Option<[EventListener; 2]> {
    let window = web_sys::window()?;
    let document = window.document()?;
    let (returned, hidden, left) = (keeper.clone(), worker.clone(), worker.clone());
    let visible = document.clone();
    Some([
        EventListener::new(&document, "visibilitychange", move |_| {
            if visible.visibility_state() == VisibilityState::Visible {
                // Another tab may have changed what is there.
                returned.wish(Wish::List);
            } else {
                hidden.save_what_could_be_lost();
            }
        }),
        EventListener::new(&window, "pagehide", move |_| {
            left.save_what_could_be_lost();
        }),
    ])
}

/// Goes on with the run of before, unless the address asks for another experiment than its own;
/// else begins with what it asks for, as far as a page can.
pub fn begin(
    keeper: &Keeper,
    worker: &WorkerHandle,
    dispatcher: UseReducerDispatcher<State>,
    address: &Address,
) {
    let asked = address.experiment.clone();
    let is_asked_for = asked != Preset::DEFAULT.experiment();
    let otherwise = {
        let (worker, mut address) = (worker.clone(), address.clone());
        move |lacks: Option<StoreError>| {
            let told = address.complaints.len();
            address.without_files();
            let (preset, experiment) = (address.preset, address.experiment);
            let complaint = address.complaints.into_iter().nth(told);
            if complaint.is_some() {
                let begun = Box::new(experiment.clone());
                dispatcher.dispatch(Action::Load(Some(preset), begun));
            }
            let lacks = lacks.as_ref().map(StoreError::sentence);
            if let Some(reason) = lacks.or(complaint) {
                dispatcher.dispatch(Action::Tell(reason));
            }
            load(&worker, experiment, Some(&Look::default()));
        }
    };
    match pointer::read() {
        Some(id) => keeper.begin(
            id,
            move |run| !is_asked_for || run.experiment == asked,
            otherwise,
        ),
        None => otherwise(None),
    }
    keeper.wish(Wish::List);
}

/// Has a worker go on from a checkpoint.
pub fn go_on_from(worker: &WorkerHandle, checkpoint: Vec<u8>) {
    let is_first = !worker.has_run();
    worker.send(Command::Restore { checkpoint });
    if is_first {
        // Later runs are looked at as those before.
        let look = Some(Look::default());
        worker.send(Command::Watch { look });
    }
}
