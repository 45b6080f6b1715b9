//! A running worker, as the page holds it.

use crate::address::Device;
use crate::texts::Letter;
use gloo::events::EventListener;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

/// What a worker says, once, when it is ready to listen. All else that it says are events.
pub const LISTENING: &str = "listening";

/// A running worker and what listens to it; dropping it ends both.
pub struct Connection {
    worker: Worker,
    _listeners: [EventListener; 2],
}

impl Connection {
    /// Starts the worker's program, unless the browser forbids it. `heard` is given its messages,
    /// `failed` a sentence when it ends by itself.
    pub fn start(
        device: Device,
        heard: impl Fn(JsValue) + 'static,
        failed: impl Fn(String) + 'static,
    ) -> Option<Self> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let program = format!("./worker-{}_loader.js", device.name());
        let worker = Worker::new_with_options(&program, &options).ok()?;
        let heard = EventListener::new(&worker, "message", move |event| {
            heard(event.unchecked_ref::<MessageEvent>().data());
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
            _listeners: [heard, failed],
        })
    }

    /// Tells the worker something.
    ///
    /// # Errors
    /// A sentence, if that cannot be sent.
    pub fn post(&self, letter: &Letter) -> Result<(), String> {
        let message = letter.message()?;
        self.worker
            .post_message(&message)
            .map_err(|_| "The worker takes no messages any more: reload the page.".to_owned())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}
