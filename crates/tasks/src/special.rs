//! The four tokens that every vocabulary starts with, and their identifiers.

/// Fills a sequence up to the length of its batch; never learned, never scored.
pub const PAD: u32 = 0;
/// First token of every target sequence, which the decoder reads before its first prediction.
pub const BOS: u32 = 1;
/// Last token of every target sequence, by which the decoder ends its output.
pub const EOS: u32 = 2;
/// Replaces every token that the vocabulary lacks.
pub const UNK: u32 = 3;

/// The texts of the special tokens, in the order of their identifiers.
pub const TEXTS: [&str; 4] = ["<pad>", "<s>", "</s>", "<unk>"];
