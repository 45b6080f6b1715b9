//! The region's own words in the lesson's language, for parts of the page that have a language of
//! their own.

use crate::language;

/// Returns words of the region in a language, or in English if there is no translation.
pub fn label(language: &str, english: &'static str) -> &'static str {
    if language == language::present() {
        language::words_for(english)
    } else {
        english
    }
}

/// Like [`label`], with each `{}` replaced by one of `parts`.
pub fn filled(language: &str, english: &'static str, parts: &[&str]) -> String {
    let mut pieces = label(language, english).split("{}");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for (at, piece) in pieces.enumerate() {
        text += parts.get(at).copied().unwrap_or_default();
        text += piece;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_filled_in_each_language() {
        assert_eq!(filled("en", "Step {} of {} ", &["2", "7"]), "Step 2 of 7 ");
        language::speak_in_test("de");
        assert_eq!(
            filled("de", "Step {} of {} ", &["2", "7"]),
            "Schritt 2 von 7 "
        );
        assert_eq!(label("de", "no such words"), "no such words");
    }
}
