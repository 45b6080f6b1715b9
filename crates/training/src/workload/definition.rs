//! Definition of a workload, as read from its file.
//!
//! Fields with only one allowed value are read as well: a file that asks for another value is
//! refused, not measured as if it had asked for that one.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use strata_models::ModelConfig;

use super::{WorkloadError, known};

/// Workloads by name: those of a file, or the built-in ones. A definition that cannot be read is
/// replaced by the reason, so that an unknown kind does not affect the others.
#[derive(Clone, Debug)]
pub struct Workloads(Vec<(String, Result<Workload, String>)>);

/// Workload: a number of training steps, defined to the last digit.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Name of the workload in the file.
    pub name: String,
    /// Seed of token ids and initial parameters.
    pub seed: u32,
    /// Number of examples of a step, B.
    pub batch: usize,
    /// Number of timed steps.
    pub steps: u32,
    /// Number of warm-up steps before the timed ones.
    pub warmup: u32,
    /// Model or layer that a step computes.
    pub kind: WorkloadKind,
}

/// Model or layer that a step computes.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkloadKind {
    /// A Transformer learns to copy.
    Transformer(TransformerWorkload),
    /// An LSTM with attention learns to copy.
    LstmSeq2Seq(LstmWorkload),
    /// A reader learns where answers are.
    Reader(Box<ReaderWorkload>),
    /// A model that learned nothing writes targets.
    Decoding(Box<DecodingWorkload>),
    /// One attention layer alone, which learns nothing.
    AttentionLayer(AttentionLayerWorkload),
}

/// Transformer with norms after each block and none at the end.
#[derive(Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the names are the file's")]
pub struct TransformerWorkload {
    pub task: CopyTask,
    pub vocab: usize,
    pub d_model: usize,
    pub heads: usize,
    pub encoder_layers: usize,
    pub decoder_layers: usize,
    pub d_ff: usize,
    pub activation: Relu,
    pub norm: NormAfter,
    pub norm_eps: f64,
    pub final_norm: bool,
    pub positions: LearnedPositions,
    pub embedding_scale: ByRootOfWidth,
    pub tied_embeddings: bool,
    pub dropout: f64,
    /// Attention mechanism of all three sites.
    pub attention: TransformerAttention,
    pub source_len: usize,
    pub target_len: usize,
    pub optimizer: WorkloadOptimizer,
}

/// LSTM encoder that reads in both directions, and LSTM decoder with attention.
#[derive(Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the names are the file's")]
pub struct LstmWorkload {
    pub task: CopyTask,
    pub vocab: usize,
    pub d_embed: usize,
    /// Number of hidden units of one direction.
    pub encoder_hidden: usize,
    pub bidirectional: bool,
    pub decoder_hidden: usize,
    pub attention: AdditiveAttention,
    pub output: ConcatOutput,
    pub input_feeding: bool,
    pub dropout: f64,
    pub source_len: usize,
    pub target_len: usize,
    pub optimizer: WorkloadOptimizer,
}

/// Reader of questions with one passage each; all texts have full length.
#[derive(Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the names are the file's")]
pub struct ReaderWorkload {
    pub task: AnswersTask,
    /// Settings of the reader, like `model` in an experiment.
    pub model: ModelConfig,
    pub vocab: usize,
    /// Number of different characters in words, including padding and the unknown character.
    pub characters: usize,
    /// Number of words of a passage.
    pub passage_len: usize,
    /// Number of words of a question.
    pub question_len: usize,
    /// Number of characters of a word.
    pub word_len: usize,
    pub clip_norm: f64,
    pub optimizer: WorkloadOptimizer,
}

/// Search for targets, all of one length, with a model of random parameters.
#[derive(Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the names are the file's")]
pub struct DecodingWorkload {
    pub task: WriteTask,
    /// Settings of the model, like `model` in an experiment.
    pub model: ModelConfig,
    pub vocab: usize,
    pub source_len: usize,
    /// Number of tokens of every target: none ends before.
    pub target_len: usize,
    /// Width of the beam; 1 is greedy search.
    pub beam: usize,
}

/// Attention layer without projections.
#[derive(Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the names are the file's")]
pub struct AttentionLayerWorkload {
    pub attention: LayerAttention,
    pub d_model: usize,
    pub query_len: usize,
    pub source_len: usize,
    pub mode: LayerMode,
}

/// Attention mechanism of each head of a Transformer.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum TransformerAttention {
    /// One softmax over all keys.
    MultiHead {},
    /// Multilevel attention: the output of a level becomes the values of the next.
    Multilevel {
        /// Number of levels, N.
        levels: usize,
        /// Recursion of the levels of a cross-attention.
        cross_chain: ChainByKeys,
    },
    /// A learned mix of levels.
    HamV {
        /// Number of levels, d.
        depth: usize,
        /// Scope of the mixing weights: one set per layer.
        weights: MixPerLayer,
    },
}

/// Mechanism of a single attention layer.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum LayerAttention {
    /// One softmax over all states.
    Plain {
        /// Score function of a query and a state.
        score: ScaledDot,
    },
    /// A descent through blocks of the states.
    Pyramid {
        /// Score function of a query and a node.
        score: ScaledDot,
        /// Network that summarises a block as a node.
        summary: ByConvolution,
        /// Size of a block, k.
        block: usize,
        /// Number of levels, L.
        levels: usize,
        /// Number of nodes that a query opens on each level.
        beam: usize,
    },
}

