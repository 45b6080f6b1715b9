//! Lessons as the page fetches them: one JSON a lesson and language, and one that lists all.

use serde::{Deserialize, Serialize};

use crate::{Block, Claim, Inline, Lesson, Recorded, Step, Words, written};

/// Language of claims, which are written as in the lesson's file.
const ENGLISH: &str = "en";

/// A lesson in one language.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Compiled {
    /// Its name, as in addresses.
    pub name: String,
    /// Requested language; missing texts are in English and marked as such.
    pub language: String,
    /// The structure.
    pub lesson: Lesson,
    /// The words.
    pub words: Words,
    /// Recorded results, if the lesson was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
}

/// A lesson in the list of all.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name, as in addresses.
    pub name: String,
    /// Languages that have it.
    pub languages: Vec<String>,
    /// Its title.
    pub title: Vec<Inline>,
    /// Purpose of the lesson.
    pub goal: Vec<Block>,
    /// Duration in minutes.
    pub minutes: u32,
    /// Lessons that come before it.
    pub needs: Vec<String>,
    /// Slides and papers that it teaches.
    pub teaches: Vec<String>,
    /// Its steps.
    pub steps: Vec<IndexStep>,
    /// Date, commit and device of the recorded run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<String>,
}

/// A step in the list of all lessons.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct IndexStep {
    /// Part of its address.
    pub id: String,
    /// Its title.
    pub title: Vec<Inline>,
    /// Its claims with their recorded values: `held.accuracy ≥ 0.98: 0.995`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<String>,
}

impl Compiled {
    /// Its entry in the list of all lessons.
    pub fn entry(&self, languages: &[String]) -> Entry {
        let recorded = self.recorded.as_ref();
        let step = |step: &Step| {
            let words = self.words.steps.get(&step.id);
            let values = recorded.and_then(|it| it.steps.get(&step.id));
            let claim = |claim: &Claim| {
                let value = values?.values.get(&claim.name)?;
                let value = written(value, step.unit(&claim.name), ENGLISH);
                Some(format!("{}: {value}", claim.condition().written()))
            };
            IndexStep {
                id: step.id.clone(),
                title: words.map_or_else(Vec::new, |it| it.title.clone()),
                claims: step.claims.iter().filter_map(claim).collect(),
            }
        };
        Entry {
            name: self.name.clone(),
            languages: languages.to_vec(),
            title: self.words.title.clone(),
            goal: self.words.goal.clone(),
            minutes: self.lesson.minutes,
            needs: self.lesson.needs.clone(),
            teaches: self.lesson.teaches.clone(),
            steps: self.lesson.steps.iter().map(step).collect(),
            recorded: recorded.map(|it| format!("{}, {}, {}", it.date, it.commit, it.device)),
        }
    }
}
