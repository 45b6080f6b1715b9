//! Settings in words: what a mechanism, a model, a task or a training can be told, once for all
//! who say it: the page's controls, the help of the command line, the comments of a configuration,
//! and the checks that refuse what is out of range.
//!
//! - [`Description`]: one of several variants (a mechanism, a task, …) with its settings
//! - [`Setting`]: its [`Words`] and its [`Domain`], the values that it can take
//! - [`OutOfRange`]: a [`Number`] that a domain refuses
//! - [`shortened`]: a value of any length, as a sentence quotes it
//!
//! [`settings!`] writes a struct and [`options!`] an enum together with all of this, each setting and
//! each option once.
//!
//! # Invariants
//!
//! - A setting is written once, as a field of [`settings!`]: type, range, default, help, formula
//!   and paper. The struct, its `Default`, the check of its ranges, the page's form and `strata
//!   config --explain` come from that field. Tests:
//!   `every_field_is_described_and_every_described_field_exists`,
//!   `described_defaults_are_the_defaults`.
//! - This crate depends on neither burn nor another crate of the workspace. Not tested.

mod domain;
mod number;
mod options;
mod quote;
mod settings;

pub use domain::Domain;
pub use number::{Number, OutOfRange};
pub use quote::shortened;
pub use settings::{Bounded, Settings};
#[doc(hidden)]
pub use settings::{count, described, first_out_of_range};

/// A variant, a setting or an option in words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Words {
    /// Name in a configuration.
    pub name: &'static str,
    /// Title for users.
    pub title: &'static str,
    /// One line on what it does; empty for an option that says it by its name.
    pub help: &'static str,
    /// Formula; empty where the help says it.
    pub formula: &'static str,
    /// The paper, with its section where it has one; else empty.
    pub source: &'static str,
}

/// A setting in words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// The setting itself.
    pub words: Words,
    /// The values that it can take.
    pub domain: Domain,
}

/// One of several variants in words: a mechanism, a model, a task, a search, a schedule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Description {
    /// The variant itself; its name is that of the configuration's `kind` (of a model, of its
    /// `architecture`).
    pub words: Words,
    /// Settings, in the order in which to show them.
    pub settings: &'static [Setting],
}

impl Setting {
    /// Refuses a number outside the range.
    ///
    /// # Errors
    /// The setting, and the number.
    pub fn check(&'static self, value: Number) -> Result<(), OutOfRange> {
        match self.domain.allows(value) {
            true => Ok(()),
            false => Err(OutOfRange {
                setting: self,
                value,
            }),
        }
    }
}

impl Words {
    /// Name, title, help, formula and source.
    pub const fn new(
        name: &'static str,
        title: &'static str,
        help: &'static str,
        formula: &'static str,
        source: &'static str,
    ) -> Self {
        Self {
            name,
            title,
            help,
            formula,
            source,
        }
    }

    /// Words of what its name says.
    pub const fn named(name: &'static str) -> Self {
        Self::new(name, name, "", "", "")
    }

    /// The first sentence of the help with formula and source, then the others.
    pub fn line(&self) -> String {
        let (first, others) = self.help.split_once(". ").unwrap_or((self.help, ""));
        let mut line = first.trim_end_matches('.').to_owned();
        if !self.formula.is_empty() {
            line += &format!(": {}", self.formula);
        }
        if !self.source.is_empty() {
            line += &format!(" ({})", self.source);
        }
        match others {
            "" => line + ".",
            others => format!("{line}. {others}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_joins_what_there_is() {
        let words = Words {
            name: "dot",
            title: "Dot",
            help: "A product.",
            formula: "hᵀg",
            source: "Luong et al. 2015, 3.1",
        };
        assert_eq!(words.line(), "A product: hᵀg (Luong et al. 2015, 3.1).");
        let formula = "";
        assert_eq!(
            Words { formula, ..words }.line(),
            "A product (Luong et al. 2015, 3.1)."
        );
    }
}
