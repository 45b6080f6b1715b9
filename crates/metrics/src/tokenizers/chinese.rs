//! Tokeniser `zh`: splits Chinese by characters, after a script by Shujian Huang that sacreBLEU
//! took over.

use super::western::separate_punctuation;
use crate::white_space::is_white_space;

/// Separates the tokens of a text by white space.
pub(super) fn tokenize(text: &str) -> String {
    let mut apart = String::with_capacity(2 * text.len());
    for character in text.trim_matches(is_white_space).chars() {
        if is_chinese(character) {
            apart.extend([' ', character, ' ']);
        } else {
            apart.push(character);
        }
    }
    separate_punctuation(&apart)
}

/// True if the script counts the character as Chinese.
///
/// The script lists ranges up to Unicode 4.1. Two of them were meant to be beyond U+FFFF (CJK
/// Extension B and the Compatibility Supplement) but were written as `\u` with five digits, which
/// made them U+2001 to U+2A6D and U+2F81 to U+2FA1. Published scores depend on this mistake.
fn is_chinese(character: char) -> bool {
    matches!(character,
        '\u{2001}'..='\u{2a6d}'
        | '\u{2e80}'..='\u{2fdf}'
        | '\u{2ff0}'..='\u{303f}'
        | '\u{3100}'..='\u{312f}'
        | '\u{31a0}'..='\u{31bf}'
        | '\u{31c0}'..='\u{31ef}'
        | '\u{3200}'..='\u{33ff}'
        | '\u{3400}'..='\u{4db5}'
        | '\u{4e00}'..='\u{9fbb}'
        | '\u{f900}'..='\u{fa2d}'
        | '\u{fa30}'..='\u{fa6a}'
        | '\u{fa70}'..='\u{fad9}'
        | '\u{fe10}'..='\u{fe1f}'
        | '\u{fe30}'..='\u{fe4f}'
        | '\u{ff00}'..='\u{ffef}')
}
