//! Packages as a user installs them, from the files that `cargo xtask` wrote.
//!
//! - `wheel`: the Python package, in an empty environment and in a notebook
//! - `archive`: the program with completions, manual pages and licences
//! - `crates`: the library crates, in a project outside of the workspace
//! - `workflows`: the workflows of the forge call commands that there are

mod archive;
mod crates;
mod wheel;
mod workflows;
