//! Phrase-based translation of a line to the next (He, Zhou and Jiang 2012; Jiang and Zhou 2008).
//!
//! A couplet's lines are equally long and answer each other place by place: place j is aligned with
//! place j, and nothing is reordered. There is a model for each line from the second on, and for
//! each length.
//!
//! - `phrase`, `phrase_table`: spans of lines, and their translations, with those of single
//!   characters by IBM model 1 ([`strata_metrics::Ibm1`])
//! - `decoder`: search for the best line by phrases and language model; `tuning`: weights by BLEU
//! - `stored`: the models in the form of a file

mod decoder;
mod phrase;
mod phrase_table;
mod stored;
mod tuning;

pub use decoder::{Decoder, Translation};
pub use phrase::{LONGEST, Phrase};
pub use phrase_table::{PhraseOption, PhraseTable};
pub use stored::StoredSmt;

use crate::ngram::{DISCOUNT, KneserNey, TrigramCounts};
use crate::{LENGTHS, LINES, Poem};

/// Number of iterations of IBM model 1.
const ITERATIONS: usize = 5;

/// Weights of the features: ln φ(e|f), ln φ(f|e), lexical both ways, ln p of the language model.
pub type Weights = [f64; 5];

/// Line, and the line that follows it.
pub type LinePair<'a> = (&'a [char], &'a [char]);

/// Statistical machine translation of a line to the next.
#[derive(Clone, Debug)]
pub struct Smt {
    /// Weights of the features.
    pub weights: Weights,
    counts: TrigramCounts,
    language_model: KneserNey,
    /// Phrase tables by length, then by the line that is translated.
    tables: [[PhraseTable; LINES - 1]; 2],
}

impl Smt {
    /// Learns from training poems.
    pub fn learn(training: &[Poem]) -> Self {
        let counts = TrigramCounts::of_lines(training.iter().flat_map(Poem::lines));
        let tables = LENGTHS.map(|length| {
            std::array::from_fn(|line| {
                let poems = training.iter().filter(|poem| poem.length() == length);
                let pairs: Vec<_> = poems
                    .map(|poem| (poem.line(line), poem.line(line + 1)))
                    .collect();
                PhraseTable::learn(&pairs, ITERATIONS)
            })
        });
        Self::new([0.2; 5], counts, tables)
    }

    fn new(weights: Weights, counts: TrigramCounts, tables: [[PhraseTable; LINES - 1]; 2]) -> Self {
        let language_model = KneserNey::new(&counts, DISCOUNT);
        Self {
            weights,
            counts,
            language_model,
            tables,
        }
    }

    /// Language model of the lines of both lengths.
    pub fn language_model(&self) -> &KneserNey {
        &self.language_model
    }

    /// Number of phrase pairs by length, then by line.
    pub fn phrase_pairs(&self) -> [[usize; LINES - 1]; 2] {
        self.tables
            .each_ref()
            .map(|tables| tables.each_ref().map(PhraseTable::phrase_pairs))
    }

    /// Translates `line`, which is the poem's line of the index `number` from 0, to the next line.
    /// `None` if no training poem had lines of this length, or if the line is the last.
    pub fn next_line(&self, line: &[char], number: usize) -> Option<Vec<char>> {
        let length = LENGTHS.iter().position(|&length| length == line.len())?;
        let table = self.tables[length].get(number)?;
        let decoder = Decoder::new(table, &self.language_model, self.weights);
        Some(decoder.decode(line)?.text)
    }
}
