//! A folder with a script that writes a model as ONNX, by PyTorch's own exporter.

use strata_models::ModelConfig;

use super::program;
use crate::base::error::Error;

/// Returns `to_onnx.py`, which stands beside `model.py`.
///
/// # Errors
/// If no program is written for the model.
pub fn script(model: &ModelConfig) -> Result<&'static str, Error> {
    program::kind(model)?;
    Ok(include_str!("../../../export/to_onnx.py"))
}
