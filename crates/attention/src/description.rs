//! Refuses numbers outside the ranges that a mechanism's description has.

use strata_describe::{Description, Number, check};

use crate::ConfigError;

/// Refuses numbers outside the ranges of their settings. A special value is no number and is left
/// out.
///
/// # Errors
/// Names the setting, and says what it may be.
pub fn check_ranges(
    description: &'static Description,
    numbers: &[(&str, Number)],
) -> Result<(), ConfigError> {
    let of = description.words.name;
    check(description.settings, numbers).map_err(|found| ConfigError::out_of_range(of, found))
}
