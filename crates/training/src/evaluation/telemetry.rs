//! Statistics of a model's attention weights, measured with each validation.
//!
//! The first held-out examples, at most 32 and at most a batch, go through the model once, and all
//! numbers are read from the device at once. No random number is drawn, and nothing of the run
//! changes.

use burn::tensor::{ExecutionError, Tensor};
use serde::{Deserialize, Serialize};
use strata_attention::{HeadStatistics, Lengths, PendingStatistics, Site, WeightMeasure};
use strata_models::{Batch, SiteName, SiteWeights, SpanBatch, Tokens};
use strata_tasks::{Example, Question};

use crate::pipeline::question_answering::pad;
use crate::{HeldOut, Inference, Trainer};

/// Largest number of examples that are measured.
const MOST_EXAMPLES: usize = 32;

/// Largest number of weights of a head and a level, T·S summed over the examples. Of longer
/// examples fewer are measured, but at least one.
const MOST_CELLS: usize = 1 << 20;

/// Statistics of the attention weights of every site.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Telemetry {
    /// Number of steps taken before the measurement.
    pub step: u64,
    /// Number of held-out examples that were measured, the first ones.
    pub examples: usize,
    /// Statistics of each site, in the order of the pass. A site with more than 2²⁶ weights a level
    /// is absent.
    pub sites: Vec<SiteTelemetry>,
}

/// Statistics of a site's attention weights.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct SiteTelemetry {
    /// Name of the site.
    pub site: SiteName,
    /// Statistics of each head.
    pub heads: Vec<HeadStatistics>,
}

/// Name of a curve of telemetry: the measure of a level of a head that the curve shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CurveName {
    /// Name of the site.
    pub site: SiteName,
    /// Head, counted from 0.
    pub head: usize,
    /// Level, counted from 1; `None` for the effective depth.
    pub level: Option<usize>,
    /// Measure of the weights.
    pub measure: WeightMeasure,
}

impl CurveName {
    /// Name in files: `encoder.0.self/head_1/level_2/entropy`. Heads and levels are counted from 1.
    pub fn key(&self) -> String {
        let (site, head, measure) = (self.site, self.head + 1, self.measure.key());
        match self.level {
            Some(level) => format!("{site}/head_{head}/level_{level}/{measure}"),
            None => format!("{site}/head_{head}/{measure}"),
        }
    }
}

impl Telemetry {
    /// Returns all numbers that could be measured, with their names, in the order of the sites.
    pub fn numbers(&self) -> Vec<(CurveName, f64)> {
        let mut numbers = Vec::new();
        for SiteTelemetry { site, heads } in &self.sites {
            for (head, statistics) in heads.iter().enumerate() {
                let mut add = |level, measure, value: Option<f64>| {
                    let name = CurveName {
                        site: *site,
                        head,
                        level,
                        measure,
                    };
                    numbers.extend(value.map(|value| (name, value)));
                };
                for level in &statistics.levels {
                    for measure in WeightMeasure::ALL {
                        add(Some(level.level), measure, level.get(measure));
                    }
                }
                let depth = statistics.effective_depth;
                add(None, WeightMeasure::EffectiveDepth, depth);
            }
        }
        numbers
    }
}

/// Numbers of tokens of a batch, by which padding is known.
struct Texts {
    source: Vec<usize>,
    target: Vec<usize>,
}

impl Texts {
    /// Lengths of source and target.
    fn of_pairs(batch: &Batch) -> Self {
        Self {
            source: lengths(&batch.source, 1),
            target: lengths(&batch.target_in, 1),
        }
    }

    /// Lengths of the questions, as sources, and of the passages, as targets.
    fn of_questions(batch: &SpanBatch) -> Self {
        Self {
            source: lengths(&batch.questions.words, batch.each),
            target: lengths(&batch.passages.words, 1),
        }
    }

    /// Lengths of queries and keys at a site.
    fn at(&self, place: Site) -> Lengths {
        let (queries, keys) = match place {
            Site::EncoderSelf => (&self.source, &self.source),
            Site::DecoderSelf | Site::SelfMatching => (&self.target, &self.target),
            Site::Cross | Site::ContextToQuery | Site::Matching => (&self.target, &self.source),
            Site::QueryToContext => (&self.source, &self.target),
        };
        Lengths {
            queries: queries.clone(),
            keys: keys.clone(),
        }
    }
}

