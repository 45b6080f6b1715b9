//! Formats values for learners.

use crate::Value;

/// Unit and format of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A share, shown in percent.
    Share,
    /// A whole number, shown in groups of three digits.
    Count,
    /// Milliseconds.
    Milliseconds,
    /// Any number, shown with three significant digits.
    Number,
    /// A word, shown unchanged.
    Word,
}

/// Space between groups of digits and before a unit: narrow and non-breaking.
const SPACE: char = '\u{202f}';

/// Writes a value with its unit, `83.1 %`, `9 216`, `0.128`, and with the decimal mark of the
/// language.
pub fn written(value: &Value, unit: Unit, language: &str) -> String {
    let number = match value {
        Value::Word(word) => return word.clone(),
        Value::Number(number) => *number,
    };
    if !number.is_finite() {
        return "—".to_owned();
    }
    let text = match unit {
        Unit::Share if (5e-6..5e-4).contains(&number) => small_share(number),
        Unit::Share => share(number),
        Unit::Count if number.fract() == 0.0 => grouped(number),
        Unit::Milliseconds => format!("{}{SPACE}ms", plain(number)),
        _ => plain(number),
    };
    // Negative numbers get a true minus sign.
    let text = text.replacen('-', "−", 1);
    with_decimal_mark(text, language)
}

/// Languages that write a decimal comma, by the Unicode Common Locale Data Repository.
const DECIMAL_COMMA: [&str; 26] = [
    "bg", "ca", "cs", "da", "de", "el", "es", "et", "fi", "fr", "hr", "hu", "id", "it", "lt", "lv",
    "nb", "nl", "pl", "pt", "ro", "ru", "sk", "sl", "sv", "uk",
];

/// Replaces the point of a number by a comma in languages that write one.
pub fn with_decimal_mark(number: String, language: &str) -> String {
    if DECIMAL_COMMA.contains(&language) {
        number.replace('.', ",")
    } else {
        number
    }
}

/// Writes a share in percent with one digit after the point: `98.7 %`. A share below 1 is never
/// rounded to 100 %.
pub fn share(share: f64) -> String {
    let tenths = (share * 1000.0).round();
    let most = if share < 1.0 { 999.0 } else { tenths };
    format!("{:.1}{SPACE}%", tenths.min(most) / 10.0)
}

/// Writes a share of less than a tenth of a percent with one significant digit: `0.01 %`.
fn small_share(share: f64) -> String {
    format!("{}{SPACE}%", one_digit(100.0 * share))
}

fn plain(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        _ if number.fract() == 0.0 => grouped(number),
        ..9.5e-6 => powers(number),
        ..1e-3 => one_digit(number),
        ..1.0 => format!("{number:.3}"),
        ..10.0 => format!("{number:.2}"),
        ..1000.0 => format!("{number:.1}"),
        _ => grouped(number),
    }
}

/// Writes a number below 1 with one significant digit: `0.0003`.
fn one_digit(number: f64) -> String {
    let places = (-number.abs().log10()).ceil() as usize;
    format!("{number:.places$}")
}

/// Writes a number as a digit times a power of ten: `3 · 10⁻⁷`.
fn powers(number: f64) -> String {
    let text = format!("{number:.0e}");
    let (digit, power) = text.split_once('e').unwrap_or((&text, "0"));
    let raised = power.chars().map(|it| match it {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        _ => char::from_u32(0x2070 + it.to_digit(10).unwrap_or_default()).unwrap_or(it),
    });
    format!("{digit}{SPACE}·{SPACE}10{}", raised.collect::<String>())
}

fn grouped(number: f64) -> String {
    let sign = if number < 0.0 { "-" } else { "" };
    format!("{sign}{}", in_groups(&format!("{:.0}", number.abs())))
}

/// Writes a whole number in groups of three digits: `12 345`.
pub fn count(number: u64) -> String {
    in_groups(&number.to_string())
}

fn in_groups(digits: &str) -> String {
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(SPACE);
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_by_their_unit_and_language() {
        let en = |number: f64, unit| written(&number.into(), unit, "en").replace(SPACE, " ");
        assert_eq!(en(0.8312, Unit::Share), "83.1 %");
        assert_eq!(en(0.99999, Unit::Share), "99.9 %");
        assert_eq!(en(1.0, Unit::Share), "100.0 %");
        assert_eq!(en(0.000113, Unit::Share), "0.01 %");
        assert_eq!(en(0.00048, Unit::Share), "0.05 %");
        assert_eq!(en(1e-9, Unit::Share), "0.0 %");
        assert_eq!(en(9216.0, Unit::Count), "9 216");
        assert_eq!(en(-9216.0, Unit::Count), "−9 216");
        assert_eq!(en(0.12837, Unit::Number), "0.128");
        assert_eq!(en(2.34567, Unit::Number), "2.35");
        assert_eq!(en(0.00029, Unit::Number), "0.0003");
        assert_eq!(en(0.00001, Unit::Number), "0.00001");
        assert_eq!(en(-3.1e-7, Unit::Number), "−3 · 10⁻⁷");
        assert_eq!(en(2e-12, Unit::Number), "2 · 10⁻¹²");
        assert_eq!(en(f64::NAN, Unit::Number), "—");
        let german = written(&0.8312.into(), Unit::Share, "de");
        assert_eq!(german.replace(SPACE, " "), "83,1 %");
        assert_eq!(written(&"anrufen".into(), Unit::Word, "de"), "anrufen");
    }
}
