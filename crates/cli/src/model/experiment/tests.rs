//! Tests of settings from all places where a user can write them.

#![allow(clippy::unwrap_used)]

use serde_json::json;
use strata_models::ModelConfig;
use strata_settings::command_line;
use strata_settings::description::groups;
use strata_settings::presets::Preset;
use strata_tasks::{CopyConfig, TaskConfig};

use super::*;

fn typed(overrides: &[&str]) -> Result<Experiment, Error> {
    let overrides = overrides.iter().map(|&text| text.to_owned()).collect();
    read(&ExperimentArguments {
        preset: None,
        from_url: None,
        config: None,
        overrides,
    })
}

fn refused(overrides: &[&str]) -> String {
    typed(overrides).unwrap_err().to_string()
}

#[test]
fn nothing_given_is_the_default() {
    assert_eq!(typed(&[]).unwrap(), Experiment::default());
}

#[test]
fn settings_replace_their_defaults_alone() {
    let mut expected = Experiment {
        seed: 3,
        ..Experiment::default()
    };
    expected.training.optimizer.learning_rate = 1.0;
    assert_eq!(
        typed(&["seed=3", "training.optimizer.learning_rate=1"]).unwrap(),
        expected
    );
}

#[test]
fn numbers_and_switches_may_be_written_otherwise() {
    let mut expected = Experiment::default();
    expected.training.steps = 100_000;
    expected.training.checkpointing = true;
    expected.training.clip_norm = 2.0;
    for steps in [
        "1e5",
        "100_000",
        "+100000",
        "100000.0",
        "0x186A0",
        "１０００００",
    ] {
        for switch in ["true", "True", "yes", "on", "1"] {
            let settings = [
                format!("training.steps={steps}"),
                format!("training.checkpointing={switch}"),
                "training.clip_norm= 2.000 ".to_owned(),
            ];
            let settings = settings.each_ref().map(String::as_str);
            assert_eq!(typed(&settings).unwrap(), expected, "{settings:?}");
        }
    }
}

#[test]
fn what_a_preset_says_may_be_typed() {
    for name in presets::names() {
        let of = |more: Option<String>| {
            let arguments = ExperimentArguments {
                preset: Some(name.to_owned()),
                from_url: None,
                config: None,
                overrides: more.into_iter().collect(),
            };
            let mut settings = Settings::read(&arguments, Table::new()).unwrap();
            settings.steps_override_epochs();
            settings.resolve().unwrap()
        };
        let expected = of(None);
        for group in groups(&expected) {
            for setting in group.settings.iter().chain(&group.tag) {
                let values = diff::table(&expected);
                let value = diff::get(&values, &setting.key).unwrap();
                if value.is_null() || value == "" {
                    continue;
                }
                let typed = format!("{}={}", setting.key, value::write(value));
                assert_eq!(of(Some(typed.clone())), expected, "{name}: {typed}");
            }
        }
    }
}

#[test]
fn another_variant_begins_with_its_own_defaults() {
    let experiment = typed(&["task.kind=copy", "task.maximum_length=20"]).unwrap();
    let task = CopyConfig {
        maximum_length: 20,
        ..CopyConfig::default()
    };
    assert_eq!(experiment.task, TaskConfig::Copy(task));
    let ModelConfig::Transformer(model) =
        typed(&["model.cross.levels=3", "model.cross.kind=multilevel"])
            .unwrap()
            .model
    else {
        panic!("the architecture is the default one")
    };
    assert_eq!(model.cross.name(), "multilevel");
    assert_eq!(model.encoder_self, Default::default());
}

#[test]
fn every_variant_can_be_chosen() {
    for model in [
        ModelConfig::Seq2Seq(Default::default()),
        ModelConfig::default(),
        ModelConfig::RecurrentLm(Default::default()),
        ModelConfig::TransformerLm(Default::default()),
        ModelConfig::Bidaf(Default::default()),
        ModelConfig::MatchLstm(Default::default()),
        ModelConfig::Rnet(Default::default()),
        ModelConfig::Rnnpg(Default::default()),
        ModelConfig::Tagger(Default::default()),
    ] {
        let name = format!("model.architecture={}", model.name());
        let task = if model.is_language_model() {
            "text"
        } else if model.is_reader() {
            "reading"
        } else if model.continues_lines() {
            "poems"
        } else {
            "files"
        };
        let task = format!("task.kind={task}");
        let mut settings = vec![&*name, &*task, "task.source=x"];
        if model.continues_lines() {
            settings.push("task.keywords=false");
        }
        let found = typed(&settings).unwrap();
        assert_eq!(found.model, model);
    }
    for schedule in ["constant", "cosine", "noam"] {
        let kind = format!("training.schedule.kind={schedule}");
        typed(&[&kind, "training.schedule.warmup=7"]).unwrap();
    }
}

#[test]
fn an_unknown_key_gets_a_suggestion() {
    let error = refused(&["model.widht=128"]);
    assert!(
        error.contains("`model.widht`") && error.contains("`model.width`"),
        "{error}"
    );
    assert!(error.contains("the command line"), "{error}");
    // The key exists, but in another group.
    let error = refused(&["learning_rate=0.1"]);
    assert!(
        error.contains("`training.optimizer.learning_rate`"),
        "{error}"
    );
    // The key belongs to another variant.
    let error = refused(&["model.cross.levels=4"]);
    assert!(
        error.contains("`levels` is there where `model.cross.kind` is multilevel"),
        "{error}"
    );
    // There is no similar key, so the message lists all.
    let error = refused(&["task.xyzzy=1"]);
    assert!(
        error.contains("`examples`") && error.contains("`held_out`"),
        "{error}"
    );
}

