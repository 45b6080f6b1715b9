//! Reading comprehension as other programs see it: scores by the official rules, and the numbers of
//! real files.

mod corpora;
mod faults;
mod measures;
