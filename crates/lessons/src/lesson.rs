//! Structure of a lesson, as written in `lesson.toml`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use strata_models::{Search, SiteName};
use strata_settings::address::Address;
use strata_training::Experiment;
use strum::{EnumString, VariantNames};

use crate::{Condition, Expression, Guess, Value};

/// A lesson without its words.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// Version of the lesson, raised with every change of its steps.
    pub version: u32,
    /// Duration in minutes.
    pub minutes: u32,
    /// Names of the lessons that come before this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Slides and papers that the lesson teaches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub teaches: Vec<String>,
    /// Experiments by name; a value is what follows `?v=1&` in the experiment's address. In the
    /// file, an address may begin with the name of another experiment instead of a preset:
    /// `base&model.attend=true`.
    pub experiments: BTreeMap<String, String>,
    /// Steps of the lesson, in order.
    #[serde(rename = "step")]
    pub steps: Vec<Step>,
}

/// A step: a state to begin with, one action, and conditions that tell when the action is done.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Id of the step, a part of the step's address; never given to another step.
    pub id: String,
    /// State with which the step begins.
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
    /// Texts for the end of the step; the first text whose conditions hold is shown. If there are no
    /// outcomes, the section `after` is shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<Outcome>,
    /// Values that the texts of the step name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, Expression>,
    /// Claims about the step, proved by a run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
}

/// State with which a step begins.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// Name of the experiment that is run.
    pub experiment: String,
    /// Starting point of the experiment's run.
    #[serde(default)]
    pub from: Start,
    /// View that is shown at first.
    #[serde(default)]
    pub look: Look,
    /// Text to translate, whose answer is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
    /// Words with which the answer begins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prefix: Vec<String>,
    /// Search algorithm for the answer.
    #[serde(default, skip_serializing_if = "is_greedy")]
    pub search: Search,
    /// Names of experiments whose curves are shown for comparison.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
    /// Control or picture to which the page points.
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
    /// After this many steps; 0 is a new run.
    Step(u64),
    /// At the last step of the run.
    End(End),
}

/// The word `end` for the last step of a run.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The only value, written `end`.
    #[serde(rename = "end")]
    End,
}

impl Default for Start {
    fn default() -> Self {
        Self::Step(0)
    }
}

impl Start {
    /// Returns the step at which a run of `experiment` starts.
    pub fn step(self, experiment: &Experiment) -> u64 {
        match self {
            Self::Step(step) => step,
            Self::End(_) => experiment.training.steps,
        }
    }
}

/// Request for a view. Heads, levels and rows count from 1, examples from 0.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// Kind of the view.
    #[serde(default)]
    pub view: LookKind,
    /// Index of the held-out example.
    #[serde(default)]
    pub example: usize,
    /// Attention site in view; if absent, the page chooses a site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<SiteName>,
    /// Head in view; if absent, the mean of all heads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<usize>,
    /// Level in view; if absent, the last level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
    /// Row whose descent is in view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<usize>,
}

/// The kind of a view.
#[derive(
    Serialize, Deserialize, EnumString, VariantNames, Clone, Copy, Debug, Default, PartialEq, Eq,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum LookKind {
    /// One attention matrix.
    #[default]
    Site,
    /// The matrices of all sites, small.
    Overview,
    /// Shares of the levels of Ham attention.
    Shares,
    /// Descent of a row through a pyramid.
    Descent,
    /// Probabilities of the right tokens.
    Probabilities,
    /// The whole model.
    Network,
    /// Sizes of parameters and gradients.
    Norms,
    /// The arrows of the task `hops`, and the path along which attention follows the arrows.
    Arrows,
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
    /// Begin again with this seed.
    Seed(u64),
    /// Begin another experiment of the lesson.
    Experiment(String),
    /// Change to another view.
    Look(Look),
    /// Translate a text; a language model continues the text.
    Translate(String),
    /// Choose another word at a place of the answer; the model continues behind the word.
    Choose {
        /// Place in the answer, from 1.
        place: usize,
        /// Word to put at the place.
        word: String,
    },
    /// Answer the same text with another search algorithm.
    Search(Search),
    /// Let a site compute with another number of levels; no parameter changes.
    Levels {
        /// Site whose attention has the levels.
        site: SiteName,
        /// Number of levels.
        count: usize,
    },
    /// Compare the present run with another run, by name.
    Compare(String),
    /// Time the steps of workloads, by name.
    Bench(Vec<String>),
    /// Guess, and do nothing else.
    Guess,
}

