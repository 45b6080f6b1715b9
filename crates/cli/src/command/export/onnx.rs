//! A folder with a script that writes a model as ONNX, by PyTorch's own exporter.

use strata_models::ModelConfig;

use super::program;
use crate::base::error::Error;

/// Returns `to_onnx.py`, which stands beside `model.py`.
///
/// # Errors
/// If no program is written for the model, or if PyTorch's exporter cannot write the program.
pub fn script(model: &ModelConfig) -> Result<&'static str, Error> {
    program::kind(model)?;
    if matches!(model, ModelConfig::MatchLstm(_) | ModelConfig::Rnet(_)) {
        return Err(Error::Session(format!(
            "the reader {} asks the question anew at each word of a passage, in a loop that \
             PyTorch's exporter would write for passages of one length alone; `--to pytorch` and \
             `--to hub` write this model",
            model.name()
        )));
    }
    Ok(include_str!("../../../export/to_onnx.py"))
}
