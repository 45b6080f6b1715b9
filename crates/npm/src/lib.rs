//! Core of the JavaScript package: settings as an experiment, and the types of the protocol in
//! TypeScript (`src/bin/types.rs`).
//!
//! The package (`package/`) speaks with the page's own workers in the page's own protocol. The
//! worker takes a whole experiment; this program makes an experiment of a preset and some settings,
//! by the same checks as an address. The program has no tensor code.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_wasm_bindgen::Serializer;
use strata_session::protocol::types::{Json, declarations};
use strata_settings::Table;
use strata_settings::address::{files, quoted};
use strata_settings::diff::with;
use strata_settings::overrides::Override;
use strata_settings::presets::Preset;
use strata_settings::suggestion::nearest;
use strata_settings::value;
use ts_rs::{Config, TS};
use wasm_bindgen::prelude::{JsError, JsValue, wasm_bindgen};

/// A preset, in words.
#[derive(Serialize, Clone, Debug, TS)]
pub struct PresetOutline {
    /// Name of the preset in settings.
    #[ts(type = "PresetName")]
    pub name: &'static str,
    /// Title for users.
    pub title: &'static str,
    /// Task and model, in a line.
    pub line: &'static str,
}

/// An experiment that was made of settings.
#[derive(Serialize, Clone, Debug, TS)]
pub struct Resolved {
    /// The whole experiment, as [`Command::Load`](strata_session::protocol::Command::Load) takes it.
    #[ts(as = "Json")]
    pub experiment: Value,
    /// Number of training steps.
    pub steps: u64,
}

/// Lists the presets.
pub fn outlines() -> Vec<PresetOutline> {
    let outline = |preset: Preset| PresetOutline {
        name: preset.name(),
        title: preset.title(),
        line: preset.line(),
    };
    offered().map(outline).collect()
}

/// Returns the presets whose data are in the program.
fn offered() -> impl Iterator<Item = Preset> {
    let presets = Preset::ALL.into_iter();
    presets.filter(|preset| files(&preset.experiment().task).is_empty())
}

/// Makes an experiment of settings with the keys of addresses: `preset`, `seed`, `model.width`, ….
///
/// # Errors
/// A sentence on the first setting that cannot be used.
pub fn resolve(settings: &Table) -> Result<Resolved, String> {
    let preset = match settings.get("preset") {
        None => Preset::DEFAULT,
        Some(name) => preset(name)?,
    };
    let mut overrides = Vec::new();
    for (key, given) in settings.iter().filter(|(key, _)| *key != "preset") {
        let given = match given {
            // Attributes of elements are texts.
            Value::String(text) => value::read(text),
            other => other.clone(),
        };
        let setting = Override::new(key, given);
        overrides
            .push(setting.ok_or_else(|| format!("There is a setting without a name: `{key}`."))?);
    }
    let experiment = with(&preset.experiment(), overrides).map_err(|error| sentence(&error))?;
    experiment.check().map_err(|error| sentence(&error))?;
    let files = files(&experiment.task);
    if !files.is_empty() {
        return Err(format!(
            "The experiment reads {}, and a page has no files: choose a task that makes its own \
             data, or a preset ({}).",
            quoted(&files),
            names()
        ));
    }
    Ok(Resolved {
        steps: experiment.training.steps,
        experiment: serde_json::to_value(&experiment).map_err(|error| sentence(&error))?,
    })
}

fn preset(name: &Value) -> Result<Preset, String> {
    let name = name.as_str().unwrap_or_default();
    Preset::named(name).ok_or_else(|| {
        let known = offered().map(Preset::name);
        let meant = nearest(name, known)
            .map_or_else(String::new, |meant| format!(" Did you mean `{meant}`?"));
        format!("There is no preset `{name}`; there are {}.{meant}", names())
    })
}

fn names() -> String {
    let names: Vec<_> = offered().map(Preset::name).collect();
    names.join(", ")
}

/// Writes an error as a sentence.
fn sentence(error: &impl ToString) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    let text = first.unwrap_or_default() + letters.as_str();
    if text.ends_with(['.', '?', '!']) {
        text
    } else {
        text + "."
    }
}

