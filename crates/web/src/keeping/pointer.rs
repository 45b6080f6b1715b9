//! Which run a reload goes on with: a tab with its own, a new tab with the last of all.

use web_sys::Storage;

const KEY: &str = "strata.run";

/// The run to go on with, if there is one.
pub fn read() -> Option<String> {
    stores().find_map(|store| store.get_item(KEY).ok()?)
}

/// A reload goes on with this run.
pub fn set(id: &str) {
    for store in stores() {
        // Where nothing may be stored, a reload begins anew.
        let _ = store.set_item(KEY, id);
    }
}

/// A reload begins anew.
pub fn clear() {
    for store in stores() {
        let _ = store.remove_item(KEY);
    }
}

/// That of the tab, then that of all tabs. A browser may have neither.
fn stores() -> impl Iterator<Item = Storage> {
    let window = web_sys::window();
    let session = window.as_ref().map(web_sys::Window::session_storage);
    let local = window.as_ref().map(web_sys::Window::local_storage);
    [session, local]
        .into_iter()
        .filter_map(|store| store?.ok().flatten())
}
