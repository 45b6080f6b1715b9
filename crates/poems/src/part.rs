//! Parts of a collection: which poems are for training, and which are held out.

use crate::Poem;

/// Part of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Poems to train on.
    Training,
    /// Poems by which to choose.
    Validation,
    /// Poems to measure on.
    Test,
}

impl Part {
    /// Part of the poem with this hash: one poem in 40 is for testing, and one in 40 for
    /// validation.
    pub fn of_hash(hash: u64) -> Self {
        match (hash >> 32) % 40 {
            0 => Self::Test,
            1 => Self::Validation,
            _ => Self::Training,
        }
    }

    /// Name of the part.
    pub fn name(self) -> &'static str {
        match self {
            Self::Training => "training",
            Self::Validation => "validation",
            Self::Test => "test",
        }
    }
}

/// Hash of a poem as it is read: that of its joined lines.
pub fn hash(poem: &Poem) -> u64 {
    fnv1a(poem.characters())
}

/// Computes FNV-1a (Fowler, Noll and Vo), 64 bits, of the UTF-8 bytes of characters.
pub(crate) fn fnv1a(characters: &[char]) -> u64 {
    let mut bytes = [0; 4];
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for character in characters {
        for byte in character.encode_utf8(&mut bytes).bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}
