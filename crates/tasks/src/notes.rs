//! Facts as sentences for the user.

use std::path::Path;

use strata_text::{Normalize, TextForm, TokenUnit, special::TEXTS};

use crate::facts::capital;
use crate::{Facts, Known, Pipeline, SideFacts, TaskConfig, Writing};

/// Least share of unknown tokens for a note.
const TOLD: f64 = 0.01;
const MUCH: f64 = 0.05;
/// Least number of tokens of a text whose shares are reported.
const FEWEST: u64 = 20;
/// Least share of words with punctuation marks for a note.
const MANY_MARKS: f64 = 0.05;
/// Least share of pairs with the same text on both sides for a note.
const MANY_ALIKE: f64 = 0.2;
/// Least share of unknown held-out tokens at which the note asks if the sides are swapped.
const FOREIGN: f64 = 0.3;

impl Facts {
    /// Returns notes for the user before a run of `task` on these texts, a sentence each.
    pub fn sentences(&self, task: &TaskConfig) -> Vec<String> {
        let levels = task.levels();
        let names: &[&'static str] = match task.pipeline() {
            Pipeline::Translation | Pipeline::Poetry => &["source", "target"],
            Pipeline::TextGeneration => &["text"],
            // The counts of questions are among the remarks.
            Pipeline::QuestionAnswering => &[],
        };
        let (minimum_count, form) = match task {
            TaskConfig::Files(config) => (config.minimum_count, config.text_form()),
            TaskConfig::Text(config) => (config.minimum_count, config.text_form()),
            _ => (1, false.into()),
        };
        let vocabulary = |name: &str| match task {
            TaskConfig::Files(config) if name == "source" => config.source_vocabulary.as_deref(),
            TaskConfig::Files(config) => config.target_vocabulary.as_deref(),
            _ => None,
        };
        let named = |((name, side), level): ((&&'static str, _), _)| Named {
            name,
            side,
            level,
            minimum_count,
            form,
            vocabulary: vocabulary(name),
        };
        let sides: Vec<Named> = names
            .iter()
            .zip(&self.sides)
            .zip(levels)
            .map(named)
            .collect();
        let mut told = self.remarks.clone();
        told.extend(unknown(&sides));
        told.extend(self.swapped());
        for side in &sides {
            told.extend(side.sentences());
        }
        if self.alike as f64 >= MANY_ALIKE * self.pairs.max(1) as f64 {
            told.push(format!(
                "{} of {} pairs have the same text on both sides: what is learned there is to copy. \
                 Check that source and target are two languages.",
                self.alike, self.pairs
            ));
        }
        told
    }

    /// Returns a question to the user if held-out source and target seem to be swapped.
    fn swapped(&self) -> Option<String> {
        let is_swapped = |side: &SideFacts| {
            let Known { tokens, unknown } = side.held_out;
            side.held_out.share() > FOREIGN && side.known_on_other_side > (tokens - unknown)
        };
        self.sides.iter().all(is_swapped).then(|| {
            "The held-out texts seem to be swapped: the target vocabulary knows more of their \
             source, and the source vocabulary more of their target."
                .to_owned()
        })
    }
}

/// A side of the corpus under the name that users know.
struct Named<'a> {
    name: &'static str,
    side: &'a SideFacts,
    level: TokenUnit,
    minimum_count: usize,
    form: TextForm,
    /// File of the vocabulary, if the side has one.
    vocabulary: Option<&'a Path>,
}

/// Returns notes on the shares of unknown tokens, if these are large, with advice.
fn unknown(sides: &[Named]) -> Vec<String> {
    if sides.iter().all(|side| side.most_unknown() < TOLD) {
        return Vec::new();
    }
    let shares = |known: fn(&SideFacts) -> Known| {
        let shares = sides.iter().map(|it| {
            let share = 100.0 * known(it.side).share();
            format!("{share:.1} % of the {} tokens", it.name)
        });
        shares.collect::<Vec<_>>().join(" and ")
    };
    let mut told = vec![format!(
        "Unknown (`<unk>`) are {} to learn from; of what is held out, {}.",
        shares(|it| it.training),
        shares(|it| it.held_out),
    )];
    let much: Vec<&Named> = sides
        .iter()
        .filter(|side| side.most_unknown() >= MUCH)
        .collect();
    let advice: Vec<String> = much.iter().map(|side| side.advice()).collect();
    match (&much[..], &advice[..]) {
        ([_, _], [source, target]) if source == target => {
            told.push(format!("Source and target: {source}."));
        }
        _ => told.extend(
            much.iter()
                .zip(&advice)
                .map(|(side, advice)| format!("{}: {advice}.", capital(side.name))),
        ),
    }
    told
}

