//! What is known of a model before it is built, beside what is built.

#![allow(clippy::unwrap_used)]

mod diagram;
mod draw;
mod parameters;
