//! The page in the browser's history: each entry has an address, which names an experiment, and the
//! run that was trained there. A reload and Back continue that run; a link names no run, and begins
//! a new one.

use crate::address::Address;
use crate::page::shell::location::{query, whole};
use crate::state::State;
use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use std::cell::RefCell;
use std::rc::Rc;
use strata_training::Experiment;
use wasm_bindgen::JsValue;
use yew::prelude::*;

/// Milliseconds after a change until the address follows: several changes in a row are written
/// once.
const SETTLED: u32 = 200;
/// Milliseconds below which an entry counts as passed by: a user who tries one experiment after the
/// other leaves no entries of those passed by.
const PASSED_BY: f64 = 1_500.0;

/// An entry of the browser's history.
#[derive(Clone, Debug)]
struct Entry {
    run: String,
    experiment: Experiment,
    /// Query of the entry's address, from `?` on.
    query: String,
    /// True if the address is that of a step in a lesson.
    is_lesson: bool,
    /// The highest step that the run has reached.
    step: u64,
    /// Time when the entry was written, in milliseconds since 1970.
    since: f64,
    /// Number of runs that the page had prepared when the entry was written.
    preparation: u64,
}

/// How an entry is written into the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WriteMode {
    /// Replaces the present entry.
    Replace,
    /// Appends an entry after the present one.
    Push,
}

/// Decides how the entry `next` is written, given the entry before.
fn write_mode(before: Option<&Entry>, next: &Entry, came_back: bool) -> WriteMode {
    let Some(before) = before.filter(|_| !came_back) else {
        return WriteMode::Replace;
    };
    if next.is_lesson {
        // In a lesson each step is an entry, whichever run it has.
        return if before.query == next.query {
            WriteMode::Replace
        } else {
            WriteMode::Push
        };
    }
    let is_same = before.run == next.run || before.preparation == next.preparation;
    let seed = next.experiment.seed;
    let is_alike = Experiment {
        seed,
        ..before.experiment.clone()
    } == next.experiment;
    // An entry without steps, of another seed or passed by quickly, is not worth going back to.
    let is_passed_by = is_alike || next.since - before.since < PASSED_BY;
    if is_same || (before.step == 0 && is_passed_by) {
        WriteMode::Replace
    } else {
        WriteMode::Push
    }
}

#[derive(Default)]
struct Visit {
    entry: Option<Entry>,
    /// True if the browser has moved to another entry whose run is not prepared yet.
    came_back: bool,
    /// Number of moves: grows when the browser moves to another entry, and again when the page
    /// follows. A write that waited meanwhile belongs to the entry before, and must not change the
    /// present entry.
    moves: u64,
}

/// An entry to which the browser has moved.
#[derive(Clone, Debug)]
pub struct Visited {
    /// Id of the entry's run, if the entry has one.
    pub run: Option<String>,
    /// Address of the entry.
    pub address: Address,
}

/// Keeps the address and the history up to date, and calls `visited` when the user goes Back or
/// Forward. In a lesson the address is `lesson`, that of the present step.
#[hook]
pub fn use_visits(
    state: &State,
    others: &[(String, String)],
    lesson: Option<String>,
    visited: Callback<Visited>,
) {
    let visit = use_memo((), |()| Rc::new(RefCell::new(Visit::default())));
    if let Some(entry) = &mut visit.borrow_mut().entry
        && entry.run == state.keeping.id
    {
        entry.step = entry.step.max(state.step());
    }
    use_written(state, others, lesson, &visit);
    let visit = (*visit).clone();
    use_effect_with((), move |()| {
        let listeners = listen(visit, visited);
        move || drop(listeners)
    });
}

