//! Description of a task in words: its controls on the page, its help on the command line.

use crate::TaskError;

/// A task in words.
#[derive(Clone, Copy, Debug)]
pub struct TaskDescription {
    /// Its name in a configuration, as in `kind = "copy"`.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// One line on what it asks of a model.
    pub help: &'static str,
    /// Its settings, in the order in which to show them.
    pub fields: &'static [FieldDescription],
}

/// A setting of a task in words.
#[derive(Clone, Copy, Debug)]
pub struct FieldDescription {
    /// Its name in a configuration.
    pub name: &'static str,
    /// One line on what it does.
    pub help: &'static str,
    /// Its values.
    pub kind: FieldKind,
}

/// The values that a setting can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A whole number in a range.
    Number {
        /// The smallest value allowed.
        minimum: usize,
        /// The largest value allowed.
        maximum: usize,
        /// The value where none is given.
        default: usize,
    },
    /// One of some names; the first where none is given.
    Choice(&'static [&'static str]),
    /// On or off; off where nothing is said.
    Switch,
    /// The path of a file, which may be left out if `required` is false.
    Path {
        /// True if the task needs it.
        required: bool,
    },
}

impl FieldDescription {
    /// A setting that is a number.
    pub(crate) const fn number(
        name: &'static str,
        help: &'static str,
        (minimum, maximum): (usize, usize),
        default: usize,
    ) -> Self {
        Self {
            name,
            help,
            kind: FieldKind::Number {
                minimum,
                maximum,
                default,
            },
        }
    }
}

impl TaskDescription {
    /// Checks each number named here against the range of its description.
    pub(crate) fn check(&self, values: &[(&'static str, usize)]) -> Result<(), TaskError> {
        for &(field, value) in values {
            let described = self
                .fields
                .iter()
                .find(|description| description.name == field);
            if let Some(FieldKind::Number {
                minimum, maximum, ..
            }) = described.map(|it| it.kind)
                && !(minimum..=maximum).contains(&value)
            {
                return Err(TaskError::OutOfRange {
                    task: self.name,
                    field,
                    value,
                    minimum,
                    maximum,
                });
            }
        }
        Ok(())
    }
}
