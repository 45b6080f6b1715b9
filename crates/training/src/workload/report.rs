//! Report of a run: a line of JSON in the form that all compared programs print.

use serde::{Deserialize, Serialize};

use strata_models::Load;

use super::bench::vocabularies;
use super::definition::TransformerAttention;
use super::{Workload, WorkloadKind};
use crate::Precision;

/// Measurements of a workload's run.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct WorkloadReport {
    /// Name of the program that ran the workload.
    pub peer: String,
    /// Name of the workload.
    pub workload: String,
    /// Name of the device.
    pub device: String,
    /// Median duration of the timed steps, in milliseconds.
    pub ms_per_step: f64,
    /// Target tokens of a step (words that a reader reads, queries of a layer alone), divided by the
    /// median duration.
    pub tokens_per_s: f64,
    /// Peak memory in MiB, if known: of the process, or of the GPU.
    pub peak_memory_mb: Option<f64>,
    /// Memory in MiB that was in use before the model was built, if known.
    pub baseline_memory_mb: Option<f64>,
    /// Loss of the very first step, warm-up included.
    pub loss_first: f64,
    /// Loss of the last step.
    pub loss_last: f64,
    /// Duration of the fastest timed step, in milliseconds.
    pub ms_min: f64,
    /// Duration of the slowest timed step, in milliseconds.
    pub ms_max: f64,
    /// Number of timed steps.
    pub steps: u32,
    /// Number of warm-up steps before the timed ones.
    pub warmup: u32,
    /// Number type of the passes, such as `f32`.
    pub precision: String,
    /// Number of elements that have gradients.
    pub params: usize,
    /// Version of the program.
    pub version: String,
}

impl WorkloadReport {
    /// Builds the report of a run. `milliseconds` and `losses` hold one value per step, warm-up
    /// included. The memory fields are `None`.
    pub fn new(
        workload: &Workload,
        (device, precision): (&str, Precision),
        parameters: usize,
        milliseconds: &[f64],
        losses: &[f64],
    ) -> Self {
        let warmup = (workload.warmup as usize).min(milliseconds.len());
        let mut timed = milliseconds[warmup..].to_vec();
        timed.sort_by(f64::total_cmp);
        let at = |index: usize| timed.get(index).copied().unwrap_or(f64::NAN);
        let middle = (at(timed.len().saturating_sub(1) / 2) + at(timed.len() / 2)) / 2.0;
        let loss = |loss: Option<&f64>| rounded(loss.copied().unwrap_or(f64::NAN), 1e7);
        Self {
            peer: "strata".to_owned(),
            workload: workload.name.clone(),
            device: device.to_owned(),
            ms_per_step: rounded(middle, 1e3),
            tokens_per_s: rounded(workload.tokens() as f64 / middle * 1e3, 10.0),
            peak_memory_mb: None,
            baseline_memory_mb: None,
            loss_first: loss(losses.first()),
            loss_last: loss(losses.last()),
            ms_min: rounded(at(0), 1e3),
            ms_max: rounded(at(timed.len().saturating_sub(1)), 1e3),
            steps: timed.len() as u32,
            warmup: warmup as u32,
            precision: precision.name().to_owned(),
            params: parameters,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

impl Workload {
    /// Number of tokens of a step: of all targets; for a reader, of all words read; for a single
    /// layer, of queries.
    pub fn tokens(&self) -> usize {
        self.batch
            * match &self.kind {
                WorkloadKind::Transformer(it) => it.target_len,
                WorkloadKind::LstmSeq2Seq(it) => it.target_len,
                WorkloadKind::Reader(it) => it.passage_len + it.question_len,
                WorkloadKind::Decoding(it) => it.target_len,
                WorkloadKind::AttentionLayer(it) => it.query_len,
            }
    }

    /// Number of floating-point operations of a step's products, a multiplication with its addition as
    /// two. Biases and norms count as well, as up to 2 %. `None` for what is no training step, and for
    /// several levels of multilevel attention, whose powers take fewer operations than a product for
    /// each level.
    pub fn operations(&self) -> Option<f64> {
        let (config, vocabularies, [source, target]) = match &self.kind {
            WorkloadKind::Transformer(it) => match it.attention {
                TransformerAttention::Multilevel { levels, .. } if levels > 1 => return None,
                _ => {
                    let lengths = [it.source_len, it.target_len];
                    (it.config(), vocabularies(it.vocab), lengths)
                }
            },
            WorkloadKind::LstmSeq2Seq(it) => {
                let lengths = [it.source_len, it.target_len];
                (it.config(), vocabularies(it.vocab), lengths)
            }
            WorkloadKind::Reader(it) => {
                let lengths = [it.question_len, it.passage_len];
                (it.model.clone(), it.vocabularies(), lengths)
            }
            WorkloadKind::Decoding(_) | WorkloadKind::AttentionLayer(_) => return None,
        };
        let load = Load {
            batch: self.batch as f64,
            source: source as f64,
            target: target as f64,
        };
        Some(2.0 * config.step_cost(vocabularies, load).multiplications)
    }
}

fn rounded(number: f64, parts: f64) -> f64 {
    (number * parts).round() / parts
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::workload::Workloads;

    /// Operations of products in a Transformer of as many layers on both sides, whose sequences have
    /// 32 tokens, counted by hand: each weight and each pair of tokens once forward and twice back.
    fn by_hand(layers: f64, width: f64, inner: f64, words: f64, batch: f64) -> f64 {
        let weights = layers * (12.0 * width * width + 4.0 * width * inner) + width * words;
        // Scores and context, at three sites of a layer.
        let pairs = layers * 3.0 * 2.0 * width * 32.0 * 32.0;
        6.0 * batch * (32.0 * weights + pairs)
    }

    #[test]
    fn operations_are_those_of_the_products() {
        let known = Workloads::known();
        let of = |name: &str| known.get(name).unwrap().operations();
        let expected = [
            ("tiny-transformer", by_hand(2.0, 64.0, 256.0, 64.0, 32.0)),
            (
                "small-transformer",
                by_hand(2.0, 256.0, 1024.0, 1000.0, 32.0),
            ),
        ];
        for (name, expected) in expected {
            let found = of(name).unwrap();
            assert!(
                (found / expected - 1.0).abs() < 0.02,
                "{name}: {found:e}, {expected:e}"
            );
        }
        assert!(of("ham-20-tiny").unwrap() > 1.5 * of("ham-1-tiny").unwrap());
        assert!(of("multilevel-1-tiny").is_some());
        for name in [
            "multilevel-100-tiny",
            "decoding-greedy",
            "attn-plain-128-fwd",
        ] {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
