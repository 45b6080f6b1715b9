//! Settings of the task `files`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use strata_describe::{Description, Words, settings};
use strata_text::{Normalize, TargetLevel, TextForm, TokenUnit};

use crate::Stream;
use crate::split::MOST_SPLITS;

settings! {
    /// Settings of the task `files`.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct FilesConfig {
        /// Text to translate, a sentence per line; or .tsv, source TAB target. May be .gz.
        #[title = "Source"]
        pub source: PathBuf = PathBuf::new(),
        /// Its translation, line by line; leave out for a .tsv.
        #[title = "Target"]
        pub target: Option<PathBuf> = None,
        /// Text to measure on; without it, `held_out` pairs of the corpus are taken.
        #[title = "Validation source"]
        #[help = "Text to measure on; without it, sentences of the corpus are held out."]
        pub validation_source: Option<PathBuf> = None,
        /// Its translation, line by line; leave out for a .tsv.
        #[title = "Validation target"]
        pub validation_target: Option<PathBuf> = None,
        /// Unit into which source text is cut.
        #[words = TokenUnit::WORDS]
        pub level: TokenUnit = TokenUnit::Word,
        /// Unit into which target text is cut.
        #[title = "Target level"]
        #[help = "The same for the target side."]
        pub target_level: TargetLevel = TargetLevel::Same,
        /// Model of SentencePiece, of the level `sentencepiece`; of the target, too, unless that has
        /// another one.
        #[title = "Pieces"]
        #[help = "Model of SentencePiece, for the level sentencepiece; also of the target, unless \
             that has another one."]
        pub pieces: Option<PathBuf> = None,
        /// Model of SentencePiece of the target side.
        #[title = "Target pieces"]
        #[help = "The same for the target side alone."]
        pub target_pieces: Option<PathBuf> = None,
        /// True if all text is made lower case.
        #[title = "Lowercase"]
        #[help = "All text is made lower case, what is translated later too."]
        pub lowercase: bool = false,
        /// Unicode form in which tokens are looked up.
        #[words = Normalize::WORDS]
        pub normalize: Normalize = Normalize::None,
        /// Reading of the text block by block instead of keeping it in memory.
        #[words = Stream::WORDS]
        pub stream: Stream = Stream::Auto,
        /// Tokens of the source, one a line, in place of those that are counted.
        #[title = "Source vocabulary"]
        #[help = "A file of tokens, one a line, in place of those that are counted."]
        pub source_vocabulary: Option<PathBuf> = None,
        /// Tokens of the target, one a line, in place of those that are counted.
        #[title = "Target vocabulary"]
        #[help = "The same for the target side."]
        pub target_vocabulary: Option<PathBuf> = None,
        /// Pretrained vectors of source tokens, as GloVe, word2vec and fastText write them as text.
        /// May be .gz.
        #[title = "Source vectors"]
        #[help = "Pretrained vectors with which embeddings begin: a token and its numbers on each \
             line."]
        pub source_vectors: Option<PathBuf> = None,
        /// Pretrained vectors of target tokens. May be .gz.
        #[title = "Target vectors"]
        #[help = "The same for the target side."]
        pub target_vectors: Option<PathBuf> = None,
        /// Tokens seen less often in training become `<unk>`.
        #[title = "Minimum count"]
        #[help = "Rarer tokens become <unk>."]
        pub minimum_count: usize in 1..=1_000_000 = 2,
        /// Most entries of each vocabulary, the 4 special ones included.
        #[title = "Maximum vocabulary"]
        pub maximum_vocabulary: usize in 5..=1_000_000 = 20_000,
        /// Pairs with more tokens on a side are left out.
        #[title = "Maximum length"]
        pub maximum_length: usize in 1..=10_000 = 100,
        /// Pairs to measure on where there is no validation file, at most half of the corpus.
        #[title = "Held out"]
        #[help = "Pairs to measure on, at most half of the corpus."]
        pub held_out: usize in 1..=1_000_000 = 500,
        /// Decides, with the sentences themselves, which of them are held out, the same for all seeds;
        /// 0: the seed decides.
        #[title = "Split"]
        #[help = "Decides which sentences are held out, the same ones for all seeds; 0: the seed \
             does."]
        pub split: u64 in 0..=MOST_SPLITS = 1,
        /// Train on sentences of the validation files too, as some published results did.
        #[title = "Keep overlap"]
        pub keep_overlap: bool = false,
    }
}

impl FilesConfig {
    /// Normal form in which text is cut into tokens.
    pub fn text_form(&self) -> TextForm {
        TextForm {
            lowercase: self.lowercase,
            normalize: self.normalize,
        }
    }
}

pub(crate) const DESCRIPTION: Description = Description {
    words: Words::new(
        "files",
        "Own pairs",
        "Translate as your own sentence pairs do: two text files, or one with two columns.",
        "",
        "",
    ),
    settings: FilesConfig::SETTINGS,
};
