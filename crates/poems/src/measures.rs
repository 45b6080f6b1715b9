//! Metrics of written lines: BLEU with its intervals, copying and diversity, form, and the scores
//! of baselines.

mod baselines;
mod bleu;
mod bootstrap;
mod diversity;
mod form;
mod references;

pub use baselines::{Baseline, Baselines};
pub use bleu::{LineStatistics, PoemBleu, WrittenLines, poem_bleu};
pub use bootstrap::{Interval, bleu_difference, bleu_interval};
pub use diversity::{Diversity, KnownLines};
pub use form::{Form, FormShares, rhyme_class};
pub use references::{References, TopicReferences};
