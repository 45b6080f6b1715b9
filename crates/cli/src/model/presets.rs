//! Presets of published models by name: `--preset rnnsearch`.
//!
//! A preset is part of an experiment in TOML, without the files of the data. The page's presets,
//! which are complete, have names here, too.

use serde_json::Value as Json;
use strata_settings::overrides::{Override, apply};
use strata_settings::presets::Preset as OfPage;
use strata_settings::schema::{self, SettingError};
use strata_settings::suggestion::nearest;
use strata_settings::{Table, aliases, diff};

use crate::base::error::Error;
use crate::model::toml_table;

/// A preset: a file in `presets`, whose first two lines describe it and name its source.
struct Preset {
    name: &'static str,
    text: &'static str,
}

macro_rules! presets {
    ($($name:literal),* $(,)?) => {
        &[$(Preset { name: $name, text: include_str!(concat!("../../presets/", $name, ".toml")) }),*]
    };
}

const PRESETS: &[Preset] = presets![
    "transformer_base",
    "transformer_small",
    "summaries",
    "paraphrases",
    "rnnsearch",
    "hri_multi30k_cnn",
    "hri_multi30k_rnn",
    "hri_multi30k_act",
    "mla_zh_en",
    "lstm_lm",
    "lstm_lm_characters",
    "transformer_lm",
    "transformer_lm_characters",
    "bidaf",
    "bidaf_dureader",
    "match_lstm",
    "match_lstm_dureader",
    "rnet",
    "bidaf_toy",
    "match_lstm_toy",
    "rnet_toy",
    "ppg",
    "ppg_scaled_dot",
    "ppg_ham_5",
    "ppg_ham_10",
    "ppg_ham_20",
    "ppg_smoke",
    "ppg_scaled_dot_smoke",
    "ppg_ham_5_smoke",
    "ppg_ham_10_smoke",
    "ppg_ham_20_smoke",
    "rnnpg",
    "rnnpg_smoke",
];

/// Keys of a preset that are no settings.
const WORDS: [&str; 2] = ["about", "source"];

impl Preset {
    fn table(&self) -> Table {
        toml_table::read(self.text).expect("every preset is TOML, as a test reads")
    }
}

/// Returns the settings of the preset `name`.
///
/// # Errors
/// If there is no such preset.
pub fn settings(name: &str) -> Result<Table, Error> {
    if let Some(preset) = OfPage::named(name) {
        return Ok(diff::table(&preset.experiment()));
    }
    let preset = PRESETS.iter().find(|preset| preset.name == name);
    let preset = preset.ok_or_else(|| {
        let meant = nearest(name, names());
        let meant = match (meant, aliases::absent(name)) {
            (Some(meant), _) => Some(format!("did you mean `{meant}`? ")),
            (None, there_is) => there_is.map(|it| format!("{it}; ")),
        };
        let names: Vec<&str> = names().collect();
        Error::NoPreset {
            name: name.to_owned(),
            meant: meant.unwrap_or_default(),
            names: names.join(", "),
        }
    })?;
    let mut table = preset.table();
    WORDS.iter().for_each(|&word| drop(table.remove(word)));
    Ok(table)
}

/// Returns the names of all presets.
pub fn names() -> impl Iterator<Item = &'static str> {
    let of_page = OfPage::ALL.iter().map(|preset| preset.name());
    of_page.chain(PRESETS.iter().map(|it| it.name))
}

/// Lays the settings of a file over others. If the file chooses another variant of a task or model,
/// the settings of the old variant are dropped.
pub fn put_on(mut below: Table, above: &Table) -> Result<Table, SettingError> {
    schema::fill_tags(&mut below)?;
    apply(Override::all_of(above), &mut below);
    Ok(below)
}

/// Lists all presets, each with a line of description and its source.
pub fn list() -> String {
    let mut text = "Presets, for `--preset NAME`.\n\nOf the playground:\n".to_owned();
    for preset in OfPage::ALL {
        text += &format!("\n{}\n    {}\n", preset.name(), preset.line());
    }
    text += "\nPublished models; name the files with `task.source=…`:\n";
    for preset in PRESETS {
        let table = preset.table();
        let [about, source] = WORDS.map(|word| table.get(word).and_then(Json::as_str));
        let [about, source] = [about, source].map(Option::unwrap_or_default);
        text += &format!("\n{}\n    {about}.\n    {source}.\n", preset.name);
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use strata_training::Experiment;

    use super::*;

    #[test]
    fn every_preset_makes_a_good_experiment() {
        for preset in PRESETS {
            for word in WORDS {
                assert!(preset.table()[word].is_string(), "{}: {word}", preset.name);
            }
            let mut experiment = schema::resolve(settings(preset.name).unwrap())
                .unwrap_or_else(|error| panic!("{}: {error}", preset.name));
            named(&mut experiment);
            experiment
                .check()
                .unwrap_or_else(|error| panic!("{}: {error}", preset.name));
            assert!(list().contains(&format!("\n{}\n    ", preset.name)));
        }
    }

    /// Names a data file, which no preset does.
    fn named(experiment: &mut Experiment) {
        match &mut experiment.task {
            strata_tasks::TaskConfig::Files(files) => files.source = "x".into(),
            strata_tasks::TaskConfig::Text(text) => text.source = "x".into(),
            strata_tasks::TaskConfig::Reading(reading) => reading.source = "x".into(),
            strata_tasks::TaskConfig::ToyReading(_) => {}
            strata_tasks::TaskConfig::Poems(poems) => poems.source = "x".into(),
            other => panic!("a preset has the task {}", other.name()),
        }
    }

    #[test]
    fn what_is_put_on_top_holds() {
        let above = "seed = 4\n[model]\ndropout = 0.1\n[model.attention]\nkind = 'pyramid'";
        let above = toml_table::read(above).unwrap();
        let table = put_on(settings("rnnsearch").unwrap(), &above).unwrap();
        assert_eq!(table["seed"].as_u64(), Some(4));
        assert_eq!(table["model"]["dropout"].as_f64(), Some(0.1));
        assert_eq!(table["model"]["embedding"].as_u64(), Some(256));
        // Another mechanism has its own settings.
        assert_eq!(table["model"]["attention"].as_object().unwrap().len(), 1);
    }
}
