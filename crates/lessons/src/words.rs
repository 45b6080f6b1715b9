//! Texts of a lesson in one language, read from a file such as:
//!
//! ```markdown
//! # Soft alignment
//! Purpose of the lesson.
//!
//! ## The line of a copy {#line}
//! Text at the start of the step.
//! ### guess
//! Which way does the line run?
//! - Down
//! - Up
//! ### do
//! Press *Train*.
//! ### hint
//! The button is above the curves.
//! ### after
//! The accuracy is {held}.
//!
//! ## You know now {#known}
//! - A copy draws a diagonal.
//! - Nobody tells the model so.
//!
//! ## Free play {#free}
//! - [Longer sequences](?v=1&preset=copy&task.maximum_length=40)
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::LessonError;
use crate::links::Links;
use crate::markdown::{Item, Markdown};

/// Id of the section with invitations at the end of a lesson.
pub(crate) const FREE: &str = "free";
/// Id of the section on what a learner knows at the end of a lesson.
pub(crate) const KNOWN: &str = "known";
/// Sections of a step that are shown before the step is done.
pub(crate) const BEFORE: [&str; 4] = ["guess", "do", "hint", "late"];

/// Texts of a lesson.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Words {
    /// Title of the lesson.
    pub title: Vec<Inline>,
    /// Purpose of the lesson.
    pub goal: Vec<Block>,
    /// Texts of the steps, by id.
    pub steps: BTreeMap<String, StepWords>,
    /// Knowledge that a learner has at the end, in two lines.
    #[serde(default)]
    pub known: Text,
    /// Invitations to continue alone.
    pub free: Text,
}

/// Texts of a step.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct StepWords {
    /// Title of the step.
    pub title: Vec<Inline>,
    /// Text shown before the learner does anything.
    pub intro: Text,
    /// Texts by section: `guess`, `do`, `hint`, `late`, and the outcomes of the step.
    pub sections: BTreeMap<String, Text>,
    /// Options of the guess, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Vec<Inline>>,
}

/// Paragraphs and lists, with their language if the language is not the requested language.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Text {
    /// `en` if the translation is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Blocks, in order.
    pub blocks: Vec<Block>,
}

/// A paragraph or a list.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// A list without numbers.
    List(Vec<Vec<Inline>>),
}

/// A part of a line of text.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Inline {
    /// Plain words.
    Text(String),
    /// Emphasis, and names of controls.
    Emphasis(Vec<Inline>),
    /// A new term, at the place that explains the term.
    Term(Vec<Inline>),
    /// An example: tokens, which are not translated.
    Code(String),
    /// A formula.
    Formula(String),
    /// A value: a claim, a value of the step, `measured`, or a setting of the step's experiment.
    Value(String),
    /// A technical term at first use, with the meaning.
    Explained {
        /// The word, as the text has it.
        text: String,
        /// Meaning of the word.
        means: String,
    },
    /// A link.
    Link {
        /// Text of the link.
        text: Vec<Inline>,
        /// Target of the link.
        to: Target,
    },
}

/// Target of a link.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Address of a paper.
    Paper(String),
    /// Key of a setting.
    Setting(String),
    /// Address of an experiment.
    Experiment(String),
    /// A lesson, or a step of a lesson.
    Lesson {
        /// Name of the lesson.
        lesson: String,
        /// Id of the step.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<String>,
    },
}

/// Place in a file of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Id of the step; `None` for the title and the text outside of steps.
    pub step: Option<String>,
    /// Name of the section; `None` for the intro.
    pub section: Option<String>,
    /// Number of the line, from 1.
    pub line: usize,
}

/// Parsed file of texts.
pub(crate) struct ParsedWords {
    /// Texts of the lesson.
    pub words: Words,
    /// Values that the texts name, each with its place.
    pub values: Vec<(Place, String)>,
    /// Places of all steps and sections.
    pub places: Vec<Place>,
}