/// Offers to a learner whose training does not reach the conditions `until`.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Late {
    /// Step after which the offers are made.
    pub step: u64,
    /// Offers, in order.
    pub offer: Vec<Offer>,
}

/// Offer to a learner whose training does not reach the conditions `until`.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(try_from = "String", into = "String")]
pub enum Offer {
    /// Train this many more steps: `train 200`.
    Train(u64),
    /// Begin again with the lesson's seed: `restart`.
    Restart,
    /// Load the recorded model: `recorded`.
    Recorded,
    /// Perform the action for the learner: `show`.
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

/// Text for the end of a step, with the conditions under which the text is shown.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Name of the text.
    pub text: String,
    /// Conditions under which the text is shown; the last outcome has none and always holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<Condition>,
}

/// Claim about a step.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Name of the claim, by which texts may refer to it.
    pub name: String,
    /// Expression on whose value the claim states bounds.
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
    /// True if the claim holds by construction, whatever is learned.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_construction: bool,
    /// Step at which the claim is measured; if absent, as soon as the step's conditions hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Start>,
    /// Values of the measure in runs with other seeds, so that a claim about trained models does not
    /// rest on one run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seeds: Vec<f64>,
}

impl Claim {
    /// Returns the condition that the claim states.
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
    /// Finds the step with this id.
    pub fn step(&self, id: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.id == id)
    }

    /// Finds the experiment with this name.
    pub fn experiment(&self, name: &str) -> Option<Experiment> {
        let address = self.experiments.get(name)?;
        Some(Address::read(&format!("?v=1&{address}")).experiment)
    }
}

impl Lesson {
    /// Returns the models to be recorded, as names and steps of experiments: those with which
    /// lesson steps begin without training them further, and those that are offered if training is
    /// late.
    pub fn models(&self) -> BTreeSet<(&str, u64)> {
        let of_step = |step: &'_ Step| {
            let experiment = self.experiment(&step.setup.experiment)?;
            let from = step.setup.from.step(&experiment);
            let offered = step.late.as_ref();
            let offered = offered.is_some_and(|it| it.offer.contains(&Offer::Recorded));
            if offered {
                Some(experiment.training.steps)
            } else {
                (from > 0 && !step.action.trains()).then_some(from)
            }
        };
        let steps = self.steps.iter();
        steps
            .filter_map(|it| Some((it.setup.experiment.as_str(), of_step(it)?)))
            .collect()
    }
}

/// Returns the path of a recorded model, relative to the folder of lessons and without extension.
pub fn model_name(lesson: &str, experiment: &str, step: u64) -> String {
    format!("{lesson}/{experiment}-{step}")
}

impl Step {
    /// Returns the name of the text that is shown now that the step is done.
    pub fn outcome(&self, facts: &crate::Facts) -> &str {
        let found = self.outcomes.iter();
        let mut found = found.filter(|it| crate::all_hold(&it.when, facts));
        found.next().map_or("after", |it| &it.text)
    }

    /// Returns the names of all texts that may be shown when the step is done.
    pub fn texts(&self) -> Vec<&str> {
        if self.outcomes.is_empty() {
            vec!["after"]
        } else {
            self.outcomes.iter().map(|it| &it.text[..]).collect()
        }
    }
}
