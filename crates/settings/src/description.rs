//! Every setting of an experiment in words: what it does, what it may be, what it is by default.
//!
//! Mechanisms, models, tasks and training describe their own settings; here they are put in order,
//! under their whole names. The command line and the page's panel are both made from this.

use std::fmt;

use serde_json::{Value as Json, json};
use strata_attention::{MechanismConfig, SettingDescription, Site, Values, Widths, Words};
use strata_models::ModelConfig;
use strata_tasks::{FieldDescription, FieldKind, TaskConfig};
use strata_training::description::{OPTIMIZER, SEED, TRAINING};
use strata_training::{Experiment, Schedule};

pub use crate::variants::{SiteDefault, defaults_at_sites, every_variant};

/// Settings that stand together: a table of the configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// With dots: `model.cross`; empty for what stands in no table.
    pub path: String,
    /// For people.
    pub title: &'static str,
    /// What chooses among its variants, where it has some.
    pub tag: Option<Setting>,
    /// The chosen variant in words.
    pub variant: Option<Words>,
    /// What there is to set, in the order in which to show it.
    pub settings: Vec<Setting>,
    /// Where in the model it stands, and the widths that meet there, if it is a mechanism.
    pub site: Option<(Site, Widths)>,
}

/// A setting in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// With dots, as in `key=value`.
    pub key: String,
    /// Its name for people.
    pub title: String,
    /// One line on what it does.
    pub help: &'static str,
    /// What it computes, where that can be said.
    pub formula: &'static str,
    /// The paper, where there is one.
    pub source: &'static str,
    /// What it may be.
    pub allowed: Domain,
}

/// What a setting may be.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// A whole number in a range.
    Whole {
        /// The smallest value allowed.
        minimum: usize,
        /// The largest value allowed.
        maximum: usize,
        /// The value where none is given.
        default: usize,
        /// What can stand in place of a number.
        special: Option<Words>,
    },
    /// Any number in a range.
    Real {
        /// The smallest value allowed.
        minimum: f64,
        /// The largest value allowed.
        maximum: f64,
        /// The value where none is given.
        default: f64,
    },
    /// One of some options.
    Choice {
        /// All of them, in the order in which to show them.
        options: Vec<Words>,
        /// The name of the option where none is given.
        default: &'static str,
    },
    /// Yes or no.
    YesNo {
        /// The value where none is given.
        default: bool,
    },
    /// The path of a file.
    Path {
        /// True if it must be given.
        required: bool,
    },
}

impl Domain {
    /// What is meant where nothing is said, in words.
    pub fn default(&self) -> String {
        match self {
            Self::Real { default, .. } => default.to_string(),
            Self::Choice { default, .. } => (*default).to_owned(),
            Self::Path { .. } => "none".to_owned(),
            _ => self.default_value().to_string(),
        }
    }

    /// What is meant where nothing is said, as a configuration has it; null for a path.
    pub fn default_value(&self) -> Json {
        match self {
            Self::Whole { default, .. } => json!(default),
            Self::Real { default, .. } => json!(default),
            Self::Choice { default, .. } => json!(default),
            Self::YesNo { default } => json!(default),
            Self::Path { .. } => Json::Null,
        }
    }

    /// What can be chosen by name.
    pub fn options(&self) -> &[Words] {
        match self {
            Self::Choice { options, .. } => options,
            Self::Whole {
                special: Some(special),
                ..
            } => std::slice::from_ref(special),
            _ => &[],
        }
    }
}

impl From<Values> for Domain {
    fn from(values: Values) -> Self {
        match values {
            Values::Whole {
                minimum,
                maximum,
                default,
                special,
            } => Self::Whole {
                minimum,
                maximum,
                default,
                special,
            },
            Values::Real {
                minimum,
                maximum,
                default,
            } => Self::Real {
                minimum,
                maximum,
                default,
            },
            Values::Choice { options, default } => Self::Choice {
                options: options.to_vec(),
                default,
            },
            Values::YesNo { default } => Self::YesNo { default },
        }
    }
}

impl fmt::Display for Domain {
    /// `1 to 100`, or the names of the options.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole {
                minimum,
                maximum,
                special,
                ..
            } => {
                write!(f, "{minimum} to {maximum}")?;
                special.map_or(Ok(()), |special| write!(f, ", or {}", special.name))
            }
            Self::Real {
                minimum, maximum, ..
            } => write!(f, "{} to {}", Short(*minimum), Short(*maximum)),
            Self::Choice { options, .. } => {
                let names: Vec<&str> = options.iter().map(|option| option.name).collect();
                f.write_str(&names.join(", "))
            }
            Self::YesNo { .. } => f.write_str("true or false"),
            Self::Path { .. } => f.write_str("the path of a file"),
        }
    }
}

/// A number with an exponent where that is shorter.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (plain, exponent) = (self.0.to_string(), format!("{:e}", self.0));
        f.write_str(match exponent.len() + 3 < plain.len() {
            true => &exponent,
            false => &plain,
        })
    }
}

