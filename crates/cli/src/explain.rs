//! `strata config --explain`: mechanisms, their settings and their options in words.

use std::iter;

use serde_json::{Map, Value as Json};
use strata_attention::{MechanismConfig, MechanismDescription, SettingDescription, Values, Words};

use crate::error::Failure;
use crate::suggestion::suggestion;

/// Everything about mechanisms, or about what has this name.
///
/// # Errors
/// If nothing has this name.
pub fn text(name: Option<&str>) -> Result<String, Failure> {
    let all = MechanismConfig::all().map(|mechanism| mechanism.description());
    let Some(name) = name else {
        let all: Vec<String> = all.into_iter().map(of_mechanism).collect();
        return Ok(all.join("\n"));
    };
    // A setting may be named as in `strata config`: model.cross.levels.
    let last = name.rsplit('.').next().unwrap_or_default();
    if let Some(mechanism) = all.iter().find(|it| it.words.name == last) {
        return Ok(of_mechanism(mechanism));
    }
    let found = settings(&all).into_iter().filter(|(setting, _)| {
        setting.words.name == last || options(setting).iter().any(|option| option.name == last)
    });
    let found: Vec<String> = found
        .map(|(setting, mechanisms)| {
            format!(
                "{}A setting of: {}.\n",
                of_setting(setting),
                mechanisms.join(", ")
            )
        })
        .collect();
    if found.is_empty() {
        return Err(Failure::NothingToExplain {
            name: name.to_owned(),
            advice: advice(last, &all),
        });
    }
    Ok(found.join("\n"))
}

/// The settings of all mechanisms, each with the names of those that have it.
fn settings(
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
fn advice(name: &str, all: &[&'static MechanismDescription]) -> String {
    let named = |words: &Words| (words.name.to_owned(), Json::Null);
    let mechanisms: Map<String, Json> = all.iter().map(|it| named(&it.words)).collect();
    let mut near = mechanisms.clone();
    for (setting, _) in settings(all) {
        near.extend([named(&setting.words)]);
        near.extend(options(setting).iter().map(named));
    }
    let advice = suggestion(name, "", &near.into(), &Json::Null);
    if advice.starts_with("did you mean") {
        return advice;
    }
    suggestion(name, "", &mechanisms.into(), &Json::Null)
}
