//! A text as tokens, each with its place in the text as written.

use std::ops::{Range, RangeInclusive};

/// A text as tokens, each with its place in the text; the text itself never changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenText {
    text: String,
    /// First byte of each token, and the byte behind its last.
    places: Vec<[u32; 2]>,
    ids: Vec<u32>,
    /// Ids of the characters of all tokens, one token after the other.
    characters: Vec<u32>,
    /// End of each token in `characters`.
    character_ends: Vec<u32>,
}

impl TokenText {
    /// Creates a text from the places of its tokens (first byte, and byte behind the last); the
    /// tokens have no ids yet.
    pub(crate) fn new(text: String, places: Vec<[u32; 2]>) -> Self {
        Self {
            text,
            places,
            ..Self::default()
        }
    }

    /// Creates a text of ids only, whose characters are not stored: ids of the tokens, and ids of
    /// the characters of all tokens, one token after the other. `counts` has the number of
    /// characters of each token.
    pub(crate) fn of_ids(ids: Vec<u32>, counts: &[u32], characters: Vec<u32>) -> Self {
        let mut end = 0;
        let ends = counts.iter().map(|count| {
            end += count;
            end
        });
        Self {
            text: String::new(),
            places: vec![[0, 0]; ids.len()],
            character_ends: ends.collect(),
            ids,
            characters,
        }
    }

    /// Sets the ids of the tokens and of their characters: `ids` returns the id of a token and
    /// appends those of its characters.
    pub(crate) fn number(&mut self, ids: impl FnMut(&str, &mut Vec<u32>) -> u32) {
        let mut ids = ids;
        let Self { text, places, .. } = &*self;
        let (mut tokens, mut characters, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for &[start, end] in places {
            tokens.push(ids(&text[start as usize..end as usize], &mut characters));
            ends.push(characters.len() as u32);
        }
        (self.ids, self.characters, self.character_ends) = (tokens, characters, ends);
    }

    /// Returns the text as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// True if there is no token.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Ids of the tokens.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Returns the ids of a token's characters: of its first 16 graphemes.
    pub fn characters(&self, token: usize) -> &[u32] {
        let start = match token {
            0 => 0,
            token => self.character_ends[token - 1] as usize,
        };
        &self.characters[start..self.character_ends[token] as usize]
    }

    /// Returns a token as written.
    pub fn token(&self, at: usize) -> &str {
        self.stretch(at..=at)
    }

    /// Returns all tokens as written.
    pub fn tokens(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|at| self.token(at))
    }

    /// Returns the text from the start of the first token to the end of the last, as written.
    pub fn stretch(&self, tokens: RangeInclusive<usize>) -> &str {
        &self.text[self.bytes(tokens)]
    }

    /// Returns the range of bytes from the start of the first token to the end of the last.
    pub fn bytes(&self, tokens: RangeInclusive<usize>) -> Range<usize> {
        let [start, _] = self.places[*tokens.start()];
        let [_, end] = self.places[*tokens.end()];
        // An empty token, which its segmenter's text lacks, may lie behind the start of the next
        // token.
        start as usize..end.max(start) as usize
    }

    /// Returns the range of code points from the start of the first token to the end of the last,
    /// as data sets count.
    pub fn code_points(&self, tokens: RangeInclusive<usize>) -> Range<usize> {
        let bytes = self.bytes(tokens);
        let start = self.text[..bytes.start].chars().count();
        start..start + self.text[bytes].chars().count()
    }

    /// Returns the place of each token: its first byte, and the byte behind its last.
    pub(crate) fn places(&self) -> &[[u32; 2]] {
        &self.places
    }

    /// Returns the first and the last of the tokens that overlap a range of bytes, if there are
    /// any.
    pub(crate) fn overlapping(&self, [first, behind]: [u32; 2]) -> Option<[usize; 2]> {
        let from = self.places.partition_point(|&[_, end]| end <= first);
        let to = self.places.partition_point(|&[start, _]| start < behind);
        (from < to).then(|| [from, to - 1])
    }

    /// Cuts the text to its first `tokens` tokens; the characters behind remain.
    pub(crate) fn truncate(&mut self, tokens: usize) {
        self.places.truncate(tokens);
        self.ids.truncate(tokens);
        self.character_ends.truncate(tokens);
        let characters = self.character_ends.last().copied().unwrap_or(0);
        self.characters.truncate(characters as usize);
    }
}
