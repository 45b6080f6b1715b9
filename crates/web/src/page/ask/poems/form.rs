//! Settings of the request besides the text: length, acrostic, search and seed.

use super::LANG;
use crate::page::form::fields::Select;
use strata_models::{SamplingConfig, Search};
use strata_session::protocol::PoemRequest;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Searches that are offered, by name and title.
const SEARCHES: [(&str, &str); 4] = [
    ("beam", "Best of a beam of 10"),
    ("greedy", "Greedy"),
    ("calm", "Drawn, temperature 0.7"),
    ("free", "Drawn, temperature 1"),
];

/// Returns the handler of a text field that changes the request.
pub fn field(
    request: &UseStateHandle<PoemRequest>,
    set: fn(&mut PoemRequest, String),
) -> Callback<InputEvent> {
    let request = request.clone();
    Callback::from(move |event: InputEvent| {
        let mut next = (*request).clone();
        set(
            &mut next,
            event.target_unchecked_into::<HtmlInputElement>().value(),
        );
        request.set(next);
    })
}

/// Renders the fields: length, acrostic, search and seed.
pub fn form(request: &UseStateHandle<PoemRequest>, change: &Callback<PoemRequest>) -> Html {
    let present = request.clone();
    let set_length = change.reform(move |name: String| PoemRequest {
        length: if name == "5" { 5 } else { 7 },
        ..(*present).clone()
    });
    let present = request.clone();
    let set_search = change.reform(move |name: String| PoemRequest {
        search: search_of(&name),
        ..(*present).clone()
    });
    let lengths = ["5", "7"].map(|it| (it.into(), format!("{it} characters").into()));
    let searches = SEARCHES.map(|(name, title)| (name.into(), title.into()));
    let acrostic = field(request, |request, text| request.acrostic = text);
    let seed = field(request, |request, text| {
        request.seed = text.trim().parse().unwrap_or_default();
    });
    html! {
        <div class="fields search">
            <Select id="poem-length" label="A line has" options={lengths.to_vec()} value={request.length.to_string()} onchange={set_length} />
            <Select id="poem-search" label="Search" options={searches.to_vec()} value={name_of(&request.search)} onchange={set_search} />
            <div class="field">
                <label for="poem-acrostic">{ "Acrostic" }</label>
                <input id="poem-acrostic" type="text" autocomplete="off" translate="no" lang={LANG} placeholder="春夏秋冬"
                    value={request.acrostic.clone()} oninput={acrostic} />
            </div>
            <div class="field">
                <label for="poem-seed">{ "Seed" }</label>
                <input id="poem-seed" type="number" min="0" max="4294967295" value={request.seed.to_string()} oninput={seed} />
            </div>
        </div>
    }
}

fn search_of(name: &str) -> Search {
    let drawn = |temperature| {
        Search::Sampling(SamplingConfig {
            temperature,
            ..SamplingConfig::default()
        })
    };
    match name {
        "greedy" => Search::Greedy,
        "calm" => drawn(0.7),
        "free" => drawn(1.0),
        _ => PoemRequest::default().search,
    }
}

fn name_of(search: &Search) -> &'static str {
    match search {
        Search::Beam(_) => "beam",
        Search::Sampling(config) if config.temperature < 1.0 => "calm",
        Search::Sampling(_) => "free",
        _ => "greedy",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_found_by_their_names() {
        for (name, _) in SEARCHES {
            assert_eq!(name_of(&search_of(name)), name);
            assert!(search_of(name).check().is_ok());
        }
    }
}
