//! Errors as sentences: libraries begin them small and end them open, a page does not.

/// With a capital letter and a full stop.
pub fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    let mut sentence: String = first.into_iter().flatten().chain(letters).collect();
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
        assert_eq!(sentence("`heads` is 3"), "`heads` is 3.");
        assert_eq!(sentence("Is it? It is!"), "Is it? It is!");
    }
}
