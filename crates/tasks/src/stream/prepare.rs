//! Preparation of a corpus of any size: two passes in bounded memory write a file of examples. The
//! first counts tokens and chooses the held-out pairs, the second writes identifiers.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use strata_text::{Learner, Uploads, expanded};

use super::cache::{Cache, StoredIdentities, Tail, folder, needed};
use super::count::{HeldOut, Units, count, units};
use super::lines::PairLines;
use super::writer::BlockWriter;
use crate::files::{Side, encode, of_sources, require};
use crate::task::Task;
use crate::{
    Dataset, Example, FilesConfig, LearnedBuilder, LearnedVocabularies, Stream, TaskError, Written,
    identity,
};

/// Size in bytes above which `Stream::Auto` streams a corpus; packed bytes count four times.
const LARGE: u64 = 64 << 20;

/// True if a corpus in these files must be read block by block.
pub(crate) fn is_large(stream: Stream, files: [Option<&PathBuf>; 2]) -> bool {
    let size = |path: &PathBuf| {
        let bytes = fs::metadata(expanded(path)).map_or(0, |it| it.len());
        let packed = path.extension().is_some_and(|it| it == "gz");
        if packed { 4 * bytes } else { bytes }
    };
    match stream {
        Stream::Always => true,
        Stream::Never => false,
        Stream::Auto => files.into_iter().flatten().map(size).sum::<u64>() > LARGE,
    }
}

/// Loads the data of a large corpus from the cache, or prepares them.
pub(crate) fn load(
    config: &FilesConfig,
    seed: u64,
    kept: Option<LearnedVocabularies<'_>>,
) -> Result<Dataset, TaskError> {
    load_in(&folder(), config, seed, kept)
}

/// Loads the data like [`load`], with the given folder of prepared corpora.
pub(super) fn load_in(
    folder: &Path,
    config: &FilesConfig,
    seed: u64,
    kept: Option<LearnedVocabularies<'_>>,
) -> Result<Dataset, TaskError> {
    let needed = |path| needed(path, kept.is_some());
    let files = [
        Some(&config.source),
        config.target.as_ref(),
        config.validation_source.as_ref(),
        config.validation_target.as_ref(),
        needed(&config.source_vocabulary),
        needed(&config.target_vocabulary),
        needed(&config.pieces),
        needed(&config.target_pieces),
    ];
    // The seed is part of the key only if it decides which sentences are held out.
    let is_drawn = config.validation_source.is_none() && config.split == 0;
    let seed_of_split = is_drawn.then_some(seed);
    let settings = FilesConfig {
        source: PathBuf::new(),
        target: None,
        validation_source: None,
        validation_target: None,
        source_vocabulary: None,
        target_vocabulary: None,
        pieces: None,
        target_pieces: None,
        source_vectors: None,
        target_vectors: None,
        stream: Stream::Auto,
        ..config.clone()
    };
    let settings = (seed_of_split, settings);
    let cache = Cache::of(
        folder,
        files,
        &settings,
        config.pipeline(),
        config.levels(),
        config.text_form(),
    )?;
    cache.find_or_make(kept, |key, file| prepare(config, seed, kept, key, file))
}

fn prepare(
    config: &FilesConfig,
    seed: u64,
    kept: Option<LearnedVocabularies<'_>>,
    key: &str,
    file: File,
) -> Result<(), TaskError> {
    let kept = kept.map_or([None, None], |sides| sides.map(Some));
    let pieces = config.sentencepiece_models(&Uploads::default(), kept)?;
    let mut counted = count(config, seed, &pieces)?;
    let name = config.source.display().to_string();
    let validation_name = config.validation_source.as_ref();
    let validation_name = validation_name.map(|path| path.display().to_string());
    let require = |training: usize, held_out: usize, dropped| {
        require(
            [training, held_out],
            &name,
            validation_name.as_deref(),
            dropped,
        )
    };
    let held_out = counted.held_out.pairs.len();
    require(counted.training, held_out, counted.dropped)?;
    let [own_source, own_target] = config.own_vocabularies(&Uploads::default(), kept)?;
    let [source, target] = counted.learners;
    let mut facts = counted.facts;
    let writing = [&facts.sides[0].writing, &facts.sides[1].writing];
    let source = config.side(source, kept[0], own_source, (&name, "source"), writing[0])?;
    let target = config.side(target, kept[1], own_target, (&name, "target"), writing[1])?;
    facts.note_full(config.maximum_vocabulary, [&source.1, &target.1]);
    let mut writer = BlockWriter::new(file);
    let written = |reason| TaskError::NoCache {
        path: config.source.clone(),
        reason,
    };
    writer.begin().map_err(written)?;
    let learners = config.learners(&pieces)?;
    let mut learned = LearnedBuilder::default();
    let too_long = each_training_pair(config, &learners, &counted.held_out, |texts| {
        let Some(example) = example([&source, &target], texts, config.maximum_length) else {
            return Ok(false);
        };
        facts.add_training(&example);
        learned.add(identity(texts[0]));
        writer.add(&example).map_err(written)?;
        Ok(true)
    })?;
    counted.dropped.training.too_long += too_long;
    let (mut validation, mut as_written) = (Vec::new(), Vec::new());
    for (source_text, target_text) in counted.held_out.pairs {
        let texts = [source_text.as_str(), target_text.as_str()];
        facts.add_held_out_pair([&source, &target], texts);
        match example([&source, &target], texts, config.maximum_length) {
            Some(example) => {
                facts.add_held_out(&example);
                validation.push(example);
                as_written.push([source_text, target_text]);
            }
            None => counted.dropped.validation.too_long += 1,
        }
    }
    let dropped = counted.dropped;
    require(writer.summary.examples, validation.len(), dropped)?;
    let identities = StoredIdentities::of(&learned.finish(), of_sources(&as_written));
    let as_written = Written::Pairs(as_written);
    let tail = |writer: &BlockWriter, held_out| Tail {
        key: key.to_owned(),
        blocks: writer.blocks.clone(),
        held_out,
        summary: writer.summary,
        written: as_written,
        dropped,
        facts: facts.clone(),
        questions: None,
        identities,
        subwords: [source.0.subwords().cloned(), target.0.subwords().cloned()],
        vocabularies: [source.1.clone(), target.1.clone()],
    };
    writer.finish(&validation, tail).map_err(written)
}

/// Reads the corpus for the second time, and passes the training pairs to `take`, which returns
/// false for a pair that is too long. Returns the number of such pairs.
fn each_training_pair(
    config: &FilesConfig,
    learners: &[Learner; 2],
    held_out: &HeldOut,
    mut take: impl FnMut([&str; 2]) -> Result<bool, TaskError>,
) -> Result<usize, TaskError> {
    let mut lines = PairLines::open_corpus(config, "Encoding the corpus")?;
    let mut buffers = [String::new(), String::new()];
    let mut too_long = 0;
    while let Some((source, target)) = lines.next_pair()? {
        let texts = [source, target];
        let fits = matches!(units(config, learners, texts, &mut buffers), Units::Fit);
        if fits && !held_out.holds(source, &buffers[0]) {
            too_long += usize::from(!take(texts)?);
        }
    }
    Ok(too_long)
}

fn example(sides: [&Side; 2], texts: [&str; 2], maximum_length: usize) -> Option<Example> {
    let example = Example {
        source: encode(sides[0], texts[0]),
        target: encode(sides[1], texts[1]),
    };
    (example.source.len().max(example.target.len()) <= maximum_length).then_some(example)
}
