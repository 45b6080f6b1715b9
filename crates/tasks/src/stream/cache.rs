//! Cache of prepared corpora.
//!
//! A file consists of [`MAGIC`]; the blocks; the held-out examples (questions in blocks of their
//! own); a JSON text, [`Tail`]; and 24 bytes with the length of that text, its fingerprint, and
//! [`MAGIC`] again. The file is written under a temporary name and renamed when it is complete.

use std::env;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};
use strata_text::{Segmenter, SubwordModel, TextError, TextForm, TokenUnit, Vocabulary, expanded};

use super::questions::{self, QuestionsTail};
use super::stored::{Block, Reader, Stored, Summary, read_at};
use crate::split::fingerprint::of_bytes;
use crate::{
    Dataset, Example, Examples, Facts, Identities, Learned, LearnedVocabularies, LeftOut, Pipeline,
    SequenceExamples, TaskError, Written, digest_of_file,
};

/// First and last bytes of a file; changed with every change of the format.
pub(super) const MAGIC: [u8; 8] = *b"strata-3";
/// Environment variable with the folder of the cache, if that is not the default one.
const FOLDER_VARIABLE: &str = "STRATA_CACHE";
/// Age from which unfinished files count as abandoned.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);
/// Size of the largest tail in bytes.
const LARGEST_TAIL: u64 = 1 << 30;

/// Tail of a file: its list of blocks, and all other parts of the data set.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tail {
    /// Key of the files and settings from which the file was made.
    pub key: String,
    pub blocks: Vec<Block>,
    pub held_out: Block,
    pub summary: Summary,
    /// Text of the held-out examples as written in the corpus.
    pub written: Written,
    pub dropped: LeftOut,
    pub facts: Facts,
    pub vocabularies: [Vocabulary; 2],
    pub subwords: [Option<SubwordModel>; 2],
    /// Identities of the learned and of the held-out sentences.
    pub identities: StoredIdentities,
    /// Further parts of a corpus of questions, which has no other held-out examples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions: Option<QuestionsTail>,
}

/// [`Identities`] as stored in a tail.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredIdentities {
    /// Set of the learned identities, in base64.
    learned: String,
    held_out: Vec<Vec<u64>>,
}

impl StoredIdentities {
    pub(super) fn of(learned: &Learned, held_out: Vec<Vec<u64>>) -> Self {
        Self {
            learned: BASE64.encode(learned.bytes()),
            held_out,
        }
    }

    fn read(self) -> Option<Identities> {
        let learned = BASE64.decode(self.learned).ok()?;
        Some(Identities {
            training: Learned::read(&learned)?,
            held_out: self.held_out,
        })
    }
}

/// Cache entry of one prepared corpus.
pub(super) struct Cache {
    path: PathBuf,
    key: String,
    pipeline: Pipeline,
    levels: [TokenUnit; 2],
    form: TextForm,
}

impl Cache {
    /// Creates the entry of a corpus in a folder. Its key consists of names and contents of the
    /// files and of all settings that influence the prepared data. `pipeline` is the kind of work
    /// of the examples; `levels` and `form` determine how source and target are cut into tokens.
    pub(super) fn of<const N: usize>(
        folder: &Path,
        files: [Option<&PathBuf>; N],
        settings: &impl Serialize,
        pipeline: Pipeline,
        levels: [TokenUnit; 2],
        form: TextForm,
    ) -> Result<Self, TaskError> {
        be_private(folder).map_err(|reason| TaskError::NoCache {
            path: folder.to_owned(),
            reason,
        })?;
        // Contents are hashed, because sizes and times may equal those of other contents, as after
        // `cp -p`.
        let state = |path: &PathBuf| -> Result<_, TaskError> {
            let found = expanded(path);
            let digest = digest_of_file(&found).map_err(|it| TextError::unread(path, it))?;
            let whole = fs::canonicalize(found).unwrap_or_else(|_| path.clone());
            Ok((whole, digest))
        };
        let files = files.map(|path| path.map(state).transpose());
        let files = files.into_iter().collect::<Result<Vec<_>, _>>()?;
        let key = serde_json::to_string(&(files, settings));
        let key = key.map_err(|reason| TaskError::NoCache {
            path: folder.to_owned(),
            reason: reason.into(),
        })?;
        let path = folder.join(format!("{:016x}.corpus", of_bytes(key.as_bytes())));
        Ok(Self {
            path,
            key,
            pipeline,
            levels,
            form,
        })
    }

