//! Errors as sentences of the page: libraries begin them small, end them without a full stop and
//! name settings by their keys.

use crate::labels::in_labels;

/// The sentence with the form's labels, a capital letter, unless a file's name begins it, and a
/// full stop.
pub fn sentence(text: &str) -> String {
    rounded(&in_labels(text))
}

/// The sentence with a capital letter, unless a file's name begins it, and a full stop.
pub fn rounded(text: &str) -> String {
    let text = text.trim();
    let word = text.split_whitespace().next().unwrap_or_default();
    let word = word.trim_end_matches(|letter: char| letter.is_ascii_punctuation());
    let mut letters = text.chars();
    let mut sentence: String = if word.contains('.') {
        text.to_owned()
    } else {
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect()
    };
    if !sentence.ends_with(['.', '!', '?']) {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_become_sentences() {
        assert_eq!(sentence("the device failed"), "The device failed.");
        assert_eq!(sentence("`heads` is 3"), "“Heads” is 3.");
        assert_eq!(rounded("`heads` is 3"), "`heads` is 3.");
        assert_eq!(sentence("Is it? It is!"), "Is it? It is!");
        assert_eq!(sentence("e"), "E.");
    }

    #[test]
    fn a_files_name_stays_as_it_is() {
        let told = "pairs.tsv, line 2: byte 4 of the line is not UTF-8.";
        assert_eq!(sentence(told), told);
    }
}
