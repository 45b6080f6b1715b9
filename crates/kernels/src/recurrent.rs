//! What recurrent layers over a whole sequence have in common.

#[cfg(test)]
pub(crate) mod agreement;
#[cfg(feature = "cube")]
pub(crate) mod cube;
#[cfg(feature = "flex")]
pub(crate) mod host;
