//! A folder with a script that writes a model as ONNX, by PyTorch's own exporter.

use strata_models::ModelConfig;

use super::architecture::Kind;
use crate::base::error::Error;

/// Returns `to_onnx.py`, which stands beside `model.py`.
///
/// # Errors
/// If PyTorch's exporter cannot write the program.
pub fn script(model: &ModelConfig) -> Result<String, Error> {
    if matches!(model, ModelConfig::MatchLstm(_) | ModelConfig::Rnet(_)) {
        return Err(Error::Session(format!(
            "the reader {} asks the question anew at each word of a passage, in a loop that \
             PyTorch's exporter would write for passages of one length alone; `--to pytorch` and \
             `--to hub` write this model",
            model.name()
        )));
    }
    let script = match Kind::of(model) {
        Kind::Lines => include_str!("../../../export/to_onnx_lines.py"),
        _ => include_str!("../../../export/to_onnx.py"),
    };
    Ok(script.replace("BEGIN\n", include_str!("../../../export/onnx_begin.py")))
}
