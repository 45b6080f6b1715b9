//! Texts in a drawn model: their sizes, and truncation to the room there is.

use crate::page::watch::drawing::{Anchor, Paint, Shape, Text};

/// Heights of letters, in units of the drawing: of titles (`TITLE`), of tokens side by side
/// (`LETTERS`), of all other texts (`SMALL`).
pub const TITLE: f64 = 12.5;
pub const SMALL: f64 = 11.0;
pub const LETTERS: f64 = 10.0;
/// Average width of a letter, as a share of its height.
pub const WIDTH: f64 = 0.56;

/// Colour and size of letters.
#[derive(Clone, Copy)]
pub struct Font {
    /// Colour of the letters.
    pub fill: Paint,
    /// Height of the letters.
    pub size: f64,
}

/// Returns a text as a shape, in this font.
pub fn letters(at: (f64, f64), text: &str, anchor: Anchor, font: Font) -> Shape {
    Shape::Text(Text {
        at,
        text: text.to_owned(),
        anchor,
        fill: font.fill,
        size: font.size,
        upright: false,
        handle: None,
    })
}

/// Returns the width of a token in letters; Chinese, Japanese and Korean letters count as 1.7.
pub fn width_in_letters(text: &str) -> f64 {
    let wide = |letter: char| letter >= '\u{2e80}';
    text.chars()
        .map(|letter| if wide(letter) { 1.7 } else { 1.0 })
        .sum()
}

/// Returns the beginning of a text that fits into `width`, if each letter is `letter` wide.
pub fn fitted(text: &str, width: f64, letter: f64) -> String {
    let mut room = width / letter;
    let end = text.char_indices().find(|(_, it)| {
        room -= width_in_letters(it.encode_utf8(&mut [0; 4]));
        room < 0.0
    });
    match end {
        None => text.to_owned(),
        // The ellipsis takes the room of one letter.
        Some((end, _)) => {
            let mut kept: Vec<char> = text[..end].chars().collect();
            kept.pop();
            let kept: String = kept.into_iter().collect();
            format!("{}…", kept.trim_end())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_cut_and_says_so() {
        assert_eq!(fitted("Dot product", 200.0, 6.0), "Dot product");
        assert_eq!(fitted("Scaled dot product", 60.0, 6.0), "Scaled do…");
        assert_eq!(fitted("", 60.0, 6.0), "");
    }
}
