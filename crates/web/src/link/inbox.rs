//! Events, gathered and handed on a few times a second, so that quick steps do not flood the page.

use crate::state::Action;
use gloo::timers::callback::Timeout;
use std::cell::RefCell;
use std::rc::Rc;
use strata_session::protocol::Event;
use yew::Callback;

/// Milliseconds between two deliveries. The eye cannot read numbers that change faster, and drawing
/// takes time from the page, and from training where there are few processors.
const PAUSE: f64 = 100.0;

/// Queue of events until they are handed to the state.
#[derive(Clone)]
pub struct Inbox {
    act: Callback<Action>,
    waiting: Rc<RefCell<Waiting>>,
}

#[derive(Default)]
struct Waiting {
    events: Vec<Event>,
    /// Time when events were last handed on, in milliseconds.
    last: Option<f64>,
    hand_over: Option<Timeout>,
}

impl Inbox {
    /// An inbox that hands events on to the state.
    pub fn new(act: Callback<Action>) -> Self {
        Self {
            act,
            waiting: Rc::default(),
        }
    }

    /// Keeps an event until it is handed on: at once after a pause.
    pub fn gather(&self, event: Event) {
        let mut waiting = self.waiting.borrow_mut();
        if matches!(event, Event::Attention(_)) {
            // Only the last one can be seen.
            let is_seen = |it: &Event| !matches!(it, Event::Attention(_));
            waiting.events.retain(is_seen);
        }
        waiting.events.push(event);
        if waiting.hand_over.is_none() {
            let since = waiting
                .last
                .map_or(f64::INFINITY, |last| js_sys::Date::now() - last);
            // A clock that was set back shows no pause.
            let rest = (PAUSE - since).clamp(0.0, PAUSE);
            let inbox = self.clone();
            waiting.hand_over = Some(Timeout::new(rest as u32, move || inbox.hand_over()));
        }
    }

    /// Hands on all waiting events.
    pub fn hand_over(&self) {
        let (events, done) = {
            let mut waiting = self.waiting.borrow_mut();
            waiting.last = Some(js_sys::Date::now());
            (
                std::mem::take(&mut waiting.events),
                waiting.hand_over.take(),
            )
        };
        if !events.is_empty() {
            self.act.emit(Action::Events(events));
        }
        drop(done);
    }
}
