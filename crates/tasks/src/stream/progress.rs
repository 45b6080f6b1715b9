//! How far a preparation is, for whoever waits for it.

use std::sync::OnceLock;

/// How far the preparation of a large corpus is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preparation {
    /// What is being done.
    pub what: &'static str,
    /// From 0 to 1.
    pub share: f64,
}

static WATCH: OnceLock<fn(Preparation)> = OnceLock::new();

/// Has `watch` told of every preparation from now on, again and again while it lasts. Only the
/// first call in a program counts.
pub fn watch_preparation(watch: fn(Preparation)) {
    // A second watcher has nothing to see.
    let _ = WATCH.set(watch);
}

#[cfg(not(target_family = "wasm"))]
pub(super) fn tell(what: &'static str, share: f64) {
    if let Some(watch) = WATCH.get() {
        watch(Preparation { what, share });
    }
}
