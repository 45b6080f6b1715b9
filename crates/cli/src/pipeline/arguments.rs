//! Arguments of the commands that work with a trained model, beside the pipelines that read the
//! arguments.

pub mod answer;
pub mod eval;
pub mod poem;
pub mod translate;
