//! The JavaScript package, installed from the packed file, behind a plain static server.
//!
//! Only `cargo xtask test --nightly` builds the package, whose programs take minutes on two cores. Each
//! day browser tests run the same workers, and unit tests of `strata-npm` resolve settings.

mod nightly {
    mod element;
    mod installed;
    mod projects;
    mod script;
}
