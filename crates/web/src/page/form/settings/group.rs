//! A table of settings, drawn from its description.

use super::choices::{self, is_of_files};
use super::draft::Draft;
use super::search::Sought;
use crate::page::form::fields::{Impossible, Select};
use crate::page::form::formula::formula;
use crate::page::form::papers::source;
use crate::sentence::sentence;
use serde_json::Value as Json;
use strata_describe::{Domain, Words};
use strata_models::EmbeddingTraining;
use strata_settings::Table;
use strata_settings::description::{Entry, Group};
use strata_settings::diff::get;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// State that all fields of the panel share.
pub struct Panel<'a> {
    /// The draft that is being changed.
    pub draft: &'a Draft,
    /// Settings of the draft.
    pub present: Table,
    /// Settings of the nearest preset, and the preset's name.
    pub preset: (Table, &'static str),
    /// The search among settings; others are not shown.
    pub sought: &'a Sought,
    /// Called with the changed draft.
    pub change: Callback<Draft>,
}

/// Renders the fields of a group's settings, except those for whose names `shown` returns false.
pub fn fields(panel: &Panel<'_>, group: &Group, shown: impl Fn(&str) -> bool) -> Html {
    // Files are chosen in the panel for own data, not here.
    let is_files = group.path == "task" && is_of_files(&panel.draft.experiment.task);
    // Word vectors are read by the command line alone, except for readers: their training is not
    // shown, either.
    let model = &panel.draft.experiment.model;
    let keeps_vectors = model.train_embeddings() == EmbeddingTraining::Auto && !model.is_reader();
    let settings = group.settings.iter().filter(|entry| {
        let is_file = is_files && matches!(entry.setting.domain, Domain::Path { .. });
        let is_of_vectors = keeps_vectors && entry.key == "model.train_embeddings";
        shown(entry.name()) && !is_file && !is_of_vectors && panel.sought.finds(group, entry)
    });
    html! { <>{ for settings.map(|entry| field(panel, entry)) }</> }
}

/// Renders the choice of a group's variant, and describes the chosen one.
pub fn variant(panel: &Panel<'_>, group: &Group) -> Html {
    let (Some(tag), Some(words)) = (&group.tag, group.variant) else {
        return Html::default();
    };
    if !panel.sought.finds(group, tag) {
        return Html::default();
    }
    let (draft, key) = (panel.draft.clone(), tag.key.clone());
    let (path, site) = (group.path.clone(), group.site);
    let choose = panel.change.reform(move |name: String| match site {
        Some((site, widths)) => draft.set_mechanism(&path, &name, site, widths),
        None => draft.set(&key, name),
    });
    let title = match group.site {
        Some(_) => "Mechanism",
        None => tag.setting.words.title,
    };
    let impossible = choices::variants(panel.draft, group);
    select(panel, tag, title, &words, impossible, choose)
}

fn select(
    panel: &Panel<'_>,
    entry: &Entry,
    title: &str,
    chosen: &Words,
    impossible: Vec<Impossible>,
    onchange: Callback<String>,
) -> Html {
    let options = entry.setting.domain.options().iter();
    let options: Vec<(AttrValue, AttrValue)> = options
        .map(|option| (option.name.into(), option.title.into()))
        .collect();
    html! {
        <Select id={id(&entry.key)} label={title.to_owned()} {options} {impossible}
            value={chosen.name} {onchange} below={words(chosen)} after={was(panel, entry, &id(&entry.key))} />
    }
}

fn field(panel: &Panel<'_>, entry: &Entry) -> Html {
    let value = get(&panel.present, &entry.key).cloned().unwrap_or_default();
    match &entry.setting.domain {
        Domain::Choice { options, .. } => {
            let chosen = options.iter().find(|option| value == option.name);
            let Some(chosen) = chosen.or(options.first()) else {
                return Html::default();
            };
            // If the options have no help, the setting's help is shown.
            let chosen = match chosen.help {
                "" => Words {
                    help: entry.setting.words.help,
                    ..*chosen
                },
                _ => *chosen,
            };
            let (draft, key) = (panel.draft.clone(), entry.key.clone());
            let choose = panel
                .change
                .reform(move |name: String| draft.set(&key, name));
            let impossible = choices::options(panel.draft, &entry.key, options);
            select(
                panel,
                entry,
                entry.setting.words.title,
                &chosen,
                impossible,
                choose,
            )
        }
        Domain::YesNo { .. } => check(
            panel,
            entry,
            &id(&entry.key),
            entry.setting.words.title,
            value == true,
            Json::from,
        ),
        Domain::Whole {
            special: Some(special),
            default,
            ..
        } => {
            let (special, default) = (*special, *default);
            let is_special = value == special.name;
            html! {
                <>
                    { check(panel, entry, &format!("{}-{}", id(&entry.key), special.name),
                        &format!("{}: {}", entry.setting.words.title, special.title), is_special,
                        move |on| if on { special.name.into() } else { default.into() }) }
                    if !is_special {
                        { number(panel, entry, &value) }
                    }
                </>
            }
        }
        _ => number(panel, entry, &value),
    }
}

