//! Settings of an experiment, and the forms in which they are written.
//!
//! Settings are handled as JSON with keys such as `model.width`; the types of the experiment define
//! which settings exist. The crate has no tensors, so that page and command line can both use it.
//!
//! - [`description`]: every setting in words, with its range
//! - [`overrides`], [`schema`]: `model.width=32` to an experiment, with a sentence for each fault;
//!   `suggestion` suggests the key that was meant, [`aliases`] knows the names that other programs use;
//!   [`value`] and [`numeral`] read values as typed
//! - [`diff`]: differences between two experiments, and an experiment with settings changed
//! - [`presets`]: the experiments that the page offers
//! - [`papers`]: addresses of the papers
//! - [`address`], [`command_line`]: an experiment as the page's address and as `strata train …`
//!
//! ```
//! use strata_settings::address::Address;
//! use strata_settings::command_line::command;
//! use strata_settings::diff::with;
//! use strata_settings::overrides::Override;
//!
//! let address = Address::read("?v=1&preset=copy&seed=3");
//! assert_eq!(command(&address.experiment), "strata train --preset copy seed=3");
//!
//! let deeper = Override::parse("model.layers=2")?;
//! let deeper = with(&address.experiment, [deeper])?;
//! assert_eq!(command(&deeper), "strata train --preset copy model.layers=2 seed=3");
//!
//! let misspelt = with(&deeper, [Override::parse("model.widht=64")?]);
//! assert_eq!(
//!     misspelt.unwrap_err().to_string(),
//!     "there is no setting `model.widht`; did you mean `model.width`?"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Invariants
//!
//! - Writing out a default changes nothing: a missing setting takes the default of its enclosing
//!   variant ([`schema::resolve`]), and that default is the one that is explained. Tests:
//!   `a_default_may_be_written_down_beside_what_chooses_its_variant`,
//!   `a_setting_may_be_written_down`, `described_defaults_are_the_defaults`.
//! - This crate has no tensor code of its own. Not tested.

pub mod address;
pub mod aliases;
pub mod command_line;
pub mod description;
pub mod diff;
pub mod numeral;
pub mod overrides;
pub mod papers;
pub mod presets;
pub mod schema;
pub mod suggestion;
pub mod value;
mod variants;

/// Settings by name; a table may contain tables.
pub type Table = serde_json::Map<String, serde_json::Value>;
