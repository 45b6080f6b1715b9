//! Curriculum (Bengio et al. 2009): settings that change at named steps of a run, so that a model
//! begins with an easier task or with fewer levels.
//!
//! A curriculum is written as text, `0: task.hops=2 model.encoder_self.levels=1; 100: task.hops=4`,
//! or in a configuration file as a list of tables, `[{ from = 0, "task.hops" = 2 }, …]`. A last
//! stage `200: repeat` (`{ from = 200, repeat = true }`) begins again with the first one.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value as Json};

use crate::{Experiment, TrainingError};

/// Most stages of a curriculum.
const MOST_STAGES: usize = 100;

/// Settings that a stage may change, apart from the settings of a generated task and the numbers of
/// levels of attention sites.
const CHANGEABLE: [&str; 3] = [
    "model.dropout",
    "training.clip_norm",
    "training.optimizer.learning_rate",
];

/// Word of the stage that begins again with the first one.
const REPEAT: &str = "repeat";

/// Stages of a run, in the order of steps; none for a run whose settings stay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curriculum {
    stages: Vec<Stage>,
    /// Number of steps after which the stages begin again; `None` if the last stage goes on.
    period: Option<u64>,
}

/// Stage of a curriculum: settings that hold from a step on.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Number of steps that are taken before the stage begins.
    pub from: u64,
    /// Settings by key, `task.hops`, in the order of the text.
    pub settings: Vec<(String, Json)>,
}

/// Error in the text of a curriculum.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CurriculumError {
    /// Stage without a step, or setting without a value.
    #[error(
        "`{text}` is no stage of a curriculum; write a step and settings, for example \
         `100: task.hops=4 model.encoder_self.levels=3`"
    )]
    Malformed {
        /// The stage as written.
        text: String,
    },
    /// First stage that does not begin at step 0.
    #[error(
        "the first stage begins at step {from}, but must begin at 0 and set what later stages change"
    )]
    Late {
        /// Step of the first stage.
        from: u64,
    },
    /// Stage that does not begin after the stage before.
    #[error(
        "a stage begins at step {from}, but the stage before at step {before}; sort the stages"
    )]
    Unsorted {
        /// Step of the stage.
        from: u64,
        /// Step of the stage before.
        before: u64,
    },
    /// Setting of a later stage that the first stage does not set.
    #[error("the stage of step {from} sets `{key}`, which the stage of step 0 must set too")]
    Unset {
        /// Step of the stage.
        from: u64,
        /// Key of the setting.
        key: String,
    },
    /// Setting that cannot change during a run.
    #[error(
        "`{key}` cannot change during a run; a stage changes settings of a generated task, numbers of \
         levels (`model.encoder_self.levels`), `model.loops`, `model.dropout`, `training.clip_norm` and \
         `training.optimizer.learning_rate`"
    )]
    Fixed {
        /// Key of the setting.
        key: String,
    },
    /// Value that a setting does not take.
    #[error("the stage of step {from}: `{key}` does not take the value {value}")]
    Value {
        /// Step of the stage.
        from: u64,
        /// Key of the setting.
        key: String,
        /// The value as written.
        value: String,
    },
    /// More stages than a curriculum may have.
    #[error("a curriculum has at most {MOST_STAGES} stages, not {count}")]
    Many {
        /// Number of stages.
        count: usize,
    },
}

impl Curriculum {
    /// Stages, in the order of steps.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// True if no setting changes.
    pub fn is_empty(&self) -> bool {
        self.stages.is_empty()
    }

    /// True if the stages begin again after the last one.
    pub fn repeats(&self) -> bool {
        self.period.is_some()
    }

    /// True if a stage begins after `step` steps.
    pub fn begins_at(&self, step: u64) -> bool {
        let step = self.within(step);
        self.stages.iter().any(|stage| stage.from == step)
    }

    /// Stage that holds after `step` steps; `None` if all settings stay.
    pub fn stage_at(&self, step: u64) -> Option<&Stage> {
        let step = self.within(step);
        self.stages.iter().rev().find(|stage| stage.from <= step)
    }

    /// Returns the step within the present repetition.
    fn within(&self, step: u64) -> u64 {
        self.period.map_or(step, |period| step % period.max(1))
    }