/// Number of tokens of each row without padding, each row `times` times; 0 for a row of padding
/// alone, which no attention sees ([`Tokens::lengths`] has 1 there, for recurrent layers).
fn lengths(tokens: &Tokens, times: usize) -> Vec<usize> {
    let padding = tokens.padding();
    let rows = padding.chunks(tokens.columns());
    let length = |row: &[bool]| row.iter().filter(|&&is_padding| !is_padding).count();
    rows.flat_map(|row| std::iter::repeat_n(length(row), times))
        .collect()
}

/// Number of the first examples to measure, given their lengths.
fn measured(longest: impl Iterator<Item = usize>, batch_size: usize) -> usize {
    let mut most = 0;
    let (mut count, limit) = (0, batch_size.clamp(1, MOST_EXAMPLES));
    for length in longest.take(limit) {
        most = length.max(most);
        if count > 0 && (count + 1) * most * most > MOST_CELLS {
            break;
        }
        count += 1;
    }
    count
}

impl Inference {
    /// Measures the attention weights of every site on the first held-out examples. `None` if the
    /// model has no attention, or if there are no examples.
    ///
    /// GPU–CPU sync point, one for all numbers.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn telemetry(
        &self,
        held_out: HeldOut<'_>,
        batch_size: usize,
    ) -> Result<Option<Telemetry>, ExecutionError> {
        let Some((examples, sites, texts)) = self.attended(held_out, batch_size) else {
            return Ok(None);
        };
        let pending: Vec<(SiteName, PendingStatistics)> = sites
            .iter()
            .filter_map(|SiteWeights { site, weights, .. }| {
                let lengths = texts.at(site.place);
                Some((*site, PendingStatistics::of(weights, site.place, &lengths)?))
            })
            .collect();
        if pending.is_empty() {
            return Ok(None);
        }
        let numbers = pending.iter().map(|(_, it)| it.numbers()).collect();
        let data = Tensor::cat(numbers, 0).into_data_async().await?;
        let numbers: Vec<f32> = data.iter::<f32>().collect();
        let mut rest = &numbers[..];
        let sites = pending.iter().map(|(site, pending)| {
            let (own, further) = rest.split_at(pending.count());
            rest = further;
            SiteTelemetry {
                site: *site,
                heads: pending.read(own),
            }
        });
        Ok(Some(Telemetry {
            step: self.step,
            examples,
            sites: sites.collect(),
        }))
    }

    /// Passes over the first held-out examples. Returns their number, the weights of every site and
    /// the lengths of the texts; `None` without examples.
    fn attended(
        &self,
        held_out: HeldOut<'_>,
        batch_size: usize,
    ) -> Option<(usize, Vec<SiteWeights>, Texts)> {
        if let Some(reader) = self.model.reader() {
            let questions = held_out.questions();
            let size =
                |it: &Question| it.longest_passage().max(it.question.len()) * it.passages.len();
            let count = measured(questions.iter().map(size), batch_size);
            let asked: Vec<&Question> = questions[..count].iter().collect();
            if asked.is_empty() {
                return None;
            }
            let (batch, _) = pad(&asked, self.tokenizer.reads_characters());
            let attention = reader.forward(&batch, &self.device).attention;
            return Some((count, attention, Texts::of_questions(&batch)));
        }
        let model = self.model.sequence()?;
        let examples = held_out.examples();
        let size = |it: &Example| it.source.len().max(it.target.len() + 1);
        let count = measured(examples.iter().map(size), batch_size);
        if count == 0 {
            return None;
        }
        let layout = self.kind.layout_of_held_out(&self.tokenizer);
        let batch = layout.pad(examples[..count].iter());
        let attention = model.forward(&batch, &self.device).attention;
        Some((count, attention, Texts::of_pairs(&batch)))
    }
}

impl Trainer {
    /// Measures the attention weights of every site, for a record beside the validation. Of several
    /// processes, process 0 alone measures; the others return `None`, as a model without attention
    /// does.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn telemetry(&self) -> Result<Option<Telemetry>, ExecutionError> {
        if self.exchange.rank() != 0 {
            return Ok(None);
        }
        let batch_size = self.experiment.training.batch_size;
        let inference = self.inference();
        inference.telemetry(self.held_out(), batch_size).await
    }
}
