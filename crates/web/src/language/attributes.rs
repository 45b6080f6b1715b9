//! Attributes that users read or hear. A test of the words includes this file.

/// Names of attributes whose values are texts of the page.
pub const ATTRIBUTES: [&str; 10] = [
    "title",
    "aria-label",
    "aria-description",
    "aria-valuetext",
    "aria-roledescription",
    "placeholder",
    "alt",
    "label",
    "data-title",
    "data-hint",
];