fn check(
    panel: &Panel<'_>,
    entry: &Entry,
    id: &str,
    title: &str,
    checked: bool,
    value: impl Fn(bool) -> Json + 'static,
) -> Html {
    let (draft, key) = (panel.draft.clone(), entry.key.clone());
    let onchange = panel.change.reform(move |event: Event| {
        let on = event.target_unchecked_into::<HtmlInputElement>().checked();
        draft.set(&key, value(on))
    });
    html! {
        <div class="field">
            <div class="check">
                <input id={id.to_owned()} type="checkbox" {checked} {onchange} aria-describedby={described(panel, entry, id)} />
                <label for={id.to_owned()}>{ title }</label>
            </div>
            { was(panel, entry, id) }
            <div class="help" id={format!("{id}-help")} data-title={entry.setting.words.title}>{ words(&entry.setting.words) }</div>
        </div>
    }
}

/// Renders the field of a number, or of a file's path.
fn number(panel: &Panel<'_>, entry: &Entry, value: &Json) -> Html {
    let id = id(&entry.key);
    // Not a number box, which drops input that it does not understand: `0,001` in most countries.
    let keys = match &entry.setting.domain {
        Domain::Whole { .. } | Domain::Real { .. } => "decimal",
        _ => "text",
    };
    let (draft, own) = (panel.draft.clone(), entry.clone());
    let onchange = panel.change.reform(move |event: Event| {
        let typed = event.target_unchecked_into::<HtmlInputElement>().value();
        draft.type_in(&own, &typed)
    });
    let wrong = panel.draft.wrong(&entry.key);
    let shown = match wrong {
        Some(wrong) => wrong.typed.clone(),
        None => plain(value),
    };
    html! {
        <div class="field">
            <label for={id.clone()}>{ entry.setting.words.title }</label>
            <input id={id.clone()} type="text" inputmode={keys} dir="auto" value={shown} {onchange} autocomplete="off"
                aria-invalid={wrong.map(|_| "true")} aria-describedby={described(panel, entry, &id)} />
            if let Some(wrong) = wrong {
                <p class="wrong" id={format!("{id}-wrong")} role="alert">{ sentence(&wrong.reason) }</p>
            }
            { was(panel, entry, &id) }
            <div class="help" id={format!("{id}-help")} data-title={entry.setting.words.title}>{ words(&entry.setting.words) }</div>
        </div>
    }
}

/// Returns a sentence with the preset's value, if the draft has another one.
fn changed(panel: &Panel<'_>, entry: &Entry) -> Option<String> {
    let (preset, name) = &panel.preset;
    let (before, now) = (get(preset, &entry.key), get(&panel.present, &entry.key));
    let before = before.filter(|before| Some(*before) != now)?;
    let mut options = entry.setting.domain.options().iter();
    let title = options.find(|option| *before == option.name);
    let before = match title {
        Some(option) => option.title.to_owned(),
        None => plain(before),
    };
    Some(format!("Changed from {before} (“{name}”)."))
}

/// Like [`changed`], rendered below the field `id`.
fn was(panel: &Panel<'_>, entry: &Entry, id: &str) -> Html {
    let id = format!("{id}-was");
    changed(panel, entry).map_or_else(
        Html::default,
        |it| html! { <p class="was" {id} title={it.clone()}>{ it }</p> },
    )
}

/// Returns the ids of the elements that describe a field: its error, its change, its help.
fn described(panel: &Panel<'_>, entry: &Entry, id: &str) -> String {
    let wrong = panel
        .draft
        .wrong(&entry.key)
        .map(|_| format!("{id}-wrong "));
    let was = changed(panel, entry).map(|_| format!("{id}-was "));
    let [wrong, was] = [wrong, was].map(Option::unwrap_or_default);
    format!("{wrong}{was}{id}-help")
}

/// Renders help, formula and paper in one line.
fn words(words: &Words) -> Html {
    html! {
        <p>
            { words.help }
            if !words.formula.is_empty() {
                { " " }{ formula(words.formula) }
            }
            if !words.source.is_empty() {
                { " (" }{ source(words.source) }{ ")" }
            }
        </p>
    }
}

/// Writes a value as text.
fn plain(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Bool(true) => "yes".to_owned(),
        Json::Bool(false) => "no".to_owned(),
        Json::Null => String::new(),
        Json::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(number) => number.to_string(),
            None => number.to_string(),
        },
        other => other.to_string(),
    }
}

/// Returns the id of a setting's field in the document.
pub fn id(key: &str) -> String {
    // The seed belongs to no table, and the controls have an element `seed` already.
    if key.contains('.') {
        key.replace(['.', '_'], "-")
    } else {
        format!("experiment-{key}")
    }
}
