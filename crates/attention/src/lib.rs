//! Attention mechanisms with levels, and what they are measured against.
