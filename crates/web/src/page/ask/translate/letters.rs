//! Words for tasks without a language: splits words into letters, and compares letters and lengths
//! with the training data.

use strata_tasks::TaskConfig;

/// The most letters that have names of one character.
const ALPHABET: usize = 26;

/// Letters and lengths that a model learns from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Letters {
    /// Number of letters, from `a` on.
    symbols: usize,
    /// Length of the shortest and the longest word.
    lengths: (usize, usize),
}

impl Letters {
    /// Returns letters and lengths of a task; `None` unless the task copies, reverses or sorts letters.
    pub fn of(task: &TaskConfig) -> Option<Self> {
        let (symbols, minimum, maximum) = match task {
            TaskConfig::Copy(it) => (it.symbols, it.minimum_length, it.maximum_length),
            TaskConfig::Reverse(it) => (it.symbols, it.minimum_length, it.maximum_length),
            TaskConfig::Sort(it) => (it.symbols, it.minimum_length, it.maximum_length),
            _ => return None,
        };
        (symbols <= ALPHABET).then_some(Self {
            symbols,
            lengths: (minimum, maximum),
        })
    }

    /// Returns the last letter.
    fn last(self) -> char {
        char::from(b'a' + (self.symbols.clamp(1, ALPHABET) - 1) as u8)
    }

    fn knows(self, letter: char) -> bool {
        ('a'..=self.last()).contains(&letter)
    }

    /// Returns the text with a space between any two letters. Of several words, only words are split
    /// whose letters are all known: `zebra` among single letters is told as unknown, and not as five
    /// letters that nobody meant.
    pub fn split(self, text: &str) -> String {
        let words: Vec<&str> = text.split_whitespace().collect();
        let split = |word: &&str| {
            let word = word.to_lowercase();
            let is_known = word.chars().all(|letter| self.knows(letter));
            if words.len() > 1 && !is_known {
                return word;
            }
            let letters: Vec<String> = word.chars().map(String::from).collect();
            letters.join(" ")
        };
        words.iter().map(split).collect::<Vec<_>>().join(" ")
    }

    /// Returns a sentence on what the model learns from.
    pub fn learned(self) -> String {
        let (minimum, maximum) = self.lengths;
        let lengths = match minimum == maximum {
            true => format!("{minimum} letters"),
            false => format!("{minimum} to {maximum} letters"),
        };
        format!(
            "The model learns from words of {lengths}, a to {}.",
            self.last()
        )
    }

    /// Returns how a text is read, if it is split; else nothing.
    pub fn reading(self, text: &str) -> String {
        let split = self.split(text);
        let typed: Vec<&str> = text.split_whitespace().collect();
        if split.is_empty() || split == typed.join(" ") {
            return String::new();
        }
        format!(" Yours is read as {split}.")
    }

    /// Returns a sentence if a text is outside of what the model learns from, so that mistakes are no
    /// surprise.
    pub fn outside(self, text: &str) -> Option<String> {
        let split = self.split(text);
        let letters: Vec<&str> = split.split_whitespace().collect();
        let (minimum, maximum) = self.lengths;
        let count = letters.len();
        let is_known = |it: &&str| it.len() == 1 && it.chars().all(|letter| self.knows(letter));
        let unknown = letters.iter().find(|it| !is_known(it));
        let one = |count: usize| if count == 1 { "letter" } else { "letters" };
        match unknown {
            Some(other) => Some(format!(
                "“{other}” is none of the letters that it knows: it cannot write that."
            )),
            None if count == 0 => None,
            None if count < minimum => Some(format!(
                "{count} {}: shorter than every word that it learns from. It may write too much.",
                one(count)
            )),
            None if count > maximum => Some(format!(
                "{count} letters: longer than every word that it learns from. It may stop early or lose its place."
            )),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_tasks::CopyConfig;

    const LETTERS: Letters = Letters {
        symbols: 20,
        lengths: (10, 20),
    };

    #[test]
    fn a_word_is_split_and_a_sentence_of_letters_stays() {
        assert_eq!(LETTERS.split("hello"), "h e l l o");
        assert_eq!(LETTERS.split(" Hello "), "h e l l o");
        assert_eq!(LETTERS.split("a b c"), "a b c");
        assert_eq!(LETTERS.split("ab cd"), "a b c d");
        assert_eq!(LETTERS.split("a b zebra c"), "a b zebra c");
        assert_eq!(LETTERS.split("zebra"), "z e b r a");
        assert_eq!(LETTERS.split("   "), "");
    }

    #[test]
    fn what_lies_outside_is_told_before_the_answer() {
        let told = |text: &str| LETTERS.outside(text).unwrap_or_default();
        assert!(told("hello").starts_with("5 letters: shorter"));
        assert!(told("a").starts_with("1 letter: shorter"));
        assert!(told(&"ab".repeat(11)).starts_with("22 letters: longer"));
        assert!(told("zebra").starts_with("“z” is none"));
        assert_eq!(told("abcdefghij"), "");
        assert_eq!(told(""), "");
        assert_eq!(LETTERS.reading("hello"), " Yours is read as h e l l o.");
        assert_eq!(LETTERS.reading("a b"), "");
    }

    #[test]
    fn letters_are_those_of_the_task() {
        let task = |symbols| {
            TaskConfig::Copy(CopyConfig {
                symbols,
                ..CopyConfig::default()
            })
        };
        let letters = Letters::of(&task(3)).map(Letters::learned);
        assert_eq!(
            letters.as_deref(),
            Some("The model learns from words of 10 to 100 letters, a to c.")
        );
        assert_eq!(Letters::of(&task(27)), None);
    }
}
