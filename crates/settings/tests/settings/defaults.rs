//! Described defaults are the actual ones: setting a default explicitly changes nothing.

use serde_json::Value as Json;
use strata_models::ModelConfig;
use strata_settings::address::Address;
use strata_settings::description::{
    Entry, default_value, defaults_at_sites, every_variant, groups,
};
use strata_settings::diff::{differences, get, table, with};
use strata_settings::overrides::{Override, apply};
use strata_settings::presets::Preset;
use strata_settings::{Table, schema, value};
use strata_training::Experiment;

use crate::drawn::drawn;

/// Returns every setting of an experiment that has a value, including those that choose variants.
fn said(experiment: &Experiment) -> Vec<(Entry, Json)> {
    let values = table(experiment);
    let settings = groups(experiment)
        .into_iter()
        .flat_map(|group| group.settings.into_iter().chain(group.tag));
    let said = settings.filter_map(|entry| {
        let value = get(&values, &entry.key)?.clone();
        (!value.is_null() && value != "").then_some((entry, value))
    });
    said.collect()
}

#[test]
fn a_setting_may_be_written_down() {
    let mut all = every_variant();
    all.extend(Preset::ALL.map(Preset::experiment));
    all.extend(drawn(20));
    for experiment in all {
        for (Entry { key, .. }, value) in said(&experiment) {
            let same = with(&experiment, Override::new(&key, value.clone()));
            assert_eq!(same.as_ref(), Ok(&experiment), "{key} = {value}");
            let typed = format!("{key}={}", value::write(&value));
            let same = with(&experiment, Override::parse(&typed));
            assert_eq!(same.as_ref(), Ok(&experiment), "{typed}");
        }
    }
}

/// A default may be given on the command line or in a file together with the setting that chooses
/// its variant.
#[test]
fn a_default_may_be_written_down_beside_what_chooses_its_variant() {
    for experiment in every_variant() {
        let chosen = differences(&Experiment::default(), &experiment);
        let said = said(&experiment);
        for (Entry { key, .. }, value) in &said {
            let mut settings = chosen.clone();
            settings.extend(Override::new(key, value.clone()));
            let mut given = Table::new();
            apply(settings, &mut given);
            let found = schema::resolve(given);
            assert_eq!(found.as_ref(), Ok(&experiment), "{key} = {value}");
        }
        // All defaults may be given at once.
        let all = said
            .iter()
            .filter_map(|(entry, value)| Override::new(&entry.key, value.clone()));
        let mut given = Table::new();
        apply(all.collect(), &mut given);
        assert_eq!(schema::resolve(given).as_ref(), Ok(&experiment));
    }
}

#[test]
fn a_setting_of_a_preset_may_be_written_into_its_address() {
    for preset in Preset::ALL {
        let experiment = preset.experiment();
        for (Entry { key, .. }, value) in said(&experiment) {
            let name = preset.name();
            let address = format!("?v=1&preset={name}&{key}={}", value::write(&value));
            let read = Address::read(&address);
            assert_eq!(read.experiment, experiment, "{address}");
            assert_eq!(read.complaints, [""; 0], "{address}");
        }
    }
}

#[test]
fn described_defaults_are_the_defaults() {
    for experiment in every_variant() {
        let values = table(&experiment);
        let model = experiment.model.name();
        for group in groups(&experiment) {
            // The setting that chooses the variant decides which defaults hold.
            for entry in &group.settings {
                let found = get(&values, &entry.key).unwrap();
                let described = default_value(&entry.setting.domain);
                if described.is_null() || *found == described {
                    continue;
                }
                let mechanism = group.variant.map_or("", |it| it.name);
                let of_mechanism = strata_attention::MechanismConfig::of_kind(mechanism);
                let settings = of_mechanism.map_or(&[][..], |it| it.description().settings);
                let at_sites = settings
                    .iter()
                    .filter(|it| it.words.name == entry.name())
                    .flat_map(|it| defaults_at_sites(mechanism, it));
                let here = at_sites
                    .filter(|it| it.site == group.path && it.architecture == model)
                    .any(|it| it.value == *found);
                assert!(here, "{} is {found}, not {described}", entry.key);
            }
        }
    }
}

#[test]
fn described_variants_are_the_defaults() {
    let mut experiments: Vec<Experiment> = ModelConfig::all()
        .map(|model| Experiment {
            model,
            ..Experiment::default()
        })
        .into();
    experiments.push(Experiment::default());
    for experiment in experiments {
        let values = table(&experiment);
        for tag in groups(&experiment).into_iter().filter_map(|it| it.tag) {
            let is_default = experiment == Experiment::default();
            if is_default || tag.key != "model.architecture" {
                let found = get(&values, &tag.key).unwrap();
                assert_eq!(*found, default_value(&tag.setting.domain), "{}", tag.key);
            }
        }
    }
    // Only one default of a mechanism's setting depends on the site.
    let additive = "model.architecture=seq2seq model.attention.kind=vanilla";
    let mut given = Table::new();
    let settings = additive.split(' ').map(|it| Override::parse(it).unwrap());
    apply(settings.collect(), &mut given);
    let found = table(&schema::resolve(given).unwrap());
    assert_eq!(found["model"]["attention"]["score"], "bilinear");
}
