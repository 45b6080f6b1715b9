//! Parser of numbers as people write numbers.
//!
//! Text with one meaning is read: `1e5`, `1_000`, `+5`, `0x10`, `１２`. Text that could mean two
//! numbers, such as `1,000` or `1.000` for a whole number, is refused, and [`candidates`] says how
//! to write each.

pub mod parse;

use serde_json::Number;

/// Zeros of scripts whose ten digits have consecutive code points: Arabic-Indic, Persian,
/// Devanagari, Bengali, Thai, full width.
const ZEROS: [char; 6] = ['٠', '۰', '०', '০', '๐', '０'];
/// 2⁵³: every whole number up to 2⁵³ is exact as an `f64`.
const EXACT: f64 = (1_u64 << 53) as f64;

/// Reads a number if its text has only one meaning, for any setting.
pub fn read(text: &str) -> Option<Number> {
    let text = plain(text);
    if let Some(whole) = of_radix(&text) {
        return Some(whole.into());
    }
    if is_grouped(&text) {
        return None;
    }
    let digits = text.trim_start_matches(['+', '-']);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let whole = text.parse::<u64>().map(Number::from);
        return whole
            .or_else(|_| text.parse::<i64>().map(Number::from))
            .ok();
    }
    is_of_number(&text).then(|| Number::from_f64(text.parse().ok()?))?
}

/// Reads a whole number, 0 or above; `1e5` and `5.0` are whole numbers.
pub fn whole(text: &str) -> Option<u64> {
    whole_of(&read(text)?)
}

/// Reads any finite number; a point in the text is a decimal point.
pub fn real(text: &str) -> Option<f64> {
    let text = plain(text);
    let number = match read(&text) {
        Some(number) => number.as_f64(),
        None if is_of_number(&text) => text.parse().ok(),
        None => None,
    };
    number.filter(|number| number.is_finite())
}

/// Converts a number to a whole one, 0 or above, or returns `None` if it is not whole.
pub fn whole_of(number: &Number) -> Option<u64> {
    number.as_u64().or_else(|| {
        let real = number.as_f64()?;
        (real.fract() == 0.0 && (0.0..=EXACT).contains(&real)).then_some(real as u64)
    })
}

/// Returns the numbers that an ambiguous text may mean, as Strata writes numbers; empty if the text
/// cannot be read as a number.
pub fn candidates(text: &str, is_whole: bool) -> Vec<String> {
    let mut text = plain(text);
    text.retain(|letter| !letter.is_whitespace() && !"'’_".contains(letter));
    let (text, scale) = match text.char_indices().last() {
        Some((end, '%')) => (&text[..end], -2),
        Some((end, 'k' | 'K')) => (&text[..end], 3),
        Some((end, 'M')) => (&text[..end], 6),
        _ => (&text[..], 0),
    };
    let mut found = Vec::new();
    for spelled in spellings(text) {
        if !is_of_number(&spelled) {
            continue;
        }
        let Ok(number) = format!("{spelled}e{scale}").parse::<f64>() else {
            continue;
        };
        let fits = !is_whole || (number >= 0.0 && number.fract() == 0.0 && number <= EXACT);
        let written = number.to_string();
        if number.is_finite() && fits && !found.contains(&written) {
            found.push(written);
        }
    }
    found
}

/// Returns the spellings of a text with commas and points read as groups of thousands or as decimal
/// points.
fn spellings(text: &str) -> Vec<String> {
    let without = |separator: char| text.replace(separator, "");
    let commas = text.matches(',').count();
    let points = text.matches('.').count();
    // A zero begins no group of thousands.
    let is_small = text.trim_start_matches(['+', '-']).starts_with('0');
    let has_groups = |separator: char| {
        let mut groups = text.split(separator);
        let first = groups.next().map_or(0, str::len);
        (1..=4).contains(&first) && groups.all(|group| group.len() == 3) && !is_small
    };
    match (commas, points) {
        (0, 0) => vec![text.to_owned()],
        (1, 0) if !has_groups(',') => vec![text.replace(',', ".")],
        (1, 0) => vec![without(','), text.replace(',', ".")],
        (0, 1) if !has_groups('.') => vec![text.to_owned()],
        (0, 1) => vec![without('.'), text.to_owned()],
        (_, 0) if has_groups(',') => vec![without(',')],
        (0, _) if has_groups('.') => vec![without('.')],
        // The last separator is the decimal one: 1,234.5 and 1.234,5.
        (_, 1) if text.rfind('.') > text.rfind(',') => vec![without(',')],
        (1, _) if text.rfind(',') > text.rfind('.') => vec![without('.').replace(',', ".")],
        _ => Vec::new(),
    }
}

