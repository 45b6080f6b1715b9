//! A run in one `.safetensors` file, the same in the browser and natively.
//!
//! - metadata `strata`: a JSON text with the experiment, the step, the place in the data, both
//!   vocabularies (with their models of subwords) and the number of updates of each parameter
//!   ([`Contents`]); dropout needs only seed and step
//! - tensors `model.NAME`: the parameters, F32
//! - tensors `carried.LAYER.hidden` and `.cell`: the state that a recurrent language model takes
//!   into the next segment, F32
//! - tensor `poems.word_vectors`: the vectors by which poems are planned, F32
//! - tensors `learned.own` and `learned.before`: what the model has learned, of its own data and with
//!   the models from which its run began, as a set of numbers ([`Learned`](strata_tasks::Learned)), U8
//! - tensors `optimizer.NAME.moment_1` and `.moment_2`: AdamW's moments, F32
//!
//! The file alone can translate. To resume training, the task's data are loaded again.

pub(crate) mod average;
pub(crate) mod difference;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod file;
pub(crate) mod inspection;
pub(crate) mod lacking;
pub(crate) mod malformed;
pub(crate) mod parameters;
pub(crate) mod restore;
pub(crate) mod resume;
pub(crate) mod snapshot;
pub(crate) mod transfer;

use std::collections::{BTreeMap, HashMap};

use burn::tensor::TensorData;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors, View};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use strata_poems::StoredPlanner;
use strata_tasks::{BatchPosition, TaskConfig};
use strata_text::{SubwordModel, Vocabulary};

use crate::checkpoint::inspection::measure;
use crate::checkpoint::malformed::{briefly, malformed};
use crate::checkpoint::parameters::Parameter;
use crate::data::learned_before::{BEFORE, OWN, is_unknown};
use crate::evaluation::early_stopping::EarlyStopping;
use crate::pipeline::{StoredReading, TokenizerKind, WORD_VECTORS};
use crate::size::could_hold;
use crate::step::precision::LossScale;
use crate::{CheckpointError, Experiment, Tokenizer, TrainingError};

/// Version of the file format, raised whenever older programs could no longer read new files.
pub(crate) const FORMAT: u64 = 3;
/// Prefix of the names of carried states.
const CARRIED: &str = "carried.";
/// Key of Strata's entry in the file's metadata.
const ENTRY: &str = "strata";

/// Metadata of the file: everything but the tensors.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Contents {
    pub format: u64,
    #[serde(deserialize_with = "experiment")]
    pub experiment: Experiment,
    pub step: u64,
    pub position: BatchPosition,
    #[serde(flatten)]
    pub standing: EarlyStopping,
    /// Steps of the checkpoints that were averaged; empty if this file is no mean of checkpoints.
    #[serde(default)]
    pub averaged: Vec<u64>,
    /// Fingerprint of the data; see [`crate::data::Data`].
    pub fingerprint: u64,
    /// Number of tokens of the longest source and of the longest target.
    pub longest: (usize, usize),
    pub source_vocabulary: Vocabulary,
    pub target_vocabulary: Vocabulary,
    /// Model that splits words into the subwords of the vocabulary, if there are subwords. Since
    /// format 2.
    #[serde(default)]
    pub source_subwords: Option<SubwordModel>,
    #[serde(default)]
    pub target_subwords: Option<SubwordModel>,
    /// Parts of a reader's tokenizer beside the vocabularies of words and characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<StoredReading>,
    /// Planner of poems without its vectors; `None` for tasks other than `poems`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planner: Option<StoredPlanner>,
    /// Loss scale; `None` unless the run computes in F16.
    #[serde(default)]
    pub loss_scale: Option<LossScale>,
    /// True if some model from which the run began does not record what it has learned. Since
    /// format 3.
    #[serde(default)]
    pub learned_unknown: bool,
    /// Number of AdamW updates of each parameter.
    pub times: BTreeMap<String, usize>,
}

