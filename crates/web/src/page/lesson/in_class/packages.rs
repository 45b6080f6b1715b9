//! Packages of the page that lie beside it: for learning platforms, and for a server of one's own.

use crate::page::base::format::bytes;
use crate::page::lesson::labels::{filled, label};
use crate::served_file::json;
use serde::Deserialize;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

/// List of the packages, which the build writes; there is none while a page is developed.
const LIST: &str = "./packages.json";

/// Names of packages, each with a sentence on the use of the package.
const KNOWN: [(&str, &str, &str); 3] = [
    (
        "strata-scorm-1.2.zip",
        "Package for SCORM 1.2",
        "Upload it as an activity “SCORM package” to Moodle, ILIAS or another platform: each lesson is a module that reports how many steps were done.",
    ),
    (
        "strata-scorm-2004.zip",
        "Package for SCORM 2004",
        "The same for platforms that ask for SCORM 2004; if yours takes both, take 1.2.",
    ),
    (
        "strata-page.zip",
        "The whole page",
        "Unpack it onto any web server, or onto a machine without a network; README.txt in it has the one command.",
    ),
];

/// A package beside the page.
#[derive(Deserialize, Clone, Debug, PartialEq)]
struct Package {
    name: String,
    bytes: u64,
}

#[derive(Properties, PartialEq)]
pub struct PackagesProperties {
    pub language: String,
}

/// Links to the packages that are there.
#[component]
pub fn Packages(properties: &PackagesProperties) -> Html {
    let PackagesProperties { language } = properties;
    let packages = use_state_eq(Vec::<Package>::new);
    {
        let packages = packages.setter();
        use_effect_with((), move |()| {
            spawn_local(async move {
                packages.set(json(LIST).await.unwrap_or_default());
            });
        });
    }
    let says = |english| label(language, english);
    let there = KNOWN.iter().filter_map(|known| {
        let package = packages.iter().find(|it| it.name == known.0)?;
        Some((known, package.bytes))
    });
    let there: Vec<_> = there.collect();
    if there.is_empty() {
        return Html::default();
    }
    let item = |((name, title, use_of), size): (
        &(&'static str, &'static str, &'static str),
        u64,
    )| {
        let words = filled(language, "{} ({})", &[says(title), &bytes(size as f64)]);
        html! {
            <li key={*name}><a href={format!("./{name}")} download={*name}>{ words }</a><p>{ says(use_of) }</p></li>
        }
    };
    html! {
        <section class="panel" id="class-packages">
            <h2>{ says("To take along") }</h2>
            <ul>{ for there.into_iter().map(item) }</ul>
        </section>
    }
}
