//! Segmenters and vocabularies of source and target.

use std::path::PathBuf;

use strata_text::special::UNK;
use strata_text::{Learner, Segmenter, SentencePieceModel, TokenUnit, Uploads, Vocabulary};

use crate::task::Task;
use crate::{Facts, FilesConfig, TaskError, Writing};

/// Segmenter and vocabulary of one side, ready to encode.
pub(crate) type Side = (Segmenter, Vocabulary);

impl FilesConfig {
    /// Creates the learners of the segmenters of source and target, without counts.
    pub(crate) fn learners(
        &self,
        pieces: &[Option<SentencePieceModel>; 2],
    ) -> Result<[Learner; 2], TaskError> {
        let [source, target] = self.levels();
        let [of_source, of_target] = pieces.clone();
        Ok([
            Learner::new(source, self.text_form())?.with_model(of_source),
            Learner::new(target, self.text_form())?.with_model(of_target),
        ])
    }

    /// Returns the SentencePiece models of the sides that have one: those of `kept`, or else those
    /// of the files. (A file may be gone when a run is continued.)
    pub(crate) fn sentencepiece_models(
        &self,
        uploads: &Uploads,
        kept: [Option<(&Segmenter, &Vocabulary)>; 2],
    ) -> Result<[Option<SentencePieceModel>; 2], TaskError> {
        let [source, target] = self.levels().map(|it| it == TokenUnit::Sentencepiece);
        let read = |path: &PathBuf, kept: Option<(&Segmenter, &Vocabulary)>| match kept
            .and_then(|(segmenter, _)| segmenter.sentencepiece_model())
        {
            Some(pieces) => Ok(pieces),
            None => SentencePieceModel::of_path(path, uploads),
        };
        let of_source = self.pieces.as_ref().filter(|_| source);
        let of_source = of_source.map(|path| read(path, kept[0])).transpose()?;
        let of_target = match (&self.target_pieces, &self.pieces) {
            (Some(path), _) if target => Some(read(path, kept[1])?),
            (None, Some(path)) if target => match &of_source {
                Some(pieces) => Some(pieces.clone()),
                None => Some(read(path, kept[1])?),
            },
            _ => None,
        };
        Ok([of_source, of_target])
    }

    /// Returns the vocabularies of the sides that name a file of tokens: those of `kept`, or else
    /// those of the files. (A file may be gone when a run is continued.)
    pub(crate) fn own_vocabularies(
        &self,
        uploads: &Uploads,
        kept: [Option<(&Segmenter, &Vocabulary)>; 2],
    ) -> Result<[Option<Vocabulary>; 2], TaskError> {
        let own = |path: &Option<PathBuf>, kept: Option<(&Segmenter, &Vocabulary)>| {
            let own = |path: &PathBuf| match kept {
                Some((_, vocabulary)) => Ok(vocabulary.clone()),
                None => Vocabulary::read(&path.display().to_string(), &uploads.read_text(path)?),
            };
            path.as_ref().map(own).transpose()
        };
        Ok([
            own(&self.source_vocabulary, kept[0])?,
            own(&self.target_vocabulary, kept[1])?,
        ])
    }

    /// Builds segmenter and vocabulary of a side: kept ones, those of a file of tokens (`own`), or
    /// learned ones.
    pub(crate) fn side(
        &self,
        learner: Learner,
        kept: Option<(&Segmenter, &Vocabulary)>,
        own: Option<Vocabulary>,
        (name, side): (&str, &'static str),
        writing: &Writing,
    ) -> Result<Side, TaskError> {
        let (segmenter, vocabulary) = match kept {
            Some((segmenter, vocabulary)) if segmenter.subwords().is_some() => {
                (segmenter.clone(), vocabulary.clone())
            }
            _ => {
                let (segmenter, learned) =
                    learner.learn(self.minimum_count, self.maximum_vocabulary)?;
                (segmenter, own.unwrap_or(learned))
            }
        };
        if vocabulary.has_only_special_tokens() {
            return Err(TaskError::EmptyVocabulary {
                name: name.to_owned(),
                side,
                minimum_count: self.minimum_count,
                advice: writing.advice_without_tokens(segmenter.level()),
            });
        }
        Ok((segmenter, vocabulary))
    }
}

pub(crate) fn encode((segmenter, vocabulary): &Side, text: &str) -> Vec<u32> {
    let mut ids = Vec::new();
    segmenter.each_token(text, &mut |token| ids.push(vocabulary.id(token)));
    ids
}

impl Facts {
    /// Counts the tokens of a held-out pair that the vocabulary of the other side has, and the
    /// losses of the target line.
    pub(crate) fn add_held_out_pair(&mut self, [source, target]: [&Side; 2], texts: [&str; 2]) {
        let known = |side, text| encode(side, text).iter().filter(|&&id| id != UNK).count() as u64;
        self.sides[0].known_on_other_side += known(target, texts[0]);
        self.sides[1].known_on_other_side += known(source, texts[1]);
        self.sides[1]
            .lost
            .add_line(texts[1], &target.0.rejoined(texts[1]));
    }
}
