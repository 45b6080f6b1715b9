//! Small parts: bars, icons, the keyboard's focus, numbers and computed styles.
//!
//! - `foreign`: words of users and of models

pub mod bar;
pub mod focus;
pub mod foreign;
pub mod format;
pub mod icons;
pub mod styles;
