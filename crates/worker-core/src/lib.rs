//! The worker: a session, commands from the page, events to the page. Built five times: for WebGPU,
//! and for the CPU with and without relaxed SIMD and threads.
//!
//! Between two steps the worker gives control to the browser, which then delivers waiting commands.
//!
//! - `reading`: the user's own texts, as bytes; `threads`: workers of this worker; `scope`: the
//!   worker's global scope

#![cfg(any(feature = "cpu", feature = "webgpu"))]

mod reading;
mod scope;
#[cfg(feature = "threads")]
mod threads;

use burn::tensor::Device;
use futures_channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use gloo::events::EventListener;
use js_sys::Promise;
use reading::read_texts;
use scope::scope;
use strata_session::Session;
use strata_session::protocol::{Activity, Command, Event};
use strata_wire::handshake::{HELD, LISTENING};
#[cfg(feature = "webgpu")]
use strata_wire::time_limit::within;
use strata_wire::{liveness, texts};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{MessageChannel, MessageEvent, PromiseRejectionEvent};

#[cfg(feature = "threads")]
pub use threads::is_first_thread;

/// Backend of burn that this worker computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// flex, on the processor.
    #[cfg(feature = "cpu")]
    Cpu,
    /// wgpu, on the GPU.
    #[cfg(feature = "webgpu")]
    WebGpu,
}

/// A command of the page, with the bytes of the command's texts.
struct Received {
    command: Command,
    /// Notes on how the texts were read.
    notes: Vec<String>,
}

/// Runs the worker: opens the device, then carries out the page's commands until the page ends.
pub fn run(backend: Backend) {
    report_panics();
    let (sender, commands) = unbounded();
    listen(sender);
    spawn_local(serve(backend, commands));
    post(&LISTENING.into());
    spawn_local(async {
        let name = scope().name();
        if name.starts_with(liveness::PREFIX) && liveness::hold(&name).await {
            post(&HELD.into());
        }
    });
}

async fn serve(backend: Backend, mut commands: UnboundedReceiver<Received>) {
    let (device, label) = match open(backend).await {
        Ok(opened) => opened,
        Err(reason) => return emit(Event::Lost { reason }),
    };
    let mut session = Session::new(device, label, now);
    let mut turn = Turn::new();
    loop {
        while let Ok(Received { command, notes }) = commands.try_recv() {
            let mut emit = |event| emit(with_notes(event, &notes));
            session.handle(command, &mut emit).await;
        }
        if session.activity() == Activity::Training {
            session.advance(&mut emit).await;
            turn.give().await;
        } else if let Ok(Received { command, notes }) = commands.recv().await {
            let mut emit = |event| emit(with_notes(event, &notes));
            session.handle(command, &mut emit).await;
        } else {
            return;
        }
    }
}

/// Opens the device; returns the device and its name for users.
async fn open(backend: Backend) -> Result<(Device, String), String> {
    match backend {
        #[cfg(feature = "cpu")]
        Backend::Cpu => {
            #[cfg(feature = "threads")]
            let threads = threads::start().await;
            #[cfg(not(feature = "threads"))]
            let threads = 1;
            let label = match threads {
                1 => "CPU (flex)".to_owned(),
                threads => format!("CPU (flex, {threads} threads)"),
            };
            Ok((Device::flex(), label))
        }
        #[cfg(feature = "webgpu")]
        Backend::WebGpu => {
            let adapter = request_adapter().await?;
            let device = Device::wgpu_options().init_async().await;
            let device =
                device.map_err(|error| format!("WebGPU could not be started: {error}."))?;
            Ok((device, format!("WebGPU ({adapter})")))
        }
    }
}

/// Milliseconds to wait for the browser to say whether there is a GPU.
#[cfg(feature = "webgpu")]
const ADAPTER_WITHIN: u32 = 20_000;

