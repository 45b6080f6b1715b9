//! Task `files`: translation learned from the user's own parallel corpus, from files or from text
//! given to the page.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use strata_describe::{Description, Settings};
use strata_text::{
    Learner, ParallelText, TextError, TextForm, TokenUnit, Uploads, is_blank, progress::Steps,
};

mod config;
mod sides;
mod unequal;

pub(crate) use config::DESCRIPTION;
pub use config::FilesConfig;
pub(crate) use sides::{Side, encode};

use crate::split::split_by_identity;
#[cfg(not(target_family = "wasm"))]
use crate::stream;
use crate::task::Task;
use crate::{
    Dataset, Dropped, Example, Examples, Facts, Identities, LearnedBuilder, LearnedVocabularies,
    LeftOut, SequenceExamples, TaskError, Written, identity,
};

/// Training and held-out pairs as token ids.
struct Encoded {
    training: Vec<Example>,
    held_out: Vec<Example>,
    /// Source and target of the held-out pairs, as written.
    written: Vec<[String; 2]>,
    identities: Identities,
}

/// A sentence pair of the corpus.
struct Pair<'a> {
    source: &'a str,
    target: &'a str,
    /// Tokens of the source (for subwords, its words), by which sentences are compared.
    sentence: String,
}

impl FilesConfig {
    /// Builds the data set of a text that is already in memory, such as text dropped on the page or
    /// pasted. The paths in `self` are not read.
    ///
    /// # Errors
    /// If a setting is out of range, or nothing is left to train or to measure on.
    pub fn dataset(
        &self,
        corpus: &ParallelText,
        validation: Option<&ParallelText>,
        seed: u64,
    ) -> Result<Dataset, TaskError> {
        self.assemble(corpus, validation, seed, &Uploads::default(), None)
    }

    fn assemble(
        &self,
        corpus: &ParallelText,
        validation: Option<&ParallelText>,
        seed: u64,
        uploads: &Uploads,
        kept: Option<LearnedVocabularies<'_>>,
    ) -> Result<Dataset, TaskError> {
        self.check_numbers()?;
        let kept = kept.map_or([None, None], |sides| sides.map(Some));
        let [mut source, mut target] = self.learners(&self.sentencepiece_models(uploads, kept)?)?;
        let mut dropped = LeftOut::default();
        let mut facts = Facts {
            remarks: corpus.remarks.clone(),
            ..Facts::default()
        };
        let sides = [&source, &target];
        let pairs = self.cut(corpus, sides, &mut dropped.training, &mut facts);
        let (training, held_out) = match validation {
            Some(text) => {
                facts.remarks.extend(text.remarks.iter().cloned());
                let held_out = self.cut(text, sides, &mut dropped.validation, &mut facts);
                let before = pairs.len();
                let training = self.without_overlap(pairs, &held_out, &mut facts);
                dropped.training.overlapping = before - training.len();
                (training, held_out)
            }
            None => split_by_identity(
                pairs,
                self.held_out,
                (self.split, seed),
                |pair| &pair.sentence,
                |pair| identity(pair.source),
            ),
        };
        let require = |training: usize, held_out: usize, dropped| {
            let validation = validation.map(|it| it.name.as_str());
            require([training, held_out], &corpus.name, validation, dropped)
        };
        require(training.len(), held_out.len(), dropped)?;
        for pair in &training {
            source.add(pair.source);
            target.add(pair.target);
        }
        let writing = [&facts.sides[0].writing, &facts.sides[1].writing];
        let name = &corpus.name;
        let [own_source, own_target] = self.own_vocabularies(uploads, kept)?;
        let source = self.side(source, kept[0], own_source, (name, "source"), writing[0])?;
        let target = self.side(target, kept[1], own_target, (name, "target"), writing[1])?;
        for pair in &held_out {
            facts.add_held_out_pair([&source, &target], [pair.source, pair.target]);
        }
        let Encoded {
            training,
            held_out,
            written,
            identities,
        } = self.encode_parts([training, held_out], [&source, &target], &mut dropped);
        require(training.len(), held_out.len(), dropped)?;
        training.iter().for_each(|it| facts.add_training(it));
        held_out.iter().for_each(|it| facts.add_held_out(it));
        facts.note_full(self.maximum_vocabulary, [&source.1, &target.1]);
        let (source_segmenter, source_vocabulary) = source;
        let (target_segmenter, target_vocabulary) = target;
        Ok(Dataset {
            source_segmenter,
            target_segmenter,
            source_vocabulary,
            target_vocabulary,
            examples: Examples::Translation(SequenceExamples {
                training,
                validation: held_out,
                written: Written::Pairs(written),
                ..SequenceExamples::default()
            }),
            stored: None,
            dropped,
            facts,
            identities: Some(identities),
        })
    }

