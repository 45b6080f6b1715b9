//! Small parts: fields of progress, icons, focus, numbers and words.
//!
//! - `foreign`: words of users and of models

pub mod bar;
pub mod focus;
pub mod foreign;
pub mod format;
pub mod icons;
pub mod styles;
