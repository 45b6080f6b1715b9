//! The program for browsers: the functions that the library exports to JavaScript.

// Links the library, whose functions nothing calls here.
use strata_npm as _;

fn main() {}