    /// Removes the training pairs whose source sentence is also held out, unless the user keeps
    /// such pairs.
    fn without_overlap<'a>(
        &self,
        mut training: Vec<Pair<'a>>,
        held_out: &[Pair<'_>],
        facts: &mut Facts,
    ) -> Vec<Pair<'a>> {
        let sentences: HashSet<_> = held_out.iter().map(|pair| &pair.sentence).collect();
        let is_held_out = |pair: &Pair<'_>| sentences.contains(&pair.sentence);
        if self.keep_overlap {
            let kept = training.iter().filter(|pair| is_held_out(pair)).count();
            facts.remarks.extend(kept_overlap(kept));
        } else {
            training.retain(|pair| !is_held_out(pair));
        }
        training
    }

    /// Encodes training and held-out pairs; drops pairs that are too long as tokens.
    fn encode_parts(
        &self,
        [training, held_out]: [Vec<Pair<'_>>; 2],
        [source, target]: [&Side; 2],
        dropped: &mut LeftOut,
    ) -> Encoded {
        let mut learned = LearnedBuilder::default();
        let training = self.encode(training, source, target, &mut dropped.training);
        let training = training.inspect(|(_, pair)| learned.add(identity(pair.source)));
        let training = training.map(|(example, _)| example).collect();
        let held_out = self.encode(held_out, source, target, &mut dropped.validation);
        let (held_out, written): (_, Vec<_>) = held_out
            .map(|(example, pair)| (example, [pair.source.to_owned(), pair.target.to_owned()]))
            .unzip();
        Encoded {
            training,
            held_out,
            identities: Identities {
                training: learned.finish(),
                held_out: of_sources(&written),
            },
            written,
        }
    }

    /// Cuts pairs into tokens, and drops pairs that are empty or too long.
    fn cut<'a>(
        &self,
        text: &'a ParallelText,
        [source_side, target_side]: [&Learner; 2],
        dropped: &mut Dropped,
        facts: &mut Facts,
    ) -> Vec<Pair<'a>> {
        let mut pairs = Vec::with_capacity(text.pairs.len());
        let mut progress = Steps::new("Cutting the text", text.pairs.len());
        for (source, target) in &text.pairs {
            progress.count();
            facts.add_pair(source, target);
            let (mut sentence, mut source_length, mut target_length) = (String::new(), 0, 0);
            source_side.each_unit(source, &mut |token| {
                sentence.extend([token, "\0"]);
                source_length += 1;
            });
            target_side.each_unit(target, &mut |_| target_length += 1);
            // Text without visible characters may have tokens, but nothing to learn.
            if is_blank(source) || is_blank(target) || source_length == 0 || target_length == 0 {
                dropped.empty += 1;
            } else if source_length.max(target_length) > self.maximum_length {
                dropped.too_long += 1;
            } else {
                pairs.push(Pair {
                    source,
                    target,
                    sentence,
                });
            }
        }
        pairs
    }

    /// Encodes the pairs, and drops pairs that have too many subwords.
    fn encode<'a>(
        &self,
        pairs: Vec<Pair<'a>>,
        source: &Side,
        target: &Side,
        dropped: &mut Dropped,
    ) -> impl Iterator<Item = (Example, Pair<'a>)> {
        let mut progress = Steps::new("Encoding the text", pairs.len());
        pairs.into_iter().filter_map(move |pair| {
            progress.count();
            let example = Example {
                source: encode(source, pair.source),
                target: encode(target, pair.target),
            };
            let fits = example.source.len().max(example.target.len()) <= self.maximum_length;
            dropped.too_long += usize::from(!fits);
            fits.then_some((example, pair))
        })
    }

    fn open(
        &self,
        seed: u64,
        uploads: &Uploads,
        kept: Option<LearnedVocabularies<'_>>,
    ) -> Result<Dataset, TaskError> {
        #[cfg(not(target_family = "wasm"))]
        if stream::is_large(self.stream, [Some(&self.source), self.target.as_ref()]) {
            return stream::load(self, seed, kept);
        }
        let corpus = open(&self.source, self.target.as_deref(), uploads)?;
        let validation = self.validation_text(uploads)?;
        self.assemble(&corpus, validation.as_ref(), seed, uploads, kept)
    }

    /// Reads the sentence pairs for validation, if files are named for them.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn validation_text(&self, uploads: &Uploads) -> Result<Option<ParallelText>, TaskError> {
        let source = self.validation_source.as_ref();
        let text = source.map(|source| open(source, self.validation_target.as_deref(), uploads));
        text.transpose().map_err(|error| match error {
            TaskError::Text(TextError::NoTab { name, .. }) if self.validation_target.is_none() => {
                TaskError::NoValidationTarget { name }
            }
            error => error,
        })
    }

    /// Checks that every level `sentencepiece` has its model, and that no other models are named.
    fn check_pieces(&self) -> Result<(), TaskError> {
        let [source, target] = self.levels().map(|it| it == TokenUnit::Sentencepiece);
        let (named, of_target) = (self.pieces.is_some(), self.target_pieces.is_some());
        match () {
            () if source && !named => Err(TaskError::NoPieces { setting: "pieces" }),
            () if target && !named && !of_target => Err(TaskError::NoPieces {
                setting: "target_pieces",
            }),
            () if named && !source && (!target || of_target) => Err(TaskError::UnusedPieces {
                setting: "pieces",
                level: "level",
            }),
            () if of_target && !target => Err(TaskError::UnusedPieces {
                setting: "target_pieces",
                level: "target_level",
            }),
            () => Ok(()),
        }
    }

    fn check_numbers(&self) -> Result<(), TaskError> {
        self.check_ranges()
            .map_err(|found| TaskError::out_of_range(DESCRIPTION.words.name, found))
    }
}

