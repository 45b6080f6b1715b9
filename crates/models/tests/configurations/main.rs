//! Diagram and cost of a model, computed from its settings, compared with the built model.

#![allow(clippy::unwrap_used)]

mod diagram;
mod draw;
mod parameters;
