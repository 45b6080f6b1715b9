//! Places of a file's own tokens in its text.

use std::collections::HashSet;

/// Returns the places of a file's tokens in its text, from left to right. A token is searched from
/// the end of the one before, ignoring white space. Text that the segmenter dropped is skipped; a
/// token that is not found gets an empty place behind the last one found.
pub(super) fn places(text: &str, tokens: &[String]) -> Vec<[u32; 2]> {
    let mut dense = String::with_capacity(text.len());
    // First byte in the text, and byte behind the last, for each byte of `dense`.
    let (mut begins, mut ends) = (Vec::new(), Vec::new());
    for (at, character) in text.char_indices().filter(|it| !it.1.is_whitespace()) {
        dense.push(character);
        let length = character.len_utf8();
        begins.extend([at as u32].repeat(length));
        ends.extend([(at + length) as u32].repeat(length));
    }
    // A token that is not found from one place on will not be found from a later one.
    let mut missing: HashSet<&str> = HashSet::new();
    let (mut rest, mut end) = (0, 0);
    let mut places = Vec::with_capacity(tokens.len());
    for token in tokens {
        let own: String = token.chars().filter(|it| !it.is_whitespace()).collect();
        let is_missing = own.is_empty() || missing.contains(&**token);
        let found = if is_missing {
            None
        } else {
            dense[rest..].find(&own)
        };
        match found {
            Some(found) => {
                let from = rest + found;
                rest = from + own.len();
                end = ends[rest - 1];
                places.push([begins[from], end]);
            }
            None => {
                missing.insert(token);
                places.push([end, end]);
            }
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(text: &'a str, tokens: &[&str]) -> Vec<&'a str> {
        let tokens: Vec<String> = tokens.iter().map(|it| (*it).to_owned()).collect();
        let places = places(text, &tokens).into_iter();
        places
            .map(|[start, end]| &text[start as usize..end as usize])
            .collect()
    }

    #[test]
    fn tokens_are_found_from_left_to_right() {
        assert_eq!(
            found("打开 app®打开", &["打开", "app", "打开"]),
            ["打开", "app", "打开"]
        );
        // White space within a token is ignored on both sides.
        assert_eq!(found("New  York!", &["New York", "!"]), ["New  York", "!"]);
        assert_eq!(found("ab", &["a b"]), ["ab"]);
        // A token that is not in the text gets an empty place, and later tokens are still found.
        assert_eq!(
            found("a c", &["a", "b", " ", "c", "c"]),
            ["a", "", "", "c", ""]
        );
        assert_eq!(found("", &["a"]), [""]);
    }
}
