//! Quotation of values in messages: a file may hold any amount of text where a number belongs.

/// Most characters of a value that a message quotes.
const LONGEST: usize = 100;

/// Shortens a value for a message: a long one to its beginning and its number of characters.
pub fn shortened(value: &str) -> String {
    match value.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}… ({} characters)", &value[..end], value.chars().count()),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_quoted_by_their_beginning() {
        assert_eq!(shortened("12.5"), "12.5");
        let quoted = shortened(&"词".repeat(1_000_000));
        assert!(quoted.starts_with("词词") && quoted.ends_with("… (1000000 characters)"));
        assert_eq!(quoted.chars().count(), LONGEST + 22);
    }
}
