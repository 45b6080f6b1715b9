//! Controls of the search for the target, made from the description of each search.

use crate::page::ask::translate::search_setting::{of_kind, value, with};
use crate::page::form::fields::Select;
use crate::page::form::number;
use crate::sentence::sentence;
use strata_describe::{Domain, Setting};
use strata_models::Search;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Renders the controls; `change` is called with the search that a user chooses.
pub fn search_controls(search: Search, change: &Callback<Search>) -> Html {
    let kinds = Search::all().map(|it| {
        let words = it.description().words;
        (words.name.into(), words.title.into())
    });
    let choose = change.reform(|name: String| of_kind(&name));
    let setting = |described: &Setting| match described.domain {
        Domain::Whole { .. } | Domain::Real { .. } => html! {
            <Number key={described.words.name} described={*described} {search} change={change.clone()} />
        },
        Domain::Choice { .. }
        | Domain::YesNo { .. }
        | Domain::Text
        | Domain::Path { .. }
        | Domain::WholeRange { .. } => html! {},
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

#[derive(Properties, PartialEq)]
struct NumberProperties {
    described: Setting,
    search: Search,
    change: Callback<Search>,
}

/// A field for a number of the search. Input that is not accepted stays, with a sentence below.
#[component]
fn Number(properties: &NumberProperties) -> Html {
    let NumberProperties {
        described, search, ..
    } = properties;
    // Input that is not accepted, with the reason.
    let wrong = use_state_eq(|| None::<(String, String)>);
    let words = described.words;
    let id = format!("search-{}", words.name);
    let (help, wrong_id) = (format!("{id}-help"), format!("{id}-wrong"));
    let onchange = {
        let (wrong, search) = (wrong.clone(), *search);
        let (described, change) = (*described, properties.change.clone());
        Callback::from(move |event: Event| {
            let input = event.target_unchecked_into::<HtmlInputElement>();
            let typed = input.value();
            match read(&described, &typed) {
                Ok(number) => {
                    wrong.set(None);
                    let next = with(search, words.name, number);
                    // If the search stays the same, nothing is drawn anew, so the field is reset
                    // here.
                    input.set_value(&value(next, words.name).to_string());
                    change.emit(next);
                }
                Err(reason) => wrong.set(Some((typed, reason))),
            }
        })
    };
    let shown = match &*wrong {
        Some((typed, _)) => typed.clone(),
        None => value(*search, words.name).to_string(),
    };
    let described_by = match *wrong {
        Some(_) => format!("{wrong_id} {help}"),
        None => help.clone(),
    };
    html! {
        <div class="field">
            <label for={id.clone()}>{ words.title }</label>
            <input {id} type="text" inputmode="decimal" dir="auto" autocomplete="off" value={shown} {onchange}
                aria-invalid={wrong.is_some().then_some("true")} aria-describedby={described_by} />
            if let Some((_, reason)) = &*wrong {
                <p class="wrong" id={wrong_id} role="alert">{ sentence(reason) }</p>
            }
            <p class="help" id={help}>{ words.help }</p>
        </div>
    }
}

/// Reads a number that was typed.
///
/// # Errors
/// Returns a sentence if the text does not spell a number, or the number is out of range.
fn read(described: &Setting, typed: &str) -> Result<f64, String> {
    let (minimum, maximum, is_whole) = match described.domain {
        Domain::Whole {
            minimum, maximum, ..
        } => (minimum as f64, maximum as f64, true),
        Domain::Real {
            minimum, maximum, ..
        } => (minimum, maximum, false),
        Domain::Choice { .. }
        | Domain::YesNo { .. }
        | Domain::Text
        | Domain::Path { .. }
        | Domain::WholeRange { .. } => (0.0, 0.0, true),
    };
    let number = number::plain(typed, is_whole)?.parse::<f64>().ok();
    let fits = |it: &f64| (minimum..=maximum).contains(it) && (!is_whole || it.fract() == 0.0);
    number.filter(fits).ok_or_else(|| {
        let kind = if is_whole {
            "a whole number"
        } else {
            "a number"
        };
        let title = described.words.title;
        if maximum > 1e15 {
            format!("{title} must be {kind}, {minimum} or above")
        } else {
            format!("{title} must be {kind}, {minimum} to {maximum}")
        }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_number_is_taken_and_anything_else_told() {
        let sampling = of_kind("sampling");
        let settings = sampling.description().settings;
        let temperature = settings.iter().find(|it| it.words.name == "temperature");
        let temperature = temperature.unwrap();
        assert_eq!(read(temperature, "0,7"), Ok(0.7));
        for typed in ["", "warm", "-1", "1e9"] {
            let told = read(temperature, typed).unwrap_err();
            assert!(
                told.starts_with("Temperature must be a number, 0 to"),
                "{told}"
            );
        }
        let beam = of_kind("beam");
        let width = beam
            .description()
            .settings
            .iter()
            .find(|it| it.words.name == "width");
        assert!(read(width.unwrap(), "2,5").is_err());
        assert_eq!(read(width.unwrap(), "٦"), Ok(6.0));
    }
}