    /// Collects stages, the last of which may be a repetition: a stage without settings.
    fn of_stages(mut stages: Vec<Stage>) -> Result<Self, CurriculumError> {
        let is_repeat = |stage: &Stage| stage.settings.is_empty();
        let period = stages
            .pop_if(|stage| is_repeat(stage))
            .map(|stage| stage.from);
        match stages.iter().find(|stage| is_repeat(stage)) {
            None => Ok(Self { stages, period }),
            Some(stage) => Err(CurriculumError::Malformed {
                text: format!("{}: {REPEAT}", stage.from),
            }),
        }
    }

    /// Checks the steps of the stages, and that the first stage sets all that later ones change:
    /// the settings of a stage then do not depend on the settings before.
    fn check_order(&self) -> Result<(), CurriculumError> {
        let Some((first, later)) = self.stages.split_first() else {
            return Ok(());
        };
        if self.stages.len() > MOST_STAGES {
            return Err(CurriculumError::Many {
                count: self.stages.len(),
            });
        }
        if first.from != 0 {
            return Err(CurriculumError::Late { from: first.from });
        }
        let mut before = first.from;
        for stage in later {
            let from = stage.from;
            if from <= before {
                return Err(CurriculumError::Unsorted { from, before });
            }
            before = from;
            let is_set = |key: &String| first.settings.iter().any(|(set, _)| set == key);
            if let Some((key, _)) = stage.settings.iter().find(|(key, _)| !is_set(key)) {
                let key = key.clone();
                return Err(CurriculumError::Unset { from, key });
            }
        }
        match self.period {
            Some(from) if from <= before => Err(CurriculumError::Unsorted { from, before }),
            _ => Ok(()),
        }
    }
}

impl Experiment {
    /// Returns the experiment with the settings that the curriculum gives it after `step` steps.
    ///
    /// # Errors
    /// If a stage sets what cannot change, or a setting does not take the value.
    pub fn at_step(&self, step: u64) -> Result<Self, TrainingError> {
        let curriculum = &self.training.curriculum;
        let step = curriculum.within(step);
        let stages = curriculum.stages().iter();
        let begun: Vec<&Stage> = stages.take_while(|stage| stage.from <= step).collect();
        if begun.is_empty() {
            return Ok(self.clone());
        }
        let mut experiment = self.clone();
        for stage in begun {
            for (key, value) in &stage.settings {
                experiment = experiment.with(stage.from, key, value)?;
            }
        }
        Ok(experiment)
    }

    /// Returns the experiment as its run begins. Two experiments that differ only in how far their
    /// runs have come begin alike.
    pub fn at_beginning(&self) -> Self {
        // A curriculum that makes no sense is refused elsewhere, by `check`.
        self.at_step(0).unwrap_or_else(|_| self.clone())
    }

    /// Checks the curriculum, and the experiment of each stage.
    pub(crate) fn check_curriculum(&self) -> Result<(), TrainingError> {
        let curriculum = &self.training.curriculum;
        curriculum.check_order()?;
        for stage in curriculum.stages() {
            self.at_step(stage.from)?.check_settings()?;
        }
        Ok(())
    }

    /// Returns the experiment with another value of one setting.
    fn with(&self, from: u64, key: &str, value: &Json) -> Result<Self, CurriculumError> {
        if !self.may_change(key) {
            return Err(CurriculumError::Fixed {
                key: key.to_owned(),
            });
        }
        let refused = || CurriculumError::Value {
            from,
            key: key.to_owned(),
            value: value.to_string(),
        };
        // Through text, so that numbers stay as they are written.
        let text = serde_json::to_string(self).map_err(|_| refused())?;
        let mut json: Json = serde_json::from_str(&text).map_err(|_| refused())?;
        let place = json.pointer_mut(&format!("/{}", key.replace('.', "/")));
        *place.ok_or_else(refused)? = value.clone();
        serde_json::from_value(json).map_err(|_| refused())
    }

