//! The four tokens that every vocabulary starts with, and their identifiers.

/// Fills a sequence up to the length of its batch; never learned, never scored.
pub const PAD: u32 = 0;
/// Begins every target sequence: what the decoder reads before its first token.
pub const BOS: u32 = 1;
/// Ends every target sequence: what the decoder writes when it is done.
pub const EOS: u32 = 2;
/// Stands for every token that the vocabulary does not have.
pub const UNK: u32 = 3;

/// The texts of the special tokens, in the order of their identifiers.
pub const TEXTS: [&str; 4] = ["<pad>", "<s>", "</s>", "<unk>"];
