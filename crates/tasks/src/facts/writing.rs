//! Properties of a text's writing that influence a run.

use serde::{Deserialize, Serialize};
use strata_text::{
    LONGEST_WORD, Spelling, TokenUnit, Unspaced, hides_in_words, is_blank, special::TEXTS,
};

/// Mean number of letters between spaces above which a text in a script without spaces counts as
/// not segmented into words.
const WORD_OF_HAN: f64 = 3.0;
const WORD_OF_OTHERS: f64 = 12.0;
/// Least share of letters of such a script.
const MOSTLY: f64 = 0.5;
/// Least share of kana in a Japanese text.
const JAPANESE: f64 = 0.05;

/// Properties of a text's writing that influence a run, counted line by line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Writing {
    /// Lines with invisible characters only, but not with white space only.
    pub invisible: u64,
    /// Lines with an invisible character inside a word, so that words that look the same differ.
    pub hidden: u64,
    /// Lines with composed letters: letter and accent are one character.
    pub composed: u64,
    /// Lines with decomposed letters: letter and accent are several characters.
    pub decomposed: u64,
    /// Number of words that are spelt like each of the special tokens.
    pub special: [u64; 4],
    /// Number of words, separated by white space.
    pub words: u64,
    /// Words with a punctuation mark at an end.
    pub with_marks: u64,
    /// Words that are too long for learning subwords.
    pub long_words: u64,
    /// Lines with escapes of Moses' tokeniser, or of HTML.
    #[serde(default)]
    pub escaped: u64,
    letters: u64,
    han: u64,
    kana: u64,
    southern: u64,
    /// Number of words with letters of scripts without spaces.
    unspaced_words: u64,
}

impl Writing {
    /// Counts a line.
    pub fn add_line(&mut self, line: &str) {
        if line.is_ascii() {
            self.letters += line.bytes().filter(u8::is_ascii_alphanumeric).count() as u64;
        } else {
            self.add_letters(line);
        }
        if is_blank(line) {
            self.invisible += u64::from(!line.trim().is_empty());
            return;
        }
        self.escaped += u64::from(has_escape(line));
        for word in line.split_whitespace() {
            self.words += 1;
            self.with_marks += u64::from(has_mark(word));
            self.long_words +=
                u64::from(word.len() > LONGEST_WORD && word.chars().nth(LONGEST_WORD).is_some());
            if word.starts_with('<') {
                let special = TEXTS.iter().position(|text| *text == word);
                special.into_iter().for_each(|at| self.special[at] += 1);
            }
        }
    }

    fn add_letters(&mut self, line: &str) {
        self.hidden += u64::from(line.contains(hides_in_words));
        let spelling = Spelling::of(line);
        self.composed += u64::from(spelling.composed);
        self.decomposed += u64::from(spelling.decomposed);
        for word in line.split_whitespace() {
            let mut is_unspaced = false;
            for character in word.chars().filter(|it| it.is_alphanumeric()) {
                self.letters += 1;
                let script = Unspaced::of(character);
                is_unspaced |= script.is_some();
                match script {
                    Some(Unspaced::Han) => self.han += 1,
                    Some(Unspaced::Kana) => self.kana += 1,
                    Some(Unspaced::Southern) => self.southern += 1,
                    None => {}
                }
            }
            self.unspaced_words += u64::from(is_unspaced);
        }
    }

    /// True if letters with accents are spelt in both ways.
    pub fn is_mixed(&self) -> bool {
        self.composed > 0 && self.decomposed > 0
    }

    /// Returns suitable levels if the text is written without spaces, else `None`.
    pub fn unspaced_levels(&self) -> Option<Vec<TokenUnit>> {
        let chinese = self.han + self.kana;
        let letters = chinese + self.southern;
        let mean = letters as f64 / self.unspaced_words.max(1) as f64;
        let longest = if chinese > self.southern {
            WORD_OF_HAN
        } else {
            WORD_OF_OTHERS
        };
        if letters == 0 || (letters as f64) < MOSTLY * self.letters as f64 || mean <= longest {
            return None;
        }
        let is_chinese = self.han > self.southern
            && (self.kana as f64) < JAPANESE * chinese as f64
            && TokenUnit::Jieba.check().is_ok();
        Some(if is_chinese {
            vec![TokenUnit::Jieba, TokenUnit::Character]
        } else {
            vec![TokenUnit::Character, TokenUnit::Unigram]
        })
    }
}