/// A key inside a table.
pub fn join(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

impl Setting {
    fn new(path: &str, words: &Words, allowed: Domain) -> Self {
        Self {
            key: join(path, words.name),
            title: words.title.to_owned(),
            help: words.help,
            formula: words.formula,
            source: words.source,
            allowed,
        }
    }

    fn of(path: &str, described: &SettingDescription) -> Self {
        Self::new(path, &described.words, described.values.into())
    }

    fn of_task(field: &FieldDescription) -> Self {
        let allowed = match field.kind {
            FieldKind::Number {
                minimum,
                maximum,
                default,
            } => Domain::Whole {
                minimum,
                maximum,
                default,
                special: None,
            },
            FieldKind::Choice(names) => Domain::Choice {
                options: names.iter().map(|name| named(name)).collect(),
                default: names.first().copied().unwrap_or_default(),
            },
            FieldKind::Switch => Domain::YesNo { default: false },
            FieldKind::Path { required } => Domain::Path { required },
        };
        let setting = Self::new("task", &named(field.name), allowed);
        Self {
            title: title_of(field.name),
            help: field.help,
            ..setting
        }
    }

    fn tag(path: &str, name: &'static str, help: &'static str, options: Vec<Words>) -> Self {
        let default = options.first().map_or("", |option| option.name);
        let words = Words {
            help,
            ..named(name)
        };
        let setting = Self::new(path, &words, Domain::Choice { options, default });
        Self {
            title: title_of(name),
            ..setting
        }
    }

    /// Its name in its table.
    pub fn name(&self) -> &str {
        self.key.rsplit('.').next().unwrap_or_default()
    }
}

/// What has only a name.
fn named(name: &'static str) -> Words {
    Words {
        name,
        title: name,
        help: "",
        formula: "",
        source: "",
    }
}

/// `maximum_length`: “Maximum length”.
fn title_of(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    let rest = letters.map(|letter| if letter == '_' { ' ' } else { letter });
    first.into_iter().chain(rest).collect()
}

/// Tasks to choose from.
pub fn tasks() -> Vec<Words> {
    let tasks = TaskConfig::kinds().iter();
    tasks
        .map(|task| Words {
            title: task.title,
            help: task.help,
            ..named(task.name)
        })
        .collect()
}

/// Architectures to choose from.
pub fn architectures() -> Vec<Words> {
    let all = ModelConfig::all();
    all.iter().map(|it| it.description().words).collect()
}

/// Mechanisms to choose from.
pub fn mechanisms() -> Vec<Words> {
    let all = MechanismConfig::all();
    all.map(|it| it.description().words).collect()
}

/// All settings of an experiment, table by table, in the order in which to show them.
pub fn groups(experiment: &Experiment) -> Vec<Group> {
    let task = experiment.task.description();
    let model = experiment.model.description();
    let schedule = experiment.training.schedule.description();
    let all = |path: &str, settings: &[SettingDescription]| -> Vec<Setting> {
        settings.iter().map(|it| Setting::of(path, it)).collect()
    };
    let plain = |path: &str, title, settings: &[SettingDescription]| Group {
        path: path.to_owned(),
        title,
        tag: None,
        variant: None,
        settings: all(path, settings),
        site: None,
    };
    let mut groups = vec![
        plain("", "Experiment", std::slice::from_ref(&SEED)),
        Group {
            path: "task".to_owned(),
            title: "Task",
            tag: Some(Setting::tag("task", "kind", "What is learned.", tasks())),
            variant: tasks().into_iter().find(|it| it.name == task.name),
            settings: task.fields.iter().map(Setting::of_task).collect(),
            site: None,
        },
        Group {
            path: "model".to_owned(),
            title: "Model",
            tag: Some(Setting::tag(
                "model",
                "architecture",
                "What learns it.",
                architectures(),
            )),
            variant: Some(model.words),
            settings: all("model", model.settings),
            site: None,
        },
    ];
    for site in experiment.model.sites() {
        let path = join("model", site.name);
        let description = site.mechanism.description();
        let help = "How this site attends; each mechanism is explained by its name.";
        groups.push(Group {
            tag: Some(Setting::tag(&path, "kind", help, mechanisms())),
            variant: Some(description.words),
            settings: all(&path, description.settings),
            title: site.title,
            site: Some((site.site, site.widths)),
            path,
        });
    }
    let schedules = Schedule::KINDS.map(|it| it.words).to_vec();
    let path = "training.schedule";
    groups.extend([
        plain("training", "Training", TRAINING),
        plain("training.optimizer", "Optimiser", OPTIMIZER),
        Group {
            tag: Some(Setting::tag(
                path,
                "kind",
                "How the learning rate changes over the steps.",
                schedules,
            )),
            variant: Some(schedule.words),
            ..plain(path, "Learning rate over the steps", schedule.settings)
        },
    ]);
    groups
}
