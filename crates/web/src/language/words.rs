//! Words of one language, and how the page's English is looked up in them.
//!
//! Keys are English texts as the sources write them, with `{}` where a number or a name is put in;
//! values are the same in the other language. Where the order differs, a value says `{1}`, `{2}`.
//! Keys of settings between back-ticks stand for the form's labels, as `sentence` puts them in.
//!
//! - here: a text is looked up whole, then with its numbers and names, then part by part
//! - `pattern`: texts with gaps; `pieces`: numbers, sentences and words of a text

mod pattern;
mod pieces;
#[cfg(test)]
mod tests;

use pattern::{Pattern, SURE, filled, labelled, quoting};
pub use pieces::has_letter;
use pieces::{has_word, is_blank, quoted, sentences, with_first, without_numbers};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// Signs between parts of a text that are looked up one by one, the strongest first.
const SEPARATORS: [&str; 4] = [" · ", "; ", " – ", ", "];
/// Parts within parts that are looked up.
const DEEPEST: usize = 4;

/// Words of a language.
#[derive(Debug, Default)]
pub struct Words {
    known: HashMap<String, String>,
    /// Keys with gaps, the longest first.
    patterns: Vec<Pattern>,
    /// Places of the patterns that begin with a letter, by that letter, and of those that begin with a
    /// gap, by their last letter, if they do not end with one, too.
    first: HashMap<char, Vec<usize>>,
    last: HashMap<Option<char>, Vec<usize>>,
    /// Texts in the language, which need no words.
    spoken: HashSet<String>,
    /// Words between the blanks of an English text.
    spaced: RefCell<HashMap<&'static str, &'static str>>,
}

/// Result of a look-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub text: String,
    /// Parts with letters that the words lack.
    pub unknown: Vec<String>,
}

impl Words {
    /// Returns the words of a table from English to another language.
    pub fn new(known: HashMap<String, String>) -> Self {
        let mut patterns: Vec<Pattern> = known
            .iter()
            .filter(|(key, _)| key.contains("{}"))
            .map(|(key, said)| Pattern::new(key, said.clone()))
            .chain(known.iter().filter_map(|(key, said)| labelled(key, said)))
            .chain(known.iter().filter_map(|(key, said)| quoting(key, said)))
            // A pattern without a word would be in every text.
            .filter(|it| it.pieces.iter().any(|piece| has_letter(piece)))
            .collect();
        patterns.sort_by_key(|it| (Reverse(it.length), it.said.clone()));
        let (mut first, mut last) = (HashMap::new(), HashMap::new());
        for (place, pattern) in patterns.iter().enumerate() {
            let letter = pattern.pieces.first().and_then(|it| it.chars().next());
            let places: &mut Vec<usize> = match letter {
                Some(letter) => first.entry(letter).or_default(),
                None => {
                    let letter = pattern.pieces.last().and_then(|it| it.chars().next_back());
                    last.entry(letter).or_default()
                }
            };
            places.push(place);
        }
        let spoken = known.values().cloned().collect();
        Self {
            spoken,
            first,
            last,
            known,
            patterns,
            spaced: RefCell::default(),
        }
    }

