//! Training example: a pair of token sequences.

/// A pair of token sequences, without [`BOS`](strata_text::special::BOS) and
/// [`EOS`](strata_text::special::EOS).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Example {
    /// Token ids that the model reads.
    pub source: Vec<u32>,
    /// Token ids that the model must generate.
    pub target: Vec<u32>,
}