/// Requests a GPU adapter from the browser before burn does, which would panic without one.
#[cfg(feature = "webgpu")]
async fn request_adapter() -> Result<String, String> {
    let missing = || "This browser has WebGPU but no GPU for it.".to_owned();
    let get = |object: &JsValue, name: &str| js_sys::Reflect::get(object, &name.into()).ok();
    let gpu = get(&scope(), "navigator")
        .and_then(|navigator| get(&navigator, "gpu"))
        .filter(|gpu| !gpu.is_undefined() && !gpu.is_null())
        .ok_or("This browser has no WebGPU.")?;
    let request = get(&gpu, "requestAdapter")
        .and_then(|request| request.dyn_into::<js_sys::Function>().ok())
        .and_then(|request| request.call0(&gpu).ok())
        .and_then(|promise| promise.dyn_into::<Promise>().ok())
        .ok_or_else(missing)?;
    let adapter = within(ADAPTER_WITHIN, JsFuture::from(request)).await;
    let silent = || "This browser does not answer when it is asked for a GPU.".to_owned();
    let adapter = adapter.ok_or_else(silent)?.map_err(|_| missing())?;
    if adapter.is_null() || adapter.is_undefined() {
        return Err(missing());
    }
    let vendor = get(&adapter, "info").and_then(|info| get(&info, "vendor")?.as_string());
    Ok(vendor
        .filter(|vendor| !vendor.is_empty())
        .unwrap_or("GPU".to_owned()))
}

/// Adds notes on how a text was read to the report on that text; other events stay as they are.
fn with_notes(mut event: Event, notes: &[String]) -> Event {
    if let Event::Examined(examined) = &mut event {
        examined.dropped.splice(0..0, notes.iter().cloned());
    }
    event
}

fn listen(sender: UnboundedSender<Received>) {
    // Messages are handled in order, however long it takes to read the texts of each.
    let (requests, mut unread) = unbounded();
    spawn_local(async move {
        while let Ok((command, sources)) = unread.recv().await {
            match read_texts(command, sources).await {
                // Sending fails only once the device is gone, of which the page has been told.
                Ok((command, notes)) => drop(sender.unbounded_send(Received { command, notes })),
                Err(reason) => emit(Event::Refused { reason }),
            }
        }
    });
    let receive = move |event: &web_sys::Event| {
        let message = event.unchecked_ref::<MessageEvent>().data();
        let (command, sources) = texts::split(message);
        match serde_wasm_bindgen::from_value::<Command>(command) {
            Ok(command) => drop(requests.unbounded_send((command, sources))),
            Err(error) => emit(Event::Refused {
                reason: format!("The worker does not understand the page: {error}."),
            }),
        }
    };
    EventListener::new(&scope(), "message", receive).forget();
}

/// Reports panics and uncaught errors, which end this worker, to the page.
fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.payload_as_str().unwrap_or("no reason was given");
        emit(Event::Lost {
            reason: format!("The worker failed: {message}"),
        });
    }));
    let rejected = |event: &web_sys::Event| {
        let reason = event.unchecked_ref::<PromiseRejectionEvent>().reason();
        let reason = reason
            .dyn_ref::<js_sys::Error>()
            .map(js_sys::Error::message)
            .map_or("an error without a name".to_owned(), String::from);
        emit(Event::Lost {
            reason: format!("The worker failed: {reason}"),
        });
    };
    EventListener::new(&scope(), "unhandledrejection", rejected).forget();
}

fn emit(event: Event) {
    let message = serde_wasm_bindgen::to_value(&event).or_else(|error| {
        let reason = format!("The worker has something to say that cannot be sent: {error}.");
        serde_wasm_bindgen::to_value(&Event::Refused { reason })
    });
    if let Ok(message) = message {
        post(&message);
    }
}

fn post(message: &JsValue) {
    // `postMessage` fails only for values that cannot be cloned; events are plain data.
    let _ = scope().post_message(message);
}

/// Milliseconds since the worker started.
fn now() -> f64 {
    scope()
        .performance()
        .map_or_else(js_sys::Date::now, |performance| performance.now())
}

/// Lets the browser handle waiting events. A message to the worker itself comes back at once; a
/// timer would take four milliseconds.
struct Turn {
    channel: MessageChannel,
}

impl Turn {
    fn new() -> Self {
        let channel = MessageChannel::new().expect("every browser with workers has channels");
        Self { channel }
    }

    async fn give(&mut self) {
        let port = self.channel.port1();
        let came_back = Promise::new(&mut |resolve, _| {
            let resolve = Closure::once_into_js(move || {
                let _ = resolve.call0(&JsValue::UNDEFINED);
            });
            port.set_onmessage(Some(resolve.unchecked_ref()));
        });
        let sent = self.channel.port2().post_message(&JsValue::NULL);
        if sent.is_ok() {
            // The promise resolves when the message is back, and is never rejected.
            let _ = JsFuture::from(came_back).await;
        }
    }
}