/// Makes an experiment of settings, an object with the keys of addresses.
///
/// # Errors
/// A sentence on the first setting that cannot be used.
#[wasm_bindgen(js_name = resolve)]
pub fn resolve_js(settings: JsValue) -> Result<JsValue, JsError> {
    let settings = Value::deserialize(serde_wasm_bindgen::Deserializer::from(settings))
        .map_err(|error| JsError::new(&format!("The settings cannot be read: {error}.")))?;
    let Value::Object(settings) = settings else {
        return Err(JsError::new(
            "The settings are no object, such as { preset: \"copy\" }.",
        ));
    };
    let resolved = resolve(&settings).map_err(|reason| JsError::new(&reason))?;
    to_js(&resolved)
}

/// Lists the presets.
///
/// # Errors
/// Never, as far as is known.
#[wasm_bindgen(js_name = presets)]
pub fn presets_js() -> Result<JsValue, JsError> {
    to_js(&outlines())
}

fn to_js(value: &impl Serialize) -> Result<JsValue, JsError> {
    // As plain objects: by default, tables would become maps.
    let serializer = Serializer::json_compatible();
    let value = value.serialize(&serializer);
    value.map_err(|error| JsError::new(&format!("That cannot be told: {error}.")))
}

/// Writes all declarations: the protocol's types, the names of presets, and what this program
/// returns.
pub fn types() -> String {
    let config = Config::new().with_large_int("number");
    let mut text =
        "// Generated by `cargo xtask npm` from the protocol's own types.\n\n".to_owned();
    text += &declarations();
    let names: Vec<_> = offered()
        .map(|preset| format!("\"{}\"", preset.name()))
        .collect();
    writeln!(
        text,
        "/**\n * Names of the presets.\n */\nexport type PresetName = {};\n",
        names.join(" | ")
    )
    .expect("a text takes all");
    for (docs, declaration) in [
        (PresetOutline::docs(), PresetOutline::decl(&config)),
        (Resolved::docs(), Resolved::decl(&config)),
    ] {
        let docs = docs.unwrap_or_default();
        writeln!(text, "{docs}export {declaration}\n").expect("a text takes all");
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    fn resolved(settings: Value) -> Result<Resolved, String> {
        resolve(settings.as_object().unwrap())
    }

    #[test]
    fn settings_become_the_experiment_that_an_address_names() {
        let settings =
            json!({ "preset": "reverse", "model.width": 64, "training.steps": "7", "seed": 3 });
        let resolved = resolved(settings).unwrap();
        assert_eq!(resolved.steps, 7);
        let address = "?preset=reverse&model.width=64&training.steps=7&seed=3";
        let address = strata_settings::address::Address::read(address);
        assert!(address.complaints.is_empty());
        let experiment = serde_json::to_value(&address.experiment).unwrap();
        assert_eq!(resolved.experiment, experiment);
    }

    #[test]
    fn what_cannot_be_used_is_told_in_a_sentence() {
        for (settings, told) in [
            (
                json!({ "preset": "copi" }),
                "There is no preset `copi`; there are copy, ",
            ),
            (json!({ "preset": "copi" }), "Did you mean `copy`?"),
            (json!({ "preset": 7 }), "There is no preset"),
            (
                json!({ "model.widht": 64 }),
                "There is no setting `model.widht`; did you mean `model.width`?",
            ),
            (json!({ "model.width": "wide" }), "model.width"),
            (json!({ "model.width": 63 }), "63"),
            (json!({ "": 1 }), "without a name"),
            (
                json!({ "task.kind": "files", "task.source": "a.tsv" }),
                "a page has no files",
            ),
        ] {
            let error = resolved(settings.clone()).unwrap_err();
            assert!(error.contains(told), "{settings}: {error}");
        }
    }

    #[test]
    fn every_offered_preset_can_be_resolved() {
        for outline in outlines() {
            assert!(resolved(json!({ "preset": outline.name })).unwrap().steps > 0);
        }
        assert!(types().contains("export type PresetName = \"copy\" | "));
    }
}
