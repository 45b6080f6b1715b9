//! A text as tokens, each with its place in the text as written.

use std::ops::{Range, RangeInclusive};

/// A text as tokens, each with its place in the text as written, which never changes.
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
    /// A text cut at `places`, first byte and byte behind the last of each token; still without
    /// ids.
    pub(crate) fn new(text: String, places: Vec<[u32; 2]>) -> Self {
        Self {
            text,
            places,
            ..Self::default()
        }
    }

    /// The ids of a text that is not there itself: of its tokens, and of as many characters of each
    /// as `counts` says, one after the other.
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

    /// Sets a token's id and those of its characters, for one token after the other.
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

    /// The text as written.
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

    /// Ids of the characters of a token: of its graphemes, the first 16.
    pub fn characters(&self, token: usize) -> &[u32] {
        let start = match token {
            0 => 0,
            token => self.character_ends[token - 1] as usize,
        };
        &self.characters[start..self.character_ends[token] as usize]
    }

    /// A token as written.
    pub fn token(&self, at: usize) -> &str {
        self.stretch(at..=at)
    }

    /// The tokens as written.
    pub fn tokens(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|at| self.token(at))
    }

    /// The stretch of the text from the start of its first token to the end of its last.
    pub fn stretch(&self, tokens: RangeInclusive<usize>) -> &str {
        &self.text[self.bytes(tokens)]
    }

    /// Place of the same stretch in bytes of the text.
    pub fn bytes(&self, tokens: RangeInclusive<usize>) -> Range<usize> {
        let [start, _] = self.places[*tokens.start()];
        let [_, end] = self.places[*tokens.end()];
        // A segmenter's empty token may stand behind the next one's start.
        start as usize..end.max(start) as usize
    }

    /// Place of the same stretch in code points of the text, as data sets count.
    pub fn code_points(&self, tokens: RangeInclusive<usize>) -> Range<usize> {
        let bytes = self.bytes(tokens);
        let start = self.text[..bytes.start].chars().count();
        start..start + self.text[bytes].chars().count()
    }

    /// First byte of each token, and the byte behind its last.
    pub(crate) fn places(&self) -> &[[u32; 2]] {
        &self.places
    }

    /// First and last token of those that overlap a stretch of bytes.
    pub(crate) fn overlapping(&self, [first, behind]: [u32; 2]) -> Option<[usize; 2]> {
        let from = self.places.partition_point(|&[_, end]| end <= first);
        let to = self.places.partition_point(|&[start, _]| start < behind);
        (from < to).then(|| [from, to - 1])
    }

    /// Keeps the first tokens.
    pub(crate) fn truncate(&mut self, tokens: usize) {
        self.places.truncate(tokens);
        self.ids.truncate(tokens);
        self.character_ends.truncate(tokens);
        let characters = self.character_ends.last().copied().unwrap_or(0);
        self.characters.truncate(characters as usize);
    }
}
