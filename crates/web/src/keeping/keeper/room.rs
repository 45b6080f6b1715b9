//! Room in the browser's storage.

use crate::state::Storage;
use crate::time_limit::within;
use js_sys::Reflect;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

/// Milliseconds to wait for the browser to tell how much room there is.
const TELLS_WITHIN: u32 = 3_000;

/// Returns the room in the browser's storage, as far as the browser tells.
pub(super) async fn room() -> Storage {
    let estimate = ask("estimate").await.unwrap_or_default();
    let number = |name: &str| Reflect::get(&estimate, &name.into()).ok()?.as_f64();
    Storage {
        usage: number("usage"),
        quota: number("quota"),
        is_persisted: ask("persisted").await.and_then(|answer| answer.as_bool()) == Some(true),
    }
}

/// Asks the browser to make the storage persistent; returns true if the storage is persistent now.
pub(super) async fn persist() -> bool {
    ask("persist").await.and_then(|answer| answer.as_bool()) == Some(true)
}

/// Calls a method of the browser's storage manager, which pages without HTTPS lack.
async fn ask(method_name: &str) -> Option<JsValue> {
    let navigator = web_sys::window()?.navigator();
    let manager = Reflect::get(&navigator, &"storage".into()).ok()?;
    let method = Reflect::get(&manager, &method_name.into()).ok()?;
    let method: js_sys::Function = wasm_bindgen::JsCast::dyn_into(method).ok()?;
    let promise = method.call0(&manager).ok()?;
    let answer = JsFuture::from(js_sys::Promise::resolve(&promise));
    match method_name {
        // No time limit: a browser may ask the user for permission first.
        "persist" => answer.await.ok(),
        _ => within(TELLS_WITHIN, answer).await?.ok(),
    }
}
