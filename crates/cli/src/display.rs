//! Tables, progress and reports.
//!
//! - `progress`, `corpus_progress`, `recent`, `figures`, `summary`: during and after a run
//! - `format`: numbers, names and commands in words; `columns`: tables
//! - `spread`: a figure over several runs; `report`: pages about runs; `weights_map`: a matrix

pub mod columns;
pub mod corpus_progress;
pub mod figures;
pub mod format;
pub mod progress;
pub mod recent;
pub mod report;
pub mod rouge;
pub mod spread;
pub mod summary;
pub mod weights_map;
