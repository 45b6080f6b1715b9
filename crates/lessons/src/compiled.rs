//! Lessons as the page downloads lessons: one JSON file per lesson and language, and a list of all
//! lessons.

use serde::{Deserialize, Serialize};

use crate::{Block, Claim, Inline, Lesson, Recorded, Step, Words, written};

/// Language of the claims; claims are written as in `lesson.toml`, in every language.
const ENGLISH: &str = "en";

/// A lesson in one language.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Compiled {
    /// Name of the lesson, as in addresses.
    pub name: String,
    /// Requested language. Missing texts are in English and marked as English.
    pub language: String,
    /// Structure of the lesson.
    pub lesson: Lesson,
    /// Texts of the lesson.
    pub words: Words,
    /// Recorded results, if the lesson was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
}

/// A lesson in the list of all lessons.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Entry {
    /// Name of the lesson, as in addresses.
    pub name: String,
    /// Languages in which the lesson exists.
    pub languages: Vec<String>,
    /// Title of the lesson.
    pub title: Vec<Inline>,
    /// Purpose of the lesson.
    pub goal: Vec<Block>,
    /// Duration in minutes.
    pub minutes: u32,
    /// Names of the lessons that come before this one.
    pub needs: Vec<String>,
    /// Slides and papers that the lesson teaches.
    pub teaches: Vec<String>,
    /// Steps of the lesson.
    pub steps: Vec<IndexStep>,
    /// Date, commit and device of the recorded run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<String>,
    /// Accuracy of recorded runs on new examples, in hundredths at equal distances, as the picture of
    /// the lesson.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<Vec<u8>>,
}

/// Largest number of curves in the picture of a lesson.
const CURVES: usize = 4;
/// Number of points of such a curve.
const POINTS: usize = 12;

/// Returns the curves of recorded runs for the picture of a lesson.
fn curves(recorded: &Recorded) -> Vec<Vec<u8>> {
    let curve = |run: &crate::Run| {
        let count = run.validations.len();
        let points = count.min(POINTS);
        let at = |point: usize| &run.validations[point * (count - 1) / (points - 1)];
        let share = |point: usize| (100.0 * at(point).accuracy.clamp(0.0, 1.0)).round() as u8;
        (points > 1).then(|| (0..points).map(share).collect())
    };
    let runs = recorded.runs.values();
    runs.filter_map(curve).take(CURVES).collect()
}

/// A step in the list of all lessons.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct IndexStep {
    /// Id of the step, a part of the step's address.
    pub id: String,
    /// Title of the step.
    pub title: Vec<Inline>,
    /// Claims of the step with their recorded values: `held.accuracy ≥ 0.98: 0.995`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<String>,
}

impl Compiled {
    /// Returns the lesson's entry in the list of all lessons.
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
            curves: recorded.map_or_else(Vec::new, curves),
            recorded: recorded.map(|it| format!("{}, {}, {}", it.date, it.commit, it.device)),
        }
    }
}
