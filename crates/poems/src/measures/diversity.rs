//! Copying and diversity of written lines.

use std::hash::Hash;

use ahash::AHashSet;

use crate::known_ngrams::ORDER;

/// Training lines and all their 4-grams.
#[derive(Clone, Debug, Default)]
pub struct KnownLines<'a> {
    lines: AHashSet<&'a [char]>,
    ngrams: AHashSet<&'a [char]>,
}

impl<'a> KnownLines<'a> {
    /// Collects the lines in which to look up.
    pub fn new(training: impl IntoIterator<Item = &'a [char]>) -> Self {
        let mut known = Self::default();
        for line in training {
            known.lines.insert(line);
            known.ngrams.extend(line.windows(ORDER));
        }
        known
    }
}

/// Rates of copying and diversity of lines. All are shares; 0 without lines.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Diversity {
    /// Different characters as a share of all characters.
    pub distinct_1: f64,
    /// Different bigrams as a share of all bigrams. Falls with the number of lines.
    pub distinct_2: f64,
    /// Share of 4-grams that occur in a training line.
    pub training_4_grams: f64,
    /// Share of lines that are training lines.
    pub training_lines: f64,
    /// Share of lines that were written before.
    pub repeated_lines: f64,
    /// Share of lines in which a character occurs twice.
    pub repeated_characters: f64,
}

impl Diversity {
    /// Measures lines against the training lines.
    pub fn of_lines(lines: &[Vec<char>], known: &KnownLines<'_>) -> Self {
        let windows = |length| lines.iter().flat_map(move |line| line.windows(length));
        let has_repeat = |line: &Vec<char>| distinct(line.iter()) < 1.0;
        Self {
            distinct_1: distinct(windows(1)),
            distinct_2: distinct(windows(2)),
            training_4_grams: share(windows(ORDER), |it| known.ngrams.contains(it)),
            training_lines: share(lines.iter(), |it| known.lines.contains(it.as_slice())),
            repeated_lines: if lines.is_empty() {
                0.0
            } else {
                1.0 - distinct(lines.iter())
            },
            repeated_characters: share(lines.iter(), has_repeat),
        }
    }
}

/// Share of different items among all.
fn distinct<T: Eq + Hash>(all: impl Iterator<Item = T>) -> f64 {
    let mut seen = AHashSet::new();
    share(all, |it| seen.insert(it))
}

fn share<T>(all: impl Iterator<Item = T>, mut is_counted: impl FnMut(T) -> bool) -> f64 {
    let (mut total, mut counted) = (0_u64, 0_u64);
    for it in all {
        total += 1;
        counted += u64::from(is_counted(it));
    }
    if total == 0 {
        0.0
    } else {
        counted as f64 / total as f64
    }
}