#[test]
fn a_bad_value_is_told_with_its_key_and_what_is_allowed() {
    for (setting, key, allowed) in [
        (
            "model.width=wide",
            "`model.width` is \"wide\"",
            "a whole number from 1 to 65536",
        ),
        ("seed=-1", "`seed` is -1", "a whole number, 0 or above"),
        (
            "model={cross={kind=\"pyramid\",beam=\"some\"}}",
            "`model.cross.beam` is \"some\"",
            ", or \"all\"",
        ),
        (
            "training.clip_norm=off",
            "`training.clip_norm` is \"off\"",
            "a number",
        ),
        (
            "model.norm_first=2",
            "`model.norm_first` is 2",
            "true or false",
        ),
        (
            "model.layers=-1",
            "`model.layers` is -1",
            "a whole number from 1 to ",
        ),
        (
            "training.steps=1.000",
            "`training.steps` is \"1.000\"",
            "write `1000` or `1`",
        ),
        (
            "training.optimizer.learning_rate=0,001",
            "`training.optimizer.learning_rate` is \"0,001\"",
            "write `0.001`",
        ),
        (
            "training.clip_norm=inf",
            "`training.clip_norm` is \"inf\"",
            "a number from 0 to ",
        ),
        (
            "model.cross.score=dott",
            "`model.cross.score` is \"dott\"",
            "`scaled_dot`",
        ),
        (
            "model.cross.kind=foo",
            "`model.cross.kind` is \"foo\"",
            "`multilevel`",
        ),
        (
            "model.architecture=cnn",
            "`model.architecture` is \"cnn\"",
            "`transformer`",
        ),
        ("task.kind=sing", "`task.kind` is \"sing\"", "`copy`"),
        ("training=3", "`training` is 3", "a group of settings"),
        ("seed.x=3", "`seed` is", "a whole number, 0 or above"),
    ] {
        let error = refused(&[setting]);
        assert!(
            error.contains(key) && error.contains(allowed),
            "{setting}: {error}"
        );
    }
    let error = refused(&["task.kind=files", "task.source=3"]);
    assert!(
        error.contains("`task.source` is 3") && error.contains("a text"),
        "{error}"
    );
    let error = refused(&["task.kind=files", "task.source=a", "task.target=3"]);
    assert!(
        error.contains("`task.target` is 3") && error.contains("a text"),
        "{error}"
    );
}

#[test]
fn values_are_toml_and_bare_words_are_texts() {
    for (text, value) in [
        ("3", json!(3)),
        ("2e-3", json!(2e-3)),
        ("true", json!(true)),
        ("copy", json!("copy")),
        ("\"3\"", json!("3")),
        ("data/cn.txt", json!("data/cn.txt")),
        ("x=y", json!("x=y")),
        ("2026-01-01", json!("2026-01-01")),
        ("", json!("")),
        ("1\nb=2", json!("1\nb=2")),
        ("nan", json!("nan")),
        ("'3'", json!("3")),
        ("0x10", json!(16)),
        ("1_000", json!(1000)),
        ("18446744073709551615", json!(u64::MAX)),
    ] {
        assert_eq!(read_value(text), value, "{text}");
    }
}

/// Commands that the page offers to copy are read back here, by TOML's rules.
#[test]
fn a_command_of_the_page_gives_its_experiment() {
    for preset in Preset::ALL {
        for words in [
            "",
            "a.txt",
            "true",
            "3",
            "1e5",
            "it's \"here\" \u{7f}\t",
            "x # y",
            "a b",
        ] {
            let mut expected = preset.experiment();
            expected.seed = u64::MAX;
            expected.training.optimizer.epsilon = 1.234_567_890_123e-9;
            expected.training.optimizer.learning_rate = 1.0;
            expected.model = ModelConfig::default();
            let source = if words.is_empty() { "s" } else { words };
            expected.task = TaskConfig::Files(strata_tasks::FilesConfig {
                source: source.into(),
                ..strata_tasks::FilesConfig::default()
            });
            let arguments = command_line::arguments(&expected);
            let found = read(&ExperimentArguments {
                preset: Some(arguments[2].clone()),
                from_url: None,
                config: None,
                overrides: arguments[3..].to_vec(),
            });
            assert_eq!(found.unwrap(), expected, "{arguments:?}");
        }
    }
}

#[test]
fn an_address_of_the_page_gives_its_experiment() {
    let mut expected = Preset::Reverse.experiment();
    expected.seed = 12;
    let address = Address::write(&expected, Default::default(), &[]);
    let found = read(&ExperimentArguments {
        preset: None,
        from_url: Some(format!("http://127.0.0.1:8080/{address}")),
        config: None,
        overrides: vec!["training.steps=5".to_owned()],
    });
    expected.training.steps = 5;
    assert_eq!(found.unwrap(), expected);
}

#[test]
fn another_task_is_not_asked_for_settings_that_nobody_typed() {
    let stored = Experiment {
        task: TaskConfig::Files(strata_tasks::FilesConfig {
            source: "s.txt".into(),
            ..strata_tasks::FilesConfig::default()
        }),
        ..Experiment::default()
    };
    let by_preset = ExperimentArguments {
        preset: Some("copy".to_owned()),
        ..ExperimentArguments::default()
    };
    let by_setting = ExperimentArguments {
        overrides: vec!["task.kind=copy".to_owned()],
        ..ExperimentArguments::default()
    };
    for asked in [by_preset, by_setting] {
        let found = asked_for(&stored, &asked).unwrap();
        assert_eq!(found.task.name(), "copy");
        stored.can_go_on_as(&found).unwrap_err();
    }
}