/// Reads an experiment. If an older program did not record the split of the data, its default then
/// is restored.
fn experiment<'de, D: Deserializer<'de>>(source: D) -> Result<Experiment, D::Error> {
    let mut value = Value::deserialize(source)?;
    if let Some(task) = value.get_mut("task") {
        TaskConfig::complete_saved(task);
    }
    serde_json::from_value(value).map_err(D::Error::custom)
}

impl Contents {
    /// True if vocabularies and subword models are equal.
    pub fn has_vocabularies_of(&self, other: &Self) -> bool {
        self.source_vocabulary == other.source_vocabulary
            && self.target_vocabulary == other.target_vocabulary
            && self.source_subwords == other.source_subwords
            && self.target_subwords == other.target_subwords
            && self.reading == other.reading
    }

    /// Returns the contents in the present format.
    pub fn renewed(&self) -> Self {
        Self {
            format: FORMAT,
            learned_unknown: self.learned_unknown || is_unknown(self),
            ..self.clone()
        }
    }

    /// Drops update counts, position in the data and validations, for a file of parameters alone.
    pub fn forget_run(&mut self) {
        self.times.clear();
        self.position = BatchPosition::default();
        self.standing = EarlyStopping::default();
    }
}

pub(crate) fn serialize<N: AsRef<str> + Ord + std::fmt::Display, V: View>(
    contents: &Contents,
    tensors: impl IntoIterator<Item = (N, V)>,
) -> Vec<u8> {
    let text = serde_json::to_string(contents).expect("the contents are plain data");
    let metadata = HashMap::from([(ENTRY.to_owned(), text)]);
    safetensors::serialize(tensors, Some(metadata)).expect("the tensors have distinct names")
}

/// Counts the invalid elements of a tensor: those that are not finite, and, in second moments,
/// negative ones, of which the optimiser would take the square root.
pub(crate) fn impossible(name: &str, kind: Dtype, bytes: &[u8]) -> usize {
    if kind != Dtype::F32 {
        let (_, not_finite) = measure(kind, bytes);
        return not_finite;
    }
    // Counting alone, unlike summing, is vectorised: files have many moments.
    match count(bytes, |it| !it.is_finite()) {
        0 if name.ends_with(SECOND_MOMENT) => count(bytes, |it| it < 0.0),
        not_finite => not_finite,
    }
}

/// Counts the numbers of which `is_counted` is true.
fn count(bytes: &[u8], is_counted: impl Fn(f32) -> bool) -> usize {
    let (numbers, _) = bytes.as_chunks::<4>();
    let numbers = numbers.iter().map(|&bytes| f32::from_le_bytes(bytes));
    numbers.filter(|&it| is_counted(it)).count()
}

/// Prefix of the names of the optimiser's tensors.
const OPTIMIZER: &str = "optimizer.";
/// Suffix of the names of second moments (means of squared gradients).
const SECOND_MOMENT: &str = ".moment_2";

/// Names of the tensors with a parameter's moments.
pub(crate) fn moments(parameter: &str) -> [String; 2] {
    ["moment_1", "moment_2"].map(|moment| format!("{OPTIMIZER}{parameter}.{moment}"))
}

/// Name of the tensor with a layer's carried state.
pub(crate) fn carried(layer: usize, part: &str) -> String {
    format!("{CARRIED}{layer}.{part}")
}

/// Opened checkpoint file: its experiment has been read, its tensors have not.
pub struct Checkpoint<'a> {
    pub(crate) contents: Contents,
    pub(crate) tensors: SafeTensors<'a>,
}

