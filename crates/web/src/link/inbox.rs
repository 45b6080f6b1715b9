//! Queues events and hands them to the state a few times a second, so that quick steps do not flood
//! the page.
//!
//! Each time the page is drawn anew. The cost of a drawing is measured, and decides how soon the
//! next one follows (`Pace`).

use super::pace::Pace;
use crate::state::Action;
use gloo::timers::callback::Timeout;
use std::cell::RefCell;
use std::rc::Rc;
use strata_session::protocol::Event;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use yew::Callback;

/// Queue of events for the state.
#[derive(Clone)]
pub struct Inbox {
    act: Callback<Action>,
    waiting: Rc<RefCell<Waiting>>,
}

#[derive(Default)]
struct Waiting {
    events: Vec<Event>,
    /// Time when events other than a change of activity were last handed over, in milliseconds.
    last: Option<f64>,
    hand_over: Option<Timeout>,
    pace: Pace,
    /// True while the cost of a drawing is being measured.
    measures: bool,
}

impl Inbox {
    /// Returns an inbox that hands events to the state by `act`.
    pub fn new(act: Callback<Action>) -> Self {
        Self {
            act,
            waiting: Rc::default(),
        }
    }

    /// Queues an event: handed over at once after a pause, otherwise together with others.
    pub fn gather(&self, event: Event) {
        let mut waiting = self.waiting.borrow_mut();
        if matches!(event, Event::View(_)) {
            // A view that was never drawn is replaced by the next: only the last one can be seen.
            let is_kept = |event: &Event| !matches!(event, Event::View(_));
            waiting.events.retain(is_kept);
        }
        waiting.events.push(event);
        if waiting.hand_over.is_none() {
            let since = waiting.last.map_or(f64::INFINITY, |last| now() - last);
            let pause = waiting.pace.pause();
            // A clock that was set back would give a negative time since the last drawing.
            let rest = (pause - since).clamp(0.0, pause);
            let inbox = self.clone();
            waiting.hand_over = Some(Timeout::new(rest as u32, move || inbox.hand_over()));
        }
    }

    /// Hands all queued events to the state, in order.
    pub fn hand_over(&self) {
        // The timer may be calling this function, so it is dropped only at the end.
        let (events, done) = {
            let mut waiting = self.waiting.borrow_mut();
            let events = std::mem::take(&mut waiting.events);
            // The first steps follow at once when training begins.
            let begins = |event: &Event| matches!(event, Event::Activity { .. });
            if !events.iter().all(begins) {
                waiting.last = Some(now());
            }
            (events, waiting.hand_over.take())
        };
        if !events.is_empty() {
            self.measure();
            self.act.emit(Action::Events(events));
        }
        drop(done);
    }

    /// Measures the drawing that begins now: first the page's own work, which ends before the next
    /// task, then the browser's work in its next frame.
    fn measure(&self) {
        // One measurement at a time: a hidden page has no frames, so many would pile up.
        if std::mem::replace(&mut self.waiting.borrow_mut().measures, true) {
            return;
        }
        let (inbox, began) = (self.clone(), now());
        // The timer fires after this task and its microtasks, in which Yew renders.
        let changed = move || inbox.measure_frame(now() - began);
        Timeout::new(0, changed).forget();
    }

    fn measure_frame(&self, before: f64) {
        let inbox = self.clone();
        // A frame's callback runs before style, layout and paint; the timer that it starts fires
        // after them.
        let frame = Closure::once_into_js(move || {
            let began = now();
            let drawn = move || inbox.drawn(before + now() - began);
            Timeout::new(0, drawn).forget();
        });
        let window = web_sys::window();
        let asked = window.map(|it| it.request_animation_frame(frame.unchecked_ref()));
        if !matches!(asked, Some(Ok(_))) {
            self.drawn(before);
        }
    }

    /// Records the cost of a drawing, in milliseconds.
    fn drawn(&self, cost: f64) {
        let mut waiting = self.waiting.borrow_mut();
        waiting.measures = false;
        waiting.pace.note(cost);
    }
}

/// Returns the time in milliseconds, with fractions.
fn now() -> f64 {
    let clock = web_sys::window().and_then(|it| it.performance());
    clock.map_or_else(js_sys::Date::now, |clock| clock.now())
}
