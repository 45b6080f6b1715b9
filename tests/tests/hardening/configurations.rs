//! Typed settings and configuration files, through the whole program.

use std::process::Command;
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value as Json;
use strata_settings::description::every_variant;
use strata_settings::overrides::{Override, apply};
use strata_settings::presets::Preset;
use strata_settings::{Table, diff, schema, value};
use strata_tests::cli::Workplace;
use strata_training::Experiment;

use crate::commands::{Ended, run_bounded};
use crate::edits::{Change, Edit, change, changes, edited, edits};
use crate::harness::{Outcome, alone, fuzz, is_sentence};
use crate::memory::within;
use crate::odd;

/// Every variant of every setting.
static EXPERIMENTS: LazyLock<Vec<Experiment>> = LazyLock::new(|| {
    let presets = Preset::ALL.map(Preset::experiment);
    every_variant().into_iter().chain(presets).collect()
});

/// Every setting of all experiments, as a user types it.
static TYPED: LazyLock<Vec<String>> = LazyLock::new(|| {
    let settings = EXPERIMENTS.iter().map(diff::table);
    let settings = settings.flat_map(|table| Override::all_of(&table));
    let mut typed: Vec<String> = settings
        .map(|it| format!("{}={}", it.dotted(), value::write(it.value())))
        .collect();
    typed.sort_unstable();
    typed.dedup();
    typed
});

fn typed() -> impl Strategy<Value = Vec<String>> {
    let key = select(&TYPED[..]).prop_map(|it| it.split('=').next().unwrap_or("").to_owned());
    let setting = prop_oneof![
        4 => select(&TYPED[..]),
        2 => (select(&TYPED[..]), edits()).prop_map(|(typed, edits)| {
            String::from_utf8_lossy(&edited(typed.as_bytes(), &edits)).into_owned()
        }),
        2 => (key, odd::text(4)).prop_map(|(key, value)| format!("{key}={value}")),
        1 => odd::text(8),
    ];
    prop::collection::vec(setting, 0..6)
}

/// Returns the experiment of settings that are typed on top of another, or the error.
fn read(base: &Table, typed: &[String]) -> Result<Experiment, String> {
    let overrides = typed.iter().map(|text| Override::parse(text));
    let overrides = overrides.collect::<Result<Vec<_>, _>>();
    let overrides = overrides.map_err(|error| error.to_string())?;
    let mut table = base.clone();
    schema::fill_tags(&mut table).map_err(|error| error.to_string())?;
    apply(overrides, &mut table);
    let experiment = schema::resolve(table).map_err(|error| error.to_string())?;
    experiment.check().map_err(|error| error.to_string())?;
    Ok(experiment)
}

#[test]
fn settings_make_an_experiment_or_a_sentence() {
    let alone = alone();
    let strategy = (any::<Index>(), prop::option::of(changes()), typed());
    fuzz(
        &alone,
        "settings",
        200,
        strategy,
        |(base, changes, typed)| {
            let base = diff::table(&EXPERIMENTS[base.index(EXPERIMENTS.len())]);
            let mut json = Json::Object(base);
            changed(&mut json, changes.as_deref());
            let Json::Object(base) = json else {
                return Outcome::Refused;
            };
            let bytes: usize = typed.iter().map(String::len).sum();
            let read = within((4 << 20) + 100 * bytes, || read(&base, &typed));
            match &read {
                Ok(experiment) => {
                    let table = diff::table(experiment);
                    assert_eq!(schema::resolve(table).as_ref(), Ok(experiment));
                }
                Err(reason) => is_sentence(reason),
            }
            Outcome::of(read.is_ok())
        },
    );
}

fn changed(json: &mut Json, changes: Option<&[Change]>) {
    change(json, changes.unwrap_or_default());
}

/// A configuration file, and the settings that are typed with it.
#[derive(Clone, Debug)]
struct Recipe {
    base: Index,
    edits: Vec<Edit>,
    typed: Vec<String>,
}

fn recipes() -> impl Strategy<Value = Recipe> {
    let typed = prop_oneof![3 => Just(Vec::new()), 1 => typed()];
    (any::<Index>(), edits(), typed).prop_map(|(base, edits, typed)| Recipe { base, edits, typed })
}

/// Returns the configuration files that the program prints for all experiments.
fn files(place: &Workplace) -> Vec<Vec<u8>> {
    let printed = EXPERIMENTS.iter().map(|experiment| {
        let typed = Override::all_of(&diff::table(experiment));
        let typed = typed
            .iter()
            .map(|it| format!("{}={}", it.dotted(), value::write(it.value())));
        let mut command = place.command("config");
        command.args(typed);
        String::into_bytes(run_bounded(place, &command, b"").stdout)
    });
    printed.filter(|file| !file.is_empty()).collect()
}

#[test]
fn a_configuration_file_is_read_or_told() {
    let alone = alone();
    let place = Workplace::new();
    let files = files(&place);
    assert!(files.len() > 5, "{} files", files.len());
    let config = |typed: &[String]| -> Ended {
        let mut command: Command = place.command("config --config file.toml");
        // An argument cannot contain a NUL.
        let typed = typed.iter().map(|it| it.replace('\0', ""));
        command.arg("--").args(typed);
        run_bounded(&place, &command, b"")
    };
    fuzz(&alone, "configurations", 60, recipes(), |recipe| {
        let file = edited(&files[recipe.base.index(files.len())], &recipe.edits);
        place.write("file.toml", &file);
        let ended = config(&recipe.typed);
        if !ended.is_good() {
            return Outcome::Refused;
        }
        // The printed configuration is a file with the same experiment.
        place.write("file.toml", &ended.stdout);
        assert_eq!(config(&[]).stdout, ended.stdout);
        Outcome::Taken
    });
}
