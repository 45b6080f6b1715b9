//! The JavaScript package as a user installs it: from the packed file, behind a plain static server.
//!
//! Only `cargo xtask test --nightly` builds the package, whose programs take minutes on two cores. Its
//! workers are the page's, and its settings are resolved by the unit tests of `strata-npm` every day.

mod nightly {
    mod element;
    mod installed;
    mod projects;
    mod script;
}
