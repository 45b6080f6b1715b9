//! Level `fine`: tokens so short that answers begin and end with a token.

use strata_text::is_chinese;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letters,
    Digits,
    Alone,
}

/// Passes the tokens of a stretch of text without white space to `take`: runs of letters, runs of
/// digits, and every other grapheme alone, Chinese characters included. No grapheme is cut.
pub(super) fn pieces(word: &str, take: &mut dyn FnMut(&str)) {
    let (mut start, mut last) = (0, Kind::Alone);
    for (at, grapheme) in word.grapheme_indices(true) {
        let kind = grapheme.chars().next().map_or(Kind::Alone, kind_of);
        let goes_on = kind == last && kind != Kind::Alone;
        if !goes_on && at > start {
            take(&word[start..at]);
            start = at;
        }
        last = kind;
    }
    if start < word.len() {
        take(&word[start..]);
    }
}

/// Returns the kind of a grapheme, by the general category of its first code point.
fn kind_of(first: char) -> Kind {
    match first {
        it if is_chinese(it) => Kind::Alone,
        it if it.is_numeric() => Kind::Digits,
        // Marks and enclosed letters are alphabetic, too, but their categories are Mark and Symbol.
        '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f189}' => Kind::Alone,
        it if it.is_alphabetic() && !is_combining_mark(it) => Kind::Letters,
        _ => Kind::Alone,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        let mut ends = vec![0];
        pieces(text, &mut |piece| {
            ends.push(ends[ends.len() - 1] + piece.len())
        });
        ends.windows(2).map(|it| &text[it[0]..it[1]]).collect()
    }

    #[test]
    fn letters_and_digits_run_and_all_else_stands_alone() {
        for (text, tokens) in [
            ("don't", "don ' t"),
            ("1,000.50km²", "1 , 000 . 50 km ²"),
            ("well–known...", "well – known . . ."),
            ("光荣和ω-force3", "光 荣 和 ω - force 3"),
            ("ＡＢ１", "Ａ Ｂ １"),
            ("Ⅻth", "Ⅻ th"),
            ("Ⓐb", "Ⓐ b"),
            ("cafe\u{301}s", "cafe\u{301}s"),
            ("हिन्दी१२", "हिन्दी १२"),
            ("ok👍🏽👎", "ok 👍🏽 👎"),
            ("snake_case", "snake _ case"),
        ] {
            assert_eq!(cut(text).join(" "), tokens);
        }
    }
}
