//! Tokenisers of BLEU, each equal to sacreBLEU's of the same name, since the score depends on how
//! words are split.

mod chinese;
mod international;
mod western;

use std::fmt;
use std::str::FromStr;

use crate::MetricError;

/// Tokeniser, which splits a text into words for BLEU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BleuTokenizer {
    /// Tokeniser `13a` of WMT (mteval-v13a): ASCII punctuation marks are tokens.
    #[default]
    Western,
    /// Tokeniser `intl` (mteval-v14): all Unicode punctuation marks and symbols are tokens.
    International,
    /// Tokeniser `zh`: each Chinese character is a token, the rest is split as in `13a`.
    Chinese,
    /// Tokeniser `char`: each character is a token.
    Characters,
    /// Tokeniser `none`: splits only at white space.
    None,
}

impl BleuTokenizer {
    /// All tokenisers.
    pub const ALL: [Self; 5] = [
        Self::Western,
        Self::International,
        Self::Chinese,
        Self::Characters,
        Self::None,
    ];

    /// Name of the tokeniser in sacreBLEU and its signatures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Western => "13a",
            Self::International => "intl",
            Self::Chinese => "zh",
            Self::Characters => "char",
            Self::None => "none",
        }
    }

    /// Separates the tokens of a text by white space; [`words`](crate::words) iterates over them.
    pub fn tokenize(self, text: &str) -> String {
        match self {
            Self::Western => western::tokenize(text),
            Self::International => international::tokenize(text),
            Self::Chinese => chinese::tokenize(text),
            Self::Characters => text.chars().flat_map(|it| [it, ' ']).collect(),
            Self::None => text.to_owned(),
        }
    }
}

impl fmt::Display for BleuTokenizer {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for BleuTokenizer {
    type Err = MetricError;

    fn from_str(name: &str) -> Result<Self, MetricError> {
        let known = Self::ALL.into_iter().find(|it| it.name() == name);
        let name = name.to_owned();
        known.ok_or_else(|| match foreign(&name) {
            Some((what, command)) => MetricError::ForeignTokenizer {
                name,
                what,
                command,
            },
            None => MetricError::Tokenizer { name },
        })
    }
}

/// External program by which a tokeniser of sacreBLEU splits text, and the command that splits a
/// file; `None` for unknown names.
fn foreign(name: &str) -> Option<(&'static str, &'static str)> {
    let mecab = "`mecab -O wakati < text > cut`";
    let pieces = "`spm_encode --model=MODEL < text > cut`";
    Some(match name {
        "ja-mecab" => ("MeCab with its IPA dictionary", mecab),
        "ko-mecab" => ("MeCab with its Korean dictionary", mecab),
        "spm" | "flores101" => ("the SentencePiece model of FLORES-101", pieces),
        "flores200" => ("the SentencePiece model of FLORES-200", pieces),
        "spBLEU-1K" => ("a SentencePiece model of NLLB", pieces),
        _ => return None,
    })
}

/// Imitates Python's `re.sub` for a pattern of two characters: from left to right and without
/// overlap, replaces neighbours that match `apart` by `spaced`.
fn separate(
    text: &str,
    apart: impl Fn(char, char) -> bool,
    spaced: impl Fn(char, char) -> [char; 4],
) -> String {
    let mut separated = String::with_capacity(text.len() + text.len() / 4);
    let mut characters = text.chars().peekable();
    while let Some(first) = characters.next() {
        match characters.next_if(|&second| apart(first, second)) {
            Some(second) => separated.extend(spaced(first, second)),
            None => separated.push(first),
        }
    }
    separated
}

/// Separates the second character of a pair as a token.
fn second_alone(first: char, second: char) -> [char; 4] {
    [first, ' ', second, ' ']
}

/// Separates the first character of a pair as a token.
fn first_alone(first: char, second: char) -> [char; 4] {
    [' ', first, ' ', second]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::words;

    fn tokens(tokenizer: BleuTokenizer, text: &str) -> String {
        words(&tokenizer.tokenize(text))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn names_lead_back() {
        for tokenizer in BleuTokenizer::ALL {
            assert_eq!(tokenizer.to_string().parse(), Ok(tokenizer));
        }
        let error = |name: &str| name.parse::<BleuTokenizer>().unwrap_err().to_string();
        for (name, command) in [
            ("ja-mecab", "mecab -O wakati"),
            ("ko-mecab", "mecab -O wakati"),
            ("spm", "spm_encode"),
            ("flores101", "spm_encode"),
            ("flores200", "spm_encode"),
        ] {
            let error = error(name);
            assert!(error.contains(&format!("`{name}`")), "{error}");
            assert!(
                error.contains(command) && error.contains("`none`"),
                "{error}"
            );
        }
        assert!(error("14a").starts_with("there is no tokeniser `14a`"));
    }

    #[test]
    fn western_punctuation_stands_alone_but_within_numbers() {
        for (text, expected) in [
            ("Hello, world!", "Hello , world !"),
            ("1,000.5 or .5 or 5.", "1,000.5 or . 5 or 5 ."),
            ("a-b 3-4 x--", "a-b 3 - 4 x--"),
            ("&quot;a&amp;lt;b&gt; it's $5", "\" a < b > it's $ 5"),
            ("a<skipped>b end-\nof-\nline", "ab endofline"),
            ("Prix : 5 €, non…", "Prix : 5 € , non…"),
            ("a..b.,c", "a . . b . , c"),
        ] {
            assert_eq!(tokens(BleuTokenizer::Western, text), expected, "{text}");
        }
    }

    #[test]
    fn international_punctuation_is_all_of_unicode() {
        for (text, expected) in [
            ("«Non…», dit-il.", "« Non … » , dit - il ."),
            ("1,000.5 € ½–¾", "1,000.5 € ½–¾"),
            ("x²+y", "x² + y"),
            ("2012.", "2012."),
            ("&quot;", "& quot ;"),
        ] {
            assert_eq!(
                tokens(BleuTokenizer::International, text),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn chinese_characters_stand_alone() {
        for (text, expected) in [
            ("我爱BLEU4,你呢?", "我 爱 BLEU4 , 你 呢 ?"),
            ("3.5米。", "3.5 米 。"),
            // sacreBLEU's list of Chinese characters includes general punctuation.
            ("a—b", "a — b"),
            ("𠀀𠀁", "𠀀𠀁"),
        ] {
            assert_eq!(tokens(BleuTokenizer::Chinese, text), expected, "{text}");
        }
    }

    #[test]
    fn characters_are_those_that_can_be_seen() {
        assert_eq!(
            tokens(BleuTokenizer::Characters, "ab 你\u{2028}."),
            "a b 你 ."
        );
        assert_eq!(tokens(BleuTokenizer::None, " a,b  c. "), "a,b c.");
    }
}
