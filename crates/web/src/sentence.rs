//! Errors as sentences of the page. Libraries begin errors with a small letter, end them without a
//! full stop, and name settings by their keys.

use crate::labels::in_labels;

/// Returns `text` as a sentence: with the form's labels, a full stop, and a capital letter unless a
/// file's name begins the sentence.
pub fn sentence(text: &str) -> String {
    rounded(&in_labels(text))
}

/// Returns `text` with a full stop, and a capital letter unless a file's name begins the sentence.
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
