//! The page's components.
//!
//! - `shell`: the whole page, its address and its frames
//! - `run`: training, kept runs and models
//! - `watch`: pictures of what the model does
//! - `ask`: a sentence, a question or a poem of the user's own
//! - `form`: the experiment in detail, and the user's own texts
//! - `lesson`: lessons, which set the page up and notice what is done in it
//! - `pipeline`: what the page knows of each kind of work, outside `ask`
//! - `base`: small parts

mod ask;
mod base;
mod form;
mod lesson;
mod pipeline;
mod run;
mod shell;
mod watch;

use crate::language;
use shell::bench_order::BenchOrder;
use shell::embed::Embed;
use shell::{app, bench, embedded, location};

/// Renders the page into the document's element `#app`.
pub fn run() {
    // In a sandboxed frame `loading.js` has told the user why nothing can be computed.
    if is_in_sandbox() {
        return;
    }
    let query = location::query();
    language::begin(&query.clone(), move || show(&query));
}

/// Renders the page that an address asks for.
fn show(query: &str) {
    let root = root_element();
    if let Some(order) = BenchOrder::read(query) {
        return bench::run(&root, order);
    }
    if lesson::list::is_asked_for(query) {
        return lesson::list::run(root);
    }
    if lesson::in_class::is_asked_for(query) {
        return lesson::in_class::run(root);
    }
    if let Some(lesson) = lesson::summary::asked_for(query) {
        return lesson::summary::run(root, lesson);
    }
    match Embed::read(query) {
        // A lesson needs the whole page.
        Some(embed) if !embed.is_lesson => embedded::run(root, embed),
        framed => {
            if framed.is_some() {
                root.set_class_name("framed");
            }
            drop(yew::Renderer::<app::App>::with_root(root).render());
        }
    }
}

/// True in a sandboxed frame, where the page may start no worker.
fn is_in_sandbox() -> bool {
    let origin = js_sys::Reflect::get(&js_sys::global(), &"origin".into());
    origin.is_ok_and(|origin| origin == "null")
}

fn root_element() -> web_sys::Element {
    let document = web_sys::window().and_then(|window| window.document());
    document
        .and_then(|document| document.get_element_by_id("app"))
        .expect("index.html has an element called app")
}
