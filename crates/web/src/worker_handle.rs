//! The page's side of a worker: starts it, speaks with it, and moves a run from one to another.
//!
//! Events are gathered and handed on once a frame, so that quick steps do not flood the page.

use crate::address::Device;
use crate::connection::{self, Connection};
use crate::recovery::Recovery;
use crate::sentence::sentence;
use crate::state::Action;
use crate::texts::{Given, Letter};
use gloo::render::{AnimationFrame, request_animation_frame};
use gloo::timers::callback::Timeout;
use std::cell::RefCell;
use std::rc::Rc;
use strata_session::protocol::{Activity, Command, Event};
use wasm_bindgen::JsValue;
use yew::Callback;

/// Milliseconds between the checkpoints of a run on a device that can be lost.
const SAVE_EVERY: f64 = 10_000.0;

/// Milliseconds after which events are handed on without a frame: a hidden page draws none.
const LONGEST_WAIT: u32 = 500;

/// The page's only way to the worker.
#[derive(Clone)]
pub struct WorkerHandle {
    act: Callback<Action>,
    link: Rc<RefCell<Link>>,
}

#[derive(Default)]
struct Link {
    device: Device,
    connection: Option<Connection>,
    /// What to say once the worker listens.
    waiting: Vec<Letter>,
    given: Given,
    listening: bool,
    recovery: Recovery,
    /// The device to go to when the checkpoint comes.
    moving_to: Option<Device>,
    saved_at: f64,
    inbox: Vec<Event>,
    hand_over: Option<(AnimationFrame, Timeout)>,
}

impl WorkerHandle {
    /// No worker yet; the first command starts one.
    pub fn new(act: Callback<Action>) -> Self {
        Self {
            act,
            link: Rc::default(),
        }
    }

    /// Tells the worker something, now or as soon as it listens.
    pub fn send(&self, letter: impl Into<Letter>) {
        let letter = letter.into();
        let device = {
            let mut link = self.link.borrow_mut();
            link.recovery.command(&letter.command);
            link.given.note(&letter);
            if let Some(connection) = &link.connection {
                if !link.listening {
                    link.waiting.push(letter);
                    return;
                }
                let posted = connection.post(&letter);
                drop(link);
                if let Err(reason) = posted {
                    self.act.emit(Action::Tell(reason));
                }
                return;
            }
            link.device
        };
        self.start(device);
        if let Command::Step | Command::Translate { .. } = letter.command {
            self.link.borrow_mut().waiting.push(letter);
        }
    }

    /// Goes to this device, with the run if there is one.
    pub fn choose(&self, device: Device) {
        if device == Device::WebGpu && !has_webgpu() {
            self.act.emit(Action::Stay(self.link.borrow().device));
            self.act.emit(Action::Tell(
                "This browser has no WebGPU, so the CPU does the work.".to_owned(),
            ));
            return;
        }
        let mut link = self.link.borrow_mut();
        if link.connection.is_none() {
            link.device = device;
            return;
        }
        if link.device == device {
            return;
        }
        let saves = link.listening && link.recovery.is_prepared();
        link.moving_to = saves.then_some(device);
        drop(link);
        self.act.emit(Action::Move(device));
        if saves {
            self.send(Command::Save);
        } else {
            self.start(device);
        }
    }

    /// Ends the worker if there is one, and starts another where the run was.
    fn start(&self, device: Device) {
        let connection = self.connect(device);
        let mut link = self.link.borrow_mut();
        link.device = device;
        link.listening = false;
        link.moving_to = None;
        let run = link.recovery.commands().into_iter().map(Letter::from);
        link.waiting = link.given.letters().into_iter().chain(run).collect();
        link.saved_at = now();
        match connection {
            Some(connection) => link.connection = Some(connection),
            None => {
                link.connection = None;
                drop(link);
                self.act.emit(Action::Lost(
                    "This browser does not let the page start a worker, so nothing can be computed."
                        .to_owned(),
                ));
            }
        }
    }

    fn connect(&self, device: Device) -> Option<Connection> {
        let (heard, failed) = (self.clone(), self.clone());
        Connection::start(
            device,
            move |message| heard.hear(message),
            move |reason| failed.lose(reason),
        )
    }