impl Named<'_> {
    /// Returns the larger of the shares of unknown tokens in training and held-out text; 0 for a
    /// text that is too short.
    fn most_unknown(&self) -> f64 {
        let share = |known: Known| match known.tokens {
            0..FEWEST => 0.0,
            _ => known.share(),
        };
        share(self.side.training).max(share(self.side.held_out))
    }

    /// Returns advice that reduces the number of unknown tokens.
    fn advice(&self) -> String {
        let setting = match self.name {
            "target" => "`task.level` or `task.target_level`",
            _ => "`task.level`",
        };
        if let Some(path) = self.vocabulary {
            let known = match self.side.training {
                Known { tokens, unknown } if tokens == unknown => "knows no token of the text",
                _ => "lacks these tokens",
            };
            return format!(
                "the vocabulary of {} {known}; name one whose tokens are those of the level `{}` \
                 (`task.{}_vocabulary`), or leave that setting out, so that one is learned",
                path.display(),
                self.level.name(),
                self.name,
            );
        }
        if let Some(advice) = without_spaces(&self.side.writing, self.level) {
            return format!("{advice} ({setting})");
        }
        let level = match self.level {
            TokenUnit::Word if self.marks() >= MANY_MARKS => {
                "choose the level `punctuation` or `bpe`"
            }
            TokenUnit::Word | TokenUnit::Punctuation | TokenUnit::Jieba => "choose the level `bpe`",
            TokenUnit::Character | TokenUnit::Bpe | TokenUnit::Unigram => {
                return "lower `task.minimum_count`, so that rarer characters are known".to_owned();
            }
            TokenUnit::Sentencepiece => {
                return "take a model with `byte_fallback`, or one that was trained on such text"
                    .to_owned();
            }
        };
        let other = match self.side.training.share() >= MUCH {
            true if self.side.is_full => "raise `task.maximum_vocabulary`",
            true if self.minimum_count > 1 => "lower `task.minimum_count`",
            _ => "learn from more text",
        };
        format!("{level} ({setting}), or {other}")
    }

    /// Returns the share of words with a punctuation mark at an end.
    fn marks(&self) -> f64 {
        self.side.writing.marks()
    }

    /// Returns notes on the writing of this side, a sentence each.
    fn sentences(&self) -> Vec<String> {
        let writing = &self.side.writing;
        let is_told = self.most_unknown() >= MUCH && !self.level.is_subword();
        let mut told = if is_told {
            Vec::new()
        } else {
            writing.on_level(self.name, self.level)
        };
        // With normalization, both spellings are looked up as one.
        if self.form.normalize == Normalize::None {
            told.extend(writing.on_spelling(self.name));
        }
        told.extend(writing.on_escapes(self.name));
        told.extend(writing.on_characters(self.name));
        let scored = match self.name {
            "text" => "",
            _ => "; such a line is never translated exactly",
        };
        told.extend(self.side.lost.sentence(
            &format!("{}, held out", self.name),
            self.level,
            self.form,
            scored,
        ));
        told
    }
}

impl Writing {
    /// Returns advice for a text none of whose tokens is frequent enough for the vocabulary.
    pub(crate) fn advice_without_tokens(&self, level: TokenUnit) -> String {
        match level {
            TokenUnit::Word | TokenUnit::Punctuation => match advice_without_spaces(self) {
                Some(advice) => format!("{advice} (`task.level`)"),
                None => "choose another level (`task.level`), as `bpe` or `character`, or lower \
                         `task.minimum_count`"
                    .to_owned(),
            },
            _ => "lower it, or learn from more text".to_owned(),
        }
    }

