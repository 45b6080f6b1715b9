//! Opens an experiment or a checkpoint, and decodes with a model.
//!
//! - `experiment`: reads an experiment from a configuration file (`toml_table`) and `key=value`, on
//!   top of `presets`
//! - `checkpoint_file`: opens a model; `chosen`: the checkpoint that the folder of a run stands
//!   for; `device`: the device to compute on
//! - `search`, `replace_unknown`: options of decoding; `questions`: files of questions
//! - `attention_file`, `heat_map`: attention as files

pub mod attention_file;
pub mod checkpoint_file;
pub mod chosen;
pub mod device;
pub mod experiment;
pub mod heat_map;
pub mod presets;
pub mod questions;
pub mod replace_unknown;
pub mod search;
pub mod toml_table;
