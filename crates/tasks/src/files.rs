//! The user's own parallel corpus, from files or from text given to the page.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::Task;
use crate::dataset::split_by_sentence;
use crate::{
    Dataset, Dropped, Example, FieldDescription, FieldKind, Level, ParallelText, TaskDescription,
    TaskError, Vocabulary,
};

pub(crate) const DESCRIPTION: TaskDescription = TaskDescription {
    name: "files",
    title: "Own pairs",
    help: "Translate as your own sentence pairs do: two text files, or one with two columns.",
    fields: &[
        FieldDescription {
            name: "source",
            help: "Text to translate, a sentence per line; or .tsv, source TAB target. May be .gz.",
            kind: FieldKind::Path { required: true },
        },
        FieldDescription {
            name: "target",
            help: "Its translation, line by line; leave out for a .tsv.",
            kind: FieldKind::Path { required: false },
        },
        FieldDescription {
            name: "validation_source",
            help: "Text to measure on; without it, sentences of the corpus are held out.",
            kind: FieldKind::Path { required: false },
        },
        FieldDescription {
            name: "validation_target",
            help: "Its translation, line by line; leave out for a .tsv.",
            kind: FieldKind::Path { required: false },
        },
        FieldDescription {
            name: "level",
            help: "Tokens are words (between white space) or characters.",
            kind: FieldKind::Choice(&["word", "character"]),
        },
        FieldDescription::number(
            "minimum_count",
            "Rarer tokens become <unk>.",
            (1, 1_000_000),
            2,
        ),
        FieldDescription::number(
            "maximum_vocabulary",
            "Most entries of each vocabulary, the 4 special ones included.",
            (5, 1_000_000),
            20_000,
        ),
        FieldDescription::number(
            "maximum_length",
            "Pairs with more tokens on a side are left out.",
            (1, 10_000),
            100,
        ),
        FieldDescription::number(
            "held_out",
            "Pairs to measure on, at most half of the corpus.",
            (1, 1_000_000),
            500,
        ),
    ],
};

/// Settings of the task `files`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FilesConfig {
    /// The text to translate, a sentence per line; without `target`, source TAB target per line.
    pub source: PathBuf,
    /// Its translation, line by line.
    pub target: Option<PathBuf>,
    /// Text to measure on; without it, `held_out` pairs of the corpus are taken.
    pub validation_source: Option<PathBuf>,
    /// Its translation, line by line.
    pub validation_target: Option<PathBuf>,
    /// How the text is cut into tokens.
    pub level: Level,
    /// Tokens seen less often in training become `<unk>`.
    pub minimum_count: usize,
    /// The most entries of each vocabulary, the special ones included.
    pub maximum_vocabulary: usize,
    /// Pairs with more tokens on a side are dropped.
    pub maximum_length: usize,
    /// How many pairs to measure on where there is no validation file; at most half of the
    /// sentences are taken.
    pub held_out: usize,
}

impl Default for FilesConfig {
    fn default() -> Self {
        Self {
            source: PathBuf::new(),
            target: None,
            validation_source: None,
            validation_target: None,
            level: Level::Word,
            minimum_count: 2,
            maximum_vocabulary: 20_000,
            maximum_length: 100,
            held_out: 500,
        }
    }
}

/// A pair cut into tokens.
struct Pair<'a> {
    source: Vec<&'a str>,
    target: Vec<&'a str>,
}

impl FilesConfig {
    /// The data set of a text that is already in memory, as when it was dropped on the page or
    /// pasted; the paths in `self` are not looked at.
    ///
    /// # Errors
    /// If a setting is out of range, or nothing is left to train or to measure on.
    pub fn dataset(
        &self,
        corpus: &ParallelText,
        validation: Option<&ParallelText>,
        seed: u64,
    ) -> Result<Dataset, TaskError> {
        self.check_numbers()?;
        let mut dropped = Dropped::default();
        let pairs = self.cut(corpus, &mut dropped);
        let (training, held_out) = match validation {
            Some(text) => {
                let held_out = self.cut(text, &mut dropped);
                let sentences: HashSet<_> = held_out.iter().map(|pair| &pair.source).collect();
                let before = pairs.len();
                let mut training = pairs;
                training.retain(|pair| !sentences.contains(&pair.source));
                dropped.overlapping = before - training.len();
                (training, held_out)
            }
            None => split_by_sentence(pairs, self.held_out, seed, |pair| &pair.source),
        };
        let name = || corpus.name.clone();
        if training.is_empty() {
            return Err(TaskError::EmptyCorpus {
                name: name(),
                dropped,
            });
        }
        if held_out.is_empty() {
            return Err(match validation {
                Some(text) => TaskError::EmptyCorpus {
                    name: text.name.clone(),
                    dropped,
                },
                None => TaskError::OneSentence { name: name() },
            });
        }
        let source_vocabulary =
            self.vocabulary(name(), "source", &training, |pair| &pair.source)?;
        let target_vocabulary =
            self.vocabulary(name(), "target", &training, |pair| &pair.target)?;
        let example = |pair: Pair| Example {
            source: source_vocabulary.encode(&pair.source),
            target: target_vocabulary.encode(&pair.target),
        };
        Ok(Dataset {
            training: training.into_iter().map(example).collect(),
            validation: held_out.into_iter().map(example).collect(),
            level: self.level,
            source_vocabulary,
            target_vocabulary,
            dropped,
        })
    }

