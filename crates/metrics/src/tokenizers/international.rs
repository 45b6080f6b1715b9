//! Tokeniser `intl`: the tokeniser of mteval-v14 with `--international-tokenization`.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use super::{first_alone, second_alone, separate};

/// Separates the tokens of a text by white space. Symbols, and punctuation except within numbers,
/// are tokens of their own.
pub(super) fn tokenize(text: &str) -> String {
    let apart = separate(
        text,
        |before, mark| is_punctuation(mark) && !is_number(before),
        second_alone,
    );
    let apart = separate(
        &apart,
        |mark, after| is_punctuation(mark) && !is_number(after),
        first_alone,
    );
    let mut tokens = String::with_capacity(apart.len() + apart.len() / 4);
    for character in apart.chars() {
        if is_symbol(character) {
            tokens.extend([' ', character, ' ']);
        } else {
            tokens.push(character);
        }
    }
    tokens
}

/// True for common characters that need no look-up in the Unicode tables.
fn is_plain(character: char) -> bool {
    character.is_ascii_alphabetic() || character == ' '
}

fn is_punctuation(character: char) -> bool {
    !is_plain(character) && character.general_category_group() == GeneralCategoryGroup::Punctuation
}

fn is_number(character: char) -> bool {
    !is_plain(character) && character.general_category_group() == GeneralCategoryGroup::Number
}

fn is_symbol(character: char) -> bool {
    !is_plain(character) && character.general_category_group() == GeneralCategoryGroup::Symbol
}
