//! Threads of a worker: workers of its own, which share its program and its memory.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_channel::mpsc::unbounded;
use gloo::events::{EventListener, EventListenerOptions};
use js_sys::Array;
use strata_kernels::threads::start;
use strata_wire::handshake::threads_of;
use strata_wire::time_limit::within;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Worker, WorkerOptions, WorkerType};

use super::scope::scope;

/// Script of a thread, for the program that this is.
const SCRIPT: &str = if cfg!(feature = "relaxed-simd") {
    "./worker-cpu-threads_helper.js"
} else {
    "./worker-cpu-threads-plain_helper.js"
};

/// Milliseconds that threads may take to begin. A browser may let a thread wait for ever.
const BEGINS_WITHIN: u32 = 10_000;

/// True in the worker itself, false in its threads. Worker and threads each call it once, the
/// worker first.
pub fn is_first_thread() -> bool {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    !BEGUN.swap(true, Ordering::Relaxed)
}

/// Runs a thread, which takes work until the worker ends.
#[wasm_bindgen]
pub fn help() {
    start::help();
}

/// Starts as many threads as the processor can use; returns the number of threads, this one
/// included. The others take over the work of those that cannot be started.
pub(super) async fn start() -> usize {
    let all = threads_of(scope().navigator().hardware_concurrency());
    let (tell, mut told) = unbounded();
    let begun = (1..all).filter_map(|_| {
        let worker = begin().ok()?;
        for event in ["message", "error"] {
            let tell = tell.clone();
            let tell = move |_: &web_sys::Event| drop(tell.unbounded_send(event == "message"));
            let options = EventListenerOptions::enable_prevent_default();
            EventListener::new_with_options(&worker, event, options, tell).forget();
        }
        Some(())
    });
    let mut ready = 0;
    let mut left = BEGINS_WITHIN;
    for _ in 0..begun.count() {
        let asked = js_sys::Date::now();
        match within(left, told.recv()).await {
            Some(answer) => ready += usize::from(answer == Ok(true)),
            // A thread that begins later finds no work left for it.
            None => break,
        }
        left = left.saturating_sub((js_sys::Date::now() - asked).max(0.0) as u32);
    }
    // Fails only if the work is shared among threads already.
    match start::share(ready) {
        Ok(()) => ready + 1,
        Err(_) => 1,
    }
}

fn begin() -> Result<Worker, JsValue> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    // A thread that fails tells the page on the channel of this name.
    options.set_name(&scope().name());
    let worker = Worker::new_with_options(SCRIPT, &options)?;
    let shared = Array::of2(&wasm_bindgen::module(), &wasm_bindgen::memory());
    worker.post_message(&shared)?;
    Ok(worker)
}
