//! The global scope of the worker.

use wasm_bindgen::JsCast;
use web_sys::DedicatedWorkerGlobalScope;

/// The global scope of this worker, as a window is that of a page.
pub fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}
