//! Settings of an experiment, and the forms in which they are written.

#![allow(clippy::unwrap_used)]

mod address;
mod change;
mod command_line;
mod defaults;
mod description;
mod drawn;
