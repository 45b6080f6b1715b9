//! Signatures in sacreBLEU's format: all settings that must be known to reproduce a score.

/// Version of sacreBLEU that BLEU and chrF reproduce to the last digit, as named in signatures.
pub const SACREBLEU_VERSION: &str = "2.6.0";

/// Number of references per sentence; `var` if the number varies.
pub(crate) fn references(number: Option<usize>) -> String {
    number.map_or_else(|| "var".to_owned(), |number| number.to_string())
}

pub(crate) fn case(lowercase: bool) -> &'static str {
    if lowercase { "lc" } else { "mixed" }
}

pub(crate) fn yes_or_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}
