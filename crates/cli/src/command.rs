//! Commands, each with its arguments.
//!
//! - `train`, `sweep`, `reproduce` (published experiments), `average` (checkpoints)
//! - `translate`, `answer`, `poem`, `smt` (poems by statistical translation)
//! - `eval`, `ablate`, `score` (outputs of any program against references), `compare` (runs)
//! - `export` (to PyTorch), `inspect` (checkpoints), `attention` (of any program), `data` (corpora)
//! - `receipt` (runs of others, checked by running again)
//! - `config`, with `explain`; `bench` (workloads); `completions`, with manual pages

pub mod ablate;
pub mod answer;
pub mod attention;
pub mod average;
pub mod bench;
pub mod compare;
pub mod completions;
pub mod config;
pub mod data;
pub mod eval;
pub mod explain;
pub mod export;
pub mod inspect;
pub mod poem;
pub mod receipt;
pub mod reproduce;
pub mod score;
pub mod smt;
pub mod sweep;
pub mod train;
pub mod translate;
