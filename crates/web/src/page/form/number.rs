//! Numbers as users of many countries type them. A number that can be read in two ways is refused,
//! not guessed.

/// Rewrites a typed number in plain digits: `0,001` as `0.001`, `10 000` as `10000`, `١٢` as `12`.
/// Other text stays unchanged.
///
/// # Errors
/// A sentence, if the number can be read in two ways, such as `10,000`.
pub fn plain(typed: &str, is_whole: bool) -> Result<String, String> {
    let letters: String = typed.trim().chars().map(latin).collect();
    let text = without_spaces(&letters);
    let is_of_number = |letter: char| letter.is_ascii_digit() || "+-.,eE".contains(letter);
    if text.is_empty() || !text.chars().all(is_of_number) {
        return Ok(letters);
    }
    let (number, exponent) = match text.find(['e', 'E']) {
        Some(at) => text.split_at(at),
        None => (text.as_str(), ""),
    };
    let marks: Vec<char> = number
        .chars()
        .filter(|it| matches!(it, ',' | '.'))
        .collect();
    let last = number.rfind([',', '.']);
    let (Some(last), Some(mark)) = (last, marks.last().copied()) else {
        return Ok(text);
    };
    let (before, after) = (&number[..last], &number[last + 1..]);
    let groups = || grouped(number);
    let whole = || number.replace([',', '.'], "");
    let of_two_kinds = marks.iter().any(|it| *it != mark);
    let decimal = |before: &str| format!("{}.{after}{exponent}", before.replace([',', '.'], ""));
    if of_two_kinds {
        // The last mark is decimal if it occurs once and the other marks separate groups of three
        // digits.
        let is_clear = marks.iter().filter(|it| **it == mark).count() == 1 && grouped(before);
        return Ok(if is_clear { decimal(before) } else { text });
    }
    if marks.len() > 1 {
        return Ok(if groups() { whole() + exponent } else { text });
    }
    // In fractions a point is decimal, as in the page's own numbers; in whole numbers a point may
    // separate groups.
    let is_either = after.len() == 3 && groups() && (is_whole || mark == ',');
    if is_either {
        return Err(format!(
            "“{}” can be read as {} or as {}: write one of them",
            typed.trim(),
            whole(),
            decimal(before).trim_end_matches('0').trim_end_matches('.')
        ));
    }
    Ok(decimal(before))
}

/// True if each mark is followed by three digits, and the first preceded by one to three, not 0.
fn grouped(number: &str) -> bool {
    let mut groups = number.trim_start_matches(['+', '-']).split([',', '.']);
    let first = groups.next().unwrap_or_default();
    (1..=3).contains(&first.len()) && first != "0" && groups.all(|group| group.len() == 3)
}

/// Joins groups of three digits that are separated by spaces or apostrophes.
fn without_spaces(text: &str) -> String {
    let parts: Vec<&str> = text.split([' ', '\'']).collect();
    let is_digits =
        |part: &str| !part.is_empty() && part.starts_with(|it: char| it.is_ascii_digit());
    let parted = parts.iter().skip(1).all(|part| {
        let digits = part
            .find(|it: char| !it.is_ascii_digit())
            .unwrap_or(part.len());
        is_digits(part) && digits == 3
    });
    if parted {
        parts.concat()
    } else {
        text.to_owned()
    }
}

/// Converts digits, marks and signs of other scripts into ASCII.
fn latin(letter: char) -> char {
    /// Zeros of Arabic, Persian, Devanagari, Bengali and Thai digits, and of full-width ones.
    const ZEROS: [u32; 6] = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10];
    let digit = ZEROS
        .iter()
        .find_map(|zero| u32::from(letter).checked_sub(*zero).filter(|it| *it < 10));
    match (digit.and_then(|it| char::from_digit(it, 10)), letter) {
        (Some(digit), _) => digit,
        (None, '\u{66b}' | '，' | '、') => ',',
        (None, '．') => '.',
        (None, '−' | '–' | '－') => '-',
        (None, '\u{66c}' | '’') => '\'',
        (None, '\u{a0}' | '\u{202f}' | '\u{2009}' | '\u{3000}') => ' ',
        (None, other) => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_many_countries_are_read() {
        for (typed, number) in [
            ("0,001", "0.001"),
            ("1,5e-3", "1.5e-3"),
            ("2e-3", "2e-3"),
            (" 0.5 ", "0.5"),
            ("1.250", "1.250"),
            ("1 000", "1000"),
            ("1\u{202f}000\u{a0}000", "1000000"),
            ("1’000’000", "1000000"),
            ("1,234.5", "1234.5"),
            ("1.234,5", "1234.5"),
            ("1,000,000", "1000000"),
            ("٠٫٠٠١", "0.001"),
            ("۱۲", "12"),
            ("１２．５", "12.5"),
            ("−3", "-3"),
        ] {
            assert_eq!(plain(typed, false), Ok(number.to_owned()), "{typed}");
        }
        assert_eq!(plain("12٬000", true), Ok("12000".to_owned()));
    }

    #[test]
    fn what_is_no_number_stays_as_it_was() {
        for typed in [
            "",
            "abc",
            "1 2",
            "0.1.2",
            "1,2,3",
            "1,23.456,7",
            "<b>",
            "1 0000",
        ] {
            assert_eq!(plain(typed, false), Ok(typed.to_owned()), "{typed}");
        }
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_told() {
        for (typed, is_whole) in [("10,000", true), ("10.000", true), ("10,000", false)] {
            let found = plain(typed, is_whole);
            let expected = format!("“{typed}” can be read as 10000 or as 10: write one of them");
            assert_eq!(found, Err(expected));
        }
        let found = plain("1,250", false);
        assert!(found.is_err_and(|it| it.contains("1250 or as 1.25:")));
    }
}
