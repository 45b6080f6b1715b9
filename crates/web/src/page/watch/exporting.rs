//! Files of what the page shows: pictures as SVG and PNG, numbers as CSV and JSON.
//!
//! - here: the menu beside each picture
//! - `download`: hands a file to the user; `attention`, `metrics`: numbers

mod attention;
mod download;
mod metrics;

pub use attention::{matrix_json, view_json};
pub use download::{Content, save, save_png};
pub use metrics::{csv, json};

use crate::page::watch::drawing::Drawing;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

/// A file that a picture's menu offers.
pub struct Export {
    /// Extension of the file's name.
    ending: &'static str,
    /// Makes the file's contents when the user asks for the file.
    make: Rc<dyn Fn() -> Content>,
}

impl Export {
    /// Returns a file with this extension; `make` is called when the user asks for the file.
    pub fn new(ending: &'static str, make: impl Fn() -> Content + 'static) -> Self {
        Self {
            ending,
            make: Rc::new(make),
        }
    }

    /// Returns files of a picture: as SVG and as PNG.
    pub fn picture(draw: impl Fn() -> Drawing + 'static) -> Vec<Self> {
        let draw = Rc::new(draw);
        let again = draw.clone();
        vec![
            Self::new("svg", move || Content::Svg(draw())),
            Self::new("png", move || Content::Png(again())),
        ]
    }
}

/// Returns the menu; each file is named `name` with the file's extension.
pub fn export_menu(id: &str, name: &str, exports: Vec<Export>) -> Html {
    let item = |export: Export| {
        let Export { ending, make } = export;
        let file = format!("{name}.{ending}");
        let press = {
            let file = file.clone();
            Callback::from(move |event: MouseEvent| {
                close(&event);
                save(&file, make());
            })
        };
        // What is read on the button is part of the name by which a voice presses the button.
        let shown = ending.replace('.', " ").to_ascii_uppercase();
        let name = format!("{shown}: save {file}");
        html! {
            <button type="button" class="quiet" id={format!("{id}-{ending}")} onclick={press} aria-label={name}>
                { shown }
            </button>
        }
    };
    html! {
        <details class="export" id={format!("{id}-export")}>
            <summary>{ "Export" }</summary>
            <div>{ for exports.into_iter().map(item) }</div>
        </details>
    }
}

/// Closes the menu in which the user clicked.
fn close(event: &MouseEvent) {
    let target = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    let menu = target.and_then(|it| it.closest("details").ok().flatten());
    if let Some(menu) = menu {
        // Removing an attribute that the menu lacks is no error.
        let _ = menu.remove_attribute("open");
    }
}
