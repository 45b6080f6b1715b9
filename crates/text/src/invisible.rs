//! Characters that are invisible by themselves.

/// True for a character that is invisible by itself: white space, a control character, or a
/// character that only affects how others are shown or joined (joiners, marks of direction, soft
/// hyphens, byte order marks, variation selectors; U+2800, a pattern without dots).
///
/// Within a word some of these matter: joiners in Persian and in emoji, selectors after an emoji.
pub fn is_invisible(character: char) -> bool {
    character.is_whitespace() || character.is_control() || is_ignorable(character)
}

/// True for a text without visible characters.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_invisible)
}

/// True for default ignorable code points of Unicode (`Default_Ignorable_Code_Point`), the marks
/// around annotations, and the empty pattern of Braille.
fn is_ignorable(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// True for a character that makes words differ although they look the same: zero-width and
/// non-breaking joins, soft hyphens and byte order marks, but no joiner of Persian or of emoji.
pub fn hides_in_words(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{200e}' | '\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_which_nothing_is_seen_are_blank() {
        for text in [
            "",
            " \t",
            "\u{200b}",
            "\u{feff}",
            "\u{200d}\u{200c}",
            "\u{ad}",
            "\u{a0}\u{3000}",
            "\u{2060}",
            "\u{200e} \u{200f}",
            "\u{202a}\u{202c}",
            "\u{2028}",
            "\0\u{1b}",
            "\u{3164}",
            "\u{fe0f}",
        ] {
            assert!(is_blank(text), "{text:?}");
        }
    }

    #[test]
    fn joiners_within_words_stay_words() {
        // Persian "they go", a family, a heart in colour, a combining accent by itself.
        for text in [
            "می\u{200c}روند",
            "👨\u{200d}👩\u{200d}👧",
            "❤\u{fe0f}",
            "\u{301}",
            ".",
            "\u{fffd}",
        ] {
            assert!(!is_blank(text), "{text:?}");
        }
        assert!("می\u{200c}روند".chars().all(|it| !hides_in_words(it)));
    }
}
