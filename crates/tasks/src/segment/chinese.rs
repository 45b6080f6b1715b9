//! Chinese words by jieba: the most probable path through its dictionary, and a hidden Markov
//! model for what the dictionary lacks. Its dictionary takes megabytes, so it is a native feature.

use crate::TaskError;

#[cfg(feature = "jieba")]
static JIEBA: std::sync::LazyLock<jieba_rs::Jieba> = std::sync::LazyLock::new(jieba_rs::Jieba::new);

/// Checks that this program was built with the dictionary of Chinese words.
pub(crate) fn check() -> Result<(), TaskError> {
    if cfg!(feature = "jieba") {
        Ok(())
    } else {
        Err(TaskError::NoJieba)
    }
}

/// Gives the words of one stretch of text without white space.
#[cfg(feature = "jieba")]
pub(crate) fn words(text: &str, take: &mut dyn FnMut(&str)) {
    for token in JIEBA.cut(text, true) {
        take(token.word);
    }
}

/// Never reached: [`check`] refuses the level.
#[cfg(not(feature = "jieba"))]
pub(crate) fn words(text: &str, take: &mut dyn FnMut(&str)) {
    take(text);
}
