//! BLEU_1 to BLEU_3: compares line i + 1, written after i lines of a poem, with the poem's own.

use strata_metrics::BleuStatistics;

use crate::LINES;

/// Lines 2 to 4 as they were written, each after the poem's own earlier lines.
pub type WrittenLines = [Vec<char>; LINES - 1];

/// BLEU counts of lines 2 to 4 of one poem.
pub type LineStatistics = [BleuStatistics; LINES - 1];

/// Corpus BLEU-2 of characters, without smoothing: precisions of orders 1 and 2.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PoemBleu {
    /// BLEU of lines 2, 3 and 4.
    pub lines: [f64; LINES - 1],
}

impl PoemBleu {
    /// Mean of the BLEU of the three lines.
    pub fn mean(&self) -> f64 {
        self.lines.iter().sum::<f64>() / self.lines.len() as f64
    }
}

/// Computes BLEU of many poems, each given by the counts of its lines.
pub fn poem_bleu<'a>(poems: impl IntoIterator<Item = &'a LineStatistics>) -> PoemBleu {
    let mut sums = LineStatistics::default();
    for poem in poems {
        for (sum, line) in sums.iter_mut().zip(poem) {
            *sum += *line;
        }
    }
    PoemBleu {
        lines: sums.map(|sum| sum.cumulative()[1]),
    }
}
