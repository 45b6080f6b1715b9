//! Arguments of `strata bench`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use strata_settings::numeral::parse;
use strata_training::Precision;

use crate::model::device::DeviceChoice;

/// Arguments of `strata bench`.
#[derive(Args, Debug)]
pub struct BenchArguments {
    /// Definitions of workloads (JSON) in the place of those that are built in.
    #[arg(long, value_name = "FILE")]
    pub workloads: Option<PathBuf>,
    /// Run this workload alone; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// Print a line of JSON per workload instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Device to compute on.
    #[arg(long, value_enum, default_value_t)]
    pub device: DeviceChoice,
    /// Time this many steps instead of as many as the workload says.
    #[arg(long, value_name = "N", value_parser = parse::whole_in::<u32>(1..=1_000_000), allow_negative_numbers = true)]
    pub steps: Option<u32>,
    /// Take this many untimed steps first.
    #[arg(long, value_name = "N", value_parser = parse::whole_in::<u32>(0..=1_000_000), allow_negative_numbers = true)]
    pub warmup: Option<u32>,
    /// Precision of the forward and backward pass.
    #[arg(long, value_enum, default_value_t)]
    pub precision: PrecisionChoice,
    /// Another `strata bench` started this process for one of its workloads, and has printed the
    /// warnings.
    #[arg(long = "launched", hide = true)]
    pub is_launched: bool,
}

/// Precision of the forward and backward pass. Parameters and optimiser are always in 32 bits.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrecisionChoice {
    /// 32 bits.
    #[default]
    F32,
    /// 16 bits with the range of 32.
    Bf16,
    /// 16 bits with more digits and less range.
    F16,
}

impl From<PrecisionChoice> for Precision {
    fn from(choice: PrecisionChoice) -> Self {
        match choice {
            PrecisionChoice::F32 => Self::F32,
            PrecisionChoice::Bf16 => Self::Bf16,
            PrecisionChoice::F16 => Self::F16,
        }
    }
}
