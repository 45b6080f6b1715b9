//! Models that are opened without the data from which they have learned. They translate, show their
//! attention, and can be muted and saved, but not trained.

use std::sync::Arc;

use burn::tensor::Device;
use strata_tasks::{
    BatchSize, Batches, Example, Facts, LeftOut, Question, TaskConfig, TaskError, Written,
};
use strata_text::{TextError, Uploads, file_name};

use crate::checkpoint::restore::load;
use crate::data::Data;
use crate::data::batch_source::BatchSource;
use crate::evaluation::early_stopping::EarlyStopping;
use crate::pipeline::Examples;
use crate::step::norms::GradientSizes;
use crate::step::optimizer::Optimizer;
use crate::trainer::blank;
use crate::{Alone, Checkpoint, CheckpointError, Encoded, Trainer, TrainingError, Translation};

/// Data that a model lacks because it was opened without them.
#[derive(Debug)]
pub struct Lacking {
    /// Names, without folders, of the files from which the model has learned.
    files: Vec<String>,
    why: Why,
    /// Bytes of the file from which the model was opened.
    checkpoint: Vec<u8>,
}

/// Reason why a model cannot be trained.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Why {
    /// The files of the data are not here.
    Missing,
    /// The files are here, but differ from those the model has learned from; the difference.
    Others(String),
    /// Any other reason, in a sentence.
    Told(String),
}

impl Lacking {
    /// Names, without folders, of the files to provide; empty if files would not help.
    pub fn files(&self) -> &[String] {
        match self.why {
            Why::Missing | Why::Others(_) => &self.files,
            Why::Told(_) => &[],
        }
    }

    /// Reason why the model cannot be trained, and what to do.
    pub fn reason(&self) -> String {
        let files = listed(&self.files);
        match &self.why {
            Why::Missing => format!(
                "the model is here without the data that it has learned from; to train on, give {files}"
            ),
            Why::Others(what) => format!(
                "the data given are not those that the model has learned from ({what}); to train on, \
                 give {files} as the model has read them"
            ),
            Why::Told(reason) => format!("the model cannot be trained on here: {reason}"),
        }
    }

    /// Bytes of the file from which the model was opened.
    pub fn checkpoint(&self) -> &[u8] {
        &self.checkpoint
    }

    fn new(checkpoint: &Checkpoint<'_>, bytes: &[u8], error: &CheckpointError) -> Self {
        let files = files_to_go_on(&checkpoint.experiment().task);
        let why = match error {
            CheckpointError::Experiment(TrainingError::Task(TaskError::Text(
                TextError::NoFileSystem { .. } | TextError::Missing { .. },
            ))) if !files.is_empty() => Why::Missing,
            CheckpointError::DataChanged { what } if !files.is_empty() => Why::Others(what.clone()),
            error => Why::Told(error.to_string()),
        };
        Self {
            files,
            why,
            checkpoint: bytes.to_vec(),
        }
    }
}

