//! Word alignment: compares links read off attention weights with gold links made by annotators.
//!
//! The alignment error rate (Och and Ney 2003) of links A, given sure links S and possible links P
//! ⊇ S, is 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|).

use std::collections::BTreeSet;
use std::ops::AddAssign;

/// Link between a source word and a target word that translate each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// Index of the source word, from 0.
    pub source: usize,
    /// Index of the target word, from 0.
    pub target: usize,
}

/// Gold links of a sentence pair, made by annotators.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoldLinks {
    /// Sure links, S.
    pub sure: BTreeSet<Link>,
    /// Possible links without the sure ones, P \ S.
    pub possible: BTreeSet<Link>,
}

impl GoldLinks {
    /// Counts the links that an alignment shares with the gold links. A repeated link counts once.
    pub fn compare(&self, links: impl IntoIterator<Item = Link>) -> AlignmentCounts {
        let links: BTreeSet<Link> = links.into_iter().collect();
        let sure_matches = links.intersection(&self.sure).count();
        let possible = links.difference(&self.sure);
        let possible = possible.filter(|link| self.possible.contains(link)).count();
        AlignmentCounts {
            links: links.len() as u64,
            sure: self.sure.len() as u64,
            sure_matches: sure_matches as u64,
            matches: (sure_matches + possible) as u64,
        }
    }
}

/// Link counts of one sentence pair, or of many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AlignmentCounts {
    /// Links of the alignment: |A|.
    pub links: u64,
    /// Sure links: |S|.
    pub sure: u64,
    /// Links of the alignment that are sure: |A ∩ S|.
    pub sure_matches: u64,
    /// Links of the alignment that are sure or possible: |A ∩ P|.
    pub matches: u64,
}

impl AlignmentCounts {
    /// Alignment error rate, from 0 to 1; `None` if |A| + |S| = 0.
    pub fn error_rate(self) -> Option<f64> {
        let hits = self.sure_matches + self.matches;
        share(hits, self.links + self.sure).map(|share| 1.0 - share)
    }

    /// Precision |A ∩ P| / |A|; `None` without links.
    pub fn precision(self) -> Option<f64> {
        share(self.matches, self.links)
    }

    /// Recall |A ∩ S| / |S|; `None` without sure links.
    pub fn recall(self) -> Option<f64> {
        share(self.sure_matches, self.sure)
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

impl AddAssign for AlignmentCounts {
    fn add_assign(&mut self, other: Self) {
        self.links += other.links;
        self.sure += other.sure;
        self.sure_matches += other.sure_matches;
        self.matches += other.matches;
    }
}

impl std::iter::Sum for AlignmentCounts {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        let mut total = Self::default();
        parts.for_each(|part| total += part);
        total
    }
}

/// Links each target word to the source word with the largest weight; of equal weights the first.
///
/// `weights` has a row for each target word, with a weight for each source word; the caller leaves
/// out weights of other keys, such as the end of the sentence. A row without a weight above 0 makes
/// no link.
pub fn strongest_links<'a>(weights: impl IntoIterator<Item = &'a [f32]>) -> Vec<Link> {
    let rows = weights.into_iter().enumerate();
    let links = rows.filter_map(|(target, row)| {
        let mut strongest = (None, 0.0);
        for (source, &weight) in row.iter().enumerate() {
            if weight > strongest.1 {
                strongest = (Some(source), weight);
            }
        }
        strongest.0.map(|source| Link { source, target })
    });
    links.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(pairs: &[(usize, usize)]) -> BTreeSet<Link> {
        let links = pairs.iter();
        links
            .map(|&(source, target)| Link { source, target })
            .collect()
    }

    #[test]
    fn the_error_rate_forgives_possible_links_and_misses_only_sure_ones() {
        let gold = GoldLinks {
            sure: links(&[(0, 0), (1, 1)]),
            possible: links(&[(2, 1), (2, 2)]),
        };
        assert_eq!(gold.compare(gold.sure.clone()).error_rate(), Some(0.0));
        let all = gold.sure.union(&gold.possible).copied();
        assert_eq!(gold.compare(all).error_rate(), Some(0.0));
        // A = {00, 21, 33}: |A ∩ S| = 1, |A ∩ P| = 2, |A| + |S| = 5.
        let counts = gold.compare(links(&[(0, 0), (2, 1), (3, 3)]));
        assert!((counts.error_rate().unwrap_or(1.0) - 0.4).abs() < 1e-12);
        assert_eq!(counts.precision(), Some(2.0 / 3.0));
        assert_eq!(counts.recall(), Some(0.5));
        assert_eq!(gold.compare([]).error_rate(), Some(1.0));
        assert_eq!(GoldLinks::default().compare([]).error_rate(), None);
    }

    #[test]
    fn a_link_counts_once() {
        let gold = GoldLinks {
            sure: links(&[(0, 0)]),
            possible: links(&[(0, 0)]),
        };
        let link = Link {
            source: 0,
            target: 0,
        };
        let counts = gold.compare([link, link]);
        assert_eq!((counts.links, counts.matches), (1, 1));
    }

    #[test]
    fn each_target_word_links_to_what_it_attends_to_most() {
        let weights: [&[f32]; 5] = [
            &[0.1, 0.7, 0.2],
            &[0.4, 0.2, 0.4],
            &[0.0, 0.0, 0.0],
            &[f32::NAN, 0.0, 0.1],
            &[],
        ];
        let found: BTreeSet<Link> = strongest_links(weights).into_iter().collect();
        assert_eq!(found, links(&[(1, 0), (0, 1), (2, 3)]));
    }
}
