//! Packages, installed from the files that `cargo xtask` wrote.
//!
//! - `crates`: the library crates, packed; every night in a project outside of the workspace
//! - `workflows`: the workflows of the forge call commands that there are
//! - `nightly::wheel`: the Python package, in an empty environment and in a notebook
//! - `nightly::archive`: the program with completions, manual pages and licences
//!
//! Only `cargo xtask test --nightly` builds the wheel and the archive, for which the program is compiled
//! once more. What they contain is tested every day: the program, and `strata train --json`, which the
//! Python module drives.

mod crates;
mod workflows;

mod nightly {
    mod archive;
    mod wheel;
}
