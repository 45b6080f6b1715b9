//! Normal form in which SentencePiece searches for pieces: characters replaced by the rules of the
//! model, white space written as `▁`.

use std::borrow::Cow;
use std::sync::Arc;

use ahash::AHashMap;

use super::SPACE;
use super::file::NormalizerSpec;

/// Converts texts to the normal form of a model.
pub(super) struct Normaliser {
    rules: Option<Rules>,
    symbols: Arc<Symbols>,
    /// True if a space is added to the beginning of a text (or to its end).
    adds_space: bool,
    /// True if the space is added to the end.
    suffix: bool,
    /// True if white space is reduced to one space, and removed at both ends.
    trims: bool,
    space: &'static str,
}

impl Normaliser {
    pub(super) fn new(
        spec: &NormalizerSpec,
        suffix: bool,
        symbols: Arc<Symbols>,
    ) -> Result<Self, String> {
        let rules = match spec.precompiled_charsmap() {
            [] => None,
            blob => Some(Rules::read(blob).ok_or("its rules of normalisation are damaged")?),
        };
        Ok(Self {
            rules,
            symbols,
            adds_space: spec.add_dummy_prefix(),
            suffix,
            trims: spec.remove_extra_whitespaces(),
            space: if spec.escape_whitespaces() {
                SPACE
            } else {
                " "
            },
        })
    }

    /// Converts a text to the normal form.
    pub(super) fn apply(&self, text: &str) -> String {
        let mut rest = text;
        while self.trims && !rest.is_empty() {
            let (normal, length) = self.prefix(rest);
            if normal != " " {
                break;
            }
            rest = &rest[length..];
        }
        let mut made = String::with_capacity(rest.len() + SPACE.len());
        if rest.is_empty() {
            return made;
        }
        if self.adds_space && !self.suffix {
            made.push_str(self.space);
        }
        let mut after_space = self.trims;
        while !rest.is_empty() {
            let (normal, length) = self.prefix(rest);
            let mut normal = &*normal;
            if after_space {
                normal = normal.trim_start_matches(' ');
            }
            if !normal.is_empty() {
                for part in normal.split_inclusive(' ') {
                    match part.strip_suffix(' ') {
                        Some(part) => made.extend([part, self.space]),
                        None => made.push_str(part),
                    }
                }
                after_space = self.trims && normal.ends_with(' ');
            }
            rest = &rest[length..];
        }
        while self.trims && made.ends_with(self.space) {
            made.truncate(made.len() - self.space.len());
        }
        if self.adds_space && self.suffix {
            made.push_str(self.space);
        }
        made
    }

    /// Returns the normal form of the first characters of a text, and the number of their bytes.
    fn prefix<'a>(&'a self, text: &'a str) -> (Cow<'a, str>, usize) {
        if let Some(length) = self.symbols.at_start_of(text) {
            return (text[..length].into(), length);
        }
        let found = self.rules.as_ref();
        match found.and_then(|rules| rules.longest(text.as_bytes())) {
            // A damaged rule may end inside a character.
            Some((normal, length)) if text.is_char_boundary(length) => {
                (String::from_utf8_lossy(normal), length)
            }
            _ => {
                let length = text.chars().next().map_or(0, char::len_utf8);
                (text[..length].into(), length)
            }
        }
    }
}

/// Rules that replace characters, in the format of `Darts::DoubleArray`: a trie whose leaves are
/// offsets into the texts.
struct Rules {
    units: Vec<u32>,
    /// Replacements; each ends with NUL.
    texts: Vec<u8>,
}

impl Rules {
    fn read(blob: &[u8]) -> Option<Self> {
        let (size, rest) = blob.split_first_chunk::<4>()?;
        let (trie, texts) = rest.split_at_checked(u32::from_le_bytes(*size) as usize)?;
        let (units, odd) = trie.as_chunks::<4>();
        let units: Vec<u32> = units.iter().map(|&it| u32::from_le_bytes(it)).collect();
        let is_whole = odd.is_empty() && !units.is_empty() && texts.last() == Some(&0);
        is_whole.then(|| Self {
            units,
            texts: texts.to_vec(),
        })
    }

    /// Returns the replacement for the longest prefix of a text that has a rule, and the length of
    /// that prefix.
    fn longest(&self, text: &[u8]) -> Option<(&[u8], usize)> {
        let offset = |unit: u32| ((unit >> 10) << ((unit & (1 << 9)) >> 6)) as usize;
        let mut found = None;
        let mut node = offset(self.units[0]);
        for (at, &byte) in text.iter().enumerate() {
            node ^= usize::from(byte);
            let Some(&unit) = self.units.get(node) else {
                break;
            };
            if unit & (1 << 31 | 0xff) != u32::from(byte) {
                break;
            }
            node ^= offset(unit);
            if unit >> 8 & 1 == 1 {
                found = self.units.get(node).map(|leaf| (leaf, at + 1));
            }
        }
        let (leaf, length) = found?;
        let normal = self.texts.get((leaf & !(1 << 31)) as usize..)?;
        let end = normal.iter().position(|&byte| byte == 0)?;
        Some((&normal[..end], length))
    }
}

/// User-defined symbols, which are pieces wherever they occur.
#[derive(Default)]
pub(super) struct Symbols {
    /// Symbols by their first byte, the longest first.
    symbols: AHashMap<u8, Vec<String>>,
}

impl Symbols {
    pub(super) fn new(mut all: Vec<String>) -> Self {
        all.sort_by_key(|symbol| std::cmp::Reverse(symbol.len()));
        let mut symbols: AHashMap<u8, Vec<String>> = AHashMap::new();
        for symbol in all {
            symbols
                .entry(symbol.as_bytes()[0])
                .or_default()
                .push(symbol);
        }
        Self { symbols }
    }

    /// Returns the length of the longest symbol with which a text begins.
    pub(super) fn at_start_of(&self, text: &str) -> Option<usize> {
        let symbols = self.symbols.get(text.as_bytes().first()?)?;
        let symbol = symbols.iter().find(|it| text.starts_with(it.as_str()))?;
        Some(symbol.len())
    }
}
