//! Parts of a text: numbers, sentences, words.

/// Returns a text with another first letter.
pub fn with_first(text: &str, other: impl Fn(char) -> Option<char>) -> String {
    let mut letters = text.chars();
    let first = letters.next().and_then(other);
    first.into_iter().chain(letters).collect()
}

/// Returns a text with gaps in the places of numbers, and the numbers.
pub fn without_numbers(text: &str) -> (String, Vec<&str>) {
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
pub fn number_length(text: &str) -> usize {
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
pub fn sentences(text: &str) -> Vec<&str> {
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

/// Returns the text between quotation marks, and the sign behind the marks.
pub fn quoted(text: &str) -> Option<(&str, &str)> {
    let (inner, end) = text.strip_prefix('“')?.rsplit_once('”')?;
    let is_one = !inner.contains(['“', '”']) && !has_letter(end) && end.len() <= 1;
    is_one.then_some((inner, end))
}

/// True if a text ends where a sentence does. A mark that stands in quotation marks alone is a token.
pub fn ends_sentence(text: &str) -> bool {
    let text = text.trim_end_matches(['”', ')']);
    let before = text.strip_suffix(['.', '!', '?', '…']);
    before.is_some_and(|it| !it.ends_with('“'))
}

pub fn is_blank(letter: char) -> bool {
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
pub fn has_word(text: &str) -> bool {
    let is_sign = |it: char| !it.is_alphanumeric();
    text.split_whitespace().any(|chunk| {
        let word = chunk.trim_matches(is_sign);
        let joins = |it: char| it.is_alphabetic() || matches!(it, '-' | '’' | '\'');
        word.len() >= 3 && word.contains(char::is_lowercase) && word.chars().all(joins)
    })
}
