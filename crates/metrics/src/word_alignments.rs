//! Files of hand-made word alignments, such as those of the Hansards or of TsinghuaAligner.
//!
//! One file has the sentence pairs, `source words ||| target words`; the other file has, line by line,
//! the links of a pair: `i-j` sure and `ipj` possible, with i the source word and j the target
//! word, counted from 1.

use std::collections::BTreeSet;

use crate::alignment::{GoldLinks, Link};
use crate::{MetricError, words};

/// Sentence pair with gold links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlignedPair {
    /// Words of the source.
    pub source: Vec<String>,
    /// Words of the target.
    pub target: Vec<String>,
    /// Gold links between words of the sentence pair.
    pub gold: GoldLinks,
}

/// Hand-made alignment of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordAlignments {
    /// Sentence pairs in the order of the files.
    pub pairs: Vec<AlignedPair>,
    /// Number of dropped links that point outside their sentences, as a few do in published files.
    pub outside: usize,
}

impl WordAlignments {
    /// Parses the contents of the two files.
    ///
    /// # Errors
    /// If the files' numbers of lines differ, a line of `sentences` has no `|||`, or a link is
    /// malformed.
    pub fn read(sentences: &str, links: &str) -> Result<Self, MetricError> {
        let counts = (sentences.lines().count(), links.lines().count());
        if counts.0 != counts.1 {
            return Err(MetricError::UnequalLines {
                sentences: counts.0,
                links: counts.1,
            });
        }
        let mut alignments = Self::default();
        for (line, (sentences, links)) in (1..).zip(sentences.lines().zip(links.lines())) {
            let (source, target) = sentences
                .split_once("|||")
                .ok_or(MetricError::NoSeparator { line })?;
            let mut pair = AlignedPair {
                source: words(source).map(str::to_owned).collect(),
                target: words(target).map(str::to_owned).collect(),
                gold: GoldLinks::default(),
            };
            for text in words(links) {
                let (link, sure) = parse(text).ok_or_else(|| MetricError::Link {
                    line,
                    link: text.chars().take(20).collect(),
                })?;
                if link.source >= pair.source.len() || link.target >= pair.target.len() {
                    alignments.outside += 1;
                } else if sure {
                    pair.gold.sure.insert(link);
                } else {
                    pair.gold.possible.insert(link);
                }
            }
            let sure: &BTreeSet<Link> = &pair.gold.sure;
            pair.gold.possible.retain(|link| !sure.contains(link));
            alignments.pairs.push(pair);
        }
        Ok(alignments)
    }
}

/// Parses a link. Returns the link, and true for a sure link; `None` for a malformed link.
fn parse(text: &str) -> Option<(Link, bool)> {
    let separator = text.find(['-', 'p'])?;
    let word = |text: &str| {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let number: usize = text.parse().ok().filter(|_| digits)?;
        number.checked_sub(1)
    };
    let link = Link {
        source: word(&text[..separator])?,
        target: word(&text[separator + 1..])?,
    };
    Some((link, text.as_bytes()[separator] == b'-'))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn links_are_counted_from_one() {
        let read = WordAlignments::read("2 .   ||| 2 . \na b ||| c\n", "2-2 1p1\n1-1 1p1 2p1\n");
        let alignments = read.unwrap();
        assert_eq!(alignments.outside, 0);
        let [first, second] = &alignments.pairs[..] else {
            panic!("not two pairs");
        };
        assert_eq!(first.source, ["2", "."]);
        let link = |source, target| Link { source, target };
        assert_eq!(first.gold.sure, BTreeSet::from([link(1, 1)]));
        assert_eq!(first.gold.possible, BTreeSet::from([link(0, 0)]));
        // A sure link is not listed as possible too.
        assert_eq!(second.gold.possible, BTreeSet::from([link(1, 0)]));
    }

    #[test]
    fn links_out_of_their_sentence_are_counted_and_left_out() {
        let alignments = WordAlignments::read("a b ||| c", "1-1 3-1 1-2").unwrap();
        assert_eq!(alignments.outside, 2);
        assert_eq!(alignments.pairs[0].gold.sure.len(), 1);
    }

    #[test]
    fn what_is_no_link_is_told_with_its_line() {
        for link in [
            "0-1",
            "1-0",
            "1",
            "1-",
            "-1",
            "a-b",
            "1+1",
            "1-1-1",
            "+1-2",
            "1–1",
            "99999999999999999999999999999999999-1",
        ] {
            let error = WordAlignments::read("a ||| b\na ||| b", &format!("1-1\n{link}"));
            let sentence = error.unwrap_err().to_string();
            assert!(sentence.starts_with("line 2: `"), "{sentence}");
        }
        let error = WordAlignments::read("a ||| b\na b", "1-1\n1-1").unwrap_err();
        assert!(error.to_string().contains("sentence pair 2"), "{error}");
        let error = WordAlignments::read("a ||| b", "").unwrap_err();
        assert!(error.to_string().contains("1 sentence pairs"), "{error}");
    }
}