/// True for a line with an escape of Moses' tokeniser, or with a character reference of HTML.
fn has_escape(line: &str) -> bool {
    let names = [
        "apos", "quot", "amp", "lt", "gt", "nbsp", "bar", "bra", "ket",
    ];
    let named = |rest: &str| {
        let end = rest.find(';').filter(|&end| end < 10);
        end.is_some_and(|end| {
            let name = &rest[..end];
            let number = name.strip_prefix('#').unwrap_or_default();
            let digits = number.strip_prefix(['x', 'X']).unwrap_or(number);
            names.contains(&name)
                || (!digits.is_empty() && digits.bytes().all(|it| it.is_ascii_hexdigit()))
        })
    };
    let mut entities = line.match_indices('&');
    let joined = || {
        line.split_whitespace()
            .any(|word| matches!(word, "@-@" | "@.@" | "@,@" | "@/@"))
    };
    entities.any(|(at, _)| named(&line[at + 1..])) || (line.contains('@') && joined())
}

/// True for a word with a punctuation mark at its beginning or end.
fn has_mark(word: &str) -> bool {
    let ends = word.ends_with(['.', ',', ';', ':', '!', '?', '…', '”', '"', ')', '»', '“']);
    let begins = || word.starts_with(['"', '(', '“', '„', '«', '¿', '¡']);
    (ends || begins()) && word.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writing(text: &str) -> Writing {
        let mut writing = Writing::default();
        text.lines().for_each(|line| writing.add_line(line));
        writing
    }

    #[test]
    fn chinese_japanese_and_thai_without_spaces_are_recognised() {
        let levels = |text: &str| writing(text).unspaced_levels();
        let jieba = TokenUnit::Jieba.check().is_ok();
        let chinese = levels("我喜欢猫。\n今天天气很好。 他在家\nRust 很好用\n");
        let first = if jieba {
            TokenUnit::Jieba
        } else {
            TokenUnit::Character
        };
        assert_eq!(chinese.map(|it| it[0]), Some(first));
        for text in [
            "私は猫が好きです。\n今日は天気がいい。\n",
            "ฉันชอบแมวและสุนัขมาก\nวันนี้อากาศดีมาก\n",
        ] {
            assert_eq!(
                levels(text).map(|it| it[0]),
                Some(TokenUnit::Character),
                "{text}"
            );
        }
        for text in [
            "我 喜欢 猫 。\n今天 天气 很 好 。\n",
            "나는 고양이를 좋아한다\n",
            "ฉัน ชอบ แมว และ สุนัข มาก\n",
            "Das heißt 我喜欢猫 auf Chinesisch, sagt der Lehrer in der Schule.\n",
            "ein hund\n",
            "",
        ] {
            assert_eq!(levels(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_on_lines_is_counted() {
        let found = writing(
            "a <s> </s> <s>\n\u{200b}\n \nein\u{ad}mal\nHund, (Katze) it's 'n U\ncaf\u{e9}\ncafe\u{301}\n",
        );
        assert_eq!(found.special, [0, 2, 1, 0]);
        assert_eq!((found.invisible, found.hidden), (1, 2));
        assert_eq!((found.words, found.with_marks), (12, 2));
        assert!(found.is_mixed());
        assert!(!writing("caf\u{e9}\nth\u{e9}\n").is_mixed());
        let escapes =
            "l &apos;homme\n&quot; a &quot;\na @-@ b\n&#91; x &#x5D;\nR & D; a@b.c\n&é;\n";
        assert_eq!(writing(escapes).escaped, 4);
        let long = "a".repeat(LONGEST_WORD);
        assert_eq!(writing(&format!("{long} {long}a\n")).long_words, 1);
    }
}
