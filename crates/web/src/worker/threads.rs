//! Threads: workers of this worker, which share its program and its memory.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_channel::mpsc::unbounded;
use gloo::events::{EventListener, EventListenerOptions};
use js_sys::Array;
use strata_kernels::threads::start;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Worker, WorkerOptions, WorkerType};

use super::scope::scope;
use crate::link::worker_build::threads_of;
use crate::time_limit::within;

/// Script of each thread, of the program that this is.
const SCRIPT: &str = if cfg!(feature = "relaxed-simd") {
    "./worker-cpu-threads_helper.js"
} else {
    "./worker-cpu-threads-plain_helper.js"
};

/// Milliseconds that threads may take to begin. A browser may let one wait for ever.
const BEGINS_WITHIN: u32 = 10_000;

/// True if this is the worker itself, and none of its threads. Each calls it once.
pub fn is_first_thread() -> bool {
    static BEGUN: AtomicBool = AtomicBool::new(false);
    !BEGUN.swap(true, Ordering::Relaxed)
}

/// Work of a thread, all its life.
#[wasm_bindgen]
pub fn help() {
    start::help();
}

/// Starts as many threads as the processor has for the work; returns their number, this one
/// included. Those that cannot be started leave their work to the others.
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
            // One that begins later finds no work that is left to it.
            None => break,
        }
        left = left.saturating_sub((js_sys::Date::now() - asked).max(0.0) as u32);
    }
    // Refused only if there are threads already.
    match start::share(ready) {
        Ok(()) => ready + 1,
        Err(_) => 1,
    }
}

fn begin() -> Result<Worker, JsValue> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    // A thread that fails uses this name to tell the page.
    options.set_name(&scope().name());
    let worker = Worker::new_with_options(SCRIPT, &options)?;
    let shared = Array::of2(&wasm_bindgen::module(), &wasm_bindgen::memory());
    worker.post_message(&shared)?;
    Ok(worker)
}
