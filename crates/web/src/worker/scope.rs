//! The worker, as its browser knows it.

use wasm_bindgen::JsCast;
use web_sys::DedicatedWorkerGlobalScope;

/// Gives what a page has as its window.
pub fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}
