//! `strata config --explain`: settings, mechanisms and options in words.

use std::iter;

use serde_json::{Map, Value as Json};
use strata_attention::{MechanismConfig, MechanismDescription, SettingDescription, Values, Words};

use crate::error::Failure;
use crate::settings::{self, Setting};
use crate::suggestion::suggestion;

/// Everything that can be set, or what has this name.
///
/// # Errors
/// If nothing has this name.
pub fn text(name: Option<&str>) -> Result<String, Failure> {
    let all = MechanismConfig::all().map(|mechanism| mechanism.description());
    let plain = settings::all();
    let Some(name) = name else {
        let mechanisms = all.into_iter().map(of_mechanism);
        let plain = plain.iter().map(of_plain).collect();
        let all: Vec<String> = iter::once(plain).chain(mechanisms).collect();
        return Ok(all.join("\n"));
    };
    // A setting may be named as in `strata config`: model.cross.levels.
    let last = name.rsplit('.').next().unwrap_or_default();
    if let Some(mechanism) = all.iter().find(|it| it.words.name == last) {
        return Ok(of_mechanism(mechanism));
    }
    let plain_found: Vec<String> = plain
        .iter()
        .filter(|setting| is_meant(setting, name))
        .map(of_plain)
        .collect();
    if plain.iter().any(|setting| setting.key == name) {
        return Ok(plain_found.concat());
    }
    let found = settings_of(&all).into_iter().filter(|(setting, _)| {
        setting.words.name == last || options(setting).iter().any(|option| option.name == last)
    });
    let found = found.map(|(setting, mechanisms)| {
        format!(
            "{}A setting of: {}.\n",
            of_setting(setting),
            mechanisms.join(", ")
        )
    });
    let found: Vec<String> = plain_found.into_iter().chain(found).collect();
    if found.is_empty() {
        return Err(Failure::NothingToExplain {
            name: name.to_owned(),
            advice: advice(last, &all, &plain),
        });
    }
    Ok(found.join("\n"))
}

/// Whether a setting, its group or one of its options has this name.
fn is_meant(setting: &Setting, name: &str) -> bool {
    let key = &setting.key;
    let is_inside = |rest: &str| rest.is_empty() || rest.starts_with('.');
    key.strip_prefix(name).is_some_and(is_inside)
        || key.rsplit('.').next() == Some(name)
        || setting.names.iter().any(|option| option == name)
}

/// A setting that belongs to no mechanism.
fn of_plain(setting: &Setting) -> String {
    let Setting {
        key,
        help,
        values,
        default,
        of,
        ..
    } = setting;
    let help = help.trim_end_matches('.');
    let mut text = format!("{key}: {values} [default: {default}]\n  {help}.\n");
    // All of them are variants of one table.
    if let Some((tag, _)) = of.first().and_then(|it| it.split_once(" = ")) {
        let names = of.iter().filter_map(|it| Some(it.split_once(" = ")?.1));
        let names: Vec<&str> = names.collect();
        text += &format!("  Only with {tag} = {}.\n", names.join(" or "));
    }
    text
}

/// The settings of all mechanisms, each with the names of those that have it.
fn settings_of(
    all: &[&'static MechanismDescription],
) -> Vec<(&'static SettingDescription, Vec<&'static str>)> {
    let mut found: Vec<(&SettingDescription, Vec<&str>)> = Vec::new();
    for mechanism in all {
        for setting in mechanism.settings {
            match found.iter_mut().find(|(known, _)| *known == setting) {
                Some((_, mechanisms)) => mechanisms.push(mechanism.words.name),
                None => found.push((setting, vec![mechanism.words.name])),
            }
        }
    }
    found
}

/// What can be chosen by name.
fn options(setting: &SettingDescription) -> Vec<Words> {
    match setting.values {
        Values::Choice { options, .. } => options.to_vec(),
        Values::Whole { special, .. } => special.into_iter().collect(),
        Values::Real { .. } | Values::YesNo { .. } => Vec::new(),
    }
}

fn of_mechanism(mechanism: &MechanismDescription) -> String {
    let head = format!(
        "kind = \"{}\": {}\n  {}\n",
        mechanism.words.name,
        mechanism.words.title,
        mechanism.words.line()
    );
    let settings = mechanism.settings.iter().map(of_setting);
    iter::once(head).chain(settings).collect()
}

/// A setting with its range and default, then its options.
fn of_setting(setting: &SettingDescription) -> String {
    let (words, values) = (&setting.words, &setting.values);
    let default = match values {
        Values::Whole { default, .. } => default.to_string(),
        Values::Real { default, .. } => default.to_string(),
        Values::Choice { default, .. } => (*default).to_owned(),
        Values::YesNo { default } => default.to_string(),
    };
    let mut text = format!(
        "{}: {values} [default: {default}]\n  {}\n",
        words.name,
        words.line()
    );
    for option in options(setting) {
        text += &format!("  {}: {}\n", option.name, option.line());
    }
    text
}

/// The name that may have been meant, or the names of all mechanisms.
fn advice(name: &str, all: &[&'static MechanismDescription], plain: &[Setting]) -> String {
    let named = |words: &Words| (words.name.to_owned(), Json::Null);
    let mechanisms: Map<String, Json> = all.iter().map(|it| named(&it.words)).collect();
    let mut near = mechanisms.clone();
    for (setting, _) in settings_of(all) {
        near.extend([named(&setting.words)]);
        near.extend(options(setting).iter().map(named));
    }
    for setting in plain {
        let last = setting.key.rsplit('.').next().unwrap_or_default();
        let names = setting.names.iter().map(String::as_str);
        near.extend(
            iter::once(last)
                .chain(names)
                .map(|it| (it.to_owned(), Json::Null)),
        );
    }
    let advice = suggestion(name, "", &near.into(), &Json::Null);
    if advice.starts_with("did you mean") {
        return advice;
    }
    let mechanisms = suggestion(name, "", &mechanisms.into(), &Json::Null);
    format!("{mechanisms}, and the settings that `strata config` shows")
}