impl<'a> Checkpoint<'a> {
    /// Opens a file's bytes.
    ///
    /// # Errors
    /// If the bytes are truncated, not a checkpoint of Strata, or of a newer program.
    pub fn open(bytes: &'a [u8]) -> Result<Self, CheckpointError> {
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| malformed(bytes, error))?;
        let (_, header) =
            SafeTensors::read_metadata(bytes).map_err(|error| malformed(bytes, error))?;
        let entry = header.metadata().as_ref().and_then(|all| all.get(ENTRY));
        let text = entry.ok_or(CheckpointError::Foreign)?;
        let damaged = |error: serde_json::Error| CheckpointError::Damaged {
            reason: format!("its `{ENTRY}` entry cannot be read: {}", briefly(&error)),
        };
        // Read the format first: in a newer one the other fields may have another meaning.
        let Format { format } = serde_json::from_str(text).map_err(damaged)?;
        if format > FORMAT {
            return Err(CheckpointError::Newer {
                found: format,
                supported: FORMAT,
            });
        }
        Ok(Self {
            contents: serde_json::from_str(text).map_err(damaged)?,
            tensors,
        })
    }

    /// Checks that no tensor has invalid elements (NaN, infinite, or negative second moments).
    ///
    /// # Errors
    /// Names the first tensor that has invalid elements.
    pub fn check_numbers(&self) -> Result<(), CheckpointError> {
        let mut all: Vec<_> = self.tensors.iter().collect();
        all.sort_unstable_by_key(|(name, _)| *name);
        for (name, tensor) in all {
            let count = impossible(name, tensor.dtype(), tensor.data());
            if count > 0 {
                return Err(CheckpointError::NotFinite {
                    name: name.to_owned(),
                    count,
                });
            }
        }
        Ok(())
    }

    /// Experiment of the run.
    pub fn experiment(&self) -> &Experiment {
        &self.contents.experiment
    }

    /// Number of steps taken.
    pub fn step(&self) -> u64 {
        self.contents.step
    }

    /// Steps of the checkpoints whose mean this file is; empty if the file is no mean.
    pub fn averaged(&self) -> &[u64] {
        &self.contents.averaged
    }

    /// Ranking of the validations so far.
    pub fn standing(&self) -> &EarlyStopping {
        &self.contents.standing
    }

    /// Serialises the same run with all changeable settings taken from `asked`.
    pub fn going_on_as(&self, asked: &Experiment) -> Vec<u8> {
        let mut contents = self.contents.renewed();
        contents.experiment.change_as(asked);
        serialize(&contents, self.tensors.iter())
    }

    /// Serialises the same run with another number of passes through the model's layers; `None` if
    /// the architecture has no loops.
    pub fn with_loops(&self, loops: usize) -> Option<Vec<u8>> {
        let mut contents = self.contents.renewed();
        *contents.experiment.model.loops_mut()? = loops;
        Some(serialize(&contents, self.tensors.iter()))
    }

    /// Serialises the same run without the optimiser's moments: a third of the size, enough to
    /// inspect the model. Training that resumes from this file begins with fresh moments.
    pub fn without_optimizer(&self) -> Vec<u8> {
        let mut contents = self.contents.renewed();
        contents.times.clear();
        let tensors = self.tensors.iter();
        let others = tensors.filter(|(name, _)| !name.starts_with(OPTIMIZER));
        serialize(&contents, others)
    }

    /// Checks that the checkpoint's experiment equals `asked` in every setting.
    ///
    /// # Errors
    /// Names the first setting that differs.
    pub fn matches(&self, asked: &Experiment) -> Result<(), CheckpointError> {
        match self.contents.experiment.first_difference(asked) {
            None => Ok(()),
            Some((key, found, expected)) => Err(CheckpointError::OtherExperiment {
                key,
                found,
                expected,
            }),
        }
    }

    /// Names and shapes of the model's parameters.
    pub(crate) fn parameters(&self) -> Vec<(String, Vec<usize>)> {
        let parameter = |(name, tensor): (String, TensorView<'_>)| {
            let name = name.strip_prefix("model.")?.to_owned();
            Some((name, tensor.shape().to_vec()))
        };
        let all = self.tensors.tensors().into_iter();
        all.filter_map(parameter).collect()
    }

    pub(crate) fn tokenizer(&self) -> Result<Tokenizer, CheckpointError> {
        let task = self.contents.experiment.task.clone();
        let source = self.contents.source_vocabulary.clone();
        let target = self.contents.target_vocabulary.clone();
        let subwords = [
            self.contents.source_subwords.clone(),
            self.contents.target_subwords.clone(),
        ];
        let segmenters = task.segmenters([&source, &target], subwords);
        let [source_segmenter, target_segmenter] = segmenters.map_err(TrainingError::from)?;
        let kind = TokenizerKind::stored(&self.contents)?;
        Ok(Tokenizer {
            task,
            source,
            target,
            source_segmenter,
            target_segmenter,
            longest: self.contents.longest,
            positions: self.contents.experiment.model.longest(),
            target_end: self.contents.experiment.model.target_end(),
            kind,
        })
    }

    /// Refuses an experiment whose model is far larger than the file, before memory is allocated
    /// for the model.
    pub(crate) fn check_size(&self, tokenizer: &Tokenizer) -> Result<(), CheckpointError> {
        let count = |(_, shape): &(String, Vec<usize>)| shape.iter().product::<usize>();
        let numbers = self.parameters().iter().map(count).sum();
        if could_hold(numbers, &self.experiment().model, tokenizer.vocabularies()) {
            return Ok(());
        }
        Err(CheckpointError::Damaged {
            reason: format!(
                "its experiment describes a model that is far larger than the {numbers} \
                 parameters in it"
            ),
        })
    }

    pub(crate) fn times(&self) -> &BTreeMap<String, usize> {
        &self.contents.times
    }

    /// Returns the values of a parameter.
    pub(crate) fn parameter(
        &self,
        name: &str,
        shape: &[usize],
    ) -> Result<Vec<f32>, CheckpointError> {
        self.tensor(&format!("model.{name}"), shape)
    }

    /// Returns a parameter's moments, flat.
    pub(crate) fn moments(
        &self,
        name: &str,
        shape: &[usize],
    ) -> Result<[TensorData; 2], CheckpointError> {
        let flat = |name: String| -> Result<TensorData, CheckpointError> {
            let values = self.tensor(&name, shape)?;
            let count = values.len();
            Ok(TensorData::new(values, [count]))
        };
        let [first, second] = moments(name);
        Ok([flat(first)?, flat(second)?])
    }

    /// Returns a layer's carried state, `[B, H]`.
    pub(crate) fn carried(
        &self,
        layer: usize,
        part: &str,
        shape: [usize; 2],
    ) -> Result<TensorData, CheckpointError> {
        let values = self.tensor(&carried(layer, part), &shape)?;
        Ok(TensorData::new(values, shape))
    }

    pub(crate) fn tensor(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, CheckpointError> {
        let tensor = self
            .tensors
            .tensor(name)
            .map_err(|_| CheckpointError::MissingTensor {
                name: name.to_owned(),
                expected: shape.to_vec(),
            })?;
        if tensor.dtype() != Dtype::F32 || tensor.shape() != shape {
            return Err(CheckpointError::TensorShape {
                name: name.to_owned(),
                expected: shape.to_vec(),
                found: format!("{:?} {:?}", tensor.dtype(), tensor.shape()),
            });
        }
        let (numbers, _) = tensor.data().as_chunks::<4>();
        Ok(numbers
            .iter()
            .map(|&bytes| f32::from_le_bytes(bytes))
            .collect())
    }

    /// Refuses tensors that belong to none of `parameters`.
    pub(crate) fn has_only(&self, parameters: &[Parameter]) -> Result<(), CheckpointError> {
        let carries = self.experiment().model.carries_state();
        let of_parameter = |name: &str| {
            parameters.iter().any(|parameter| {
                let moments = self.contents.times.contains_key(&parameter.name);
                name.strip_prefix("model.") == Some(&parameter.name)
                    || (moments && self::moments(&parameter.name).iter().any(|it| it == name))
            })
        };
        let plans = self.contents.planner.is_some();
        let is_known = |name: &str| {
            (carries && name.starts_with(CARRIED))
                || (plans && name == WORD_VECTORS)
                || [OWN, BEFORE].contains(&name)
                || of_parameter(name)
        };
        let mut extra = self.tensors.names();
        extra.retain(|&name| !is_known(name));
        extra.sort_unstable();
        match extra.first() {
            None => Ok(()),
            Some(&name) => Err(CheckpointError::ExtraTensor {
                name: name.to_owned(),
            }),
        }
    }
}

/// Metadata field that every version of the format has.
#[derive(Deserialize)]
struct Format {
    format: u64,
}