    fn hear(&self, message: JsValue) {
        if message.as_string().as_deref() == Some(connection::LISTENING) {
            let waiting = {
                let mut link = self.link.borrow_mut();
                link.listening = true;
                std::mem::take(&mut link.waiting)
            };
            let posted = waiting.iter().try_for_each(|letter| {
                let link = self.link.borrow();
                link.connection
                    .as_ref()
                    .map_or(Ok(()), |connection| connection.post(letter))
            });
            if let Err(reason) = posted {
                self.act.emit(Action::Tell(reason));
            }
            return;
        }
        match serde_wasm_bindgen::from_value(message) {
            Ok(event) => self.take(event),
            Err(error) => self.act.emit(Action::Tell(format!(
                "The worker said something that the page does not understand ({error}): reload the page."
            ))),
        }
    }

    fn take(&self, event: Event) {
        if let Event::Lost { reason } = event {
            self.lose(reason);
            return;
        }
        let mut link = self.link.borrow_mut();
        link.recovery.event(&event);
        if let (Event::Saved { .. } | Event::Refused { .. }, Some(device)) =
            (&event, link.moving_to)
        {
            drop(link);
            self.start(device);
            return;
        }
        let saves = link.device == Device::WebGpu && link.is_time_to_save(&event);
        if !matches!(event, Event::Saved { .. }) {
            self.gather(&mut link, event);
        }
        drop(link);
        if saves {
            self.send(Command::Save);
        }
    }

    /// Keeps an event until the next frame.
    fn gather(&self, link: &mut Link, event: Event) {
        if matches!(event, Event::Attention(_)) {
            // Only the last one can be seen.
            link.inbox.retain(|it| !matches!(it, Event::Attention(_)));
        }
        link.inbox.push(event);
        if link.hand_over.is_none() {
            let (frame, late) = (self.clone(), self.clone());
            link.hand_over = Some((
                request_animation_frame(move |_| frame.hand_over()),
                Timeout::new(LONGEST_WAIT, move || late.hand_over()),
            ));
        }
    }

    fn hand_over(&self) {
        let (events, done) = {
            let mut link = self.link.borrow_mut();
            (std::mem::take(&mut link.inbox), link.hand_over.take())
        };
        if !events.is_empty() {
            self.act.emit(Action::Events(events));
        }
        drop(done);
    }

    /// A worker is gone: the CPU takes over from a graphics card; after the CPU there is nothing.
    fn lose(&self, reason: String) {
        // A device gives a list of causes, line by line; the first says what there is to say.
        let reason = sentence(reason.lines().next().unwrap_or_default());
        self.hand_over();
        let (device, step) = {
            let mut link = self.link.borrow_mut();
            link.connection = None;
            link.waiting.clear();
            (link.device, link.recovery.step())
        };
        if device == Device::Cpu {
            self.act.emit(Action::Lost(format!(
                "{reason} Press Reset to start the run again."
            )));
            return;
        }
        let goes_on = match step {
            0 => "The CPU starts the run from the beginning.".to_owned(),
            step => format!("The CPU goes on from step {step}."),
        };
        self.act.emit(Action::Move(Device::Cpu));
        self.act.emit(Action::Tell(format!("{reason} {goes_on}")));
        self.start(Device::Cpu);
    }
}

impl Link {
    /// Whether a run that could be lost should be saved after this event.
    fn is_time_to_save(&mut self, event: &Event) -> bool {
        let paused = matches!(
            event,
            Event::Activity {
                activity: Activity::Paused | Activity::Finished
            }
        );
        let due = matches!(event, Event::Progress { .. }) && now() - self.saved_at > SAVE_EVERY;
        if paused || due {
            self.saved_at = now();
        }
        paused || due
    }
}

fn has_webgpu() -> bool {
    web_sys::window().is_some_and(|window| {
        js_sys::Reflect::get(&window.navigator(), &"gpu".into())
            .is_ok_and(|gpu| !gpu.is_undefined() && !gpu.is_null())
    })
}

fn now() -> f64 {
    web_sys::window()
        .and_then(|window| window.performance())
        .map_or(0.0, |performance| performance.now())
}
