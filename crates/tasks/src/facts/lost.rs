//! Changes of a text that is cut into tokens and joined again.

use serde::{Deserialize, Serialize};
use strata_text::{Normalize, TextForm, TokenUnit};

use super::capital;

/// Most characters of an example that are shown.
const SHOWN: usize = 60;

/// Number of lines that change when they are cut into tokens and joined again, so that no model can
/// generate them as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lost {
    /// Number of lines that were tested.
    pub of: u64,
    /// Number of lines that changed.
    pub lines: u64,
    /// First line that changed, before and after.
    pub example: Option<[String; 2]>,
}

impl Lost {
    /// Counts a line, given its text after cutting and joining.
    pub fn add_line(&mut self, line: &str, rejoined: &str) {
        self.of += 1;
        if line == rejoined {
            return;
        }
        self.lines += 1;
        if self.example.is_none() {
            self.example = Some(around([line, rejoined]));
        }
    }

    /// Returns a sentence on the changes, or `None` if no line changed. `name` is the side;
    /// `scored` states the effect on scores.
    pub fn sentence(
        &self,
        name: &str,
        level: TokenUnit,
        form: TextForm,
        scored: &str,
    ) -> Option<String> {
        let [line, rejoined] = self.example.as_ref()?;
        let Self { of, lines, .. } = self;
        let of_form = match (form.lowercase, form.normalize) {
            (true, _) => " in lower case",
            (false, Normalize::Nfc) => " in the form nfc",
            (false, Normalize::Nfkc) => " in the form nfkc",
            (false, Normalize::None) => "",
        };
        Some(format!(
            "{}: {lines} of {of} lines are another text once they are cut into tokens of the level \
             `{}`{of_form} and joined again, as a model writes them: {} becomes {}{scored}.",
            capital(name),
            level.name(),
            quoted(line),
            quoted(rejoined),
        ))
    }
}

/// Cuts two texts to the part around their first difference.
fn around([line, rejoined]: [&str; 2]) -> [String; 2] {
    let pairs = line.chars().zip(rejoined.chars());
    let same = pairs.take_while(|(a, b)| a == b).count();
    let from = match same {
        0..SHOWN => 0,
        _ => same - SHOWN / 2,
    };
    [line, rejoined].map(|text| {
        let mut shown: String = text.chars().skip(from).take(SHOWN).collect();
        if from > 0 {
            shown.insert(0, '…');
        }
        if text.chars().count() > from + SHOWN {
            shown.push('…');
        }
        shown
    })
}

/// Quotes a text in backticks, with escapes for characters that cannot be seen.
fn quoted(text: &str) -> String {
    let is_plain = |it: char| it == ' ' || (!it.is_whitespace() && !it.is_control());
    if text.chars().all(is_plain) {
        format!("`{text}`")
    } else {
        format!("`{}`", text.escape_debug())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_text::Segmenter;

    fn told(level: TokenUnit, form: TextForm, lines: &[&str]) -> Option<String> {
        let segmenter = Segmenter::of_level(level, form);
        let mut lost = Lost::default();
        for line in lines {
            lost.add_line(line, &segmenter.rejoined(line));
        }
        lost.sentence("target", level, form, "")
    }

    #[test]
    fn what_tokens_lose_is_told_at_every_level() {
        let plain = TextForm::from(false);
        let lower = TextForm::from(true);
        let nfc = TextForm {
            normalize: Normalize::Nfc,
            ..plain
        };
        for (level, form, line, becomes) in [
            (TokenUnit::Word, plain, "a  b", "`a b`"),
            (TokenUnit::Punctuation, plain, "chat !", "`chat!`"),
            (TokenUnit::Punctuation, plain, "https://x.y", "`https:/"),
            (TokenUnit::Character, plain, "a\u{2423}b", "`a b`"),
            (TokenUnit::Bpe, plain, "\u{2581}a", "`_a`"),
            (TokenUnit::Unigram, plain, "a  b", "`a b`"),
            (TokenUnit::Word, lower, "Ein Hund", "`ein hund`"),
            (TokenUnit::Word, nfc, "cafe\u{301}", "`caf\u{e9}`"),
        ] {
            let told = told(level, form, &["ein hund", line]).unwrap_or_default();
            assert!(
                told.contains("Target: 1 of 2 lines are another text"),
                "{level:?}: {told}"
            );
            assert!(
                told.contains(&format!("becomes {becomes}")),
                "{level:?}: {told}"
            );
        }
        assert_eq!(told(TokenUnit::Word, plain, &["chat !", "a"]), None);
    }

    #[test]
    fn of_a_long_line_the_difference_is_shown() {
        let line = format!("{}A  b{}", "x".repeat(100), "y".repeat(100));
        let [line, rejoined] = around([&line, &line.replace("  ", " ")]);
        assert!(
            line.contains("A  b") && rejoined.contains("A b"),
            "{line} {rejoined}"
        );
        assert!(line.starts_with('…') && line.ends_with('…'));
    }
}
