//! What the descriptions of tasks have in common.

use strata_describe::{Description, Domain, Number, Setting, Words};

use crate::TaskError;

/// A setting that is a whole number in a range.
pub(crate) const fn number(
    name: &'static str,
    title: &'static str,
    help: &'static str,
    (minimum, maximum): (u64, u64),
    default: u64,
) -> Setting {
    Setting {
        words: Words::new(name, title, help, "", ""),
        domain: Domain::Whole {
            minimum,
            maximum,
            default,
            special: None,
        },
    }
}

/// A setting that is one of `options`, the first where nothing is said.
pub(crate) const fn choice(
    name: &'static str,
    title: &'static str,
    help: &'static str,
    options: &'static [Words],
) -> Setting {
    Setting {
        words: Words::new(name, title, help, "", ""),
        domain: Domain::Choice {
            options,
            default: options[0].name,
        },
    }
}

/// A setting that is off where nothing is said.
pub(crate) const fn switch(name: &'static str, title: &'static str, help: &'static str) -> Setting {
    Setting {
        words: Words::new(name, title, help, "", ""),
        domain: Domain::YesNo { default: false },
    }
}

/// A setting that is the path of a file.
pub(crate) const fn path(
    name: &'static str,
    title: &'static str,
    help: &'static str,
    required: bool,
) -> Setting {
    Setting {
        words: Words::new(name, title, help, "", ""),
        domain: Domain::Path { required },
    }
}

/// Refuses numbers outside the ranges of their settings.
pub(crate) fn check(task: &Description, numbers: &[(&str, Number)]) -> Result<(), TaskError> {
    strata_describe::check(task.settings, numbers).map_err(|found| TaskError::OutOfRange {
        task: task.words.name,
        found,
    })
}
