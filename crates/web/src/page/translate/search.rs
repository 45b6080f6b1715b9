//! How the target is searched for: controls made from the description of each search.

use crate::page::fields::{Number, Select};
use crate::page::translate::question::{of_kind, value, with};
use strata_attention::Values;
use strata_models::Search;
use yew::prelude::*;

/// The controls; `change` is given the search that a person chose.
pub fn search_controls(search: Search, change: &Callback<Search>) -> Html {
    let kinds = Search::all().map(|it| {
        let words = it.description().words;
        (words.name.into(), words.title.into())
    });
    let choose = change.reform(|name: String| of_kind(&name));
    let setting = |described: &strata_attention::SettingDescription| {
        let (minimum, maximum, step) = match described.values {
            Values::Whole {
                minimum, maximum, ..
            } => (minimum as f64, maximum as f64, "1"),
            Values::Real {
                minimum, maximum, ..
            } => (minimum, maximum, "any"),
            Values::Choice { .. } | Values::YesNo { .. } => return html! {},
        };
        let words = described.words;
        let onchange = change.reform(move |value| with(search, words.name, value));
        html! {
            <Number key={words.name} id={format!("search-{}", words.name)} label={words.title} {minimum} {maximum} {step}
                value={value(search, words.name)} {onchange} help={words.help} />
        }
    };
    let words = search.description().words;
    html! {
        <div class="fields search">
            <Select id="search-kind" label="Search" options={kinds.to_vec()} value={words.name} onchange={choose}
                help={words.help} />
            { for search.description().settings.iter().map(setting) }
        </div>
    }
}