    /// The pairs in tokens, without those that are empty or too long.
    fn cut<'a>(&self, text: &'a ParallelText, dropped: &mut Dropped) -> Vec<Pair<'a>> {
        let mut pairs = Vec::with_capacity(text.pairs.len());
        for (source, target) in &text.pairs {
            let pair = Pair {
                source: self.level.split(source),
                target: self.level.split(target),
            };
            if pair.source.is_empty() || pair.target.is_empty() {
                dropped.empty += 1;
            } else if pair.source.len().max(pair.target.len()) > self.maximum_length {
                dropped.too_long += 1;
            } else {
                pairs.push(pair);
            }
        }
        pairs
    }

    fn vocabulary<'a>(
        &self,
        name: String,
        side: &'static str,
        pairs: &'a [Pair<'a>],
        tokens: impl Fn(&'a Pair<'a>) -> &'a Vec<&'a str>,
    ) -> Result<Vocabulary, TaskError> {
        let sentences = pairs.iter().map(|pair| tokens(pair).iter().copied());
        let vocabulary = Vocabulary::build(sentences, self.minimum_count, self.maximum_vocabulary);
        if vocabulary.has_only_special_tokens() {
            let minimum_count = self.minimum_count;
            return Err(TaskError::EmptyVocabulary {
                name,
                side,
                minimum_count,
            });
        }
        Ok(vocabulary)
    }

    fn check_numbers(&self) -> Result<(), TaskError> {
        DESCRIPTION.check(&[
            ("minimum_count", self.minimum_count),
            ("maximum_vocabulary", self.maximum_vocabulary),
            ("maximum_length", self.maximum_length),
            ("held_out", self.held_out),
        ])
    }
}

impl Task for FilesConfig {
    fn description(&self) -> &'static TaskDescription {
        &DESCRIPTION
    }

    fn validate(&self) -> Result<(), TaskError> {
        self.check_numbers()?;
        if self.source.as_os_str().is_empty() {
            return Err(TaskError::NoSource);
        }
        if self.validation_target.is_some() && self.validation_source.is_none() {
            return Err(TaskError::NoValidationSource);
        }
        Ok(())
    }

    fn load(&self, seed: u64) -> Result<Dataset, TaskError> {
        let corpus = open(&self.source, self.target.as_deref())?;
        let validation = match &self.validation_source {
            Some(source) => Some(open(source, self.validation_target.as_deref())?),
            None => None,
        };
        self.dataset(&corpus, validation.as_ref(), seed)
    }

    fn level(&self) -> Level {
        self.level
    }
}

fn open(source: &Path, target: Option<&Path>) -> Result<ParallelText, TaskError> {
    let name = |path: &Path| path.display().to_string();
    let source_bytes = read(source)?;
    match target {
        Some(target) => ParallelText::from_sides(
            (&name(source), &source_bytes),
            (&name(target), &read(target)?),
        ),
        None => ParallelText::from_columns(&name(source), &source_bytes),
    }
}

#[cfg(not(target_family = "wasm"))]
fn read(path: &Path) -> Result<Vec<u8>, TaskError> {
    if path.is_dir() {
        return Err(TaskError::Folder {
            path: path.to_owned(),
        });
    }
    std::fs::read(path).map_err(|reason| match reason.kind() {
        std::io::ErrorKind::NotFound => TaskError::Missing {
            path: path.to_owned(),
        },
        _ => TaskError::Unreadable {
            path: path.to_owned(),
            reason,
        },
    })
}

/// A page has no files, only what a person gives it.
#[cfg(target_family = "wasm")]
fn read(path: &Path) -> Result<Vec<u8>, TaskError> {
    Err(TaskError::NoFileSystem {
        path: path.to_owned(),
    })
}

#[cfg(test)]
mod tests;
