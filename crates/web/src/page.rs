//! The page's components.
//!
//! - `app`: the whole page
//! - `intent`: intents of a user, as components say them; `follow`: their consequences
//! - `bench`, `embedded`: pages that an address can ask for instead, by `bench_order` and `embed`
//! - `controls`, `beside`, `status`, `messages`, `title`: transport and state of the run;
//!   `pressing`: changes that Train applies before it trains
//! - `curves`: loss, accuracy and speed over the steps; `scale` has the marks of their axes
//! - `inspector`: views of a held-out example; `translate`: the user's own sentence, and
//!   `attention` its picture
//! - `asking`: the user's own question to a reader; `passage`: an answer in its passage
//! - `data`: the user's own texts, and public ones; `dropping`: files that are dropped anywhere
//! - `view`: a matrix of weights; `heat_map` draws it, `colours` is its colour scale
//! - `drawing`: other pictures, on the page and in files; `exporting`: the files
//! - `settings`: the experiment in detail, drawn from its descriptions; `mechanism_change`: the
//!   effect of a choice; `formula`, `papers`: its background
//! - `permalink`: the experiment as an address and as a command; `visits`: the browser's history of
//!   such addresses; `location`: the page's own address; `unread`: words of it that nothing obeys
//! - `lesson`: lessons, which set the page up and notice what is done in it
//! - `runs`: the kept runs, `keeping` keeps the present one, `run_title` names it; `devices`: devices to compute with
//! - `poems`: a poem by its plan, in the place of `translate`
//! - `others`: models that can lie beside the present one; `small_models`: models that come
//!   with the page; `model_files`: those that a user chooses; `served_file`: a file of the page's own origin
//! - `foreign`: words of users and of models
//! - `number`: numbers as users type them
//! - `bar`, `fields`, `icons`, `focus`, `format`, `styles`, `theme`: small parts

mod app;
mod asking;
mod attention;
mod bar;
mod bench;
mod bench_order;
mod beside;
mod colours;
mod controls;
mod curves;
mod data;
mod devices;
mod drawing;
mod dropping;
mod embed;
mod embedded;
mod exporting;
mod fields;
mod focus;
mod follow;
mod foreign;
mod format;
mod formula;
mod heat_map;
mod icons;
mod inspector;
mod intent;
mod keeping;
mod lesson;
mod location;
mod mechanism_change;
mod messages;
mod model_files;
mod number;
mod others;
mod papers;
mod passage;
mod permalink;
mod poems;
mod pressing;
mod run_title;
mod runs;
mod scale;
mod served_file;
mod settings;
mod small_models;
mod status;
mod styles;
mod theme;
mod title;
mod translate;
mod unread;
mod view;
mod visits;

use bench_order::BenchOrder;
use embed::Embed;

/// Renders the page into the document's element `#app`.
pub fn run() {
    // In a sandboxed frame `loading.js` has told the user why nothing can be computed.
    if is_in_sandbox() {
        return;
    }
    let root = root_element();
    let query = location::query();
    if let Some(order) = BenchOrder::read(&query) {
        return bench::run(&root, order);
    }
    if lesson::list::is_asked_for(&query) {
        return lesson::list::run(root);
    }
    if let Some(lesson) = lesson::summary::asked_for(&query) {
        return lesson::summary::run(root, lesson);
    }
    match Embed::read(&query) {
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
