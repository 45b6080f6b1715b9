//! Saving of the page's run: stores each checkpoint, asks for a last one before the page ends, and
//! continues the run when the page is back.

use crate::address::Address;
use crate::by_pointer::ByPointer;
use crate::keeping::{Keeper, OpenedRun, RunCommand, StoreError, pointer};
use crate::link::worker_handle::WorkerHandle;
use crate::page::lesson::OwnRun;
use crate::page::run::follow::{PageHandles, go_on_from, load};
use crate::page::shell::visits::{Visited, run_to_return_to};
use crate::presets::Preset;
use crate::state::{Action, FIRST_VIEW, Left, Phase, State};
use crate::texts::WorkerRequest;
use gloo::events::EventListener;
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;
use web_sys::VisibilityState;
use yew::prelude::*;

/// Returns a prefix for the names of this page's runs, which no other page has.
pub fn page_name() -> String {
    let now = js_sys::Date::now() as u64;
    let random = (js_sys::Math::random() * 1e9) as u64;
    format!("{now:x}-{random:x}")
}

/// Returns the keeper, which stores every checkpoint of the state, and saves the run when the page
/// ends. Runs of a lesson (`is_lesson`) are stored like others, but a bare address never leads to
/// one.
#[hook]
pub fn use_keeping(
    state: &UseReducerHandle<State>,
    worker: &WorkerHandle,
    is_lesson: bool,
) -> Keeper {
    // Callbacks are created once, so the run lives in a cell that every drawing updates.
    let present_run = use_mut_ref(PresentRun::default);
    *present_run.borrow_mut() = PresentRun {
        id: state.keeping.id.clone(),
        step: state.step(),
        preparation: state.preparations,
        unsaved: unsaved(state),
    };
    let keeper = use_keeper(state, worker, &present_run);
    {
        let keeper = keeper.clone();
        use_effect_with(
            state.keeping.snapshot.clone(),
            move |snapshot: &Option<ByPointer<_>>| {
                if let Some(snapshot) = snapshot {
                    keeper.run(RunCommand::Keep(snapshot.clone()));
                }
            },
        );
    }
    let of_lessons = use_mut_ref(HashSet::<String>::new);
    if is_lesson {
        of_lessons.borrow_mut().insert(state.keeping.id.clone());
    }
    let present = (state.keeping.id.clone(), state.keeping.is_kept);
    use_effect_with(present, move |(id, is_kept)| {
        if *is_kept && !of_lessons.borrow().contains(id) {
            pointer::set(id);
        }
    });
    use_default_run(state, worker, is_lesson);
    {
        let (keeper, worker) = (keeper.clone(), worker.clone());
        use_effect_with((), move |()| {
            let listeners = listen(&keeper, &worker, present_run);
            move || drop(listeners)
        });
    }
    keeper
}

/// Returns the keeper, which opens kept runs in the worker.
#[hook]
fn use_keeper(
    state: &UseReducerHandle<State>,
    worker: &WorkerHandle,
    present_run: &Rc<RefCell<PresentRun>>,
) -> Keeper {
    let keeper = {
        let (dispatcher, worker) = (state.dispatcher(), worker.clone());
        let present_run = present_run.clone();
        use_memo((), move |()| {
            let act = {
                let dispatcher = dispatcher.clone();
                Callback::from(move |action| dispatcher.dispatch(action))
            };
            let opened = Callback::from(move |opened: OpenedRun| {
                let OpenedRun {
                    opening,
                    stored,
                    checkpoint,
                    unsaved,
                    is_late,
                } = opened;
                if is_late && !present_run.borrow().is_untouched() {
                    return;
                }
                let (is_incomplete, task) = (stored.lacks_texts(), stored.run.experiment.task);
                if is_incomplete && !worker.has_texts_of(&task) {
                    dispatcher.dispatch(Action::Tell(StoreError::WithoutTexts.sentence()));
                    return;
                }
                dispatcher.dispatch(Action::Open(Box::new(opening)));
                if !stored.texts.is_empty() {
                    worker.send(WorkerRequest::giving(task, stored.texts));
                }
                go_on_from(&worker, checkpoint);
                if let Some(experiment) = unsaved {
                    worker.go_on_as(experiment);
                }
            });
            Keeper::new(act, opened)
        })
    };
    (*keeper).clone()
}

/// Begins with the default preset if the run that the page began with was refused.
#[hook]
fn use_default_run(state: &UseReducerHandle<State>, worker: &WorkerHandle, is_lesson: bool) {
    let has_nothing =
        state.ready.is_none() && matches!(state.phase, Phase::Active(_)) && !is_lesson;
    {
        let (dispatcher, worker) = (state.dispatcher(), worker.clone());
        use_effect_with(has_nothing, move |has_nothing| {
            if *has_nothing {
                let preset = Preset::DEFAULT;
                let experiment = preset.experiment();
                dispatcher.dispatch(Action::Load(Some(preset), Box::new(experiment.clone())));
                load(&worker, experiment, Some(FIRST_VIEW));
            }
        });
    }
}

