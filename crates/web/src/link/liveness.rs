//! Liveness of a worker. A browser that ends a worker, for want of memory say, tells nobody; but
//! the locks that it held are free again.

use futures_channel::oneshot;
use js_sys::{Function, Promise, Reflect};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Prefix of the names of workers that hold a lock.
pub const PREFIX: &str = "strata-worker-";

/// In a worker: holds its lock for as long as it lives. False where there are no locks.
pub async fn hold(name: &str) -> bool {
    let (sender, held) = oneshot::channel();
    let sender = RefCell::new(Some(sender));
    let granted = Closure::<dyn FnMut() -> Promise>::new(move || {
        if let Some(sender) = sender.borrow_mut().take() {
            // The receiver may be gone.
            let _ = sender.send(true);
        }
        // Never resolved: the lock is free when the worker is gone.
        Promise::new(&mut |_, _| {})
    });
    let Some(request) = request(name, granted.as_ref().unchecked_ref()) else {
        return false;
    };
    granted.forget();
    spawn_local(async move {
        // Refused in frames that may keep nothing; otherwise it stays open.
        let _ = JsFuture::from(request).await;
    });
    held.await.unwrap_or(false)
}

/// In the page: calls `gone` when the worker of this name, which holds its lock, has ended.
pub fn when_gone(name: &str, gone: impl FnOnce() + 'static) {
    let gone = Rc::new(RefCell::new(Some(gone)));
    let granted = Closure::once_into_js(move || {
        if let Some(gone) = gone.borrow_mut().take() {
            gone();
        }
    });
    if let Some(request) = request(name, granted.unchecked_ref()) {
        spawn_local(async move {
            let _ = JsFuture::from(request).await;
        });
    }
}

fn request(name: &str, granted: &Function) -> Option<Promise> {
    let get = |object: &JsValue, name: &str| Reflect::get(object, &name.into()).ok();
    let locks = get(&get(&js_sys::global(), "navigator")?, "locks")?;
    let request: Function = get(&locks, "request")?.dyn_into().ok()?;
    let promise = request.call2(&locks, &name.into(), granted).ok()?;
    promise.dyn_into().ok()
}
