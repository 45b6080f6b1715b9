//! Segmentation of Chinese words by jieba: the most probable path through a dictionary, and a
//! hidden Markov model for words that the dictionary lacks. The dictionary takes megabytes, so it
//! is a feature of native builds.

use crate::TextError;

#[cfg(feature = "jieba")]
static JIEBA: std::sync::LazyLock<jieba_rs::Jieba> = std::sync::LazyLock::new(jieba_rs::Jieba::new);

/// Checks that this build has the dictionary of Chinese words.
pub(crate) fn check() -> Result<(), TextError> {
    if cfg!(feature = "jieba") {
        Ok(())
    } else {
        Err(TextError::NoJieba)
    }
}

/// Passes the words of a stretch of text without white space to `take`.
#[cfg(feature = "jieba")]
pub(crate) fn words(text: &str, take: &mut dyn FnMut(&str)) {
    for token in JIEBA.cut(text, true) {
        take(token.word);
    }
}

/// Stands in for the segmentation in builds without the dictionary; never reached, because
/// [`check`] refuses the level.
#[cfg(not(feature = "jieba"))]
pub(crate) fn words(text: &str, take: &mut dyn FnMut(&str)) {
    take(text);
}
