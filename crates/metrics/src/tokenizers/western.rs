//! Tokeniser `13a`: the tokeniser of mteval-v13a, by which WMT has been scored since 2008.

use super::{first_alone, second_alone, separate};

/// Separates the tokens of a text by white space.
pub(super) fn tokenize(text: &str) -> String {
    let mut text = text
        .replace("<skipped>", "")
        .replace("-\n", "")
        .replace('\n', " ");
    // Replaced one after the other, as in mteval: `&amp;lt;` becomes `<`.
    if text.contains('&') {
        for (entity, character) in [
            ("&quot;", "\""),
            ("&amp;", "&"),
            ("&lt;", "<"),
            ("&gt;", ">"),
        ] {
            text = text.replace(entity, character);
        }
    }
    separate_punctuation(&format!(" {text} "))
}

/// Separates punctuation, except full stops and commas between digits, apostrophes, and hyphens
/// that do not follow a digit.
pub(super) fn separate_punctuation(text: &str) -> String {
    let mut apart = String::with_capacity(text.len() + text.len() / 4);
    for character in text.chars() {
        match character {
            '{'..='~' | '['..='`' | ' '..='&' | '('..='+' | ':'..='@' | '/' => {
                apart.extend([' ', character, ' ']);
            }
            _ => apart.push(character),
        }
    }
    let is_point = |character| matches!(character, '.' | ',');
    let is_digit = |character: char| character.is_ascii_digit();
    let apart = separate(
        &apart,
        |before, point| is_point(point) && !is_digit(before),
        second_alone,
    );
    let apart = separate(
        &apart,
        |point, after| is_point(point) && !is_digit(after),
        first_alone,
    );
    separate(
        &apart,
        |digit, hyphen| hyphen == '-' && is_digit(digit),
        second_alone,
    )
}
