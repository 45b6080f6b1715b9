//! The words of each language of the page: none is missing, none is dead, and gaps agree.

#![allow(clippy::unwrap_used)]

#[path = "words/literals.rs"]
mod literals;

use std::collections::BTreeSet;

use strata_describe::{Domain, Setting, Words};
use strata_settings::description::{every_variant, groups};
use strata_settings::presets::Preset;

/// Returns all words that describe settings, presets and sites.
fn described() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut add = |text: &str| {
        if text.chars().filter(char::is_ascii_alphabetic).count() > 1 {
            all.insert(text.to_owned());
        }
    };
    let mut words = |it: &Words, add: &mut dyn FnMut(&str)| {
        add(it.title);
        add(it.help);
    };
    let mut setting = |it: &Setting, add: &mut dyn FnMut(&str)| {
        words(&it.words, add);
        if let Domain::Choice { options, .. } = it.domain {
            for option in options {
                words(option, add);
            }
        }
    };
    for experiment in every_variant() {
        for group in groups(&experiment) {
            add(group.title);
            for entry in group.settings.iter().chain(&group.tag) {
                setting(&entry.setting, &mut add);
            }
            if let Some(variant) = &group.variant {
                add(variant.title);
                add(variant.help);
            }
        }
        for site in experiment.model.sites() {
            add(&site.title);
        }
    }
    for preset in Preset::ALL.into_iter().chain(Preset::WITH_FILE) {
        add(preset.title());
        add(preset.line());
    }
    all
}

#[test]
fn dump() {
    for it in described() {
        println!("D|{it}");
    }
}