    /// Returns the words for an English text with gaps; blanks around the text stay.
    pub fn known(&'static self, english: &'static str) -> Option<&'static str> {
        let key = english.trim_matches(is_blank);
        let said = self.known.get(key)?;
        if key.len() == english.len() {
            return Some(said);
        }
        let mut spaced = self.spaced.borrow_mut();
        // The sources have few such texts.
        let spaced = spaced.entry(english).or_insert_with(|| {
            let text = english.replacen(key, said, 1);
            Box::leak(text.into_boxed_str())
        });
        Some(spaced)
    }

    /// Translates a text of the page; blanks around the text stay.
    pub fn say(&self, text: &str) -> Said {
        let core = text.trim_matches(is_blank);
        let mut unknown = Vec::new();
        let said = self.text(core, 0).unwrap_or_else(|| {
            let parts = self.parts(core, 0, &mut unknown);
            parts.unwrap_or_else(|| {
                unknown = vec![core.to_owned()];
                core.to_owned()
            })
        });
        // A numbered token is a user's.
        let is_token =
            |it: &str| it.starts_with(|it: char| it.is_ascii_digit()) && it.contains(" · ");
        unknown.retain(|it| has_word(it) && !is_token(it) && !self.spoken.contains(it));
        let start = text.len() - text.trim_start_matches(is_blank).len();
        let (before, after) = (&text[..start], &text[start + core.len()..]);
        Said {
            text: format!("{before}{said}{after}"),
            unknown,
        }
    }

    /// Translates a text that is known as a whole: but for numbers and names, and as a sentence.
    fn text(&self, text: &str, depth: usize) -> Option<String> {
        let exact = self.exact(text);
        // Errors of the libraries become sentences of the page.
        let bare = text.strip_suffix('.').unwrap_or(text);
        let small = with_first(bare, |it| it.to_lowercase().next());
        let sentence = |said: String| {
            let end = if bare.len() < text.len() { "." } else { "" };
            if text.starts_with(char::is_uppercase) {
                with_first(&said, |it| it.to_uppercase().next()) + end
            } else {
                said + end
            }
        };
        exact
            .or_else(|| self.exact(&small).filter(|_| small != text).map(sentence))
            .or_else(|| self.by_pattern(text, depth))
            .or_else(|| {
                let said = self.by_pattern(&small, depth);
                said.or_else(|| self.by_pattern(bare, depth)).map(sentence)
            })
    }

    fn exact(&self, text: &str) -> Option<String> {
        if let Some(said) = self.known.get(text) {
            return Some(said.clone());
        }
        let (bare, numbers) = without_numbers(text);
        if !numbers.is_empty()
            && let Some(said) = self.known.get(&bare)
        {
            return Some(filled(said, &numbers));
        }
        // Settings are named in the middle of a sentence, too.
        let title = with_first(text, |it| it.to_uppercase().next());
        self.known.get(&title).cloned()
    }

    fn by_pattern(&self, text: &str, depth: usize) -> Option<String> {
        if depth >= DEEPEST {
            return None;
        }
        let first = text.chars().next().and_then(|it| self.first.get(&it));
        let last = text
            .chars()
            .next_back()
            .and_then(|it| self.last.get(&Some(it)));
        let open = self.last.get(&None);
        let lists = [first, last, open].into_iter().flatten();
        let mut places: Vec<usize> = lists.flatten().copied().collect();
        // Those with the most letters come first.
        places.sort_unstable();
        let mut patterns = places.iter().map(|place| &self.patterns[*place]);
        patterns.find_map(|pattern| self.matched(pattern, text, depth))
    }

    fn matched(&self, pattern: &Pattern, text: &str, depth: usize) -> Option<String> {
        let gaps = pattern.gaps(text)?;
        let mut said = Vec::new();
        for (gap, is_quoted) in gaps {
            let words = self.gap(gap, is_quoted, depth + 1);
            // A pattern of few letters is in many texts: it counts if it leaves nothing in English.
            let is_name = !has_word(gap);
            if words.is_none() && pattern.length < SURE && !is_quoted && !is_name {
                return None;
            }
            said.push(words.unwrap_or_else(|| gap.to_owned()));
        }
        Some(filled(&pattern.said, &said))
    }

    /// Translates what a gap holds if it is of the page's own words; a user's words stay.
    fn gap(&self, text: &str, is_quoted: bool, depth: usize) -> Option<String> {
        let is_title = !is_quoted || text.contains(' ') || text.starts_with(char::is_uppercase);
        let said = has_word(text).then_some(()).filter(|()| is_title);
        said.and_then(|()| {
            self.text(text, depth).or_else(|| {
                let mut unknown = Vec::new();
                let parts = self.parts(text, depth, &mut unknown);
                parts.filter(|_| unknown.is_empty())
            })
        })
    }

    /// Returns the place of the colon behind a title, at the beginning of a text.
    fn titled(&self, text: &str, depth: usize) -> Option<usize> {
        let mut colons = text.match_indices(": ").map(|it| it.0);
        let is_known = |at: &usize| {
            let title = text[..*at].trim_matches(['“', '”']);
            let mut titles = title.split(", ");
            titles.all(|it| self.exact(it).is_some()) || self.text(title, depth + 1).is_some()
        };
        let numbered = text
            .find(": ")
            .filter(|at| !has_letter(&text[at + 2..]) || !has_letter(&text[..*at]));
        colons.find(is_known).or(numbered)
    }

    /// Joins sentences that the words have together.
    fn runs<'a>(&self, text: &'a str, sentences: &[&'a str], depth: usize) -> Vec<&'a str> {
        let (mut runs, mut at) = (Vec::new(), 0);
        let mut left = sentences;
        while let Some(first) = left.first() {
            let lengths = (2..=left.len().min(3)).rev().map(|count| {
                let length = left[..count].iter().map(|it| it.len() + 1).sum::<usize>() - 1;
                (count, length)
            });
            let is_known = |(_, length): &(usize, usize)| {
                self.text(&text[at..at + length], depth + 1).is_some()
            };
            let (count, length) = lengths
                .into_iter()
                .find(is_known)
                .unwrap_or((1, first.len()));
            runs.push(&text[at..at + length]);
            at += length + 1;
            left = &left[count..];
        }
        runs
    }

    /// Splits a list at its commas. The title of a site has a comma itself: `Encoder 1, self-attention`.
    fn listed<'a>(&self, text: &'a str, depth: usize) -> Vec<&'a str> {
        let two = text.match_indices(", ").nth(1).map(|(at, _)| &text[..at]);
        let is_title = |two: &&str| self.text(two, depth + 1).is_some();
        match two.filter(is_title) {
            Some(title) => std::iter::once(title)
                .chain(text[title.len() + 2..].split(", "))
                .collect(),
            None => text.split(", ").collect(),
        }
    }

    /// Translates a text sentence by sentence, or part by part.
    fn parts(&self, text: &str, depth: usize, unknown: &mut Vec<String>) -> Option<String> {
        if depth >= DEEPEST {
            return None;
        }
        if let Some((inner, end)) = quoted(text)
            && let Some(said) = self.known.get("“{}”")
        {
            let inner = self.gap(inner, true, depth + 1)?;
            return Some(filled(said, &[inner]) + end);
        }
        let sentences = sentences(text);
        let (parts, separator) = if sentences.len() > 1 {
            (self.runs(text, &sentences, depth), " ")
        } else if let Some(at) = self.titled(text, depth) {
            (vec![&text[..at], &text[at + 2..]], ": ")
        } else {
            match SEPARATORS.iter().find(|it| text.contains(**it)) {
                Some(&", ") => (self.listed(text, depth), ", "),
                Some(separator) => (text.split(separator).collect(), *separator),
                // A setting and its number.
                None => {
                    let (title, number) = text.rsplit_once(' ').filter(|it| !has_letter(it.1))?;
                    (vec![title, number], " ")
                }
            }
        };
        let mut missing = Vec::new();
        let mut is_known = false;
        let mut said = Vec::new();
        for part in &parts {
            if !has_letter(part) {
                said.push((*part).to_owned());
                continue;
            }
            let mut lacks = Vec::new();
            let whole = self.text(part, depth + 1);
            match whole.or_else(|| self.parts(part, depth + 1, &mut lacks)) {
                Some(it) => {
                    is_known = true;
                    missing.extend(lacks);
                    said.push(it);
                }
                None => {
                    missing.push((*part).to_owned());
                    said.push((*part).to_owned());
                }
            }
        }
        // Lists are translated as a whole or not at all.
        if !is_known || (separator == ", " && !missing.is_empty()) {
            return None;
        }
        unknown.extend(missing);
        Some(said.join(separator))
    }
}
