//! Preparation of a text for a language model, larger than memory: read three times, stored as
//! segments in a file.

use std::fs::File;
use std::path::{Path, PathBuf};

use strata_text::{Learner, Segmenter, Uploads, Vocabulary, expanded, remark_on_shape};

use super::cache::{Cache, StoredIdentities, Tail, folder, needed};
use super::lines::{TextLines, first_lines};
use super::writer::BlockWriter;
use crate::cutter::Cutter;
use crate::dataset::written::HeldOutCutter;
use crate::identity::identity_of_line;
use crate::task::Task;
use crate::text::{MOST_HELD_OUT, identities_of_lines, learned_lines, same_text};
use crate::{
    Dataset, Example, Facts, LearnedBuilder, LearnedVocabularies, LeftOut, Lost, Stream, TaskError,
    TextConfig, Writing,
};

/// Loads the data of a large text from the cache, or prepares them.
pub(crate) fn load_text(
    config: &TextConfig,
    kept: Option<LearnedVocabularies<'_>>,
) -> Result<Dataset, TaskError> {
    load_text_in(&folder(), config, kept)
}

/// Loads the data like [`load_text`], with the given folder of prepared corpora.
pub(super) fn load_text_in(
    folder: &Path,
    config: &TextConfig,
    kept: Option<LearnedVocabularies<'_>>,
) -> Result<Dataset, TaskError> {
    let files = [
        Some(&config.source),
        config.validation_source.as_ref(),
        needed(&config.pieces, kept.is_some()),
    ];
    let settings = TextConfig {
        source: PathBuf::new(),
        validation_source: None,
        test_source: None,
        vectors: None,
        pieces: None,
        stream: Stream::Auto,
        ..config.clone()
    };
    let levels = [config.level; 2];
    let cache = Cache::of(
        folder,
        files,
        &settings,
        config.pipeline(),
        levels,
        config.text_form(),
    )?;
    cache.find_or_make(kept, |key, file| prepare(config, kept, key, file))
}

fn prepare(
    config: &TextConfig,
    kept: Option<LearnedVocabularies<'_>>,
    key: &str,
    file: File,
) -> Result<(), TaskError> {
    let name = config.source.display().to_string();
    let short = || TaskError::ShortText { name: name.clone() };
    let end = match config.validation_source {
        Some(_) => u64::MAX,
        None => end_of_training(&config.source)?,
    };
    let learner = config.learner(&Uploads::default(), kept)?;
    let mut facts = Facts::default();
    let measured = config.validation_source.as_ref();
    let is_same = measured.is_some_and(|path| is_same_file(path, &config.source));
    let measured = measured.map_or_else(|| name.clone(), |path| path.display().to_string());
    facts.remarks.extend(is_same.then(|| same_text(&measured)));
    facts.remarks.extend(remark_on_first_lines(config)?);
    let writing = &mut facts.sides[0].writing;
    let learner = count(config, end, learner, writing)?;
    let (segmenter, vocabulary) = config.learned(learner, kept, &name, writing)?;
    facts.note_full(config.maximum_vocabulary, [&vocabulary; 2]);

    let mut writer = BlockWriter::new(file);
    let written = |reason| TaskError::NoCache {
        path: config.source.clone(),
        reason,
    };
    writer.begin().map_err(written)?;
    let Encoded {
        held_out,
        mut lost,
        learned,
        mut held_out_identities,
    } = encode(config, end, &segmenter, &vocabulary, |example| {
        facts.add_training(&example);
        writer.add(&example).map_err(written)
    })?;
    let (validation, text) = if let Some(path) = &config.validation_source {
        let text = Uploads::default().read_text(path)?;
        for line in text.lines() {
            lost.add_line(line, &segmenter.rejoined_line(line));
        }
        held_out_identities = identities_of_lines(text.lines());
        config.segments(&measured, &text, &segmenter, &vocabulary)?
    } else {
        held_out.finish()
    };
    if validation.is_empty() {
        return Err(short());
    }
    validation.iter().for_each(|it| facts.add_held_out(it));
    facts.sides[0].lost = lost;
    let learned = learned.finish();
    if !is_same {
        let remark = learned_lines(&measured, &learned, &held_out_identities);
        facts.remarks.extend(remark);
    }
    let subwords = segmenter.subwords();
    let tail = |writer: &BlockWriter, held_out| Tail {
        key: key.to_owned(),
        blocks: writer.blocks.clone(),
        held_out,
        summary: writer.summary,
        written: text,
        dropped: LeftOut::default(),
        facts: facts.clone(),
        questions: None,
        identities: StoredIdentities::of(&learned, held_out_identities),
        subwords: [subwords.cloned(), subwords.cloned()],
        vocabularies: [vocabulary.clone(), vocabulary.clone()],
    };
    writer.finish(&validation, tail).map_err(written)
}

