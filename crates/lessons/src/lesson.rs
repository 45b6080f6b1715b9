//! The structure of a lesson, as `lesson.toml` has it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use strata_models::{Search, SiteName};
use strata_settings::address::Address;
use strata_training::Experiment;

use crate::{Condition, Expression, Guess, Value};

/// A lesson without its words.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// Version of the lesson, raised with every change of its steps.
    pub version: u32,
    /// Duration in minutes.
    pub minutes: u32,
    /// Lessons that come before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Slides and papers that it teaches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub teaches: Vec<String>,
    /// Experiments by their names: what follows `?v=1&` in their addresses. In the file one may
    /// begin with the name of another instead of a preset: `base&model.attend=true`.
    pub experiments: BTreeMap<String, String>,
    /// The steps, in order.
    #[serde(rename = "step")]
    pub steps: Vec<Step>,
}

/// A step: a known state, one action, and what notices it.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Part of its address; never given to another step.
    pub id: String,
    /// The state that it begins with.
    pub setup: Setup,
    /// Guess that the learner makes before the action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guess: Option<Guess>,
    /// Action that the learner is asked for; "Show me" performs it.
    pub action: Action,
    /// Conditions under which the action is done: false after the set-up, true after the action.
    pub until: Vec<Condition>,
    /// Offers to the learner if training does not reach `until`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<Late>,
    /// Texts shown afterwards: the first one whose conditions hold. Empty: the section `after`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<Outcome>,
    /// Values that the words name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, Expression>,
    /// Claims about the step, proved by a run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
}

/// A state to begin with.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// Name of the experiment.
    pub experiment: String,
    /// Starting point of its run.
    #[serde(default)]
    pub from: Start,
    /// View that is shown.
    #[serde(default)]
    pub look: Look,
    /// A text whose answer is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
    /// Words that the answer begins with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prefix: Vec<String>,
    /// Search algorithm for the answer.
    #[serde(default, skip_serializing_if = "is_greedy")]
    pub search: Search,
    /// Runs whose curves are shown for comparison.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
    /// The control or picture that is pointed at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<String>,
}

fn is_greedy(search: &Search) -> bool {
    *search == Search::Greedy
}

/// Starting point of a run.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(untagged, expecting = "a step such as 0 or 500, or \"end\"")]
pub enum Start {
    /// After these steps; 0 is fresh.
    Step(u64),
    /// At its last step.
    End(End),
}

/// The last step of a run.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The only word for it.
    #[serde(rename = "end")]
    End,
}

impl Default for Start {
    fn default() -> Self {
        Self::Step(0)
    }
}

impl Start {
    /// The step of an experiment's run.
    pub fn step(self, experiment: &Experiment) -> u64 {
        match self {
            Self::Step(step) => step,
            Self::End(_) => experiment.training.steps,
        }
    }
}

/// View that is shown. Heads, levels and rows count from 1, examples from 0.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// The kind of the view.
    #[serde(default)]
    pub view: LookKind,
    /// Held-out example.
    #[serde(default)]
    pub example: usize,
    /// Its site; absent, the one that is most worth it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<SiteName>,
    /// Its head; absent, the mean of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<usize>,
    /// Its level; absent, the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
    /// The row of a descent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<usize>,
}

/// The kind of a view.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum LookKind {
    /// One matrix.
    #[default]
    Site,
    /// All of them, small.
    Overview,
    /// Shares of levels.
    Shares,
    /// A way down a pyramid.
    Descent,
    /// Probabilities of the right tokens.
    Probabilities,
    /// The whole model.
    Network,
    /// Sizes of parameters and gradients.
    Norms,
}

/// Action that the learner is asked for.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Train.
    Train,
    /// Pause.
    Pause,
    /// Take one step.
    Step,
    /// Begin the run again.
    Reset,
    /// Draw this seed.
    Seed(u64),
    /// Begin another experiment of the lesson.
    Experiment(String),
    /// Look at something else.
    Look(Look),
    /// Translate a text, or write it on.
    Translate(String),
    /// Put another word at a place of the answer, which is written on behind it.
    Choose {
        /// Place, from 1.
        place: usize,
        /// The word.
        word: String,
    },
    /// Answer the same text by another search.
    Search(Search),
    /// Lay another run beside the present one.
    Compare(String),
    /// Time the steps of these workloads.
    Bench(Vec<String>),
    /// Guess; nothing else.
    Guess,
}

