//! Segmentation into words and punctuation marks, and back to text.
//!
//! As in the tokenisers of Moses and of mteval-v13a for European languages, a punctuation mark is a
//! token of its own, except apostrophes and hyphens within words, and points and commas within
//! numbers. Grapheme clusters (a letter with its accents, an emoji with its skin tone) are never
//! split.

use unicode_segmentation::UnicodeSegmentation;

/// Passes the words and marks of a stretch of text without white space to `take`.
pub(crate) fn pieces(word: &str, take: &mut dyn FnMut(&str)) {
    // Start of the present piece, its kind, and its last character.
    let (mut start, mut kind, mut last) = (0, None, "");
    let mut rest = word.grapheme_indices(true).peekable();
    while let Some((at, character)) = rest.next() {
        let next = rest.peek().map(|&(_, next)| next);
        let now = kind_of(last, character, next);
        let goes_on = match now {
            Kind::Letter => kind == Some(Kind::Letter),
            // `...` and `!!` are one mark each.
            Kind::Mark => kind == Some(Kind::Mark) && last == character,
        };
        if !goes_on && at > start {
            take(&word[start..at]);
            start = at;
        }
        (kind, last) = (Some(now), character);
    }
    if start < word.len() {
        take(&word[start..]);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Mark,
}

fn kind_of(last: &str, character: &str, next: Option<&str>) -> Kind {
    let between = |is: fn(char) -> bool| {
        first(last).is_some_and(is) && { next.and_then(first).is_some_and(is) }
    };
    let belongs_to_word = match character {
        "'" | "’" | "-" | "\u{2010}" | "\u{2011}" | "·" => between(char::is_alphanumeric),
        "." | "," => between(char::is_numeric),
        _ => first(character).is_some_and(|it| it.is_alphanumeric() || it == '_'),
    };
    if belongs_to_word {
        Kind::Letter
    } else {
        Kind::Mark
    }
}

fn first(text: &str) -> Option<char> {
    text.chars().next()
}

/// Joins words and marks as they are usually written; ambiguous marks follow the rules of English.
pub(crate) fn join<'a>(tokens: impl Iterator<Item = &'a str>, chinese: bool) -> String {
    let mut text = String::new();
    let mut quotes = Quotes::default();
    let mut space_allowed = false;
    for token in tokens {
        let (before, after) = quotes.spaces(token);
        let dense = chinese
            && (text.chars().next_back().is_some_and(is_chinese)
                || first(token).is_some_and(is_chinese));
        if space_allowed && before && !dense {
            text.push(' ');
        }
        text.push_str(token);
        space_allowed = after;
    }
    text
}

/// Quotation marks that are open.
#[derive(Default)]
struct Quotes {
    double: bool,
    single: bool,
    german: bool,
}

impl Quotes {
    /// Returns true for each side of a token, before and after, on which a space may stand.
    fn spaces(&mut self, token: &str) -> (bool, bool) {
        let opens_or_closes = |open: &mut bool| {
            *open = !*open;
            (*open, !*open)
        };
        let mut characters = token.chars();
        let Some(mark) = characters.next() else {
            return (true, true);
        };
        match mark {
            '"' => opens_or_closes(&mut self.double),
            '\'' if characters.next().is_none() => opens_or_closes(&mut self.single),
            '„' | '‚' => {
                self.german = true;
                (true, false)
            }
            // The German closing mark equals the English opening mark.
            '“' | '‘' if std::mem::take(&mut self.german) => (false, true),
            '(' | '[' | '{' | '“' | '‘' | '«' | '‹' | '¿' | '¡' | '#' | '$' | '£' | '@' | '（'
            | '「' | '『' | '《' | '【' => (true, false),
            ',' | '.' | ';' | ':' | '!' | '?' | '…' | '%' | ')' | ']' | '}' | '”' | '’' | '»'
            | '›' | '°' | '，' | '。' | '、' | '；' | '：' | '？' | '！' | '）' | '」' | '』'
            | '》' | '】' => (false, true),
            '/' => (false, false),
            _ => (true, true),
        }
    }
}

/// True for Chinese and Japanese characters and their punctuation, which are written without
/// spaces.
pub fn is_chinese(character: char) -> bool {
    matches!(character,
        '\u{2e80}'..='\u{312f}' | '\u{31c0}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ffef}'
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        for word in text.split_whitespace() {
            pieces(word, &mut |piece| tokens.push(piece.to_owned()));
        }
        tokens
    }

    fn joined(tokens: &[String]) -> String {
        join(tokens.iter().map(String::as_str), false)
    }

    #[test]
    fn marks_stand_apart_and_words_stay_whole() {
        let tokens = "Two young, White males don't pay $1,000.50 (well-known) ... !!";
        assert_eq!(
            cut(tokens).join(" "),
            "Two young , White males don't pay $ 1,000.50 ( well-known ) ... !!"
        );
        assert_eq!(cut("snake_case a.b 3.").join(" "), "snake_case a . b 3 .");
    }

    #[test]
    fn what_is_seen_as_one_character_is_never_cut() {
        // e and a combining accent; a family of three; a thumb with its tone; Hindi with a virama.
        for text in ["cafe\u{301}s", "👨\u{200d}👩\u{200d}👧", "👍🏽", "हिन्दी"]
        {
            assert_eq!(cut(text), [text]);
        }
        assert_eq!(cut("ok👍🏽👎"), ["ok", "👍🏽", "👎"]);
    }

    #[test]
    fn written_text_comes_back() {
        for text in [
            "Ein Hund läuft, und zwei Männer (mit Hüten) schauen zu.",
            "\"Stop!\" she said: it's 5.5%, isn't it?",
            "„Gut“, sagte er; 10.000 Euro/Jahr…",
            "“Yes”, and 'no' – again [sic].",
        ] {
            assert_eq!(joined(&cut(text)), text);
        }
    }

    #[test]
    fn joining_and_cutting_again_changes_no_token() {
        let tokens = cut("a ( b ) , c \" d e \" f . \u{301}x ' g ' / % ... h");
        assert_eq!(cut(&joined(&tokens)), tokens);
    }

    #[test]
    fn chinese_is_written_without_spaces() {
        let tokens = ["我", "在", "用", "Rust", "lang", "。"];
        assert_eq!(join(tokens.into_iter(), true), "我在用Rust lang。");
        assert_eq!(join(tokens.into_iter(), false), "我 在 用 Rust lang。");
    }
}
