//! Small parts: bars, icons, the keyboard's focus and numbers.
//!
//! - `foreign`: words of users and of models
//! - `instrument`: a number of the status; `quantity`: a quantity of the charts

pub mod bar;
pub mod focus;
pub mod foreign;
pub mod format;
pub mod icons;
pub mod instrument;
pub mod motion;
pub mod quantity;
