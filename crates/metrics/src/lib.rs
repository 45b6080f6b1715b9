//! Measures of sequences and translations. No tensors.
