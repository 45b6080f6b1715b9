//! Diagram and cost of a model, derived from its settings, compared with the model that is built.

#![allow(clippy::unwrap_used)]

mod diagram;
mod draw;
mod parameters;