    /// Returns the share of words with a punctuation mark at an end.
    fn marks(&self) -> f64 {
        self.with_marks as f64 / self.words.max(1) as f64
    }

    /// Returns reasons why a level does not suit the text, a sentence each. `name` is `source`,
    /// `target` or `text`.
    pub fn on_level(&self, name: &str, level: TokenUnit) -> Vec<String> {
        let name = capital(name);
        let mut told = Vec::new();
        if let Some(advice) = without_spaces(self, level) {
            told.push(format!("{name}: {advice} (`task.level`)."));
        } else if level == TokenUnit::Word && self.marks() >= MANY_MARKS {
            told.push(format!(
                "{name}: {:.0} % of the words have a punctuation mark on them, and are other tokens \
                 than the same words without; choose the level `punctuation` or `bpe` \
                 (`task.level`), unless that is meant.",
                100.0 * self.marks()
            ));
        }
        if level.is_subword() && self.long_words > 0 {
            told.push(format!(
                "{name}: {} longer than {} characters; pieces are learned from the beginning alone.",
                counted(self.long_words, "word is", "words are"),
                strata_text::LONGEST_WORD,
            ));
        }
        told
    }

    /// Returns a note if letters are spelt in two ways.
    pub fn on_spelling(&self, name: &str) -> Vec<String> {
        let name = capital(name);
        let mut told = Vec::new();
        if self.is_mixed() {
            told.push(format!(
                "{name}: letters with accents are spelt in two ways, as one character (NFC) in {}, \
                 as letter and accent (NFD) in {}, and make words differ that look alike; \
                 `task.normalize=nfc` looks both up as one.",
                counted(self.composed, "line", "lines"),
                counted(self.decomposed, "line", "lines"),
            ));
        }
        told
    }

    /// Returns a note if other programs left escapes in the text.
    pub fn on_escapes(&self, name: &str) -> Option<String> {
        (self.escaped > 0).then(|| {
            format!(
                "{}: {} escapes (`&apos;`, `&quot;`, `&amp;`, `@-@`) of Moses' tokeniser or of a web \
                 page, which are learned as they stand, and at some levels cut; undo them before, \
                 with Moses' `detokenizer.perl` or `deescape-special-chars.perl`, or escape what is \
                 translated later in the same way.",
                capital(name),
                counted(self.escaped, "line has", "lines have"),
            )
        })
    }

    /// Returns notes on invisible characters and on special tokens in the text, a sentence each.
    fn on_characters(&self, name: &str) -> Vec<String> {
        let name = capital(name);
        let mut told = Vec::new();
        if self.invisible > 0 {
            told.push(format!(
                "{name}: {} only invisible characters (as U+200B, a space without width), which \
                 counts as empty.",
                counted(self.invisible, "line holds", "lines hold"),
            ));
        }
        let others = self.hidden.saturating_sub(self.invisible);
        if others > 0 {
            told.push(format!(
                "{name}: {} invisible characters between others (spaces without width, soft \
                 hyphens, byte order marks, marks of direction), which make words differ that look \
                 alike.",
                counted(others, "line holds", "lines hold"),
            ));
        }
        let special = TEXTS
            .iter()
            .zip(self.special)
            .filter(|(_, count)| *count > 0);
        let special: Vec<String> = special
            .map(|(text, count)| format!("`{text}` ({count})"))
            .collect();
        if !special.is_empty() {
            told.push(format!(
                "{name}: the text spells {}; these are words of it, not the special tokens, and \
                 become `<unk>`.",
                special.join(", ")
            ));
        }
        told
    }
}

/// Returns advice on the level, if the text is written without spaces and the level is that of
/// words.
fn without_spaces(writing: &Writing, level: TokenUnit) -> Option<String> {
    if !matches!(level, TokenUnit::Word | TokenUnit::Punctuation) {
        return None;
    }
    advice_without_spaces(writing)
}

fn advice_without_spaces(writing: &Writing) -> Option<String> {
    let levels = writing.unspaced_levels()?;
    let names: Vec<String> = levels
        .iter()
        .map(|level| format!("`{}`", level.name()))
        .collect();
    Some(format!(
        "the text sets no spaces between words, so that whole sentences count as words; choose the \
         level {}",
        names.join(" or ")
    ))
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests;
