//! The offer of a first lesson, and of the run that shows what levels are good for, on a first
//! visit. The link to all lessons stands beside the offer, and stays.

use crate::page::lesson::address::ENGLISH;
use crate::page::lesson::files::index;
use wasm_bindgen_futures::spawn_local;
use web_sys::Storage;
use yew::prelude::*;

/// Key under which the browser stores that the user wants no lesson.
const KEY: &str = "strata.lessons";
/// Value of that key.
const NO: &str = "no";
/// Sentence on what levels are good for, with the figures of e6.
const LEVELS: &str = "One layer that has learned to follow two arrows and three follows sixteen when levels are added, without further training, in 5 of 5 seeds";

#[derive(Properties, PartialEq)]
pub struct OfferProperties {
    /// True if the page has kept runs, that is, if the user has been here before.
    pub is_known: bool,
    /// Called with the name of the lesson.
    pub begin: Callback<String>,
}

/// The line with the offer, or nothing.
#[component]
pub fn Offer(properties: &OfferProperties) -> Html {
    let is_refused = use_state_eq(was_refused);
    if *is_refused || properties.is_known {
        return Html::default();
    }
    let begin = {
        let begin = properties.begin.clone();
        Callback::from(move |_: MouseEvent| {
            let begin = begin.clone();
            spawn_local(async move {
                let lessons = index(ENGLISH).await.unwrap_or_default();
                if let Some(first) = lessons.first() {
                    begin.emit(first.name.clone());
                }
            });
        })
    };
    let refuse = {
        let is_refused = is_refused.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(storage) = storage() {
                // Where storage is forbidden, the offer is back at the next visit.
                let _ = storage.set_item(KEY, NO);
            }
            is_refused.set(true);
        })
    };
    html! {
        <p id="lesson-offer">
            <button type="button" class="primary" id="lesson-begin" onclick={begin}>{ "Learn in 12 minutes" }</button>
            <a id="levels-begin" href="./?preset=arrows" title={LEVELS}>{ "Follow the arrows" }</a>
            <button type="button" class="link" id="lesson-refuse" onclick={refuse}>{ "No, thanks" }</button>
        </p>
    }
}

fn was_refused() -> bool {
    let kept = storage().and_then(|storage| storage.get_item(KEY).ok().flatten());
    kept.as_deref() == Some(NO)
}

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::Value;

    use super::LEVELS;

    /// Returns the share of right answers to k = 16 in each seed, of a row of e6.
    fn right_at_16(row: &str) -> Vec<f64> {
        let results = include_str!("../../../../../docs/results/e6-smoke-cpu.json");
        let results: Value = serde_json::from_str(results).unwrap();
        let tables = results["tables"].as_array().unwrap();
        let rows = tables
            .iter()
            .flat_map(|table| table["rows"].as_array().unwrap());
        let row = rows.into_iter().find(|found| found["name"] == row).unwrap();
        serde_json::from_value(row["cells"]["right_16"]["values"].clone()).unwrap()
    }

    #[test]
    fn the_offer_says_what_e6_found() {
        let right = right_at_16("n16-k23");
        let reached = right.iter().filter(|&&percent| percent >= 99.0).count();
        let found = format!("in {reached} of {} seeds", right.len());
        assert!(LEVELS.ends_with(&found), "{LEVELS}, but e6: {found}");
    }

    #[test]
    fn the_readme_says_what_e6_found() {
        let readme = include_str!("../../../../../README.md");
        let readme = readme.split_whitespace().collect::<Vec<_>>().join(" ");
        let reached = |row| {
            let right = right_at_16(row);
            let reached = right.iter().filter(|&&percent| percent >= 99.0).count();
            (reached, right.len())
        };
        assert_eq!(reached("n16-k23"), (5, 5));
        assert_eq!(reached("loop-k23"), (0, 5));
        let found = "follows sixteen when levels are added, without further training, in five of \
                     five seeds; the same layer, looped as often, in none";
        assert!(readme.contains(found));
    }
}
