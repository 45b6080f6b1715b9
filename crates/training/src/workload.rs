//! Workloads: training steps and searches that are defined to the last digit (token ids, initial
//! parameters, arithmetic), so that programs can be measured on the same workload and their losses
//! compared.
//!
//! - [`Workloads`]: the built-in workloads, or a file of definitions; [`Workload`]: one of them
//! - [`Workbench`]: a Strata model that runs a workload step by step, with the code of training
//! - [`measure`]: a whole run; [`WorkloadReport`]: its results in one line
//!
//! Files and clocks are left to the caller.

mod bench;
mod check;
mod decoding;
mod definition;
mod error;
mod known;
mod layer;
mod numbers;
mod reader;
mod recurrent;
mod report;
mod transformer;

pub use bench::{StepInput, Workbench, measure};
pub use definition::{
    AttentionLayerWorkload, DecodingWorkload, LayerAttention, LayerMode, LstmWorkload,
    ReaderWorkload, TransformerAttention, TransformerWorkload, Workload, WorkloadKind,
    WorkloadOptimizer, Workloads,
};
pub use error::WorkloadError;
pub use report::WorkloadReport;