/// Converts a text to ASCII, without surrounding white space and without `_` between digits.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.trim().chars().map(ascii).peekable();
    while let Some(letter) = letters.next() {
        let is_between = letter == '_'
            && plain.ends_with(|before: char| before.is_ascii_alphanumeric())
            && letters.peek().is_some_and(char::is_ascii_alphanumeric);
        if !is_between {
            plain.push(letter);
        }
    }
    plain
}

fn ascii(letter: char) -> char {
    if letter == '−' {
        return '-';
    }
    let digit = |zero: char| {
        (letter as u32)
            .checked_sub(zero as u32)
            .filter(|digit| *digit < 10)
    };
    let digit = ZEROS.into_iter().find_map(digit);
    digit
        .and_then(|digit| char::from_digit(digit, 10))
        .unwrap_or(letter)
}

/// Reads a number with a prefix: `0x10`, `0o7`, `0b1`.
fn of_radix(text: &str) -> Option<u64> {
    let (radix, digits) = match text.split_at_checked(2)? {
        ("0x", digits) => (16, digits),
        ("0o", digits) => (8, digits),
        ("0b", digits) => (2, digits),
        _ => return None,
    };
    let is_digit = |letter: char| letter.is_digit(radix);
    digits.chars().all(is_digit).then_some(())?;
    u64::from_str_radix(digits, radix).ok()
}

/// True if the text may be a whole number with groups of thousands, as in `1.000`, while with a
/// decimal point it would be another whole number.
fn is_grouped(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-']);
    let mut groups = digits.split('.');
    let first = groups.next().unwrap_or_default();
    let groups: Vec<&str> = groups.collect();
    (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && first.bytes().all(|byte| byte.is_ascii_digit())
        && !groups.is_empty()
        && groups.iter().all(|group| *group == "000")
}

/// True if the text has digits, and only letters that occur in numbers.
fn is_of_number(text: &str) -> bool {
    let is_of_number = |letter: char| letter.is_ascii_digit() || "+-.eE".contains(letter);
    text.contains(|letter: char| letter.is_ascii_digit()) && text.chars().all(is_of_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_one_meaning_is_read() {
        for (text, expected) in [
            ("1000", Some(1000)),
            ("1e5", Some(100_000)),
            ("1E5", Some(100_000)),
            ("1_000", Some(1000)),
            ("+5", Some(5)),
            (" 5 ", Some(5)),
            ("5.0", Some(5)),
            ("2.5e3", Some(2500)),
            ("0x10", Some(16)),
            ("0xff_ff", Some(0xffff)),
            ("١٢", Some(12)),
            ("１２", Some(12)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("1e400", None),
            ("1e20", None),
            ("-1", None),
            ("−1", None),
            ("1.5", None),
            ("1.000", None),
            ("1,000", None),
            ("1 000", None),
            ("0x", None),
            ("0x-1", None),
            ("_1", None),
            ("1_", None),
            ("e", None),
            ("", None),
            ("nan", None),
            ("inf", None),
        ] {
            assert_eq!(whole(text), expected, "{text:?}");
        }
        for (text, expected) in [
            ("0.001", Some(0.001)),
            ("1.000", Some(1.0)),
            ("1e-3", Some(1e-3)),
            ("1e−3", Some(1e-3)),
            (".5", Some(0.5)),
            ("-1", Some(-1.0)),
            ("0,001", None),
            ("1e400", None),
            ("inf", None),
            ("NaN", None),
            ("1-2", None),
        ] {
            assert_eq!(real(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_could_be_meant_is_said() {
        for (text, wholes, reals) in [
            ("0,001", &[][..], &["0.001"][..]),
            ("1,000", &["1000", "1"], &["1000", "1"]),
            ("1.000", &["1000", "1"], &["1000", "1"]),
            ("10,5", &[], &["10.5"]),
            ("1 000", &["1000"], &["1000"]),
            ("1\u{a0}000", &["1000"], &["1000"]),
            ("1'000", &["1000"], &["1000"]),
            ("1.000.000", &["1000000"], &["1000000"]),
            ("1,234.5", &[], &["1234.5"]),
            ("1.234,5", &[], &["1234.5"]),
            ("10%", &[], &["0.1"]),
            ("10k", &["10000"], &["10000"]),
            ("2M", &["2000000"], &["2000000"]),
            ("ten", &[], &[]),
            ("1e400", &[], &[]),
            ("", &[], &[]),
        ] {
            assert_eq!(candidates(text, true), wholes, "{text:?}");
            assert_eq!(candidates(text, false), reals, "{text:?}");
        }
    }
}
