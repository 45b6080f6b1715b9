//! Words of one language, and how the page's English is looked up in them.
//!
//! Keys are English texts as the sources write them, with `{}` where a number or a name is put in;
//! values are the same in the other language. Where the order differs, a value says `{1}`, `{2}`.
//! Keys of settings between back-ticks stand for the form's labels, as `sentence` puts them in.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// Signs between parts of a text that are looked up one by one, the strongest first.
const SEPARATORS: [&str; 4] = [" · ", "; ", " – ", ", "];
/// Parts within parts that are looked up.
const DEEPEST: usize = 4;
/// The most bytes that one `{}` stands for.
const LONGEST: usize = 400;
/// Bytes from which on a pattern is enough to know a text.
const SURE: usize = 10;

/// Words of a language.
#[derive(Debug, Default)]
pub struct Words {
    known: HashMap<String, String>,
    /// Keys with gaps, those with the most letters first.
    patterns: Vec<Pattern>,
    /// Places of the patterns that begin with a letter, by that letter, and of those that begin with a
    /// gap, by their last letter, if they do not end with one, too.
    first: HashMap<char, Vec<usize>>,
    last: HashMap<Option<char>, Vec<usize>>,
    /// What is said already where a text is in the language.
    spoken: HashSet<String>,
    /// Words with the blanks of an English text around them.
    spaced: RefCell<HashMap<&'static str, &'static str>>,
}

#[derive(Debug)]
struct Pattern {
    /// Text before, between and after the gaps.
    pieces: Vec<String>,
    /// Bytes in all pieces.
    length: usize,
    said: String,
}

/// What became of a text.
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

impl Pattern {
    fn new(key: &str, said: String) -> Self {
        let pieces: Vec<String> = key.split("{}").map(str::to_owned).collect();
        let length = pieces.iter().map(String::len).sum();
        Self {
            pieces,
            length,
            said,
        }
    }

    /// Returns what the gaps hold in a text, and whether each stands in quotation marks.
    fn gaps<'a>(&self, text: &'a str) -> Option<Vec<(&'a str, bool)>> {
        let (first, last) = (self.pieces.first()?, self.pieces.last()?);
        let mut rest = text
            .strip_prefix(first.as_str())?
            .strip_suffix(last.as_str())?;
        let mut gaps = Vec::new();
        let middle = &self.pieces[1..self.pieces.len() - 1];
        for piece in middle {
            // Two gaps side by side cannot be told apart.
            let at = if piece.is_empty() {
                return None;
            } else {
                rest.find(piece.as_str())?
            };
            gaps.push(&rest[..at]);
            rest = &rest[at + piece.len()..];
        }
        gaps.push(rest);
        // The full stop belongs to the sentence.
        if last.is_empty() && rest.ends_with('.') {
            return None;
        }
        let may_be_empty = self.length >= SURE;
        let is_one = |gap: &&str| {
            (may_be_empty || !gap.is_empty()) && gap.len() <= LONGEST && sentences(gap).len() == 1
        };
        if !gaps.iter().all(is_one) {
            return None;
        }
        let quoted =
            |at: usize| self.pieces[at].ends_with('“') && self.pieces[at + 1].starts_with('”');
        let gaps = gaps.into_iter().enumerate();
        let gaps: Vec<_> = gaps.map(|(at, gap)| (gap, quoted(at))).collect();
        // What is quoted ends at the first mark.
        let is_whole = |(gap, is_quoted): &(&str, bool)| !*is_quoted || !gap.contains('”');
        gaps.iter().all(is_whole).then_some(gaps)
    }
}