    /// True if a stage may change this setting.
    fn may_change(&self, key: &str) -> bool {
        if let Some(setting) = key.strip_prefix("task.") {
            return setting != "kind" && self.task.is_generated();
        }
        let is_loops = key == "model.loops" && self.model.clone().loops_mut().is_some();
        let is_of_site = |site: &strata_models::AttentionSite| {
            let levels = site.mechanism.levels_setting();
            let levels = levels.filter(|_| !site.mechanism.has_learned_shares());
            levels.is_some_and(|levels| key == format!("model.{}.{levels}", site.name))
        };
        CHANGEABLE.contains(&key) || is_loops || self.model.sites().iter().any(is_of_site)
    }
}

impl Display for Curriculum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, stage) in self.stages.iter().enumerate() {
            if at > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{stage}")?;
        }
        match self.period {
            Some(period) => write!(f, "; {period}: {REPEAT}"),
            None => Ok(()),
        }
    }
}

impl Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.from, self.settings_in_words())
    }
}

impl Stage {
    /// Writes the settings in the form of the command line: `task.hops=4 model.encoder_self.levels=3`.
    pub fn settings_in_words(&self) -> String {
        let settings = self.settings.iter().map(|(key, value)| match value {
            Json::String(text) => format!("{key}={text}"),
            value => format!("{key}={value}"),
        });
        settings.collect::<Vec<_>>().join(" ")
    }
}

impl FromStr for Curriculum {
    type Err = CurriculumError;

    fn from_str(text: &str) -> Result<Self, CurriculumError> {
        let stages = text.split(';').map(str::trim).filter(|it| !it.is_empty());
        Self::of_stages(stages.map(Stage::from_str).collect::<Result<_, _>>()?)
    }
}

impl FromStr for Stage {
    type Err = CurriculumError;

    fn from_str(text: &str) -> Result<Self, CurriculumError> {
        let malformed = || CurriculumError::Malformed {
            text: text.chars().take(200).collect(),
        };
        let (from, settings) = text.split_once(':').ok_or_else(malformed)?;
        let from = from.trim().parse().map_err(|_| malformed())?;
        let setting = |text: &str| {
            let (key, value) = text.split_once('=')?;
            let is_whole = !key.is_empty() && !value.is_empty();
            is_whole.then(|| (key.to_owned(), value_of(value)))
        };
        if settings.trim() == REPEAT {
            let settings = Vec::new();
            return Ok(Self { from, settings });
        }
        let settings = settings.split_whitespace().map(setting);
        let settings: Option<Vec<_>> = settings.collect();
        let settings = settings.filter(|it| !it.is_empty());
        Ok(Self {
            from,
            settings: settings.ok_or_else(malformed)?,
        })
    }
}

/// Reads a number, `true` or `false`; everything else is text.
fn value_of(text: &str) -> Json {
    let read: Option<Json> = serde_json::from_str(text).ok();
    read.filter(|value| value.is_number() || value.is_boolean())
        .unwrap_or_else(|| text.into())
}

impl Serialize for Curriculum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Curriculum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Json::deserialize(deserializer)? {
            Json::String(text) => text.parse().map_err(de::Error::custom),
            Json::Array(stages) => {
                let stages = stages.into_iter().map(of_table).collect::<Option<_>>();
                let stages = stages.ok_or_else(|| {
                    de::Error::custom(
                        "a stage of a curriculum is a table such as { from = 100, \"task.hops\" = 4 }",
                    )
                })?;
                Self::of_stages(stages).map_err(de::Error::custom)
            }
            _ => Err(de::Error::custom(
                "a curriculum is a text such as `0: task.hops=2; 100: task.hops=4`, or a list of tables",
            )),
        }
    }
}

/// Reads a stage from a table with the key `from`; settings may be written in inner tables.
fn of_table(table: Json) -> Option<Stage> {
    let Json::Object(mut table) = table else {
        return None;
    };
    let from = table.remove("from")?.as_u64()?;
    let mut settings = Vec::new();
    if table.remove(REPEAT) == Some(true.into()) && table.is_empty() {
        return Some(Stage { from, settings });
    }
    flatten("", table, &mut settings);
    (!settings.is_empty()).then_some(Stage { from, settings })
}

fn flatten(prefix: &str, table: Map<String, Json>, settings: &mut Vec<(String, Json)>) {
    for (name, value) in table {
        let key = if prefix.is_empty() {
            name
        } else {
            format!("{prefix}.{name}")
        };
        match value {
            Json::Object(inner) => flatten(&key, inner, settings),
            value => settings.push((key, value)),
        }
    }
}
