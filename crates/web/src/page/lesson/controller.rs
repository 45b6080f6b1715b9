//! Connects the lesson with the page: commands and events go to the [`Player`], its effects to
//! worker, keeper and state. `opening`: from an address to a lesson, and back to the learner's own
//! run; `effects`: carries out the player's effects.

mod effects;
mod opening;

use crate::by_pointer::ByPointer;
use crate::page::base::motion::prefers_stillness;
use crate::page::lesson::address::LessonAddress;
use crate::page::lesson::player::{Effect, Player, Stage};
use crate::page::lesson::rules::Rules;
use crate::page::lesson::{parent, pointing};
use crate::page::run::follow::PageHandles;
use crate::page::run::intent::Intent;
use crate::state::{Action, KeptRun};
use gloo::timers::callback::Timeout;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use strata_lessons::{Offer, Value};
use strata_session::protocol::Command;
use yew::Callback;

/// Milliseconds from highlighting a control to using it, when the page shows how a step is done.
const SHOWN_FOR: u32 = 1_200;

/// The learner's own run, which comes back when the lesson is left.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnRun {
    /// Id of the run, if the run has taken steps.
    pub id: Option<String>,
    /// Query of an address that names the run's experiment.
    pub query: String,
}

/// Content of the region in place of a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// The lesson is being fetched.
    Loading,
    /// No lesson has this name.
    UnknownLesson(String),
    /// The lesson has no step of this id.
    UnknownStep(String),
    /// The lesson could not be fetched.
    Unreachable,
}

/// Kept runs: `None` until the store has answered, `Some(None)` if no runs can be kept.
type KeptRuns = Option<Option<ByPointer<Vec<KeptRun>>>>;

/// The page's lesson, if there is one; clones share it.
#[derive(Clone)]
pub struct LessonController(Rc<Inner>);

#[derive(Default)]
struct Inner {
    player: RefCell<Option<Player>>,
    placeholder: RefCell<Option<Placeholder>>,
    address: RefCell<Option<LessonAddress>>,
    own_run: RefCell<Option<OwnRun>>,
    kept_runs: RefCell<KeptRuns>,
    handles: RefCell<Option<PageHandles>>,
    /// Number of the step that opens as soon as the kept runs are known.
    begins_at: Cell<Option<usize>>,
    /// True if the focus should move to the heading of the next step.
    wants_focus: Cell<bool>,
    /// True if the learner has pressed a button that may be gone by the next drawing.
    has_pressed: Cell<bool>,
    revision: Cell<u64>,
    changed: RefCell<Option<Callback<u64>>>,
}

impl PartialEq for LessonController {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl LessonController {
    /// Returns a controller without a lesson; `changed` is called with a new number whenever anything
    /// changes that the region shows.
    pub fn new(changed: Callback<u64>) -> Self {
        let controller = Inner::default();
        controller.changed.replace(Some(changed));
        Self(Rc::new(controller))
    }

    /// Connects the lesson with worker, keeper and state, once the page has created all three.
    pub fn connect(&self, handles: PageHandles) {
        self.0.handles.replace(Some(handles));
    }

    /// True if the page has a lesson, or is fetching one.
    pub fn is_open(&self) -> bool {
        self.0.address.borrow().is_some()
    }

    /// Returns the lesson and step that are open.
    pub fn address(&self) -> Option<LessonAddress> {
        self.0.address.borrow().clone()
    }

    /// Returns the rules that a teacher has set.
    pub fn rules(&self) -> Rules {
        self.address()
            .map_or_else(Rules::default, |address| address.rules)
    }

    /// Returns the placeholder to show in place of the lesson.
    pub fn placeholder(&self) -> Option<Placeholder> {
        self.0.placeholder.borrow().clone()
    }

    /// Reads the lesson that is under way; `None` if there is none.
    pub fn with<T>(&self, read: impl FnOnce(&Player) -> T) -> Option<T> {
        self.0.player.borrow().as_ref().map(read)
    }

    fn change(&self) {
        self.0.revision.set(self.0.revision.get() + 1);
        if let Some(changed) = &*self.0.changed.borrow() {
            changed.emit(self.0.revision.get());
        }
    }

    /// Passes on a command that the page has sent to the worker.
    pub fn on_command(&self, command: &Command) {
        if let Some(player) = &mut *self.0.player.borrow_mut() {
            player.on_command(command);
        }
    }

    /// Passes on an action on the state, which may have events of the worker; returns the effects to carry out once the state has
    /// changed.
    pub fn on_action(&self, action: &Action) -> Vec<Effect> {
        let Action::Events(events) = action else {
            return Vec::new();
        };
        let mut effects = Vec::new();
        let mut is_changed = false;
        if let Some(player) = &mut *self.0.player.borrow_mut() {
            let appearance = player.appearance();
            for event in events {
                effects.extend(player.on_event(event, now()));
            }
            is_changed = appearance != player.appearance();
        }
        if is_changed || !effects.is_empty() {
            self.change();
        }
        effects
    }

    /// Opens a step by its number; under strict rules no further than the first step that is not
    /// done.
    pub fn open(&self, number: usize) {
        let is_strict = self.rules().is_strict;
        self.play(|player| {
            let last = if is_strict {
                player.furthest()
            } else {
                player.count()
            };
            player.open(number.min(last))
        });
    }

