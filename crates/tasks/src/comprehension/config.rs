//! Settings of the task `reading`.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use strata_describe::{Description, Settings, Words, options, settings};
use strata_text::Uploads;

use super::{ReadingError, ReadingLevel, assemble};
use crate::split::MOST_SPLITS;
use crate::task::Task;
use crate::{Dataset, Pipeline, Stream, TaskError};

options! {
    /// Format of a file of questions.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum ReadingFormat {
        /// Told by the contents.
        Auto = "auto",
        /// SQuAD 1.1, also of CMRC 2018 and DRCD: one object with `data`.
        Squad = "squad",
        /// DuReader 2.0: an object with `documents` on each line.
        Dureader = "dureader",
        /// MS MARCO v1.1: a list of objects with `passages`, or one on each line.
        Msmarco = "msmarco",
    }
}

options! {
    /// Part that is held out of a file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum ReadingSplit {
        /// Whole articles: no passage is both learned from and measured on.
        Article = "article",
        /// Single questions: nearly all of their passages are learned from, too.
        Question = "question",
    }
}

settings! {
    /// Settings of the task `reading`.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct ReadingConfig {
        /// File of questions to learn from, in JSON: SQuAD, DuReader or MS MARCO. May be .gz.
        #[title = "Source"]
        pub source: PathBuf = PathBuf::new(),
        /// File of questions to measure on; without it, a part of the source is held out.
        #[title = "Validation source"]
        pub validation_source: Option<PathBuf> = None,
        /// Format of the files.
        #[title = "Format"]
        #[help = "SQuAD, DuReader or MS MARCO; auto tells them by their contents."]
        pub format: ReadingFormat = ReadingFormat::Auto,
        /// Level at which passages and questions are cut into tokens.
        #[title = "Level"]
        #[help = "Unit of the tokens, of which an answer is a run."]
        pub level: ReadingLevel = ReadingLevel::Auto,
        /// True if tokens are looked up in lower case; the text itself never changes.
        #[title = "Lowercase"]
        #[help = "Tokens are looked up in lower case; answers stay as they are written."]
        pub lowercase: bool = false,
        /// Reading of the source block by block instead of keeping its questions in memory.
        #[words = Stream::WORDS]
        pub stream: Stream = Stream::Auto,
        /// Part that is held out where there is no validation source.
        #[title = "Split"]
        #[help = "Part that is held out: whole articles, or single questions."]
        pub split: ReadingSplit = ReadingSplit::Article,
        /// Decides, with the texts themselves, which articles or questions are held out, the same for
        /// all seeds; 0: the last articles, or questions drawn by the seed.
        #[title = "Split number"]
        #[help = "Decides which articles or questions are held out, the same ones for all seeds; 0: \
             the last articles, or questions that the seed draws."]
        pub split_number: u64 in 0..=MOST_SPLITS = 1,
        /// Least number of questions to hold out; 0: a tenth.
        #[title = "Held out"]
        #[help = "Questions to hold out where there is no validation source, of articles at least \
             so many; 0: a tenth."]
        pub held_out: usize in 0..=10_000_000 = 0,
        /// Least number of questions of a third part, behind those that are held out: they are not
        /// learned from, choose no checkpoint, and are what is reported; 0: none.
        #[title = "Tested"]
        #[help = "Questions of a third part, of articles at least so many, which neither train nor \
             choose the best checkpoint: what is reported is measured on them. 0: none."]
        pub tested: usize in 0..=10_000_000 = 0,
        /// Most tokens of a passage; 0: 400, of DuReader 500.
        #[title = "Maximum passage"]
        #[help = "Longer passages are read in windows of so many tokens, half of that apart. 0: \
             400, of DuReader 500."]
        pub maximum_passage: usize in 0..=100_000 = 0,
        /// Most tokens of a question; longer ones keep their first.
        #[title = "Maximum question"]
        #[help = "Longer questions keep their first tokens."]
        pub maximum_question: usize in 1..=10_000 = 60,
        /// Most passages of a question; 0: 5, of MS MARCO 10.
        #[title = "Maximum passages"]
        #[help = "Passages of a question that are read, the first ones. 0: 5, of MS MARCO 10."]
        pub maximum_passages: usize in 0..=1000 = 0,
        /// Tokens seen less often in training become `<unk>`.
        #[title = "Minimum count"]
        #[help = "Rarer tokens become <unk>."]
        pub minimum_count: usize in 1..=1_000_000 = 2,
        /// Most entries of the vocabulary, the 4 special ones included.
        #[title = "Maximum vocabulary"]
        pub maximum_vocabulary: usize in 5..=1_000_000 = 50_000,
        /// Pretrained word vectors, as GloVe and word2vec write them as text. May be .gz.
        #[title = "Vectors"]
        #[help = "Pretrained vectors: a word and its numbers on each line."]
        pub vectors: Option<PathBuf> = None,
        /// Number of further words of the vectors, their first, that join the vocabulary.
        #[title = "More words"]
        #[help = "Further words of the vectors, their first, that join the vocabulary for texts \
             to come."]
        pub more_words: usize in 0..=1_000_000 = 0,
    }
}

pub(crate) const DESCRIPTION: Description = Description {
    words: Words::new(
        "reading",
        "Reading comprehension",
        "Find the answers to questions in passages: on files of SQuAD, DuReader or MS MARCO.",
        "",
        "",
    ),
    settings: ReadingConfig::SETTINGS,
};

impl Task for ReadingConfig {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn validate(&self) -> Result<(), TaskError> {
        if self.source.as_os_str().is_empty() {
            return Err(ReadingError::NoSource.into());
        }
        if self.more_words > 0 && self.vectors.is_none() {
            return Err(ReadingError::NoVectors.into());
        }
        if self.tested > 0 && self.validation_source.is_some() {
            return Err(ReadingError::TestedBesideFile.into());
        }
        self.level.check()
    }

    fn load(&self, seed: u64, uploads: &Uploads) -> Result<Dataset, TaskError> {
        self.check_ranges()
            .map_err(|found| TaskError::out_of_range(DESCRIPTION.words.name, found))?;
        assemble::load(self, seed, uploads)
    }

    fn pipeline(&self) -> Pipeline {
        Pipeline::QuestionAnswering
    }

    fn paths(&self) -> Vec<&Path> {
        let others = [&self.validation_source, &self.vectors];
        let others = others.into_iter().flatten().map(PathBuf::as_path);
        std::iter::once(self.source.as_path())
            .chain(others)
            .collect()
    }
}
