//! Training example: a pair of token sequences.

/// A pair of token sequences, without [`BOS`](strata_text::special::BOS) and
/// [`EOS`](strata_text::special::EOS).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Example {
    /// Token ids that the model reads.
    pub source: Vec<u32>,
    /// Token ids that the model must generate. [`PAD`](strata_text::special::PAD) marks a place that
    /// is not counted: neither loss nor accuracy sees what the model answers there. Only tasks whose
    /// targets are answered in place, or continued as a text, have such places.
    pub target: Vec<u32>,
}
