//! The page's components.
//!
//! - `app`: the whole page, and what its buttons do
//! - `bench`, `embedded`: what is shown instead where the address asks for it
//! - `controls`, `status`, `messages`: what is done, and how it goes
//! - `curves`, `curve`: loss and accuracy over the steps; `scale` has their axes
//! - `watch`: the held-out example that is watched; `translate`: the person's own sentence
//! - `attention`: the picture of either: `view` chooses, `heat_map` draws, `colours` paints
//! - `settings`, `model_settings`, `mechanism`: the experiment in detail; `mechanism_change` is what
//!   a choice does
//! - `fields`, `icons`, `format`, `theme`: small parts

use crate::bench_order::BenchOrder;
use crate::embed::Embed;

mod app;
mod attention;
mod bench;
mod colours;
mod controls;
mod curve;
mod curves;
mod embedded;
mod fields;
mod format;
mod heat_map;
mod icons;
mod mechanism;
mod mechanism_change;
mod messages;
mod model_settings;
mod scale;
mod settings;
mod status;
mod theme;
mod translate;
mod view;
mod watch;

/// Shows the page in place of what the document's `#app` holds.
pub fn run() {
    let root = root_element();
    let query = query();
    if let Some(order) = BenchOrder::read(&query) {
        return bench::run(&root, order);
    }
    match Embed::read(&query) {
        Some(embed) => embedded::run(root, embed),
        None => drop(yew::Renderer::<app::App>::with_root(root).render()),
    }
}

/// The part of the address from `?` on.
fn query() -> String {
    let search = web_sys::window().map(|window| window.location().search());
    search.and_then(Result::ok).unwrap_or_default()
}

fn root_element() -> web_sys::Element {
    let document = web_sys::window().and_then(|window| window.document());
    document
        .and_then(|document| document.get_element_by_id("app"))
        .expect("index.html has an element called app")
}
