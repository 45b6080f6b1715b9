//! Sequence models whose every attention site takes any mechanism.