/// Names of the files that resuming needs. The checkpoint holds vocabularies, subwords and vectors,
/// but not a reader's vectors.
fn files_to_go_on(task: &TaskConfig) -> Vec<String> {
    let mut task = task.clone();
    let is_reading = matches!(task, TaskConfig::Reading(_));
    let is_needed = |setting: &str| match setting {
        "source" | "target" | "validation_source" | "validation_target" => true,
        "vectors" => is_reading,
        _ => false,
    };
    let lists = matches!(task, TaskConfig::Poems(_));
    let mut names: Vec<String> = Vec::new();
    for (setting, path) in task.path_settings() {
        let text = path.to_string_lossy().into_owned();
        let parts = match lists {
            true => text.split(',').collect(),
            false => vec![text.as_str()],
        };
        let parts = parts
            .into_iter()
            .filter(|it| !it.is_empty() && is_needed(setting));
        for name in parts.map(|it| file_name(it.as_ref())) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Joins names as in `a`, `a and b`, `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// True if the error concerns only the data, so that the model can still be opened.
fn is_of_data(error: &CheckpointError) -> bool {
    matches!(
        error,
        CheckpointError::Experiment(TrainingError::Task(_))
            | CheckpointError::DataChanged { .. }
            | CheckpointError::Averaged { .. }
    )
}

impl Trainer {
    /// Resumes the run of a checkpoint file as [`restore`](Self::restore) does. If its data are not
    /// here, or it cannot be trained, opens the model alone ([`lacking`](Self::lacking)).
    ///
    /// # Errors
    /// If the file is not a whole checkpoint of Strata.
    pub fn open(bytes: &[u8], uploads: &Uploads, device: &Device) -> Result<Self, CheckpointError> {
        match Self::restore(bytes, uploads, device) {
            Err(error) if is_of_data(&error) => Self::without_data(bytes, &error, device),
            restored => restored,
        }
    }

    /// Tries again to resume the run of a model that was opened without its data, with other
    /// `uploads`. Returns `None` if files are still missing. If the data are lacking for another
    /// reason, the returned model has that reason.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub fn with_data_of(&self, uploads: &Uploads) -> Result<Option<Self>, CheckpointError> {
        let Some(lacking) = &self.lacking else {
            return Ok(None);
        };
        let opened = Self::open(&lacking.checkpoint, uploads, &self.device)?;
        let is_other = |it: &Lacking| it.why != Why::Missing && it.why != lacking.why;
        Ok(Some(opened).filter(|it| it.lacking.as_ref().is_none_or(is_other)))
    }

    /// Data that the model lacks; `None` if the run can be trained.
    pub fn lacking(&self) -> Option<&Lacking> {
        self.lacking.as_ref()
    }

    /// Shows a source and its translation in place of held-out examples, if the data are lacking.
    pub fn look_at(&mut self, source: &Encoded, found: &Translation) {
        if self.lacking.is_none() {
            return;
        }
        let (example, written) = self.data.tokenizer.shown(source, found);
        if let Some(examples) = self.data.examples.sequences_mut() {
            examples.written = written;
            examples.validation = example.into_iter().collect();
        }
    }

    /// Shows a line of a poem and its source in place of held-out examples, if the data are
    /// lacking.
    pub fn look_at_line(&mut self, source: &[String], line: &str, backwards: bool) {
        if self.lacking.is_none() {
            return;
        }
        let tokenizer = self.tokenizer();
        let mut characters: Vec<String> = line.chars().map(String::from).collect();
        if backwards {
            characters.reverse();
        }
        let example = Example {
            source: tokenizer.source.encode(source),
            target: tokenizer.target.encode(&characters),
        };
        if let Some(examples) = self.data.examples.sequences_mut() {
            examples.written = Written::AsTokens;
            examples.validation = vec![example];
        }
    }

    /// Shows a question in place of held-out questions, if the data are lacking.
    pub fn look_at_question(&mut self, question: Question) {
        if let (Some(_), Some(data)) = (&self.lacking, self.data.examples.questions_mut()) {
            data.validation = vec![question];
        }
    }

    fn without_data(
        bytes: &[u8],
        error: &CheckpointError,
        device: &Device,
    ) -> Result<Self, CheckpointError> {
        let checkpoint = Checkpoint::open(bytes)?;
        let experiment = checkpoint.experiment().clone();
        experiment.check()?;
        let tokenizer = checkpoint.tokenizer()?;
        checkpoint.check_size(&tokenizer)?;
        checkpoint.check_numbers()?;
        let device = device.clone().without_autodiff().autodiff();
        let model = load(&checkpoint, blank(&experiment, &tokenizer, &device)?)?;
        let data = Data {
            examples: Examples::none(&tokenizer, &checkpoint)?,
            tokenizer: Arc::new(tokenizer),
            stored: None,
            dropped: LeftOut::default(),
            facts: Facts::default(),
            identities: None,
            remembered: 0,
            fingerprint: checkpoint.contents.fingerprint,
        };
        // No batch is ever taken: the single example is a placeholder.
        let nothing = Example {
            source: vec![0],
            target: vec![0],
        };
        let batches = Batches::new(&[nothing], BatchSize::Examples(1), experiment.seed);
        let batches = batches.map_err(TrainingError::from)?;
        Ok(Self {
            batches: BatchSource::Memory(batches),
            carried: None,
            optimizer: Optimizer::new(&experiment.training.optimizer),
            muted: Vec::new(),
            loss_scale: None,
            step: checkpoint.step(),
            standing: EarlyStopping::default(),
            gradient_sizes: GradientSizes::default(),
            exchange: Arc::new(Alone),
            lacking: Some(Lacking::new(&checkpoint, bytes, error)),
            learned_before: checkpoint.learned_before()?,
            experiment,
            device,
            data,
            model,
        })
    }
}
