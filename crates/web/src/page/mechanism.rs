//! Choosing a mechanism and its settings: every control is built from its description.

use crate::page::fields::{Check, Impossible, Number, Select};
use crate::page::mechanism_change::{of_kind, read, with};
use crate::sentence::sentence;
use strata_attention::{
    ConfigError, MechanismConfig, SettingDescription, Site, Values, Widths, Words,
};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct MechanismProperties {
    pub id: AttrValue,
    pub label: AttrValue,
    pub value: MechanismConfig,
    /// Where it stands.
    pub site: Site,
    /// The widths that meet there.
    pub widths: Widths,
    pub onchange: Callback<MechanismConfig>,
}

/// A mechanism and all its settings; what cannot stand here cannot be chosen.
#[component]
pub fn Mechanism(properties: &MechanismProperties) -> Html {
    let MechanismProperties {
        id, label, value, ..
    } = properties;
    let (present, site, widths) = (*value, properties.site, properties.widths);
    let check = move |mechanism: &MechanismConfig| mechanism.check(site, widths);
    let kinds = MechanismConfig::all().map(|kind| kind.description().words);
    let not_here = kinds.iter().filter_map(|kind| {
        let error = of_kind(kind.name, &present, check).err()?;
        Some(impossible(kind, &error))
    });
    let set_kind = properties
        .onchange
        .reform(move |name: String| of_kind(&name, &present, check).unwrap_or(present));
    let description = value.description();
    html! {
        <fieldset>
            <legend>{ label }</legend>
            <Select id={format!("{id}-mechanism")} label="Mechanism" options={choices(&kinds)}
                impossible={not_here.collect::<Vec<_>>()} value={value.name()}
                onchange={set_kind} help={description.words.line()} />
            { for description.settings.iter().map(|setting| control(setting, properties)) }
        </fieldset>
    }
}

fn control(setting: &'static SettingDescription, properties: &MechanismProperties) -> Html {
    let words = &setting.words;
    let id = format!("{}-{}", properties.id, words.name.replace('_', "-"));
    let present = properties.value;
    let value = read(&present, words.name);
    match setting.values {
        Values::Whole {
            minimum,
            maximum,
            default,
            special,
        } => {
            let number = html! {
                <Number id={id.clone()} label={words.title}
                    value={value.as_f64().unwrap_or_default()} minimum={minimum as f64} maximum={maximum as f64}
                    onchange={set(setting, properties, |number: f64| number as usize)} help={words.line()} />
            };
            let Some(special) = special else {
                return number;
            };
            let is_special = value == special.name;
            let set_special = set(setting, properties, move |on| match on {
                true => serde_json::Value::from(special.name),
                false => default.into(),
            });
            html! {
                <>
                    <Check id={format!("{id}-{}", special.name)} label={format!("{}: {}", words.title, special.title)}
                        checked={is_special} onchange={set_special} help={special.line()} />
                    if !is_special {
                        { number }
                    }
                </>
            }
        }
        Values::Real {
            minimum, maximum, ..
        } => html! {
            <Number {id} label={words.title} value={value.as_f64().unwrap_or_default()} {minimum} {maximum}
                step="any" onchange={set(setting, properties, |number: f64| number)} help={words.line()} />
        },
        Values::Choice { options, .. } => {
            let chosen = value.as_str().unwrap_or_default().to_owned();
            let option = options.iter().find(|option| option.name == chosen);
            let line = option.map(Words::line).unwrap_or_default();
            html! {
                <Select {id} label={words.title} options={choices(options)}
                    impossible={impossible_options(words.name, options, properties)} value={chosen}
                    onchange={set(setting, properties, |name: String| name)}
                    help={format!("{} {line}", words.help)} />
            }
        }
        Values::YesNo { .. } => html! {
            <Check {id} label={words.title} checked={value.as_bool().unwrap_or_default()}
                onchange={set(setting, properties, |on: bool| on)} help={words.line()} />
        },
    }
}

/// What the control of a setting does with a new value.
fn set<V: 'static, J: Into<serde_json::Value>>(
    setting: &'static SettingDescription,
    properties: &MechanismProperties,
    json: impl Fn(V) -> J + 'static,
) -> Callback<V> {
    let present = properties.value;
    properties
        .onchange
        .reform(move |value| with(&present, setting.words.name, json(value)).unwrap_or(present))
}

/// The options that do not fit, unless what does not fit is something else.
fn impossible_options(
    setting: &str,
    options: &[Words],
    properties: &MechanismProperties,
) -> Vec<Impossible> {
    let check = |mechanism: &MechanismConfig| mechanism.check(properties.site, properties.widths);
    let wrong_already = check(&properties.value).err();
    let reasons = options.iter().filter_map(|option| {
        let changed = with(&properties.value, setting, option.name)?;
        let error = check(&changed).err()?;
        (wrong_already.as_ref() != Some(&error)).then(|| impossible(option, &error))
    });
    reasons.collect()
}

fn impossible(words: &Words, reason: &ConfigError) -> Impossible {
    Impossible {
        option: words.name.into(),
        reason: sentence(&reason.to_string()).into(),
    }
}

fn choices(options: &[Words]) -> Vec<(AttrValue, AttrValue)> {
    let choices = options.iter();
    choices
        .map(|option| (option.name.into(), option.title.into()))
        .collect()
}
