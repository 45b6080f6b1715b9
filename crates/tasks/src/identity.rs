//! Identity of a sentence: a number by which the sentence is recognised in another order, another
//! file, another run.

use strata_text::{Normalize, TextForm};

use crate::split::fingerprint::Fingerprint;

/// Normal form in which sentences are compared: all tasks look tokens up in this form or a finer
/// one.
const FORM: TextForm = TextForm {
    lowercase: true,
    normalize: Normalize::Nfkc,
};

/// Least number of characters of a line with an identity. Shorter lines (`}`, a name, a chapter's
/// number) recur in unrelated texts.
const LEAST_CHARACTERS: usize = 16;

/// Returns the identity of a sentence. Texts that differ only in case, white space or the Unicode
/// form of their letters have the same identity; with probability 1 − 3·10⁻⁶, none of 10 million
/// other sentences has it.
pub fn identity(text: &str) -> u64 {
    hash(&[text])
}

/// Returns the common identity of several texts, in order.
pub(crate) fn identity_of_all(texts: &[&str]) -> u64 {
    hash(texts)
}

/// Returns the identity of a line of a longer text; `None` if the line is too short to be
/// recognised.
pub fn identity_of_line(line: &str) -> Option<u64> {
    let is_long = line.chars().filter(is_seen).nth(LEAST_CHARACTERS - 1);
    is_long.map(|_| identity(line))
}

/// Returns the rank of a sentence, by which the held-out sentences of a corpus are chosen. The rank
/// does not depend on the other sentences or on the order.
pub(crate) fn rank(identity: u64, split: u64) -> u64 {
    mix(identity ^ mix(split))
}

fn hash(texts: &[&str]) -> u64 {
    let mut fingerprint = Fingerprint::default();
    for text in texts {
        let seen: String = text.chars().filter(is_seen).collect();
        if seen.is_ascii() {
            fingerprint.add_bytes(seen.to_ascii_lowercase().as_bytes())
        } else {
            fingerprint.add_bytes(FORM.apply(&seen).as_bytes())
        }
        // Separates the texts by a byte that UTF-8 does not contain.
        fingerprint.add_bytes(&[0xff]);
    }
    mix(fingerprint.value())
}

fn is_seen(character: &char) -> bool {
    !character.is_whitespace() && !character.is_control()
}

/// Mixes the bits of a number by the finaliser of SplitMix64 (Steele et al. 2014), so that similar
/// numbers become unrelated ones.
pub(crate) fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_may_read_as_equal_has_one_identity() {
        let same = [
            "Le caf\u{e9} est ouvert !",
            "le CAFE\u{301}  est\u{a0}ouvert!",
            " LE CAF\u{c9}\u{3000}EST\tOUVERT\u{ff01}\r\n",
        ];
        for text in same {
            assert_eq!(identity(text), identity(same[0]), "{text}");
        }
        for other in ["Le cafe est ouvert !", "Le caf\u{e9} est ouvert ?", ""] {
            assert_ne!(identity(other), identity(same[0]), "{other}");
        }
        assert_ne!(identity_of_all(&["ab", "c"]), identity_of_all(&["a", "bc"]));
    }

    #[test]
    fn short_lines_have_none() {
        assert_eq!(identity_of_line("  } else {   //  x"), None);
        let line = "to be, or not to be, that";
        assert_eq!(identity_of_line(line), Some(identity(line)));
    }

    /// The expected numbers were written down once: a change of them changes what every corpus
    /// holds out.
    #[test]
    fn identities_and_ranks_are_pinned() {
        let of = ["rot hund", "Zwei H\u{fc}hner"].map(identity);
        assert_eq!(of, [1_851_155_125_350_632_169, 1_553_804_848_688_062_865]);
        assert_eq!(
            [rank(of[0], 1), rank(of[0], 2)],
            [8_971_115_268_245_993_602, 9_007_042_552_890_198_834]
        );
    }
}