/// Writes an entry whenever run, experiment, device or lesson change.
#[hook]
fn use_written(
    state: &State,
    others: &[(String, String)],
    lesson: Option<String>,
    visit: &Rc<RefCell<Visit>>,
) {
    let (visit, others) = (visit.clone(), others.to_vec());
    let shown = (
        state.preparations,
        state.keeping.id.clone(),
        state.applied.clone(),
        state.device,
        others,
        lesson,
    );
    use_effect_with(
        shown,
        move |(preparation, run, experiment, device, others, lesson)| {
            let settled = (*preparation > 0).then(|| {
                let next = Entry {
                    run: run.clone(),
                    experiment: (**experiment).clone(),
                    query: match lesson {
                        Some(lesson) => lesson.clone(),
                        None => Address::write(experiment, *device, others),
                    },
                    is_lesson: lesson.is_some(),
                    step: 0,
                    since: js_sys::Date::now(),
                    preparation: *preparation,
                };
                let moves = visit.borrow().moves;
                let entry = &visit.borrow().entry;
                // A reload goes on with the run that is shown, however soon it comes.
                let is_other = entry.as_ref().is_some_and(|entry| entry.run != next.run);
                let delay = if is_other { 0 } else { SETTLED };
                let visit = visit.clone();
                Timeout::new(delay, move || write(&visit, next, moves))
            });
            move || drop(settled)
        },
    );
}

/// Listens to the browser's moves to other entries.
fn listen(visit: Rc<RefCell<Visit>>, visited: Callback<Visited>) -> Option<[EventListener; 2]> {
    let waiting = RefCell::new(None);
    let moved = Rc::new(move || {
        // The entry of an anchor on the page has no run, and is no move.
        if present_run().is_some() {
            visit.borrow_mut().moves += 1;
        }
        let (visit, visited) = (visit.clone(), visited.clone());
        // Several moves in quick succession count as one.
        let settled = Timeout::new(SETTLED, move || go(&visit, &visited));
        *waiting.borrow_mut() = Some(settled);
    });
    let window = web_sys::window()?;
    // A link to an anchor on the page makes an entry, too: `hashchange` tells of it.
    Some(["popstate", "hashchange"].map(|name| {
        let moved = moved.clone();
        EventListener::new(&window, name, move |_| moved())
    }))
}

fn write(visit: &RefCell<Visit>, next: Entry, moves: u64) {
    let mut visit = visit.borrow_mut();
    let is_elsewhere = visit.moves != moves;
    let mode = write_mode(visit.entry.as_ref(), &next, visit.came_back);
    let (state, address) = (JsValue::from_str(&next.run), whole(&next.query));
    let history = web_sys::window().and_then(|window| window.history().ok());
    if let Some(history) = history.filter(|_| !is_elsewhere) {
        // A browser may refuse when called too often; the next change writes the entry.
        drop(match mode {
            WriteMode::Replace => history.replace_state_with_url(&state, "", Some(&address)),
            WriteMode::Push => history.push_state_with_url(&state, "", Some(&address)),
        });
    }
    let step = match &visit.entry {
        Some(before) if before.run == next.run => before.step,
        _ => 0,
    };
    visit.came_back = is_elsewhere;
    visit.entry = Some(Entry { step, ..next });
}

/// Continues the run of the entry to which the browser has moved.
fn go(visit: &RefCell<Visit>, visited: &Callback<Visited>) {
    let (run, query) = (present_run(), query());
    {
        let mut visit = visit.borrow_mut();
        if let Some(entry) = &visit.entry {
            match &run {
                Some(run) if *run == entry.run && (query == entry.query || !entry.is_lesson) => {
                    return;
                }
                // An anchor on the page: its entry gets the present run, so that a reload there
                // continues it.
                None if query == entry.query => {
                    let history = web_sys::window().and_then(|window| window.history().ok());
                    let state = JsValue::from_str(&entry.run);
                    drop(history.map(|history| history.replace_state(&state, "")));
                    return;
                }
                _ => {}
            }
        }
        visit.came_back = true;
        visit.moves += 1;
    }
    let address = Address::read(&query);
    visited.emit(Visited { run, address });
}

/// Returns the run of the present entry if the page comes back to that entry: by a reload, Back or
/// Forward. A user who follows a link to the same address wants a new run.
pub fn run_to_return_to() -> Option<String> {
    present_run().filter(|_| !follows_link())
}

