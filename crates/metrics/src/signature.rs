//! Signatures as sacreBLEU writes them: what else must be known for a score to be repeated.

/// The version of sacreBLEU that BLEU and chrF follow to the last digit, and that signatures name.
pub const SACREBLEU_VERSION: &str = "2.6.0";

/// Number of references of each sentence; `var` where their number differs.
pub(crate) fn references(number: Option<usize>) -> String {
    number.map_or_else(|| "var".to_owned(), |number| number.to_string())
}

pub(crate) fn case(lowercase: bool) -> &'static str {
    if lowercase { "lc" } else { "mixed" }
}

pub(crate) fn yes_or_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}
