//! Reading comprehension compared with other programs: scores by the official rules, and figures of
//! real files.

mod corpora;
mod faults;
mod measures;
