//! Events are gathered and handed on once a frame, so that quick steps do not flood the page.

use crate::state::Action;
use gloo::render::{AnimationFrame, request_animation_frame};
use gloo::timers::callback::Timeout;
use std::cell::RefCell;
use std::rc::Rc;
use strata_session::protocol::Event;
use yew::Callback;

/// Milliseconds after which events are handed on without a frame: a hidden page draws none.
const LONGEST_WAIT: u32 = 500;

/// Where events wait for the next frame.
#[derive(Clone)]
pub struct Inbox {
    act: Callback<Action>,
    waiting: Rc<RefCell<Waiting>>,
}

#[derive(Default)]
struct Waiting {
    events: Vec<Event>,
    hand_over: Option<(AnimationFrame, Timeout)>,
}

impl Inbox {
    /// Hands on to the state.
    pub fn new(act: Callback<Action>) -> Self {
        Self {
            act,
            waiting: Rc::default(),
        }
    }

    /// Keeps an event until the next frame.
    pub fn gather(&self, event: Event) {
        let mut waiting = self.waiting.borrow_mut();
        if matches!(event, Event::Attention(_)) {
            // Only the last one can be seen.
            let is_seen = |it: &Event| !matches!(it, Event::Attention(_));
            waiting.events.retain(is_seen);
        }
        waiting.events.push(event);
        if waiting.hand_over.is_none() {
            let (frame, late) = (self.clone(), self.clone());
            waiting.hand_over = Some((
                request_animation_frame(move |_| frame.hand_over()),
                Timeout::new(LONGEST_WAIT, move || late.hand_over()),
            ));
        }
    }

    /// Hands on all that waits.
    pub fn hand_over(&self) {
        let (events, done) = {
            let mut waiting = self.waiting.borrow_mut();
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