impl Task for FilesConfig {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn validate(&self) -> Result<(), TaskError> {
        if self.source.as_os_str().is_empty() {
            return Err(TaskError::NoSource);
        }
        if self.validation_target.is_some() && self.validation_source.is_none() {
            return Err(TaskError::NoValidationSource);
        }
        self.check_pieces()?;
        let vocabularies = [&self.source_vocabulary, &self.target_vocabulary];
        for (level, file) in self.levels().into_iter().zip(vocabularies) {
            level.check()?;
            let has_pieces = level.is_subword() || level == TokenUnit::Sentencepiece;
            if file.is_some() && has_pieces {
                return Err(TaskError::VocabularyOfSubwords { level });
            }
        }
        Ok(())
    }

    fn load(&self, seed: u64, uploads: &Uploads) -> Result<Dataset, TaskError> {
        let mut dataset = self.open(seed, uploads, None)?;
        dataset.read_vectors(0, self.source_vectors.as_deref(), uploads)?;
        dataset.read_vectors(1, self.target_vectors.as_deref(), uploads)?;
        match dataset.examples.sequences().map(|it| &it.vectors) {
            Some([Some(source), Some(target)]) if source.width != target.width => {
                Err(TaskError::VectorWidths {
                    source_width: source.width,
                    target_width: target.width,
                })
            }
            _ => Ok(dataset),
        }
    }

    fn reload(
        &self,
        seed: u64,
        uploads: &Uploads,
        kept: LearnedVocabularies<'_>,
    ) -> Result<Dataset, TaskError> {
        self.open(seed, uploads, Some(kept))
    }

    fn levels(&self) -> [TokenUnit; 2] {
        [self.level, self.target_level.beside(self.level)]
    }

    fn text_form(&self) -> TextForm {
        self.text_form()
    }

    fn paths(&self) -> Vec<&Path> {
        let others = [
            &self.target,
            &self.validation_source,
            &self.validation_target,
            &self.source_vocabulary,
            &self.target_vocabulary,
            &self.source_vectors,
            &self.target_vectors,
            &self.pieces,
            &self.target_pieces,
        ];
        let others = others.into_iter().flatten().map(PathBuf::as_path);
        std::iter::once(self.source.as_path())
            .chain(others)
            .collect()
    }
}

/// Returns the identities of the sources of pairs, one list for each pair.
pub(crate) fn of_sources(pairs: &[[String; 2]]) -> Vec<Vec<u64>> {
    let sources = pairs.iter().map(|[source, _]| vec![identity(source)]);
    sources.collect()
}

/// Returns a warning if training pairs are also held out.
pub(crate) fn kept_overlap(pairs: usize) -> Option<String> {
    (pairs > 0).then(|| {
        format!(
            "{pairs} pairs to learn from are also held out (`task.keep_overlap`): what is measured \
             on them is what was learned by heart."
        )
    })
}

/// Refuses a corpus without training pairs or without held-out pairs.
pub(crate) fn require(
    [training, held_out]: [usize; 2],
    corpus: &str,
    validation: Option<&str>,
    dropped: LeftOut,
) -> Result<(), TaskError> {
    let name = corpus.to_owned();
    match validation {
        _ if training > 0 && held_out > 0 => Ok(()),
        None if training + held_out > 0 => Err(TaskError::OneSentence { name }),
        Some(validation) if training > 0 => Err(TaskError::EmptyCorpus {
            name: validation.to_owned(),
            dropped: dropped.validation,
        }),
        _ => Err(TaskError::EmptyCorpus {
            name,
            dropped: dropped.training,
        }),
    }
}

pub(crate) fn open(
    source: &Path,
    target: Option<&Path>,
    uploads: &Uploads,
) -> Result<ParallelText, TaskError> {
    let name = |path: &Path| path.display().to_string();
    let source_bytes = uploads.read(source)?;
    let text = match target {
        Some(target) => ParallelText::from_sides(
            (&name(source), &source_bytes),
            (&name(target), &uploads.read(target)?),
        ),
        None => ParallelText::from_columns(&name(source), &source_bytes),
    };
    Ok(text?)
}

#[cfg(test)]
mod tests;
