//! The experiment in detail, and the user's own texts.
//!
//! - `settings`: the form, drawn from descriptions of settings; `mechanism_change`: the effect of a
//!   choice; `formula`, `papers`: background of a mechanism
//! - `data`: the user's own texts, and public ones; `dropping`: files that are dropped anywhere
//! - `fields`: fields of a form; `number`: numbers as users type them

pub mod data;
pub mod dropping;
pub mod fields;
pub mod formula;
pub mod mechanism_change;
pub mod number;
pub mod papers;
pub mod settings;
