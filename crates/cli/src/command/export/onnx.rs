//! A folder with a script that writes a model as ONNX, by PyTorch's own exporter.

use strata_models::ModelConfig;

use super::architecture::Kind;
use super::program;
use crate::base::error::Error;

/// Returns `to_onnx.py`, which stands beside `model.py`.
///
/// # Errors
/// If no program is written for the model.
pub fn script(model: &ModelConfig) -> Result<&'static str, Error> {
    Ok(match program::kind(model)? {
        Kind::Lines => include_str!("../../../export/to_onnx_lines.py"),
        _ => include_str!("../../../export/to_onnx.py"),
    })
}