/// Offers to the learner if training does not reach `until`.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Late {
    /// Step after which they are made.
    pub step: u64,
    /// Offers, in order.
    pub offer: Vec<Offer>,
}

/// Offer to a learner whose training does not reach `until`.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(try_from = "String", into = "String")]
pub enum Offer {
    /// Train this many more steps: `train 200`.
    Train(u64),
    /// Begin again with the lesson's seed: `restart`.
    Restart,
    /// Take the recorded model: `recorded`.
    Recorded,
    /// Show how: `show`.
    Show,
}

impl TryFrom<String> for Offer {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "restart" => Ok(Self::Restart),
            "recorded" => Ok(Self::Recorded),
            "show" => Ok(Self::Show),
            other => {
                let steps = other.strip_prefix("train ").and_then(|it| it.parse().ok());
                let known = ["train 200", "restart", "recorded", "show"];
                steps
                    .map(Self::Train)
                    .ok_or_else(|| crate::error::unknown("offer", other, known))
            }
        }
    }
}

impl From<Offer> for String {
    fn from(offer: Offer) -> Self {
        match offer {
            Offer::Train(steps) => format!("train {steps}"),
            Offer::Restart => "restart".to_owned(),
            Offer::Recorded => "recorded".to_owned(),
            Offer::Show => "show".to_owned(),
        }
    }
}

/// Words that are said where conditions hold.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Name of the words.
    pub text: String,
    /// Conditions under which they are shown; the last outcome has none and always holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<Condition>,
}

/// Claim about a step.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Its name, which the words may name.
    pub name: String,
    /// Expression that is measured.
    pub measure: Expression,
    /// The least value that holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// The greatest value that holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// The only value that holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is: Option<Value>,
    /// The only value that does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_not: Option<Value>,
    /// Largest difference from `is` that holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<f64>,
    /// True if it holds by construction, whatever is learned.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_construction: bool,
    /// The step at which it is measured; absent, as soon as the step's condition holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Start>,
}

impl Claim {
    /// The condition that must hold.
    pub fn condition(&self) -> Condition {
        Condition {
            measure: self.measure.clone(),
            at_least: self.at_least,
            at_most: self.at_most,
            is: self.is.clone(),
            is_not: self.is_not.clone(),
            within: self.within,
        }
    }
}

impl Lesson {
    /// The step of this id.
    pub fn step(&self, id: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.id == id)
    }

    /// The experiment of this name.
    pub fn experiment(&self, name: &str) -> Option<Experiment> {
        let address = self.experiments.get(name)?;
        Some(Address::read(&format!("?v=1&{address}")).experiment)
    }
}

impl Lesson {
    /// Models to be recorded, as names and steps of experiments: those that steps begin with
    /// without training them further, and those that are offered where training is late.
    pub fn models(&self) -> BTreeSet<(&str, u64)> {
        let of_step = |step: &'_ Step| {
            let experiment = self.experiment(&step.setup.experiment)?;
            let from = step.setup.from.step(&experiment);
            let offered = step.late.as_ref();
            let offered = offered.is_some_and(|it| it.offer.contains(&Offer::Recorded));
            match offered {
                true => Some(experiment.training.steps),
                false => (from > 0 && !step.action.trains()).then_some(from),
            }
        };
        let steps = self.steps.iter();
        steps
            .filter_map(|it| Some((it.setup.experiment.as_str(), of_step(it)?)))
            .collect()
    }
}

/// The name of a recorded model, from the folder of lessons on and without its ending.
pub fn model_name(lesson: &str, experiment: &str, step: u64) -> String {
    format!("{lesson}/{experiment}-{step}")
}

impl Step {
    /// The words that are said now that the step is done.
    pub fn outcome(&self, facts: &crate::Facts) -> &str {
        let found = self.outcomes.iter();
        let mut found = found.filter(|it| crate::all_hold(&it.when, facts));
        found.next().map_or("after", |it| &it.text)
    }

    /// Every text that may be said when the step is done.
    pub fn texts(&self) -> Vec<&str> {
        match self.outcomes.is_empty() {
            true => vec!["after"],
            false => self.outcomes.iter().map(|it| &it.text[..]).collect(),
        }
    }
}
