//! The page's components.
//!
//! - `app`: the whole page, and what its buttons do
//! - `controls`, `status`, `messages`: what is done, and how it goes
//! - `curves`, `curve`: loss and accuracy over the steps; `scale` has their axes
//! - `watch`: the held-out example that is watched; `translate`: the person's own sentence
//! - `attention`: the picture of either: `view` chooses, `heat_map` draws, `colours` paints
//! - `settings`, `model_settings`, `mechanism`: the experiment in detail; `mechanism_change` is what
//!   a choice does
//! - `runs`: those that are kept; `keeping` keeps the present one; `devices`: what computes, and how fast
//! - `fields`, `icons`, `format`, `theme`: small parts

mod app;
mod attention;
mod colours;
mod controls;
mod curve;
mod curves;
mod devices;
mod fields;
mod format;
mod heat_map;
mod icons;
mod keeping;
mod mechanism;
mod mechanism_change;
mod messages;
mod model_settings;
mod runs;
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
    yew::Renderer::<app::App>::with_root(root).render();
}

fn root_element() -> web_sys::Element {
    let document = web_sys::window().and_then(|window| window.document());
    document
        .and_then(|document| document.get_element_by_id("app"))
        .expect("index.html has an element called app")
}