/// Passes of an attention layer.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum LayerMode {
    /// Forward pass alone, without gradients.
    Forward,
    /// Forward and backward pass, with gradients of queries, states and parameters.
    ForwardBackward,
}

/// Settings of Adam (Kingma and Ba 2015).
#[derive(Deserialize, Clone, Copy, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the names are the file's")]
pub struct WorkloadOptimizer {
    pub kind: Adam,
    pub lr: f64,
    pub beta1: f64,
    pub beta2: f64,
    pub eps: f64,
    pub weight_decay: f64,
}

/// Additive attention (Bahdanau et al. 2015).
#[derive(Deserialize, Clone, Copy, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct AdditiveAttention {
    /// Name of the score function.
    pub kind: Additive,
    /// Width of the hidden layer.
    pub width: usize,
}

/// Defines enums of a single word, for settings that allow only one value.
macro_rules! only {
    ($($name:ident: $word:literal,)*) => {$(
        #[doc = concat!("`", $word, "`, the one that is defined.")]
        #[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            #[doc = concat!("`", $word, "`.")]
            #[serde(rename = $word)]
            Only,
        }
    )*};
}

only! {
    CopyTask: "copy",
    AnswersTask: "answers",
    WriteTask: "write",
    Relu: "relu",
    NormAfter: "post",
    LearnedPositions: "learned",
    ByRootOfWidth: "sqrt_d",
    ChainByKeys: "keys",
    MixPerLayer: "per_layer",
    ScaledDot: "scaled_dot",
    ByConvolution: "cnn",
    ConcatOutput: "concat",
    Additive: "additive",
    Adam: "adam",
}

impl Workloads {
    /// Returns the built-in workloads.
    pub fn known() -> Self {
        let named = |it: Workload| (it.name.clone(), Ok(it));
        Self(known::all().into_iter().map(named).collect())
    }

    /// Reads a file of workloads.
    ///
    /// # Errors
    /// If the text is not a file of workloads, or two workloads have the same name.
    pub fn read(text: &str) -> Result<Self, WorkloadError> {
        #[derive(Deserialize)]
        struct File {
            workloads: Vec<Map<String, Value>>,
        }
        let file = |reason: String| WorkloadError::File { reason };
        let read: File = serde_json::from_str(text).map_err(|error| file(error.to_string()))?;
        let mut all: Vec<(String, Result<Workload, String>)> = Vec::new();
        for mut fields in read.workloads {
            let Some(Value::String(name)) = fields.remove("name") else {
                let number = all.len() + 1;
                return Err(file(format!("workload {number} has no name")));
            };
            if all.iter().any(|(known, _)| *known == name) {
                return Err(WorkloadError::Twice { name });
            }
            let workload = of_fields(&name, fields);
            all.push((name, workload));
        }
        Ok(Self(all))
    }

    /// Names of the workloads, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the workload of this name.
    ///
    /// # Errors
    /// If there is no such workload, or its definition is not known here.
    pub fn get(&self, name: &str) -> Result<Workload, WorkloadError> {
        let found = self.0.iter().find(|(known, _)| known == name);
        let Some((_, definition)) = found else {
            let known: Vec<&str> = self.names().collect();
            return Err(WorkloadError::Missing {
                name: name.to_owned(),
                known: known.join(", "),
            });
        };
        let checked = definition.clone().and_then(|workload| {
            workload.check()?;
            Ok(workload)
        });
        checked.map_err(|reason| WorkloadError::Definition {
            name: name.to_owned(),
            reason,
        })
    }
}

fn of_fields(name: &str, mut fields: Map<String, Value>) -> Result<Workload, String> {
    let mut take = |key: &str| {
        let value = fields.remove(key);
        value.ok_or_else(|| format!("it has no `{key}`"))
    };
    let (kind, seed, batch) = (take("kind")?, take("seed")?, take("batch")?);
    let (steps, warmup) = (take("steps")?, take("warmup")?);
    let rest = Value::Object(fields);
    Ok(Workload {
        name: name.to_owned(),
        seed: value("seed", seed)?,
        batch: value("batch", batch)?,
        steps: value("steps", steps)?,
        warmup: value("warmup", warmup)?,
        kind: match kind.as_str() {
            Some("transformer") => WorkloadKind::Transformer(value("", rest)?),
            Some("lstm_seq2seq") => WorkloadKind::LstmSeq2Seq(value("", rest)?),
            Some("reader") => WorkloadKind::Reader(value("", rest)?),
            Some("decoding") => WorkloadKind::Decoding(value("", rest)?),
            Some("attention_layer") => WorkloadKind::AttentionLayer(value("", rest)?),
            _ => {
                return Err(format!(
                    "its kind {kind} is not known; there are transformer, lstm_seq2seq, reader, \
                     decoding and attention_layer"
                ));
            }
        },
    })
}

/// Reads a value of the file. Errors name the field.
fn value<T: DeserializeOwned>(key: &str, value: Value) -> Result<T, String> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let key = if path == "." { key } else { &path };
        let reason = error.inner();
        match key {
            "" => reason.to_string(),
            key => format!("`{key}`: {reason}"),
        }
    })
}
