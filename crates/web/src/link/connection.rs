//! A running worker, with the listeners that the page has attached.

use super::worker_build;
use crate::address::Device;
use crate::texts::WorkerRequest;
use gloo::events::EventListener;
use std::cell::Cell;
use std::rc::Rc;
use strata_session::protocol::Event;
use strata_wire::handshake::{HELD, LISTENING};
use strata_wire::liveness;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{BroadcastChannel, ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

/// Message from a worker.
pub enum WorkerMessage {
    /// The worker is ready to listen.
    Listening,
    /// The worker holds its lock, so its end can be noticed.
    Held,
    /// An event of the worker's session.
    Event(Event),
    /// A message that this page cannot read, with the reason.
    Unknown(String),
}

impl WorkerMessage {
    /// Reads a message from a worker.
    fn by(message: JsValue) -> Self {
        match message.as_string().as_deref() {
            Some(LISTENING) => return Self::Listening,
            Some(HELD) => return Self::Held,
            _ => {}
        }
        match serde_wasm_bindgen::from_value(message) {
            Ok(event) => Self::Event(event),
            Err(error) => Self::Unknown(error.to_string()),
        }
    }
}

/// A running worker and its listeners; dropping it ends both.
pub struct Connection {
    worker: Worker,
    name: String,
    /// True until the page drops the worker; if the worker ends before, that is a failure.
    wanted: Rc<Cell<bool>>,
    /// Channel on which the worker's threads report failures. The worker itself cannot: it blocks
    /// while it waits for its threads.
    threads: Option<BroadcastChannel>,
    _listeners: Vec<EventListener>,
}

impl Connection {
    /// Starts the worker's program; `None` if the browser forbids workers. `heard` is called with
    /// the worker's messages, `failed` with a sentence if the worker fails.
    pub fn start(
        device: Device,
        heard: impl Fn(WorkerMessage) + 'static,
        failed: impl Fn(String) + 'static,
    ) -> Option<Self> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let number = (js_sys::Math::random() * 1e15) as u64;
        let name = format!("{}{number}", liveness::PREFIX);
        options.set_name(&name);
        let program = format!("./{}_loader.js", worker_build::of(device));
        let worker = Worker::new_with_options(&program, &options).ok()?;
        let heard = EventListener::new(&worker, "message", move |event| {
            heard(WorkerMessage::by(
                event.unchecked_ref::<MessageEvent>().data(),
            ));
        });
        let failed = Rc::new(failed);
        let threads = BroadcastChannel::new(&name).ok();
        let thread_failed = threads.as_ref().map(|threads| {
            let failed = Rc::clone(&failed);
            EventListener::new(threads, "message", move |event| {
                let reason = event.unchecked_ref::<MessageEvent>().data().as_string();
                let reason = reason.unwrap_or_default();
                failed(format!(
                    "A thread of the {} worker failed: {reason}",
                    device.title()
                ));
            })
        });
        let failed = EventListener::new(&worker, "error", move |event| {
            let message = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message);
            failed(match message.filter(|message| !message.is_empty()) {
                Some(message) => format!(
                    "The {} worker failed: {}",
                    device.title(),
                    message.trim_start_matches("Uncaught ")
                ),
                None => format!("The {} worker could not be loaded", device.title()),
            });
        });
        Some(Self {
            worker,
            name,
            wanted: Rc::new(Cell::new(true)),
            threads,
            _listeners: [heard, failed].into_iter().chain(thread_failed).collect(),
        })
    }

    /// Calls `gone` if the browser ends the worker. The worker must hold its lock by then.
    pub fn when_gone(&self, gone: impl FnOnce() + 'static) {
        let wanted = Rc::clone(&self.wanted);
        liveness::when_gone(&self.name, move || {
            if wanted.get() {
                gone();
            }
        });
    }

    /// Sends the worker a request.
    ///
    /// # Errors
    /// A sentence, if the request cannot be sent.
    pub fn post(&self, request: &WorkerRequest) -> Result<(), String> {
        let message = request.message()?;
        self.worker
            .post_message(&message)
            .map_err(|_| "The worker takes no messages any more: reload the page.".to_owned())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.wanted.set(false);
        self.worker.terminate();
        if let Some(threads) = &self.threads {
            threads.close();
        }
    }
}
