//! Types of the protocol in TypeScript, for the JavaScript package.
//!
//! The types of this crate derive declarations. The types of other crates stand here once more, in
//! the form of messages: those crates need not know TypeScript, and tests compare both forms.

use std::any::TypeId;
use std::collections::HashSet;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use ts_rs::{Config, TS, TypeVisitor};

use super::{Command, Event};

/// A JSON object, such as an experiment or a search.
#[derive(TS)]
#[ts(type = "{ [key: string]: unknown }")]
pub struct Json;

/// Contents of a file.
#[derive(TS)]
#[ts(type = "Uint8Array")]
pub struct Bytes;

/// Name of an attention site, such as `encoder.0.self`, `decoder.1.cross` or `reader.matching`.
#[derive(TS)]
#[ts(type = "string")]
pub struct SiteName;

/// Name of a layer: `encoder.0`, `decoder.1`.
#[derive(TS)]
#[ts(type = "string")]
pub struct LayerName;

/// A user's own text.
#[derive(TS)]
pub struct UploadedText {
    /// Name by which a task refers to the text.
    pub name: String,
    /// Bytes of the file.
    #[ts(as = "Bytes")]
    pub bytes: Vec<u8>,
}

/// Report of one training step.
#[derive(Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct StepReport {
    /// Number of the step, counted from 1.
    pub step: u64,
    /// Mean loss over the target tokens without padding, in nats, before the update.
    pub loss: f64,
    /// Share of target tokens predicted correctly, teacher-forced, before the update.
    pub accuracy: f64,
    /// Learning rate of the step.
    pub learning_rate: f64,
    /// Norm of all gradients together, before clipping.
    pub gradient_norm: f64,
    /// Number of target tokens without padding; for a reader, of words read.
    pub tokens: usize,
    /// Wall-clock time in milliseconds.
    pub milliseconds: f64,
    /// Number of times that the gradient overflowed in F16.
    pub overflows: u32,
}

/// Scores of a model on held-out examples.
#[derive(Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct Validation {
    /// Number of steps taken before the validation.
    pub step: u64,
    /// Mean cross-entropy over target tokens without padding, in nats.
    pub loss: f64,
    /// Exponential of the loss.
    pub perplexity: f64,
    /// Share of target tokens predicted correctly, teacher-forced.
    pub accuracy: f64,
    /// Share of the `decoded` sentences whose greedy decoding equals the text in the file.
    pub exact_match: f64,
    /// Number of sentences that were decoded.
    pub decoded: usize,
    /// BLEU of greedy translations, from 0 to 100.
    pub bleu: Option<f64>,
    /// F1 of a reader's answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub f1: Option<f64>,
    /// BLEU-1 of a reader's answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bleu_1: Option<f64>,
    /// BLEU-4 of a reader's answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bleu_4: Option<f64>,
    /// ROUGE-L of a reader's answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rouge_l: Option<f64>,
    /// Loss of a text in bits per character of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits_per_character: Option<f64>,
    /// Number of tokens of the text that the vocabulary lacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unspelt_tokens: Option<u64>,
}

/// Statistics of the attention weights of every site.
#[derive(Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Telemetry {
    /// Number of steps taken before the measurement.
    pub step: u64,
    /// Number of held-out examples that were measured.
    pub examples: usize,
    /// Statistics of each site, in the order of the pass.
    pub sites: Vec<SiteTelemetry>,
}

/// Statistics of a site's attention weights.
#[derive(Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SiteTelemetry {
    /// Name of the site.
    #[ts(as = "SiteName")]
    pub site: String,
    /// Statistics of each head.
    pub heads: Vec<HeadStatistics>,
}

/// Statistics of a head.
#[derive(Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct HeadStatistics {
    /// Statistics of each level; of more than 16 levels, of the first 15 and of the last.
    pub levels: Vec<LevelStatistics>,
    /// Mean effective depth of a row, if the mechanism mixes levels by learned shares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_depth: Option<f64>,
}

/// Statistics of one level of a head, means over all rows that count.
#[derive(Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct LevelStatistics {
    /// Level, counted from 1.
    pub level: usize,
    /// Mean entropy of a row, in nats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entropy: Option<f64>,
    /// Mean of the largest weight of a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak: Option<f64>,
    /// Mean weight on the diagonal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagonal: Option<f64>,
    /// Mean weight of a token on the token before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<f64>,
    /// Agreement with a permutation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permutation: Option<f64>,
}

