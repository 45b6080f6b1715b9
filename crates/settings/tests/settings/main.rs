//! What can be set, and the ways in which it is written down.

#![allow(clippy::unwrap_used)]

mod address;
mod change;
mod command_line;
mod defaults;
mod description;
mod drawn;