/// The run of the page.
#[derive(Default)]
struct PresentRun {
    id: String,
    /// Number of steps that the run has taken.
    step: u64,
    /// Number of runs that the page has prepared, this one included.
    preparation: u64,
    /// Address of the run's settings; empty if the stored run has the same settings, or if the run
    /// is not stored.
    unsaved: String,
}

/// Returns the address of the present run's settings if the stored run has others: a user may leave
/// the page before the browser has stored what was just applied.
fn unsaved(state: &State) -> String {
    let mut kept = state.keeping.runs.iter().flat_map(|runs| runs.iter());
    let present = kept.find(|run| run.id == state.keeping.id);
    match present.filter(|run| run.experiment != *state.applied) {
        Some(_) => Address::write(&state.applied, state.device, &[]),
        None => String::new(),
    }
}

impl PresentRun {
    /// True if the run is the one with which the page began, and has not been trained.
    fn is_untouched(&self) -> bool {
        self.step == 0 && self.preparation <= 1
    }
}

/// Listens to the end of the page, as far as browsers report the end, and to the page's return.
fn listen(
    keeper: &Keeper,
    worker: &WorkerHandle,
    present_run: Rc<RefCell<PresentRun>>,
) -> Option<[EventListener; 3]> {
    let window = web_sys::window()?;
    let document = window.document()?;
    let (returned, visible) = (keeper.clone(), document.clone());
    let leave = {
        let worker = worker.clone();
        move || {
            let PresentRun {
                id, step, unsaved, ..
            } = &*present_run.borrow();
            let at = js_sys::Date::now();
            pointer::leave(id, Left { step: *step, at }, unsaved);
            worker.save_what_could_be_lost();
        }
    };
    let (hidden, left) = (leave.clone(), leave.clone());
    Some([
        EventListener::new(&document, "visibilitychange", move |_| {
            if visible.visibility_state() == VisibilityState::Visible {
                // Another tab may have changed the kept runs while this one was hidden.
                returned.run(RunCommand::List);
            } else {
                hidden();
            }
        }),
        // Until the next page has loaded, the worker still answers.
        EventListener::new(&window, "beforeunload", move |_| leave()),
        EventListener::new(&window, "pagehide", move |_| left()),
    ])
}

/// Continues a run if a reload or Back asks for it, or if the address names no experiment;
/// otherwise begins with the experiment of the address, as far as the page has its data.
pub fn begin(handles: &PageHandles, address: &Address) {
    let last = || pointer::read().filter(|_| !address.names_experiment);
    let run = run_to_return_to().or_else(last);
    if run.is_none() {
        // With a run, the keeper lists the kept runs once the run is found.
        list(handles);
    }
    let address = address.clone();
    take_up(handles, Visited { run, address }, true);
}

/// Returns the run that comes back when the lesson with which the page begins is left: the last
/// run.
pub fn last_run(handles: &PageHandles, address: &Address) -> OwnRun {
    list(handles);
    OwnRun {
        id: pointer::read(),
        query: Address::write(&address.experiment, address.device, &[]),
    }
}

/// Has the keeper list the kept runs.
fn list(handles: &PageHandles) {
    if let Some(keeper) = &handles.keeper {
        keeper.run(RunCommand::List);
    }
}

/// Continues a run or, if it cannot be continued, begins with the experiment of the address.
/// `begins` is true while the page loads; the complaints about its address are then shown already.
pub fn take_up(handles: &PageHandles, visited: Visited, begins: bool) {
    let Visited { run, address } = visited;
    let otherwise = {
        let handles = handles.clone();
        Callback::from(move |lacks: Option<StoreError>| {
            let mut address = address.clone();
            let shown = address.complaints.len();
            address.without_files();
            let complaint = address.complaints.into_iter().nth(shown);
            let experiment = address.experiment;
            if !begins || complaint.is_some() {
                let begun = Box::new(experiment.clone());
                handles.dispatch(Action::Load(Some(address.preset), begun));
            }
            let lacks = lacks.as_ref().map(StoreError::sentence);
            if let Some(reason) = lacks.or(complaint) {
                handles.dispatch(Action::Tell(reason));
            }
            load(&handles.worker, experiment, Some(FIRST_VIEW));
        })
    };
    match run.zip(handles.keeper.as_ref()) {
        Some((id, keeper)) => keeper.run(RunCommand::Return {
            id,
            begins,
            otherwise,
        }),
        None => otherwise.emit(None),
    }
}