/// Report on texts that a user gave.
#[derive(Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct CorpusReport {
    /// Task that reads the texts.
    #[ts(as = "Json")]
    pub task: serde_json::Value,
    /// Size of each text.
    pub texts: Vec<TextSize>,
    /// First pairs, or questions with their answers, or lines of a text.
    pub preview: Vec<[String; 2]>,
    /// Number of training examples.
    pub training: usize,
    /// Number of held-out examples.
    pub held_out: usize,
    /// Reason for the number of held-out examples.
    pub why_held_out: Option<String>,
    /// Sizes of the source and target vocabularies, special tokens included.
    pub vocabularies: [usize; 2],
    /// Sentences on the pairs that were left out.
    pub dropped: Vec<String>,
    /// Further notes before training, a sentence each.
    pub notes: Vec<String>,
}

/// Size of a text.
#[derive(Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct TextSize {
    /// Name that the user gave the text.
    pub name: String,
    /// Number of unpacked bytes, in UTF-8.
    pub bytes: usize,
    /// Number of lines.
    pub lines: usize,
}

/// Measurements of a workload's run.
#[derive(Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub struct WorkloadReport {
    /// Name of the program that ran the workload.
    pub peer: String,
    /// Name of the workload.
    pub workload: String,
    /// Name of the device.
    pub device: String,
    /// Median duration of the timed steps, in milliseconds.
    pub ms_per_step: f64,
    /// Target tokens of a step, divided by the median duration.
    pub tokens_per_s: f64,
    /// Peak memory in MiB, if known.
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

/// Attention site that can compute with more or fewer levels than in training.
#[derive(Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SiteLevels {
    /// Name of the site.
    #[ts(as = "SiteName")]
    pub site: String,
    /// Number of levels with which the site was trained.
    pub trained: usize,
    /// Largest number of levels with which the site can compute.
    pub maximum: usize,
}

/// Part of a model to mute, or attention weights to set by hand.
#[derive(Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Part {
    /// Attention site whose result becomes zeros.
    Site {
        /// Name of the site.
        #[ts(as = "SiteName")]
        site: String,
    },
    /// Head whose context becomes zeros.
    Head {
        /// Name of the site.
        #[ts(as = "SiteName")]
        site: String,
        /// Index of the head, from 0.
        head: usize,
    },
    /// Level whose share becomes 0.
    Level {
        /// Name of the site.
        #[ts(as = "SiteName")]
        site: String,
        /// Index of the level, from 0.
        level: usize,
    },
    /// Number of levels with which the site computes.
    Levels {
        /// Name of the site.
        #[ts(as = "SiteName")]
        site: String,
        /// Number of levels.
        count: usize,
    },
    /// Feed-forward block of a layer, whose result becomes zeros.
    FeedForward {
        /// Name of the layer.
        #[ts(as = "LayerName")]
        layer: String,
    },
    /// Row whose attention weights are set by hand, in every example.
    Row {
        /// Name of the site.
        #[ts(as = "SiteName")]
        site: String,
        /// Index of the head, from 0; absent for all heads.
        head: Option<usize>,
        /// Position of the query, from 0; absent for all rows.
        row: Option<usize>,
        /// Weights to set for the row.
        to: GivenWeights,
    },
    /// Node of a pyramid to which no query attends.
    Node {
        /// Name of the site.
        #[ts(as = "SiteName")]
        site: String,
        /// Level of the node, counted from the leaves, level 0.
        level: usize,
        /// Index of the node within the level, from 0.
        index: usize,
    },
}

/// Weights to set for a row.
#[derive(Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum GivenWeights {
    /// The same weight for each key that the mask shows to the row.
    Uniform,
    /// All weight on the key at the row's own position.
    Diagonal,
    /// All weight on the key of this index, from 0.
    Key(usize),
}

/// Kind of a score function.
#[derive(Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum ScoreKind {
    Dot,
    ScaledDot,
    Bilinear,
    Additive,
    Trilinear,
}

/// Origin of a keyword.
#[derive(Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Origin {
    Text,
    Knowledge,
    Neighbour,
    Drawn,
    Given,
}

/// Characters that may not be repeated in a poem.
#[derive(Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Distinct {
    None,
    Line,
    Poem,
}

/// Declares [`Command`], [`Event`] and all types that messages contain, in TypeScript.
pub fn declarations() -> String {
    // Numbers of steps and seeds are far below 2⁵³, and messages contain them as numbers.
    let config = Config::new().with_large_int("number");
    let mut all = Declarations {
        config: &config,
        seen: HashSet::new(),
        text: String::new(),
    };
    all.visit::<Command>();
    all.visit::<Event>();
    // What is missing in a message is undefined, never null.
    all.text.replace("| null", "| undefined")
}

struct Declarations<'a> {
    config: &'a Config,
    seen: HashSet<TypeId>,
    text: String,
}

impl TypeVisitor for Declarations<'_> {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if T::output_path().is_none() || !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        let docs = T::docs().unwrap_or_default();
        let declaration = T::decl(self.config);
        writeln!(self.text, "{docs}export {declaration}\n").expect("a text takes all");
        T::visit_dependencies(self);
    }
}

#[cfg(test)]
mod tests;
