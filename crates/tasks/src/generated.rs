//! Generated tasks, whose examples are drawn from a seed.

pub(crate) mod chinese_english;
pub(crate) mod copy;
pub(crate) mod dates;
pub(crate) mod drawn;
pub(crate) mod german_english;
pub(crate) mod hops;
pub(crate) mod needle;
pub(crate) mod recall;
pub(crate) mod reverse;
pub(crate) mod sentences;
pub(crate) mod sort;
pub(crate) mod symbols;
pub(crate) mod toy;
pub(crate) mod variables;
