//! Lessons as the page fetches them: one JSON a lesson and language, and one that lists all.

use serde::{Deserialize, Serialize};

use crate::{Block, Inline, Lesson, Recorded, Words};

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
}

/// A step in the list of all lessons.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct IndexStep {
    /// Part of its address.
    pub id: String,
    /// Its title.
    pub title: Vec<Inline>,
}

impl Compiled {
    /// Its entry in the list of all lessons.
    pub fn entry(&self, languages: &[String]) -> Entry {
        let step = |id: &str| IndexStep {
            id: id.to_owned(),
            title: self
                .words
                .steps
                .get(id)
                .map_or_else(Vec::new, |it| it.title.clone()),
        };
        Entry {
            name: self.name.clone(),
            languages: languages.to_vec(),
            title: self.words.title.clone(),
            goal: self.words.goal.clone(),
            minutes: self.lesson.minutes,
            needs: self.lesson.needs.clone(),
            teaches: self.lesson.teaches.clone(),
            steps: self.lesson.steps.iter().map(|it| step(&it.id)).collect(),
        }
    }
}
