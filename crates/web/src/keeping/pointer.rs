//! The run that a bare address goes on with, and the run's step and unsaved settings when the page
//! was left. All are stored for each tab; a new tab takes the values of the tab that was used last.

use super::folder;
use crate::state::Left;
use web_sys::Storage;

const RUN: &str = "strata.run";
const LEFT: &str = "strata.left";

/// Returns the id of the run that a bare address goes on with, if there is one.
pub fn read() -> Option<String> {
    get(RUN)
}

/// Makes the run of this id the one that a bare address goes on with.
pub fn set(id: &str) {
    let name = folder::named(RUN);
    for store in stores() {
        // Where storage is forbidden, a bare address begins a new run.
        let _ = store.set_item(&name, id);
    }
}

/// Records that the page is left while this run is the present one. `unsaved` is the address of the
/// run's settings, or empty if the stored run has the same settings.
pub fn leave(id: &str, left: Left, unsaved: &str) {
    let name = folder::named(LEFT);
    let entry = written(id, left, unsaved);
    for store in stores() {
        let _ = store.set_item(&name, &entry);
    }
}

/// Returns the step at which the page was left with this run, if it is known.
pub fn left(id: &str) -> Option<Left> {
    Some(parse(&get(LEFT)?, id)?.0)
}

/// Returns the address of the settings that this run had when the page was left, if the run was
/// last stored before that, with other settings. `stored_at` is in milliseconds since 1970.
pub fn unsaved(id: &str, stored_at: f64) -> Option<String> {
    let entry = get(LEFT)?;
    let (left, unsaved) = parse(&entry, id)?;
    (left.at >= stored_at && !unsaved.is_empty()).then(|| unsaved.to_owned())
}

/// Removes all that this page has stored outside of its database; entries of builds in other
/// folders stay.
pub fn forget_all() {
    for store in stores() {
        let names = (0..store.length().unwrap_or(0)).filter_map(|at| store.key(at).ok()?);
        let is_own = |name: &String| {
            let (first, folder) = name.split_once(' ').unwrap_or((name, ""));
            let is_shared = folder.is_empty() && ![RUN, LEFT].contains(&first);
            first.starts_with("strata") && (is_shared || *name == folder::named(first))
        };
        for name in names.filter(is_own).collect::<Vec<_>>() {
            let _ = store.remove_item(&name);
        }
    }
}

fn written(id: &str, left: Left, unsaved: &str) -> String {
    format!("{} {} {id} {unsaved}", left.step, left.at)
}

/// Reads an entry of the run `id`: its step and time, and its unsaved settings, which entries of
/// older builds lack.
fn parse<'a>(text: &'a str, id: &str) -> Option<(Left, &'a str)> {
    let mut parts = text.splitn(4, ' ');
    let (step, at) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let is_own = parts.next() == Some(id);
    is_own.then(|| (Left { step, at }, parts.next().unwrap_or_default()))
}

/// Returns the entry of this folder, or the entry of older builds, whose names had no folder.
fn get(key: &str) -> Option<String> {
    let own = folder::named(key);
    let found = |name: &str| stores().find_map(|store| store.get_item(name).ok()?);
    found(&own).or_else(|| found(key))
}

/// Returns the storage of the tab, then that of all tabs, as far as the browser has them.
fn stores() -> impl Iterator<Item = Storage> {
    let window = web_sys::window();
    let session = window.as_ref().map(web_sys::Window::session_storage);
    let local = window.as_ref().map(web_sys::Window::local_storage);
    [session, local]
        .into_iter()
        .filter_map(|store| store?.ok().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_said_of_the_run_itself_is_taken() {
        let left = Left { step: 315, at: 1.5 };
        assert_eq!(parse("315 1.5 page-1", "page-1"), Some((left, "")));
        for unsaved in ["", "?v=1&preset=copy&training.steps=14"] {
            let entry = written("page-1", left, unsaved);
            assert_eq!(parse(&entry, "page-1"), Some((left, unsaved)));
        }
        for text in ["315 1.5 page-1", "", "x y page-2", "1 page-2", "1 2"] {
            assert_eq!(parse(text, "page-2"), None, "{text}");
        }
    }
}