/// Returns the pattern of a text in which labels have taken the place of keys; `None` if the text
/// names no setting.
fn labelled(key: &str, said: &str) -> Option<Pattern> {
    if key.matches('`').count() < 2 {
        return None;
    }
    let mut pattern = String::new();
    // What each gap of the key is in the new pattern, and the names of settings by their gaps.
    let (mut places, mut names, mut next) = (Vec::new(), Vec::new(), 1);
    for (at, part) in key.split('`').enumerate() {
        if at % 2 == 1 {
            names.push((part, next));
            // A gap between back-ticks is a label, too.
            places.extend(part.matches("{}").map(|_| next));
            pattern += "“{}”";
            next += 1;
        } else {
            for _ in part.matches("{}") {
                places.push(next);
                next += 1;
            }
            pattern += part;
        }
    }
    let mut words = String::new();
    for (at, part) in said.split('`').enumerate() {
        if at % 2 == 0 {
            words += part;
        } else if let (Some(from), Some(to)) = (part.find('{'), part.find('}')) {
            words += &format!("„{}“", &part[from..=to]);
        } else if let Some(place) = names.iter().position(|(name, _)| *name == part) {
            let (_, gap) = names.remove(place);
            // Control characters mark numbers that need no translation to a gap of the pattern.
            words += &format!("„\u{1}{gap}\u{2}“");
        } else {
            words += &format!("`{part}`");
        }
    }
    let numbered: Vec<String> = places.iter().map(|it| format!("{{{it}}}")).collect();
    let words = filled(&words, &numbered);
    let words = words.replace('\u{1}', "{").replace('\u{2}', "}");
    Some(Pattern::new(&pattern, words))
}

/// Returns the pattern of a text in which labels have taken the place of names that are put in, and
/// the names in the text itself are none of the form's.
fn quoting(key: &str, said: &str) -> Option<Pattern> {
    let gaps = key.contains("`{}`").then(|| key.replace("`{}`", "“{}”"));
    gaps.map(|key| Pattern::new(&key, said.replace("`{}`", "„{}“")))
}

/// Returns a text with another first letter.
fn with_first(text: &str, other: impl Fn(char) -> Option<char>) -> String {
    let mut letters = text.chars();
    let first = letters.next().and_then(other);
    first.into_iter().chain(letters).collect()
}

/// Puts parts into the gaps of a text, in their order or by their numbers.
fn filled<T: AsRef<str>>(said: &str, parts: &[T]) -> String {
    let mut text = String::with_capacity(said.len() + 16);
    let mut rest = said;
    let mut next = 0;
    while let Some(at) = rest.find('{') {
        let Some(end) = rest[at..].find('}') else {
            break;
        };
        text += &rest[..at];
        let number = &rest[at + 1..at + end];
        let place = number
            .parse::<usize>()
            .map_or(next, |it| it.saturating_sub(1));
        next += usize::from(number.is_empty());
        text += parts.get(place).map_or("", AsRef::as_ref);
        rest = &rest[at + end + 1..];
    }
    text += rest;
    text
}

/// Returns a text with gaps in the places of numbers, and the numbers.
fn without_numbers(text: &str) -> (String, Vec<&str>) {
    let mut bare = String::with_capacity(text.len());
    let mut numbers = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|it: char| it.is_ascii_digit()) {
        // A number in a word (`bf16`) is a part of the word.
        let before = rest[..start].chars().next_back();
        let end = start + number_length(&rest[start..]);
        if before.is_some_and(|it| it.is_alphanumeric() || it == '_') {
            bare += &rest[..end];
        } else {
            bare += &rest[..start];
            bare += "{}";
            numbers.push(&rest[start..end]);
        }
        rest = &rest[end..];
    }
    bare += rest;
    (bare, numbers)
}

/// Returns the length of the number at the beginning of a text: `1,234.5`, `1e-3`, `12 000`.
fn number_length(text: &str) -> usize {
    let mut end = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next_is_digit = letters.peek().is_some_and(|(_, it)| it.is_ascii_digit());
        let joins = match letter {
            '.' | ',' | '\u{202f}' | '\u{a0}' | '\u{2009}' | ':' => next_is_digit,
            'e' => {
                let rest = &text[at + 1..];
                let rest = rest.strip_prefix('-').unwrap_or(rest);
                rest.starts_with(|it: char| it.is_ascii_digit())
            }
            '-' => text[..at].ends_with('e') && next_is_digit,
            it => it.is_ascii_digit(),
        };
        if !joins {
            break;
        }
        end = at + letter.len_utf8();
    }
    end
}

/// Splits a text at the ends of sentences.
fn sentences(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(' ') {
        let begins = text[at + 1..].chars().next();
        let begins = begins.is_some_and(|it| {
            it.is_uppercase() || it.is_ascii_digit() || matches!(it, '“' | '„' | '(' | '\u{2068}')
        });
        if begins && at > start && ends_sentence(&text[start..at]) {
            all.push(&text[start..at]);
            start = at + 1;
        }
    }
    all.push(&text[start..]);
    all
}