impl Words {
    /// Reads a file of texts.
    ///
    /// # Errors
    /// Markdown that lessons do not support, headings out of order, links without a target, digits
    /// outside of formulas, examples and links.
    pub(crate) fn read(
        file: &str,
        text: &str,
        links: &Links<'_>,
    ) -> Result<ParsedWords, Vec<LessonError>> {
        let (items, mut faults) = Markdown { file, links }.read(text);
        let mut words = Self::default();
        let (mut values, mut places) = (Vec::new(), Vec::new());
        let mut here = Place {
            step: None,
            section: None,
            line: 1,
        };
        for (item, line) in items {
            let mut fault = |what: String| {
                faults.push(LessonError {
                    file: file.to_owned(),
                    line,
                    what,
                });
            };
            here.line = line;
            match item {
                Item::Heading(1, _, title) => words.title = title,
                Item::Heading(2, Some(id), title) => {
                    (here.step, here.section) = (Some(id.clone()), None);
                    let is_step = ![FREE, KNOWN].contains(&id.as_str());
                    if is_step && words.steps.contains_key(&id) {
                        fault(format!("step `{id}` has words twice"));
                    } else if is_step {
                        words.steps.entry(id).or_default().title = title;
                        places.push(here.clone());
                    }
                }
                Item::Heading(2, None, _) => {
                    fault("a step's heading ends with its id, as in `## Title {#id}`".to_owned());
                }
                Item::Heading(3, _, title) => {
                    let name = plain(&title);
                    let step = here.step.as_ref().and_then(|id| words.steps.get_mut(id));
                    match step {
                        Some(step) if !step.sections.contains_key(&name) => {
                            step.sections.insert(name.clone(), Text::default());
                            here.section = Some(name);
                            places.push(here.clone());
                        }
                        Some(_) => fault(format!("the step has `{name}` twice")),
                        None => fault(format!("`{name}` stands in no step")),
                    }
                }
                Item::Heading(..) => fault("headings have one, two or three `#`".to_owned()),
                Item::Block(block, named) => {
                    let named = named.into_iter().map(|(line, name)| {
                        let here = here.clone();
                        (Place { line, ..here }, name)
                    });
                    values.extend(named);
                    words.text(&here).push(block);
                }
            }
        }
        words.steps.values_mut().for_each(StepWords::take_options);
        if faults.is_empty() {
            Ok(ParsedWords {
                words,
                values,
                places,
            })
        } else {
            Err(faults)
        }
    }

    /// Returns the list of blocks to which a block at this place is added.
    fn text(&mut self, here: &Place) -> &mut Vec<Block> {
        match &here.step {
            None => &mut self.goal,
            Some(id) if id == FREE => &mut self.free.blocks,
            Some(id) if id == KNOWN => &mut self.known.blocks,
            Some(id) => {
                let step = self.steps.entry(id.clone()).or_default();
                match &here.section {
                    None => &mut step.intro.blocks,
                    Some(name) => &mut step.sections.entry(name.clone()).or_default().blocks,
                }
            }
        }
    }

    /// Fills in missing texts from `other`, whose language is `language`.
    pub fn or(mut self, other: &Self, language: &str) -> Self {
        let take = |own: &mut Text, other: &Text| {
            if own.blocks.is_empty() && !other.blocks.is_empty() {
                *own = Text {
                    language: Some(language.to_owned()),
                    ..other.clone()
                };
            }
        };
        if self.title.is_empty() {
            self.title = other.title.clone();
        }
        if self.goal.is_empty() {
            self.goal = other.goal.clone();
        }
        take(&mut self.free, &other.free);
        take(&mut self.known, &other.known);
        for (id, other) in &other.steps {
            let own = self.steps.entry(id.clone()).or_default();
            if own.title.is_empty() {
                own.title = other.title.clone();
            }
            take(&mut own.intro, &other.intro);
            // Options belong to their question.
            let has_guess = own
                .sections
                .get("guess")
                .is_some_and(|it| !it.blocks.is_empty());
            if !has_guess {
                own.options = other.options.clone();
            }
            for (name, other) in &other.sections {
                take(own.sections.entry(name.clone()).or_default(), other);
            }
        }
        self
    }
}

impl StepWords {
    /// Moves the list at the end of the guess into the options.
    fn take_options(&mut self) {
        let Some(guess) = self.sections.get_mut("guess") else {
            return;
        };
        if let Some(Block::List(options)) = guess.blocks.pop_if(|it| matches!(it, Block::List(_))) {
            self.options = options;
        }
    }
}

/// Returns the letters of a line without markup.
pub fn plain(line: &[Inline]) -> String {
    let letters = |part: &Inline| match part {
        Inline::Text(text)
        | Inline::Code(text)
        | Inline::Formula(text)
        | Inline::Explained { text, .. } => text.clone(),
        Inline::Value(name) => format!("{{{name}}}"),
        Inline::Emphasis(inner) | Inline::Term(inner) => plain(inner),
        Inline::Link { text, .. } => plain(text),
    };
    line.iter().map(letters).collect()
}
