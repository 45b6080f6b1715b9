//! Normal form of text before it is cut into tokens.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use strata_describe::{Words, options};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfkc_quick};

options! {
    /// Normalisation form of Unicode (UAX #15), by which letters that look alike are the same.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Normalize {
        /// Text as it is written.
        None = "none",
        /// Letter and accent are one character where there is one.
        Nfc = "nfc",
        /// That, and letters of another width or shape (`Ａ`, `ﬁ`, `²`) are the usual ones.
        Nfkc = "nfkc",
    }
}

impl Normalize {
    /// Words of the setting that chooses a Unicode form.
    pub const WORDS: Words = Words::new(
        "normalize",
        "Unicode form",
        "Spelling by which tokens are looked up: one for letters with accents (nfc), for letters \
         of other widths and shapes, too (nfkc). Scores compare with the text as written.",
        "",
        "",
    );

    /// Converts a text to this Unicode form.
    fn apply(self, text: &str) -> Cow<'_, str> {
        let is_normal = |quick| quick == IsNormalized::Yes;
        match self {
            Self::Nfc if !is_normal(is_nfc_quick(text.chars())) => text.nfc().collect(),
            Self::Nfkc if !is_normal(is_nfkc_quick(text.chars())) => text.nfkc().collect(),
            _ => Cow::Borrowed(text),
        }
    }
}

/// Normal form of text before it is cut into tokens. The text itself stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextForm {
    /// True if text is converted to lower case.
    pub lowercase: bool,
    /// Unicode normalisation form of the text.
    pub normalize: Normalize,
}

/// Lower case if true; without Unicode normalisation.
impl From<bool> for TextForm {
    fn from(lowercase: bool) -> Self {
        Self {
            lowercase,
            normalize: Normalize::None,
        }
    }
}

impl TextForm {
    /// Converts a text to this form. Text is normalised before and after the change of case,
    /// because normalisation makes capitals (of `℃`), and lower case can be unnormalised.
    pub fn apply(self, text: &str) -> Cow<'_, str> {
        let normal = self.normalize.apply(text);
        if !self.lowercase {
            return normal;
        }
        let lower = normal.to_lowercase();
        match self.normalize.apply(&lower) {
            Cow::Borrowed(_) => Cow::Owned(lower),
            Cow::Owned(normal) => Cow::Owned(normal),
        }
    }
}