/// Returns what stands between the quotation marks of a text, and the sign behind them.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let (inner, end) = text.strip_prefix('“')?.rsplit_once('”')?;
    let is_one = !inner.contains(['“', '”']) && !has_letter(end) && end.len() <= 1;
    is_one.then_some((inner, end))
}

fn ends_sentence(text: &str) -> bool {
    text.trim_end_matches(['”', ')'])
        .ends_with(['.', '!', '?', '…'])
}

fn is_blank(letter: char) -> bool {
    letter.is_whitespace()
}

/// True for a text with something to translate.
pub fn has_letter(text: &str) -> bool {
    let mut before = false;
    text.chars().any(|it| {
        let two = before && it.is_alphabetic();
        before = it.is_ascii_alphabetic();
        two
    })
}

/// True for a text with a word: not only units, names of files and parameters, or abbreviations.
fn has_word(text: &str) -> bool {
    let is_sign = |it: char| !it.is_alphanumeric();
    text.split_whitespace().any(|chunk| {
        let word = chunk.trim_matches(is_sign);
        let joins = |it: char| it.is_alphabetic() || matches!(it, '-' | '’' | '\'');
        word.len() >= 3 && word.contains(char::is_lowercase) && word.chars().all(joins)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(pairs: &[(&str, &str)]) -> Words {
        let pairs = pairs
            .iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()));
        Words::new(pairs.collect())
    }

    fn german() -> Words {
        words(&[
            ("Train", "Trainieren"),
            ("Batch size", "Stapelgröße"),
            ("1 step", "1 Schritt"),
            ("{} steps", "{} Schritte"),
            ("Step {} of {}", "Schritt {} von {}"),
            ("{} of {}", "{} von {}"),
            ("“{}” looks at “{}”.", "Auf „{2}“ blickt „{1}“."),
            ("Paused", "Angehalten"),
            ("source", "Quelle"),
            ("“{}”", "„{}“"),
            ("Train: {}", "Trainieren: {}"),
            ("One. And two.", "Eins und zwei."),
            ("“{}” is {}.", "„{}“ ist {}."),
        ])
    }

    #[test]
    fn texts_are_found_as_they_are_with_their_numbers_and_by_parts() {
        let german = german();
        for (english, wanted) in [
            (" Train ", " Trainieren "),
            ("1 step", "1 Schritt"),
            ("1,200 steps", "1,200 Schritte"),
            ("Step 3 of 1e-3", "Schritt 3 von 1e-3"),
            ("“a” looks at “b”.", "Auf „b“ blickt „a“."),
            ("Paused · 7 steps", "Angehalten · 7 Schritte"),
            ("Train: 12 %", "Trainieren: 12 %"),
            ("batch size 3", "Stapelgröße 3"),
            (
                "“Batch size” is 3. “a” is b.",
                "„Stapelgröße“ ist 3. „a“ ist b.",
            ),
            ("0.37 %", "0.37 %"),
            ("Train, Paused: 1 step", "Trainieren, Angehalten: 1 Schritt"),
            (
                "“Train: x y.”. One. And two.",
                "„Trainieren: x y.“. Eins und zwei.",
            ),
        ] {
            let said = german.say(english);
            assert_eq!(said.text, wanted, "{english}");
            assert!(said.unknown.is_empty(), "{said:?}");
        }
    }

    #[test]
    fn labels_stand_for_keys_in_sentences() {
        let words = words(&[
            ("Batch size", "Stapelgröße"),
            (
                "the task `{}` is no `task.text`, but {}: lower `training.steps`",
                "Senke `training.steps`: {2} statt `task.text` hat `{1}`",
            ),
        ]);
        assert_eq!(
            words
                .say("The task “Copy” is no “Batch size”, but 3: lower “Steps”.")
                .text,
            "Senke „Steps“: 3 statt „Stapelgröße“ hat „Copy“."
        );
    }

    #[test]
    fn words_of_a_user_stay() {
        let german = german();
        assert_eq!(german.say("“source” is x.").text, "„source“ ist x.");
    }

    #[test]
    fn what_is_not_known_stays_and_is_told() {
        let german = german();
        for (english, said, unknown) in [
            ("A new text", "A new text", "A new text"),
            ("Paused · a new one", "Angehalten · a new one", "a new one"),
            ("Paused, hence", "Paused, hence", "Paused, hence"),
        ] {
            let found = german.say(english);
            assert_eq!(found.text, said);
            assert_eq!(found.unknown, [unknown]);
        }
    }
}
