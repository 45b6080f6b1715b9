//! Opens an experiment or a checkpoint, and decodes with a model.
//!
//! - `experiment`: reads an experiment from a configuration file (`toml_table`) and `key=value`, on
//!   top of `presets`
//! - `checkpoint_file`: opens a model; `changed`: levels and task that `--set` changes; `chosen`: the
//!   checkpoint that the folder of a run stands
//!   for; `device`: the device to compute on
//! - `search`: options of decoding; `bleu_tokenizer`: names of tokenisers
//! - `attention_file`, `heat_map`: attention as files

pub mod attention_file;
pub mod bleu_tokenizer;
pub mod changed;
pub mod checkpoint_file;
pub mod chosen;
pub mod device;
pub mod experiment;
pub mod heat_map;
pub mod presets;
pub mod search;
pub mod toml_table;
