//! Texts on their way to the worker. The page hands on sources of texts (files or addresses) and
//! never reads the texts; the worker fetches, checks and unpacks them.

use js_sys::{Array, Object, Reflect};
use strata_session::protocol::Command;
use strata_tasks::TaskConfig;
use strata_text::UploadedText;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Blob;

/// Prefix of the media type of a text whose encoding a user chose.
const CHARSET: &str = "text/plain;charset=";

/// Source of a text's bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A file that a user chose, or a pasted text.
    Blob(Blob),
    /// A public file; the worker accepts the file only if its SHA-256 matches.
    Address {
        /// The full URL.
        address: String,
        /// SHA-256 of the file's contents, in hexadecimal digits.
        sha256: String,
    },
}

/// Sources of texts, with the names that the task gives the texts.
pub type Texts = Vec<(String, Source)>;

/// A command for the worker with the sources of the texts that the command names, in the same
/// order.
#[derive(Clone, Debug)]
pub struct WorkerRequest {
    /// The command; texts in it have names, but no bytes yet.
    pub command: Command,
    /// Sources of the command's texts.
    pub sources: Vec<Source>,
}

impl From<Command> for WorkerRequest {
    fn from(command: Command) -> Self {
        Self {
            command,
            sources: Vec::new(),
        }
    }
}

impl WorkerRequest {
    /// Returns a request that gives a worker texts and asks for a report on them as data of this
    /// task.
    pub fn giving(task: TaskConfig, texts: Texts) -> Self {
        let (names, sources): (Vec<_>, _) = texts.into_iter().unzip();
        let named = |name| UploadedText {
            name,
            bytes: Vec::new(),
        };
        let command = Command::Examine {
            task: Box::new(task),
            texts: names.into_iter().map(named).collect(),
        };
        Self { command, sources }
    }

    /// Returns the texts of the request, with their names; empty unless the command is `Examine`.
    pub fn texts(&self) -> Texts {
        let Command::Examine { texts, .. } = &self.command else {
            return Texts::new();
        };
        let names = texts.iter().map(|text| text.name.clone());
        names.zip(self.sources.iter().cloned()).collect()
    }

    /// Converts the request into a message for the worker; without texts the message is the command
    /// alone.
    ///
    /// # Errors
    /// A sentence, if a source cannot be sent.
    pub fn message(&self) -> Result<JsValue, String> {
        let command = serde_wasm_bindgen::to_value(&self.command)
            .map_err(|error| format!("That cannot be sent to the worker: {error}."))?;
        if self.sources.is_empty() {
            return Ok(command);
        }
        let sources: Array = self.sources.iter().map(Source::to_js).collect();
        Ok(Array::of2(&command, &sources).into())
    }
}

/// Splits a message into its command and the sources of the command's texts.
#[must_use]
pub fn split(message: JsValue) -> (JsValue, Vec<Source>) {
    match message.dyn_ref::<Array>() {
        Some(both) => {
            let sources = both.get(1).dyn_into::<Array>().unwrap_or_default();
            let sources = sources.iter().filter_map(|it| Source::from_js(&it));
            (both.get(0), sources.collect())
        }
        None => (message, Vec::new()),
    }
}

impl Source {
    /// Number of bytes that are stored with a kept run that reads this source.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Blob(blob) => blob.size() as usize,
            Self::Address { .. } => 0,
        }
    }

    /// Marks a text with the label of an encoding, in the media type, which the browser copies
    /// along with the text.
    #[must_use]
    pub fn encoded(&self, label: &str) -> Self {
        match self {
            Self::Blob(blob) => {
                let kind = format!("{CHARSET}{label}");
                let named = blob.slice_with_f64_and_f64_and_content_type(0.0, blob.size(), &kind);
                named.map_or_else(|_| self.clone(), Self::Blob)
            }
            address => address.clone(),
        }
    }

    /// Returns the label of the encoding that a user chose for a text.
    pub fn encoding(blob: &Blob) -> Option<String> {
        blob.type_().strip_prefix(CHARSET).map(str::to_owned)
    }

    /// Returns the source as the browser copies it, to a worker or into the browser's database.
    pub fn to_js(&self) -> JsValue {
        match self {
            Self::Blob(blob) => blob.clone().into(),
            Self::Address { address, sha256 } => {
                let object = Object::new();
                for (name, value) in [("address", address), ("sha256", sha256)] {
                    // Setting a property of a plain object never fails.
                    let _ = Reflect::set(&object, &name.into(), &value.into());
                }
                object.into()
            }
        }
    }

    /// Reads a value of [`to_js`](Self::to_js); `None` for any other value.
    pub fn from_js(value: &JsValue) -> Option<Self> {
        if let Some(blob) = value.dyn_ref::<Blob>() {
            return Some(Self::Blob(blob.clone()));
        }
        let text = |name: &str| Reflect::get(value, &name.into()).ok()?.as_string();
        Some(Self::Address {
            address: text("address")?,
            sha256: text("sha256")?,
        })
    }
}