/// Returns a warning if the text looks like another format.
fn remark_on_first_lines(config: &TextConfig) -> Result<Option<String>, TaskError> {
    let first = first_lines(&config.source)?;
    let name = config.source.display().to_string();
    Ok(remark_on_shape(&name, first.iter().map(String::as_str)))
}

/// Reads the text once: counts the tokens of the lines before the offset `end`, which are trained,
/// and the properties of the writing of all lines.
fn count(
    config: &TextConfig,
    end: u64,
    mut learner: Learner,
    writing: &mut Writing,
) -> Result<Learner, TaskError> {
    let name = config.source.display().to_string();
    let (mut is_empty, mut is_blank) = (true, true);
    each_line(&config.source, "Counting the tokens", |at, line| {
        writing.add_line(line);
        is_blank &= line.trim().is_empty();
        if at < end {
            is_empty = false;
            learner.add_line(line);
        }
        Ok(())
    })?;
    if is_blank {
        return Err(TaskError::Blank { name });
    }
    if is_empty {
        return Err(TaskError::ShortText { name });
    }
    Ok(learner)
}

/// Result of the pass over the text that encodes the text.
struct Encoded {
    /// Segments of the lines that are held out.
    held_out: HeldOutCutter,
    /// Held-out lines that change when they are cut into tokens and joined again.
    lost: Lost,
    /// Lines that are trained.
    learned: LearnedBuilder,
    held_out_identities: Vec<Vec<u64>>,
}

/// Reads the text once: passes the segments of the lines before the offset `end` to `take`, and keeps
/// those of the lines behind.
fn encode(
    config: &TextConfig,
    end: u64,
    segmenter: &Segmenter,
    vocabulary: &Vocabulary,
    mut take: impl FnMut(Example) -> Result<(), TaskError>,
) -> Result<Encoded, TaskError> {
    let mut training = Cutter::new(config.segment_length);
    let mut encoded = Encoded {
        held_out: HeldOutCutter::new(config.segment_length),
        lost: Lost::default(),
        learned: LearnedBuilder::default(),
        held_out_identities: Vec::new(),
    };
    each_line(&config.source, "Encoding the text", |at, line| {
        if at >= end {
            let lost = &mut encoded.lost;
            lost.add_line(line, &segmenter.rejoined_line(line));
            encoded.held_out.line(line, segmenter, vocabulary);
            let identity = identity_of_line(line).map(|identity| vec![identity]);
            encoded.held_out_identities.extend(identity);
            return Ok(());
        }
        encoded.learned.extend(identity_of_line(line));
        let mut outcome = Ok(());
        training.line(line, segmenter, vocabulary, &mut |example| {
            if outcome.is_ok() {
                outcome = take(example);
            }
        });
        outcome
    })?;
    if let Some(rest) = training.rest() {
        take(rest)?;
    }
    Ok(encoded)
}

fn is_same_file(left: &Path, right: &Path) -> bool {
    let whole = |path: &Path| std::fs::canonicalize(expanded(path)).ok();
    left == right || (whole(left).is_some() && whole(left) == whole(right))
}

/// Returns the offset in bytes from which on the lines of the text are held out: about its last
/// tenth.
fn end_of_training(path: &Path) -> Result<u64, TaskError> {
    let mut bytes = 0;
    each_line(path, "Measuring the text", |at, line| {
        bytes = at + line.len() as u64 + 1;
        Ok(())
    })?;
    Ok(bytes - (bytes / 10).min(MOST_HELD_OUT as u64))
}

/// Reads a text line by line, and passes each line with its offset in the unpacked text to `take`.
fn each_line(
    path: &Path,
    what: &'static str,
    mut take: impl FnMut(u64, &str) -> Result<(), TaskError>,
) -> Result<(), TaskError> {
    let mut lines = TextLines::open(path, what)?;
    let mut at = 0;
    while let Some(line) = lines.next_line()? {
        take(at, line)?;
        at += line.len() as u64 + 1;
    }
    Ok(())
}
