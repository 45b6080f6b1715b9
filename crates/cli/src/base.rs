//! Errors, arguments, inputs, outputs and signals.
//!
//! - `error`: all errors, as sentences; `program`: this build
//! - `home`: `~` in arguments
//! - `text_file`, `input_lines`: reads text files and lines of the standard input
//! - `output`: prints, and reports output that was lost; `output_file`: writes files whole;
//!   `files`: refuses outputs that are also inputs
//! - `interrupt`: Ctrl-C and other signals; `peak_memory`: measures memory, and reports when the
//!   memory runs out

pub mod error;
pub mod files;
pub mod home;
pub mod input_lines;
pub mod interrupt;
pub mod output;
pub mod output_file;
pub mod peak_memory;
pub mod program;
pub mod text_file;
