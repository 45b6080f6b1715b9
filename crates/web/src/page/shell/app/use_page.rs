//! Connects worker, kept runs, lesson, address and draft with the page's state.

use super::act::{Situation, use_act};
use crate::address::Address;
use crate::by_pointer::ByPointer;
use crate::language::{self, use_language};
use crate::link::worker_handle::WorkerHandle;
use crate::page::form::settings::{Draft, Pending};
use crate::page::lesson::{
    LessonAddress, LessonController, OwnRun, use_lesson_controller, use_lesson_events,
    without_lessons,
};
use crate::page::run::follow::{PageHandles, PresentView};
use crate::page::run::intent::Intent;
use crate::page::run::keeping::{self, use_keeping};
use crate::page::shell::location::query;
use crate::page::shell::place::{Place, without_place};
use crate::page::shell::theme;
use crate::page::shell::title::use_title;
use crate::page::shell::unread::{RequestedPage, complaints};
use crate::page::shell::visits::{Visited, use_visits};
use crate::sentence::sentence;
use crate::state::end::End;
use crate::state::{Action, FIRST_VIEW, Phase, State};
use gloo::events::EventListener;
use std::cell::RefCell;
use std::rc::Rc;
use strata_session::protocol::{Command, Request, TranslateRequest};
use strata_tasks::Pipeline;
use yew::prelude::*;

/// State that the page's components show, and the handles by which components act.
pub struct Page {
    /// State of the page.
    pub state: UseReducerHandle<State>,
    /// The lesson, if there is one.
    pub lesson: LessonController,
    /// Number that grows whenever the lesson changes.
    pub lesson_revision: u64,
    /// Draft of the settings.
    pub draft: UseStateHandle<Draft>,
    /// Effect of applying the draft.
    pub pending: Rc<Pending>,
    /// End of the run, if it has ended and Train does not follow changed settings instead.
    pub end: Option<End>,
    /// Reason why the model cannot be trained, if the page lacks the model's data.
    pub lacks: Option<AttrValue>,
    /// Parameters of the address that name no experiment; links that are shared keep these.
    pub other_names: Rc<ByPointer<Vec<(String, String)>>>,
    /// Called when a user acts.
    pub act: Callback<Intent>,
    /// Called with the number of a message that the user closes.
    pub put_away: Callback<u64>,
    /// Called with the name of a lesson that the user begins.
    pub begin_lesson: Callback<String>,
}

/// Returns the page. Effects run in the order in which the hooks are called here.
#[hook]
pub fn use_page() -> Page {
    let address = use_address();
    let state = {
        let address = address.clone();
        use_reducer(move || State::new(&address, keeping::page_name()))
    };
    let (lesson, lesson_revision) = use_lesson_controller();
    let handles = use_handles(&state, &lesson);
    use_lesson_events(&lesson, &state);
    let language = use_language();
    {
        let lesson = lesson.clone();
        use_effect_with(language, move |language| lesson.speak(language));
    }
    let draft = use_draft(&state);
    let pending = use_pending(&state, &draft);
    use_title(&state);
    let own_run = use_own_run(&state);
    use_history(&state, &address, &handles, &lesson, &own_run);
    use_beginning(&address, &handles, &lesson);
    use_end_of_comparison(&state, &handles);
    use_updates(&handles);
    // If the changed settings continue the run, Train follows the settings and not the offer at the
    // run's end.
    let end = End::of(&state).filter(|_| *pending != Pending::GoesOn);
    // Data that the present run lacks; while another run loads, its own data are not known yet.
    let lacks = state.lacks().filter(|_| state.phase != Phase::Loading);
    let lacks = lacks.map(|lacks| AttrValue::from(sentence(&lacks.reason)));
    let situation = Situation {
        view: PresentView {
            request: state.watch.request.clone(),
            is_watched: state.watch.is_on,
            experiment: Some(state.experiment.clone()),
        },
        draft: draft.clone(),
        pending: pending.clone(),
        applied: state.applied.clone(),
        end,
        step: state.step().min(1),
        lacks: lacks.clone(),
    };
    let act = use_act(situation, &handles, &lesson);
    use_place(&address, &state, &act);
    let begin_lesson = {
        let lesson = lesson.clone();
        use_callback((), move |name: String, ()| {
            let own_run = own_run.borrow().clone();
            lesson.open_at(LessonAddress::of(&name, language::present()), own_run);
        })
    };
    Page {
        lesson,
        lesson_revision,
        draft,
        pending,
        end,
        lacks,
        other_names: use_memo((), |()| ByPointer::new(others(&address))),
        act,
        put_away: use_callback((), move |number, ()| {
            handles.dispatch(Action::PutAway(number));
        }),
        begin_lesson,
        state,
    }
}

/// Returns the parameters of an address that name neither a lesson nor a place.
fn others(address: &Address) -> Vec<(String, String)> {
    without_place(without_lessons(&address.others))
}

/// Goes to the place of the address once the first run is prepared; or requests again the view of a
/// tab that was pressed before, since the load of the run has replaced that request by its own.
#[hook]
fn use_place(address: &Rc<Address>, state: &State, act: &Callback<Intent>) {
    let (address, act) = (address.clone(), act.clone());
    let pipeline = state.applied.task.pipeline();
    let pressed = state.watch.request.clone();
    use_effect_with(state.ready.is_some(), move |is_ready| {
        if !is_ready || LessonAddress::read(&address.others).is_some() {
            return;
        }
        let place = Place::read(&address.others);
        let request = if pressed == FIRST_VIEW {
            place.request
        } else {
            pressed
        };
        if request != FIRST_VIEW {
            act.emit(Intent::ViewRequest(request));
        }
        let takes_text = matches!(pipeline, Pipeline::Translation | Pipeline::TextGeneration);
        if takes_text && !place.text.is_empty() {
            act.emit(Intent::Run(Request::Translate(TranslateRequest {
                text: place.text,
                details: true,
                ..TranslateRequest::default()
            })));
        }
    });
}