fn present_run() -> Option<String> {
    let history = web_sys::window()?.history().ok()?;
    history.state().ok()?.as_string()
}

/// True if the page was opened by a link or by its address, as far as the browser tells.
fn follows_link() -> bool {
    let performance = web_sys::window().and_then(|window| window.performance());
    let entries = performance.map(|it| it.get_entries_by_type("navigation"));
    let navigation = entries.map(|it| it.get(0)).unwrap_or_default();
    let kind = js_sys::Reflect::get(&navigation, &"type".into());
    kind.is_ok_and(|kind| kind.as_string().as_deref() == Some("navigate"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets::Preset;

    fn entry(run: &str, preset: Preset, step: u64, since: f64) -> Entry {
        Entry {
            run: run.to_owned(),
            experiment: preset.experiment(),
            query: String::new(),
            is_lesson: false,
            step,
            since,
            preparation: since as u64,
        }
    }

    #[test]
    fn another_experiment_has_an_entry_of_its_own() {
        let before = entry("a", Preset::Reverse, 20, 0.0);
        let next = entry("b", Preset::Copy, 0, 100.0);
        assert_eq!(write_mode(Some(&before), &next, false), WriteMode::Push);
        assert_eq!(write_mode(None, &next, false), WriteMode::Replace);
        // A run without a step counts, too, if the user looked at it for long enough.
        let before = entry("a", Preset::Reverse, 0, 0.0);
        let later = entry("b", Preset::Copy, 0, 5_000.0);
        assert_eq!(write_mode(Some(&before), &later, false), WriteMode::Push);
    }

    #[test]
    fn who_goes_through_a_list_leaves_no_trace() {
        let before = entry("a", Preset::Reverse, 0, 0.0);
        let next = entry("b", Preset::Copy, 0, 400.0);
        assert_eq!(write_mode(Some(&before), &next, false), WriteMode::Replace);
    }

    #[test]
    fn every_step_of_a_lesson_has_an_entry() {
        let step = |query: &str| Entry {
            query: query.to_owned(),
            is_lesson: true,
            ..entry("a", Preset::Copy, 0, 0.0)
        };
        let first = step("?lesson=levels&step=alike");
        let second = step("?lesson=levels&step=forgotten");
        assert_eq!(write_mode(Some(&first), &second, false), WriteMode::Push);
        // The run has changed since the entry was written.
        let again = Entry {
            run: "b".to_owned(),
            ..first.clone()
        };
        assert_eq!(write_mode(Some(&first), &again, false), WriteMode::Replace);
        assert_eq!(write_mode(Some(&first), &second, true), WriteMode::Replace);
        let own = entry("a", Preset::Copy, 3, 0.0);
        assert_eq!(write_mode(Some(&own), &first, false), WriteMode::Push);
    }

    #[test]
    fn what_is_no_other_run_or_was_come_back_to_replaces() {
        let before = entry("a", Preset::Reverse, 20, 0.0);
        let longer = entry("a", Preset::Copy, 20, 9_000.0);
        assert_eq!(
            write_mode(Some(&before), &longer, false),
            WriteMode::Replace
        );
        let back = entry("c", Preset::Copy, 0, 9_000.0);
        assert_eq!(write_mode(Some(&before), &back, true), WriteMode::Replace);
        // The run has become another one, since another tab went on with it.
        let branched = Entry {
            preparation: before.preparation,
            ..entry("d", Preset::Reverse, 20, 9_000.0)
        };
        assert_eq!(
            write_mode(Some(&before), &branched, false),
            WriteMode::Replace
        );
    }

    #[test]
    fn a_reset_is_come_back_from_if_there_was_anything_to_lose() {
        let reset = entry("b", Preset::Copy, 0, 9_000.0);
        assert_eq!(
            write_mode(Some(&entry("a", Preset::Copy, 9, 0.0)), &reset, false),
            WriteMode::Push
        );
        assert_eq!(
            write_mode(Some(&entry("a", Preset::Copy, 0, 0.0)), &reset, false),
            WriteMode::Replace
        );
    }
}
