//! Texts in a drawn model: their sizes, and how much of one fits.

use crate::page::watch::drawing::{Anchor, Paint, Shape, Text};

/// Heights of letters: of titles, of all else, of tokens side by side.
pub const TITLE: f64 = 12.5;
pub const SMALL: f64 = 11.0;
pub const LETTERS: f64 = 10.0;
/// Width of a letter as a share of its height, about.
pub const WIDTH: f64 = 0.56;

/// A text of this colour and size.
pub fn letters(at: (f64, f64), text: &str, anchor: Anchor, (fill, size): (Paint, f64)) -> Shape {
    Shape::Text(Text {
        at,
        text: text.to_owned(),
        anchor,
        fill,
        size,
        upright: false,
        handle: None,
    })
}

/// Width of a token in letters; a letter of Chinese and its neighbours counts as 1.7.
pub fn width_in_letters(text: &str) -> f64 {
    let wide = |letter: char| letter >= '\u{2e80}';
    text.chars()
        .map(|letter| if wide(letter) { 1.7 } else { 1.0 })
        .sum()
}

/// The beginning of a text that fits into `width`; a letter is `letter` wide.
pub fn fitted(text: &str, width: f64, letter: f64) -> String {
    let mut room = width / letter;
    let end = text.char_indices().find(|(_, it)| {
        room -= width_in_letters(it.encode_utf8(&mut [0; 4]));
        room < 0.0
    });
    match end {
        None => text.to_owned(),
        // The ellipsis needs room, too.
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