    /// Opens a step that the learner asked for; the focus moves to its heading.
    pub fn open_asked(&self, number: usize) {
        self.0.wants_focus.set(true);
        self.open(number);
    }

    /// True, only once, after the learner has asked for another step.
    pub fn takes_focus(&self) -> bool {
        self.0.wants_focus.take()
    }

    /// True, only once, after the learner has pressed a button that may be gone.
    pub fn was_pressed(&self) -> bool {
        self.0.has_pressed.take()
    }

    /// Changes the player by `change`, and carries out the effects that it returns.
    pub fn play(&self, change: impl FnOnce(&mut Player) -> Vec<Effect>) {
        let effects = self.0.player.borrow_mut().as_mut().map(change);
        let step = self.with(|player| match player.present() {
            Some(step) => step.id.clone(),
            None => "free".to_owned(),
        });
        if let (Some(address), Some(step)) = (&mut *self.0.address.borrow_mut(), step) {
            (address.step, address.is_fresh) = (Some(step), false);
        }
        self.change();
        self.carry_out(effects.unwrap_or_default());
    }

    /// Skips the present step.
    pub fn skip(&self) {
        if let Some(origin) = self.address().and_then(|address| address.notify) {
            self.with(|player| parent::tell_skipped(&origin, player));
        }
        self.0.wants_focus.set(true);
        self.play(Player::skip);
    }

    /// Begins the lesson again and forgets all progress in it.
    pub fn start_again(&self) {
        self.0.wants_focus.set(true);
        self.play(Player::start_again);
    }

    /// Takes the learner's guess.
    pub fn guess(&self, guess: Value) {
        self.0.has_pressed.set(true);
        self.play(|player| player.take_guess(guess, now()));
        self.show_target();
    }

    /// Goes on without a guess; if only a guess was asked for, shows the answer.
    pub fn skip_guess(&self) {
        self.0.has_pressed.set(true);
        self.play(|player| {
            if player.asks_for_guess_only() {
                return player.reveal(now());
            }
            player.skip_guess(now());
            Vec::new()
        });
        self.show_target();
    }

    /// Scrolls to the control that the step's action needs.
    pub fn show_target(&self) {
        let target = self.with(|player| player.target().filter(|_| player.stage == Stage::Act));
        if let Some(target) = target.flatten() {
            pointing::show(&target);
        }
    }

    /// Scrolls to the panel that the step is about.
    pub fn show_panel(&self) {
        let target = self.with(Player::target).flatten();
        pointing::show_panel(target.as_deref());
    }

    /// Passes on an intent that sends no command to the worker: drawing a run beside the present
    /// one.
    pub fn on_intent(&self, intent: &Intent) {
        if let Intent::LayBeside(name) = intent {
            self.play(|player| player.laid_beside(name, now()));
        }
    }

    /// Carries out an offer to a learner whose training has not reached the step's condition.
    pub fn accept_offer(&self, offer: Offer) {
        match offer {
            Offer::Train(steps) => self.play(|player| match player.with_more(steps) {
                Some(experiment) => vec![
                    Effect::Follow(Intent::GoOn(Box::new(experiment))),
                    Effect::Follow(Intent::Train),
                ],
                None => Vec::new(),
            }),
            Offer::Recorded => self.play(Player::take_recorded),
            Offer::Restart => {
                let at = self.with(|player| player.at).unwrap_or(0);
                self.open(at);
            }
            Offer::Show => self.show_how(),
        }
    }

    /// Shows how the step's action is done: highlights its control, then does it.
    pub fn show_how(&self) {
        self.0.has_pressed.set(true);
        if self.with(Player::asks_for_guess_only) == Some(true) {
            self.play(|player| player.reveal(now()));
            return;
        }
        let target = self.with(|player| player.target()).flatten();
        let mut intents = Vec::new();
        self.play(|player| {
            player.skip_guess(now());
            intents = player.demonstration();
            Vec::new()
        });
        if let Some(target) = &target {
            pointing::outline(Some(target));
            pointing::show(target);
        }
        let controller = self.clone();
        let act = move || {
            for intent in intents {
                controller.carry_out(vec![Effect::Follow(intent.clone())]);
                controller.on_intent(&intent);
            }
        };
        if prefers_stillness() {
            act();
        } else {
            Timeout::new(SHOWN_FOR, act).forget();
        }
    }

    /// Passes on the time of the clock.
    pub fn tick(&self) {
        let mut ticked = None;
        if let Some(player) = &mut *self.0.player.borrow_mut() {
            ticked = Some(player.tick(now()));
        }
        if let Some((is_changed, effects)) = ticked {
            if is_changed {
                self.change();
            }
            self.carry_out(effects);
        }
    }

    /// Carries out a request of the page around a frame.
    pub fn on_request(&self, request: parent::Request) {
        match request {
            parent::Request::Go(step) => self.open_step(Some(&step)),
            parent::Request::State => self.carry_out(vec![Effect::Tell("state")]),
        }
    }
}

fn now() -> f64 {
    js_sys::Date::now()
}
