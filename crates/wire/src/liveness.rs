//! Liveness of workers. A browser that ends a worker, for want of memory say, tells no one; but the
//! Web Locks that the worker held are released.

use futures_channel::oneshot;
use js_sys::{Function, Promise, Reflect};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Prefix of the names of workers, which are the names of their locks, too.
pub const PREFIX: &str = "strata-worker-";

/// In a worker: acquires the lock `name` until the worker ends. Returns false if the browser has no
/// Web Locks.
pub async fn hold(name: &str) -> bool {
    let (sender, held) = oneshot::channel();
    let sender = RefCell::new(Some(sender));
    let granted = Closure::<dyn FnMut() -> Promise>::new(move || {
        if let Some(sender) = sender.borrow_mut().take() {
            // The receiver may be gone.
            let _ = sender.send(true);
        }
        // The promise never resolves, so the lock is held until the worker ends.
        Promise::new(&mut |_, _| {})
    });
    let Some(request) = request(name, granted.as_ref().unchecked_ref()) else {
        return false;
    };
    granted.forget();
    spawn_local(async move {
        // The request is rejected in frames that forbid storage; otherwise it stays pending.
        let _ = JsFuture::from(request).await;
    });
    held.await.unwrap_or(false)
}

/// In the page: calls `gone` when the worker `name`, which holds the lock of that name, has ended.
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
