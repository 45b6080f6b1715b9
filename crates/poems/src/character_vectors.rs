//! Trains vectors of characters, with which embeddings begin.

use ahash::AHashMap;

use crate::{Embedding, LINES, Poem, Word2Vec};

/// Trains vectors of `characters`; the index of a character is its id. Sequences are the lines of
/// poems and, with `columns`, the four characters at each place of a poem's lines.
pub fn character_vectors(
    poems: &[Poem],
    characters: &[char],
    columns: bool,
    settings: &Word2Vec,
    seed: u64,
) -> Embedding {
    let ids: AHashMap<char, u32> = characters.iter().copied().zip(0..).collect();
    let mut sequences = Vec::new();
    for poem in poems {
        let id = |character: &char| ids.get(character).copied();
        sequences.extend(
            poem.lines()
                .map(|line| line.iter().filter_map(id).collect()),
        );
        if columns {
            let column = |place: usize| (0..LINES).map(move |line| &poem.line(line)[place]);
            let places = 0..poem.length();
            sequences.extend(places.map(|place| column(place).filter_map(id).collect()));
        }
    }
    settings.train(&sequences, characters.len(), seed)
}