/// Returns the address with which the page began, with a complaint about each parameter that
/// nothing reads.
#[hook]
fn use_address() -> Rc<Address> {
    use_memo((), |()| {
        let mut address = Address::read(&query());
        let requested = match LessonAddress::read(&address.others) {
            Some(_) => RequestedPage::Lesson,
            None => RequestedPage::Whole,
        };
        let unread = complaints(requested, &address.others);
        address.complaints.extend(unread);
        address
    })
}

/// Returns worker, keeper and state. Each action passes the lesson first, which notices what
/// happens; what the lesson does in turn comes after the state has changed.
#[hook]
fn use_handles(state: &UseReducerHandle<State>, lesson: &LessonController) -> PageHandles {
    let dispatcher = state.dispatcher();
    // Created once: the worker must outlive every drawing.
    let worker = {
        let (dispatcher, lesson) = (dispatcher.clone(), lesson.clone());
        use_memo((), move |()| {
            let sending = lesson.clone();
            let act = Callback::from(move |action| {
                let effects = lesson.on_action(&action);
                dispatcher.dispatch(action);
                lesson.carry_out(effects);
            });
            WorkerHandle::new(act, move |command| sending.on_command(command))
        })
    };
    let keeper = use_keeping(state, &worker, lesson.is_open());
    PageHandles {
        worker: (*worker).clone(),
        keeper: Some(keeper),
        dispatcher,
    }
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

/// Returns the effect of applying the draft. While another experiment loads, the draft still
/// belongs to the one before: nothing is compared.
#[hook]
fn use_pending(state: &State, draft: &UseStateHandle<Draft>) -> Rc<Pending> {
    let is_loading = state.phase == Phase::Loading;
    let compared = (draft.clone(), state.applied.clone(), is_loading);
    use_memo(compared, |(draft, applied, is_loading)| {
        if *is_loading {
            Pending::Nothing
        } else {
            draft.pending(applied)
        }
    })
}

/// Returns the run to which a user returns after leaving a lesson. Callbacks are
/// created once and would keep the run of the first drawing, so the run lives in a cell that every
/// drawing updates.
#[hook]
fn use_own_run(state: &State) -> Rc<RefCell<OwnRun>> {
    // Writing an address is slow, so it is written when experiment or device change, not at every
    // drawing.
    let written = (state.applied.clone(), state.device);
    let query = use_memo(written, |(applied, device)| {
        Address::write(applied, *device, &[])
    });
    let own_run = OwnRun {
        id: (state.step() > 0).then(|| state.keeping.id.clone()),
        query: (*query).clone(),
    };
    let cell = use_mut_ref(|| own_run.clone());
    cell.replace(own_run);
    cell
}

/// Keeps the browser's history up to date, and opens the lesson or run of an entry to which the
/// user goes back.
#[hook]
fn use_history(
    state: &State,
    address: &Address,
    handles: &PageHandles,
    lesson: &LessonController,
    own_run: &Rc<RefCell<OwnRun>>,
) {
    let visited = {
        let (handles, lesson, own_run) = (handles.clone(), lesson.clone(), own_run.clone());
        use_callback((), move |visited: Visited, ()| {
            match LessonAddress::read(&visited.address.others) {
                Some(address) => {
                    let own_run = own_run.borrow().clone();
                    lesson.open_at(address, own_run);
                }
                None => {
                    lesson.close();
                    keeping::take_up(&handles, visited, false);
                }
            }
        })
    };
    let lesson_query = lesson.address().map(|address| address.query());
    use_visits(state, &others(address), lesson_query, visited);
}

/// Begins, on the first drawing only, with what the address asks for: a lesson or a run.
#[hook]
fn use_beginning(address: &Rc<Address>, handles: &PageHandles, lesson: &LessonController) {
    let (address, handles, lesson) = (address.clone(), handles.clone(), lesson.clone());
    use_effect_with((), move |()| {
        theme::restore();
        handles.worker.choose(address.device);
        lesson.connect(handles.clone());
        match LessonAddress::read(&address.others) {
            Some(opened) => lesson.open_at(opened, keeping::last_run(&handles, &address)),
            None => keeping::begin(&handles, &address),
        }
    });
}

/// Has the worker drop the compared model when the comparison ends: it may end in several ways, as
/// by a removed run or by another choice.
#[hook]
fn use_end_of_comparison(state: &State, handles: &PageHandles) {
    let (worker, was_beside) = (handles.worker.clone(), use_mut_ref(|| false));
    use_effect_with(state.beside.is_some(), move |is_beside| {
        if was_beside.replace(*is_beside) && !is_beside {
            worker.send(Command::Beside { checkpoint: None });
        }
    });
}

/// Shows the user a message when `www/offline.js` has found a new version of the page.
#[hook]
fn use_updates(handles: &PageHandles) {
    let handles = handles.clone();
    use_effect_with((), move |()| {
        let window = web_sys::window();
        let listener = window.map(|window| {
            EventListener::new(&window, "strata-update", move |_| {
                handles.dispatch(Action::Tell(
                    "There is a new version of Strata: close its other windows and reload this one."
                        .to_owned(),
                ));
            })
        });
        move || drop(listener)
    });
}
