//! The four special tokens with which every vocabulary begins, and their identifiers.

/// Token that pads a sequence to the length of its batch; never learned, never scored.
pub const PAD: u32 = 0;
/// First token of every target sequence, which the decoder reads before its first prediction.
pub const BOS: u32 = 1;
/// Last token of every target sequence, by which the decoder ends its output.
pub const EOS: u32 = 2;
/// Token that replaces every token which the vocabulary lacks.
pub const UNK: u32 = 3;

/// Texts of the special tokens, in the order of their identifiers.
pub const TEXTS: [&str; 4] = ["<pad>", "<s>", "</s>", "<unk>"];
