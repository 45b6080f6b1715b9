//! Technical terms, which lessons explain in the first step that uses a term.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::words::{BEFORE, plain};
use crate::{Block, Inline, StepWords, Text};

/// Explained words of a language, by name.
#[derive(Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(transparent)]
pub struct Glossary {
    /// Words by a name that is the same in all languages.
    pub words: BTreeMap<String, Word>,
}

/// A word of the field.
#[derive(Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Word {
    /// Forms in which texts have the word.
    pub forms: Vec<String>,
    /// Meaning of the word, in a sentence.
    pub means: String,
}

/// Marks the first use of each word in the texts of a step, in the order in which the texts are read.
/// `glossaries` are known by their languages; `language` is that of texts which name none.
pub(crate) fn explain(
    step: &mut StepWords,
    glossaries: &BTreeMap<String, Glossary>,
    language: &str,
) {
    let mark = |text: &mut Text, seen: &mut BTreeSet<String>| {
        let own = text.language.as_deref().unwrap_or(language);
        if let Some(glossary) = glossaries.get(own) {
            text.blocks
                .iter_mut()
                .for_each(|it| glossary.mark_in(it, seen));
        }
    };
    let mut seen = BTreeSet::new();
    mark(&mut step.intro, &mut seen);
    for name in BEFORE {
        if let Some(text) = step.sections.get_mut(name) {
            mark(text, &mut seen);
        }
    }
    let after = step.sections.iter_mut();
    for (_, text) in after.filter(|(name, _)| !BEFORE.contains(&name.as_str())) {
        // Only one of the outcomes is shown.
        mark(text, &mut seen.clone());
    }
}

impl Glossary {
    fn mark_in(&self, block: &mut Block, seen: &mut BTreeSet<String>) {
        match block {
            Block::Paragraph(line) => self.mark(line, seen),
            Block::List(lines) => lines.iter_mut().for_each(|it| self.mark(it, seen)),
        }
    }

    /// Marks words of a line that are not `seen`. A term explains itself.
    fn mark(&self, line: &mut Vec<Inline>, seen: &mut BTreeSet<String>) {
        let mut marked = Vec::new();
        for part in std::mem::take(line) {
            match part {
                Inline::Text(text) => self.mark_text(&text, seen, &mut marked),
                Inline::Term(inner) => {
                    let term = plain(&inner);
                    let named = self.words.iter();
                    let named = named.filter(|(_, word)| word.forms.contains(&term));
                    seen.extend(named.map(|(name, _)| name.clone()));
                    marked.push(Inline::Term(inner));
                }
                other => marked.push(other),
            }
        }
        *line = marked;
    }

    fn mark_text(&self, text: &str, seen: &mut BTreeSet<String>, marked: &mut Vec<Inline>) {
        let mut rest = text;
        while let Some((name, word, at, form)) = self.first(rest, seen) {
            if at > 0 {
                marked.push(Inline::Text(rest[..at].to_owned()));
            }
            seen.insert(name.to_owned());
            marked.push(Inline::Explained {
                text: form.to_owned(),
                means: word.means.clone(),
            });
            rest = &rest[at + form.len()..];
        }
        if !rest.is_empty() {
            marked.push(Inline::Text(rest.to_owned()));
        }
    }

    /// Finds the first word of a text that is not `seen`: name, word, place and form.
    fn first<'a>(
        &'a self,
        text: &str,
        seen: &BTreeSet<String>,
    ) -> Option<(&'a str, &'a Word, usize, &'a str)> {
        let words = self.words.iter().filter(|(name, _)| !seen.contains(*name));
        let found = words.flat_map(|(name, word)| {
            let forms = word.forms.iter();
            forms.filter_map(move |form| {
                let at = whole(text, form)?;
                Some((name.as_str(), word, at, form.as_str()))
            })
        });
        // Of two forms at one place the longer one is meant.
        found.min_by_key(|(_, _, at, form)| (*at, std::cmp::Reverse(form.len())))
    }
}

/// Returns the place at which a form stands as a whole word in a text.
fn whole(text: &str, form: &str) -> Option<usize> {
    let is_letter = |it: char| it.is_alphanumeric() || it == '-';
    let mut places = text.match_indices(form).map(|(at, _)| at);
    places.find(|at| {
        let (before, after) = (&text[..*at], &text[at + form.len()..]);
        !before.ends_with(is_letter) && !after.starts_with(is_letter)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_word_is_explained_at_its_first_use_alone() {
        let glossary: Glossary = toml::from_str(
            "[token]\nforms = ['token', 'tokens']\nmeans = 'A piece.'\n[batch]\nforms = ['batch']\nmeans = 'Some.'",
        )
        .unwrap();
        let text = |text: &str| Inline::Text(text.to_owned());
        let mut line = vec![
            text("Subtokens, tokens and a token of a "),
            Inline::Term(vec![text("batch")]),
            text(" or batch."),
        ];
        glossary.mark(&mut line, &mut BTreeSet::new());
        let expected = [
            text("Subtokens, "),
            Inline::Explained {
                text: "tokens".to_owned(),
                means: "A piece.".to_owned(),
            },
            text(" and a token of a "),
            Inline::Term(vec![text("batch")]),
            text(" or batch."),
        ];
        assert_eq!(line, expected);
    }
}
