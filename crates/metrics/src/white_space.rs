//! Splits text at white space like Python's `str.split`, since published metrics are defined by
//! Python programs.

/// True for white space in Python: Unicode white space, and the four ASCII separators U+001C to
/// U+001F.
pub fn is_white_space(character: char) -> bool {
    character.is_whitespace() || ('\x1c'..='\x1f').contains(&character)
}

/// Iterates over the words of a text, separated by white space of any kind and length.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_white_space).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_what_python_takes_for_it() {
        let text = " a\u{a0}b\u{2028}c\x1cd\u{3000}\te\u{85}";
        assert_eq!(words(text).collect::<Vec<_>>(), ["a", "b", "c", "d", "e"]);
        // Neither a zero-width space nor a byte order mark is white space.
        assert_eq!(words("a\u{200b}b\u{feff}c").count(), 1);
        assert_eq!(words(" \n ").count(), 0);
    }
}