    /// Opens the prepared corpus if there is one and its segmenters equal those of `kept`;
    /// otherwise calls `prepare` with the key and a new file, and opens the result.
    pub(super) fn find_or_make(
        &self,
        kept: Option<LearnedVocabularies<'_>>,
        prepare: impl FnOnce(&str, File) -> Result<(), TaskError>,
    ) -> Result<Dataset, TaskError> {
        if let Some(found) = self.open()
            && kept.is_none_or(|kept| are_cut_alike(&found, kept))
        {
            return Ok(found);
        }
        let (partial, file) = self.create()?;
        let prepared = prepare(&self.key, file).and_then(|()| {
            self.adopt(&partial).map_err(|reason| TaskError::NoCache {
                path: partial.clone(),
                reason,
            })
        });
        if let Err(error) = prepared {
            // The first error is reported, whether or not there is a file to remove.
            let _ = fs::remove_file(&partial);
            return Err(error);
        }
        self.open().ok_or(TaskError::DamagedCache { path: partial })
    }

    /// Opens the corpus, if its file is complete and undamaged.
    fn open(&self) -> Option<Dataset> {
        let mut file = File::open(&self.path).ok()?;
        let tail = self.tail(&mut file)?;
        let stored = Stored {
            path: self.path.clone(),
            blocks: tail.blocks,
            summary: tail.summary,
            has_questions: tail.questions.is_some(),
        };
        // The file is read through once, so that training can rely on it.
        let mut bytes = Vec::new();
        for &block in stored.blocks.iter().chain([&tail.held_out]) {
            bytes.clear();
            read_at(&self.path, block, &mut bytes).ok()?;
            if of_bytes(&bytes) != block.check {
                return None;
            }
        }
        let identities = tail.identities.read()?;
        if let Some(questions) = tail.questions {
            return questions::open(stored, questions, tail.facts, identities);
        }
        let held_out = SequenceExamples {
            validation: read_examples(&bytes, tail.held_out.examples as usize)?,
            written: tail.written,
            ..SequenceExamples::default()
        };
        let [source_vocabulary, target_vocabulary] = tail.vocabularies;
        let [source_level, target_level] = self.levels;
        let [source_kept, target_kept] = tail.subwords;
        let segmenter =
            |level, kept, vocabulary| Segmenter::restore(level, self.form, kept, vocabulary).ok();
        let source_segmenter = segmenter(source_level, source_kept, &source_vocabulary)?;
        let target_segmenter = segmenter(target_level, target_kept, &target_vocabulary)?;
        Some(Dataset {
            source_segmenter,
            target_segmenter,
            source_vocabulary,
            target_vocabulary,
            examples: match self.pipeline {
                Pipeline::TextGeneration => Examples::TextGeneration(held_out),
                Pipeline::Translation | Pipeline::QuestionAnswering | Pipeline::Poetry => {
                    Examples::Translation(held_out)
                }
            },
            stored: Some(Arc::new(stored)),
            dropped: tail.dropped,
            facts: tail.facts,
            identities: Some(identities),
        })
    }

    fn tail(&self, file: &mut File) -> Option<Tail> {
        let mut magic = [0; 8];
        file.read_exact(&mut magic).ok()?;
        let mut end = [[0; 8]; 3];
        let end_start = file.seek(SeekFrom::End(-24)).ok()?;
        for part in &mut end {
            file.read_exact(part).ok()?;
        }
        let [length, check] = [end[0], end[1]].map(u64::from_le_bytes);
        if magic != MAGIC || end[2] != MAGIC || length > LARGEST_TAIL.min(end_start) {
            return None;
        }
        file.seek(SeekFrom::Start(end_start - length)).ok()?;
        let mut text = vec![0; length as usize];
        file.read_exact(&mut text).ok()?;
        if of_bytes(&text) != check {
            return None;
        }
        let tail: Tail = serde_json::from_slice(&text).ok()?;
        (tail.key == self.key).then_some(tail)
    }

