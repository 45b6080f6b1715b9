//! How the target is searched for: controls made from the description of each search.

use crate::page::fields::Select;
use crate::page::translate::question::{of_kind, value, with};
use strata_attention::Values;
use strata_models::Search;
use web_sys::HtmlInputElement;
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
        let id = format!("search-{}", words.name);
        let help = format!("{id}-help");
        let change = change.clone();
        let onchange = Callback::from(move |event: Event| {
            let input = event.target_unchecked_into::<HtmlInputElement>();
            let typed = input.value_as_number();
            let next = match typed.is_finite() {
                true => with(search, words.name, typed),
                false => search,
            };
            // What was typed may be no number, or out of its range.
            input.set_value_as_number(value(next, words.name));
            change.emit(next);
        });
        html! {
            <div class="field" key={words.name}>
                <label for={id.clone()}>{ words.title }</label>
                <input {id} type="number" inputmode="decimal" min={minimum.to_string()} max={maximum.to_string()} {step}
                    value={value(search, words.name).to_string()} {onchange} aria-describedby={help.clone()} />
                <p class="help" id={help}>{ words.help }</p>
            </div>
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
