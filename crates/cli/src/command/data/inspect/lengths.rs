//! Statistics of sentence lengths.

use serde::Serialize;

/// Length from which on sentences are counted together.
const LONGEST: usize = 100_000;
/// Most rows of a histogram.
const ROWS: usize = 12;

/// Number of sentences of each length.
#[derive(Default)]
pub struct Lengths {
    counts: Vec<u64>,
    sentences: u64,
    tokens: u64,
    longest: usize,
}

/// Statistics of sentence lengths, in tokens.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct LengthsReport {
    /// Mean length.
    pub mean: f64,
    /// Median length.
    pub median: usize,
    /// Length that 95 % of the sentences do not exceed.
    pub percentile_95: usize,
    /// Length that 99 % of the sentences do not exceed.
    pub percentile_99: usize,
    /// Length of the longest sentence.
    pub longest: usize,
    /// Number of sentences in each range of lengths.
    pub histogram: Vec<Bin>,
}

/// A bin of the histogram.
#[derive(Serialize, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// Shortest length in the bin.
    pub from: usize,
    /// Longest length in the bin.
    pub to: usize,
    /// Number of sentences in the bin.
    pub sentences: u64,
}

impl Lengths {
    /// Counts a sentence of this many tokens.
    pub fn add(&mut self, tokens: usize) {
        let place = tokens.min(LONGEST);
        if self.counts.len() <= place {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] += 1;
        self.sentences += 1;
        self.tokens += tokens as u64;
        self.longest = self.longest.max(tokens);
    }

    /// Returns the number of tokens in all sentences.
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Returns the length that this share of the sentences does not exceed.
    fn quantile(&self, share: f64) -> usize {
        let wanted = (share * self.sentences as f64).ceil().max(1.0) as u64;
        let mut so_far = 0;
        let found = self.counts.iter().position(|count| {
            so_far += count;
            so_far >= wanted
        });
        found.unwrap_or(0)
    }

    /// Returns the statistics so far.
    pub fn report(&self) -> LengthsReport {
        LengthsReport {
            mean: self.tokens as f64 / self.sentences.max(1) as f64,
            median: self.quantile(0.5),
            percentile_95: self.quantile(0.95),
            percentile_99: self.quantile(0.99),
            longest: self.longest,
            histogram: self.histogram(),
        }
    }

    /// Returns bins of equal width up to a length that few sentences exceed; the last bin takes all
    /// longer sentences.
    fn histogram(&self) -> Vec<Bin> {
        let Some(shortest) = self.counts.iter().position(|&count| count > 0) else {
            return Vec::new();
        };
        let span = self.quantile(0.99) - shortest + 1;
        let widths = (0..).flat_map(|power| [1, 2, 5].map(|step| step * 10_usize.pow(power)));
        let width = widths
            .take(18)
            .find(|width| span.div_ceil(*width) < ROWS)
            .unwrap_or(LONGEST);
        let start = shortest - shortest % width;
        let mut bins: Vec<Bin> = Vec::new();
        let chunks = self.counts[start..].chunks(width);
        for (from, chunk) in (start..).step_by(width).zip(chunks) {
            let sentences = chunk.iter().sum();
            if bins.len() == ROWS
                && let Some(last) = bins.last_mut()
            {
                last.to = self.longest;
                last.sentences += sentences;
            } else {
                bins.push(Bin {
                    from,
                    to: (from + width - 1).min(self.longest),
                    sentences,
                });
            }
        }
        bins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lengths: impl IntoIterator<Item = usize>) -> LengthsReport {
        let mut all = Lengths::default();
        lengths.into_iter().for_each(|length| all.add(length));
        all.report()
    }

    #[test]
    fn quantiles_are_lengths_that_occur() {
        let report = of(1..=100);
        let found = [
            report.median,
            report.percentile_95,
            report.percentile_99,
            report.longest,
        ];
        assert_eq!(found, [50, 95, 99, 100]);
        assert_eq!(report.mean, 50.5);
        assert_eq!(of([7]).median, 7);
        assert_eq!(of([]).histogram, []);
    }

    #[test]
    fn every_sentence_is_in_one_bin() {
        for lengths in [
            (0..1000).collect::<Vec<_>>(),
            vec![3, 3, 3],
            vec![0],
            vec![1, 5_000_000],
            (21..=24).collect(),
        ] {
            let report = of(lengths.clone());
            let sum: u64 = report.histogram.iter().map(|bin| bin.sentences).sum();
            assert_eq!(sum, lengths.len() as u64, "{report:?}");
            assert!(report.histogram.len() <= ROWS, "{report:?}");
            let ends: Vec<_> = report.histogram.windows(2).collect();
            assert!(
                ends.iter().all(|pair| pair[0].to + 1 == pair[1].from),
                "{report:?}"
            );
        }
        let bins = of(21..=24).histogram;
        assert_eq!((bins.len(), bins[0].from, bins[0].to), (4, 21, 21));
    }
}
