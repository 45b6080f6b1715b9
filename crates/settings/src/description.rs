//! Description of every setting of an experiment: its effect, range and default.
//!
//! Mechanisms, models, tasks and training describe their own settings; this module joins the
//! descriptions under full keys, for the help of the command line and for the page's panel.

use std::sync::LazyLock;

use serde_json::{Value as Json, json};
use strata_attention::{MechanismConfig, Site, Widths};
use strata_describe::{Domain, Setting, Words};
use strata_models::ModelConfig;
use strata_tasks::TaskConfig;
use strata_training::{Experiment, OptimizerConfig, Schedule, TrainingConfig};

pub use crate::variants::{SiteDefault, defaults_at_sites, every_variant};

/// A group of settings: a table of the configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Name with dots: `model.cross`; empty for settings outside of tables.
    pub path: String,
    /// Title for users.
    pub title: &'static str,
    /// Setting that chooses the variant, if the table has variants.
    pub tag: Option<Entry>,
    /// Words of the chosen variant, if the table has variants.
    pub variant: Option<Words>,
    /// Settings of the table, in the order in which they are shown.
    pub settings: Vec<Entry>,
    /// Site and widths, if the table is a mechanism.
    pub site: Option<(Site, Widths)>,
}

/// A setting with its full key.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Name with dots, as in `key=value`.
    pub key: String,
    /// Words and domain of the setting.
    pub setting: Setting,
}

impl Entry {
    fn new(path: &str, setting: &Setting) -> Self {
        Self {
            key: join(path, setting.words.name),
            setting: *setting,
        }
    }

    /// Creates the setting that chooses the variant of the table at `path`; the default is the
    /// first variant.
    fn tag(path: &str, words: Words, options: &'static [Words]) -> Self {
        let setting = Setting {
            words,
            domain: Domain::Choice {
                options,
                default: options[0].name,
            },
        };
        Self::new(path, &setting)
    }

    /// Name of the setting inside its table.
    pub fn name(&self) -> &'static str {
        self.setting.words.name
    }
}

/// Returns the default value of a domain as a configuration writes it; null for a path.
pub fn default_value(domain: &Domain) -> Json {
    match *domain {
        Domain::Whole { default, .. } | Domain::WholeRange { default, .. } => json!(default),
        Domain::Real { default, .. } => json!(default),
        Domain::Choice { default, .. } => json!(default),
        Domain::YesNo { default } => json!(default),
        Domain::Text => json!(""),
        Domain::Path { .. } => Json::Null,
    }
}

/// Joins the path of a table and the name of a setting to a key.
pub fn join(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

/// Words of all tasks.
static TASKS: LazyLock<Vec<Words>> = LazyLock::new(|| {
    let all = TaskConfig::kinds().iter();
    all.map(|task| task.words).collect()
});

/// Words of all architectures.
static ARCHITECTURES: LazyLock<Vec<Words>> = LazyLock::new(|| {
    let all = ModelConfig::all();
    all.iter().map(|model| model.description().words).collect()
});

/// Words of all mechanisms.
static MECHANISMS: LazyLock<Vec<Words>> = LazyLock::new(|| {
    let all = MechanismConfig::all();
    all.map(|mechanism| mechanism.description().words).collect()
});

/// Words of all schedules.
static SCHEDULES: LazyLock<Vec<Words>> = LazyLock::new(|| {
    let all = Schedule::all();
    all.map(|schedule| schedule.description().words).into()
});

/// Returns all settings of an experiment, table by table, in the order in which they are shown.
pub fn groups(experiment: &Experiment) -> Vec<Group> {
    let task = experiment.task.description();
    let model = experiment.model.description();
    let schedule = experiment.training.schedule.description();
    let all = |path: &str, settings: &[Setting]| -> Vec<Entry> {
        settings
            .iter()
            .map(|setting| Entry::new(path, setting))
            .collect()
    };
    let plain = |path: &str, title, settings: &[Setting]| Group {
        path: path.to_owned(),
        title,
        tag: None,
        variant: None,
        settings: all(path, settings),
        site: None,
    };
    let kind = |help| Words::new("kind", "Kind", help, "", "");
    let architecture = Words::new("architecture", "Architecture", "What learns it.", "", "");
    let mut groups = vec![
        plain("", "Experiment", Experiment::SETTINGS),
        Group {
            tag: Some(Entry::tag("task", kind("What is learned."), &TASKS)),
            variant: Some(task.words),
            ..plain("task", "Task", task.settings)
        },
        Group {
            tag: Some(Entry::tag("model", architecture, &ARCHITECTURES)),
            variant: Some(model.words),
            ..plain("model", "Model", model.settings)
        },
    ];
    for site in experiment.model.sites() {
        let path = join("model", site.name);
        let description = site.mechanism.description();
        let help = "How this site attends; each mechanism is explained by its name.";
        groups.push(Group {
            tag: Some(Entry::tag(&path, kind(help), &MECHANISMS)),
            variant: Some(description.words),
            site: Some((site.site, site.widths)),
            ..plain(&path, site.title, description.settings)
        });
    }
    let path = "training.schedule";
    let help = "How the learning rate changes over the steps.";
    groups.extend([
        plain("training", "Training", TrainingConfig::SETTINGS),
        plain("training.optimizer", "Optimiser", OptimizerConfig::SETTINGS),
        Group {
            tag: Some(Entry::tag(path, kind(help), &SCHEDULES)),
            variant: Some(schedule.words),
            ..plain(path, "Learning rate over the steps", schedule.settings)
        },
    ]);
    groups
}
