//! Conversion of answers given in characters to tokens of the passage.

use super::TokenText;

/// Place at which an answer was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// First and last of the tokens that overlap the answer.
    pub tokens: [usize; 2],
    /// True if the answer was not found at the offset that the data set gives.
    pub moved: bool,
    /// True if the answer starts or ends inside a token.
    pub inside: bool,
}

/// Finds an answer in a passage: at code point `at`, or else at the place nearest to `at` (of two
/// equally near places, the earlier). `None` if the answer is blank or not in the passage.
pub(super) fn find(passage: &TokenText, answer: &str, at: Option<usize>) -> Option<Found> {
    if answer.trim().is_empty() {
        return None;
    }
    let text = passage.text();
    let place = |code_point: usize| {
        let mut places = text.char_indices().skip(code_point);
        places.next().map_or(text.len(), |(byte, _)| byte)
    };
    let at = at.map_or(0, place);
    let start = if text[at..].starts_with(answer) {
        at
    } else {
        nearest(text, answer, at)?
    };
    let (first, behind) = (start as u32, (start + answer.len()) as u32);
    let [from, to] = passage.overlapping([first, behind])?;
    let places = passage.places();
    Some(Found {
        tokens: [from, to],
        moved: start != at,
        inside: places[from][0] != first || places[to][1] != behind,
    })
}

/// Returns the byte offset of the occurrence of `answer` that is nearest to byte `at`, measured in
/// code points.
fn nearest(text: &str, answer: &str, at: usize) -> Option<usize> {
    let after = text[at..].find(answer).map(|found| at + found);
    // The last occurrence that begins before `at` may end behind `at`.
    let mut end = (at + answer.len()).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = text[..end].rfind(answer);
    match (before, after) {
        (Some(before), Some(after)) => {
            let distance = |from: usize, to: usize| text[from..to].chars().count();
            let nearer = distance(before.min(at), at) <= distance(at, after);
            Some(if nearer { before } else { after })
        }
        (before, after) => before.or(after),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReadingLevel;

    fn found(text: &str, answer: &str, at: usize) -> Option<([usize; 2], bool, bool)> {
        let cut = TokenText::new(text.to_owned(), ReadingLevel::Fine.places(text));
        find(&cut, answer, Some(at)).map(|it| (it.tokens, it.moved, it.inside))
    }

    #[test]
    fn an_answer_stands_where_it_is_said_or_else_nearest_to_it() {
        let text = "ab ab ab ab";
        assert_eq!(found(text, "ab", 3), Some(([1, 1], false, false)));
        assert_eq!(found(text, "ab", 4), Some(([1, 1], true, false)));
        assert_eq!(found(text, "ab", 5), Some(([2, 2], true, false)));
        // The earlier of two equally near places wins.
        assert_eq!(found("x a y a x", "a", 4), Some(([1, 1], true, false)));
        assert_eq!(found(text, "ab", 999), Some(([3, 3], true, false)));
        assert_eq!(found(text, "ba", 3), None);
        assert_eq!(found(text, " ", 2), None);
        assert_eq!(found("", "a", 0), None);
    }

    #[test]
    fn offsets_are_code_points() {
        let text = "e\u{301}👩\u{200d}👧 光荣 ｗ x";
        assert_eq!(found(text, "光荣", 6), Some(([2, 3], false, false)));
        assert_eq!(found(text, "ｗ", 9), Some(([4, 4], false, false)));
        assert_eq!(found(text, "x", 11), Some(([5, 5], false, false)));
    }

    #[test]
    fn all_tokens_that_overlap_are_taken_and_ends_within_one_are_known() {
        assert_eq!(
            found("the 1990s were", "1990", 4),
            Some(([1, 1], false, false))
        );
        assert_eq!(
            found("in Germany then", "German", 3),
            Some(([1, 1], false, true))
        );
        assert_eq!(found("a bc d", " bc ", 1), Some(([1, 1], false, true)));
        assert_eq!(
            found("cafe\u{301}s", "cafe", 0),
            Some(([0, 0], false, true))
        );
        assert_eq!(
            found("one two three", "one two", 0),
            Some(([0, 1], false, false))
        );
    }
}