    /// Creates a temporary file in the folder of the final one.
    fn create(&self) -> Result<(PathBuf, File), TaskError> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let unusable = |reason: io::Error| TaskError::NoCache {
            path: folder.to_owned(),
            reason,
        };
        fs::create_dir_all(folder).map_err(unusable)?;
        remove_abandoned(folder);
        let name = format!("{}.partial", std::process::id());
        let path = self.path.with_extension(name);
        let file = File::create(&path).map_err(unusable)?;
        Ok((path, file))
    }

    /// Moves a complete file to its final path.
    fn adopt(&self, partial: &Path) -> io::Result<()> {
        fs::rename(partial, &self.path)
    }
}

/// True if the subwords of a resumed run equal those of the prepared corpus.
fn are_cut_alike(found: &Dataset, [source, target]: LearnedVocabularies<'_>) -> bool {
    [
        ((&found.source_segmenter, &found.source_vocabulary), source),
        ((&found.target_segmenter, &found.target_vocabulary), target),
    ]
    .into_iter()
    .all(|(found, kept)| kept.0.subwords().is_none() || found == kept)
}

/// Returns the path of a further file besides the corpus, if one is named. A resumed run
/// (`goes_on`) has the contents already, and needs no file that no longer exists.
pub(super) fn needed(path: &Option<PathBuf>, goes_on: bool) -> Option<&PathBuf> {
    path.as_ref()
        .filter(|path| !goes_on || expanded(path).exists())
}

/// Returns the user's folder of prepared corpora.
pub(super) fn folder() -> PathBuf {
    if let Some(folder) = env::var_os(FOLDER_VARIABLE).filter(|it| !it.is_empty()) {
        return expanded(Path::new(&folder)).into_owned();
    }
    let below = |variable: &str, rest: &str| {
        let base = env::var_os(variable).filter(|it| !it.is_empty())?;
        Some(PathBuf::from(base).join(rest))
    };
    let folder = if cfg!(windows) {
        below("LOCALAPPDATA", "strata")
    } else if cfg!(target_os = "macos") {
        below("HOME", "Library/Caches/strata")
    } else {
        below("XDG_CACHE_HOME", "strata").or_else(|| below("HOME", ".cache/strata"))
    };
    folder.unwrap_or_else(temporary)
}

/// Returns a folder for prepared corpora if the user's cache folder is unknown: a folder for this
/// user only, below the shared temporary folder.
fn temporary() -> PathBuf {
    #[cfg(unix)]
    let name = format!("strata-{}", user());
    #[cfg(not(unix))]
    let name = "strata";
    env::temp_dir().join(name)
}

/// Creates the folder for this user only, if it is the one below the shared temporary folder.
///
/// # Errors
/// If another user owns the folder, or may write into it.
#[cfg(unix)]
fn be_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};

    if folder != temporary() {
        return Ok(());
    }
    let made = fs::DirBuilder::new().mode(0o700).create(folder);
    let found = fs::symlink_metadata(folder).or_else(|missing| made.and(Err(missing)))?;
    let is_own = found.is_dir() && found.uid() == user() && found.mode() & 0o077 == 0;
    if is_own {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        "it belongs to another user, or others may write there",
    ))
}

#[cfg(not(unix))]
fn be_private(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns the number of the user who runs this process.
#[cfg(unix)]
#[allow(unsafe_code)] // The standard library does not tell it.
fn user() -> u32 {
    unsafe extern "C" {
        /// Always succeeds.
        safe fn getuid() -> u32;
    }
    getuid()
}

/// Removes unfinished files of programs that were ended while they prepared a corpus.
fn remove_abandoned(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        let is_partial = path.extension().is_some_and(|it| it == "partial");
        let age = fs::metadata(&path).and_then(|it| it.modified()).ok();
        let age = age.and_then(|it| it.elapsed().ok());
        if is_partial && age.is_some_and(|age| age > ABANDONED) {
            // Another program may have removed the file already.
            let _ = fs::remove_file(path);
        }
    }
}

/// Reads `count` examples from bytes; `None` if the bytes are invalid.
fn read_examples(bytes: &[u8], count: usize) -> Option<Vec<Example>> {
    let mut reader = Reader { bytes, at: 0 };
    let mut examples = Vec::new();
    for _ in 0..count {
        examples.push(reader.example()?);
    }
    (reader.at == bytes.len()).then_some(examples)
}
