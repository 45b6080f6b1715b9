//! Descriptions of settings: the names, ranges and words of everything that can be set in a
//! mechanism, a model, a task or a training. A description is written once; the page's controls, the
//! help of the command line, the comments of configuration files and the checks of ranges use the
//! same description.
//!
//! - [`Description`]: one of several variants (a mechanism, a task, …) with its settings
//! - [`Setting`]: a setting's [`Words`] and [`Domain`], the values that the setting can take
//! - [`OutOfRange`]: error for a [`Number`] outside a domain
//! - [`shortened`]: a value as a message quotes it, at most 100 characters long
//!
//! [`settings!`] declares a struct, and [`options!`] an enum, together with these descriptions.
//!
//! ```
//! use strata_describe::{Settings, settings};
//!
//! settings! {
//!     /// One softmax over the keys near a position.
//!     #[derive(Clone, Debug, PartialEq)]
//!     pub struct LocalConfig {
//!         /// Half width w of the window.
//!         #[title = "Window"]
//!         pub window: usize in 1..=1000 = 3,
//!     }
//! }
//!
//! assert_eq!(LocalConfig::SETTINGS[0].domain.to_string(), "1 to 1000");
//! let refused = LocalConfig { window: 0 }.check_ranges().unwrap_err();
//! assert_eq!(refused.setting.words.name, "window");
//! ```
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
    /// Effect of the setting, in one line; empty for an option whose name says enough.
    pub help: &'static str,
    /// Formula; empty where the help contains the formula.
    pub formula: &'static str,
    /// Paper, with section where known; empty if no paper is cited.
    pub source: &'static str,
}

/// A setting in words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Name, title, help, formula and source of the setting.
    pub words: Words,
    /// Values that the setting can take.
    pub domain: Domain,
}

/// Description of a variant: a mechanism, a model, a task, a search or a schedule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Description {
    /// Words of the variant; the name is the value of `kind` in a configuration (of a model, the
    /// value of `architecture`).
    pub words: Words,
    /// Settings of the variant, in the order in which they are shown.
    pub settings: &'static [Setting],
}

impl Setting {
    /// Refuses a number outside the setting's range.
    ///
    /// # Errors
    /// The setting and the number, if the number lies outside the range.
    pub fn check(&'static self, value: Number) -> Result<(), OutOfRange> {
        if self.domain.allows(value) {
            Ok(())
        } else {
            Err(OutOfRange {
                setting: self,
                value,
            })
        }
    }
}

impl Words {
    /// Creates words from name, title, help, formula and source.
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

    /// Creates words of a name alone: the title is the name, all else is empty.
    pub const fn named(name: &'static str) -> Self {
        Self::new(name, name, "", "", "")
    }

    /// Joins the first sentence of the help with formula and source, then appends the other
    /// sentences.
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
