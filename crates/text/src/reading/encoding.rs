//! Likely encodings of bytes that are not UTF-8.

use std::string::FromUtf8Error;

use super::wide::WideEncoding;
use crate::TextError;

/// Number of bytes examined from the first invalid byte on.
const SAMPLE_BYTES: usize = 1 << 16;
/// Share of bytes that must be zero, or not zero, to recognise an encoding.
const NEARLY_ALL: f64 = 0.9;
/// Least number of bytes for a conclusion.
const MIN_BYTES: usize = 8;

/// Recognises UTF-16 or UTF-32 without a byte order mark by its zeros: in text in Latin letters,
/// every second byte is zero, or three of four.
pub(super) fn unmarked_wide(start: &[u8]) -> Option<&'static str> {
    if start.len() < MIN_BYTES {
        return None;
    }
    let zeros = |width: usize| -> Vec<f64> {
        let rows = start.len() / width;
        let zero = |at: usize| (0..rows).filter(move |row| start[row * width + at] == 0);
        (0..width)
            .map(|at| zero(at).count() as f64 / rows as f64)
            .collect()
    };
    let matches = |width: usize, filled: usize| {
        zeros(width).iter().enumerate().all(|(at, &share)| {
            if at == filled {
                share < 1.0 - NEARLY_ALL
            } else {
                share > NEARLY_ALL
            }
        })
    };
    [
        (4, 0, WideEncoding::Utf32Le),
        (4, 3, WideEncoding::Utf32Be),
        (2, 0, WideEncoding::Utf16Le),
        (2, 1, WideEncoding::Utf16Be),
    ]
    .into_iter()
    .find(|&(width, filled, _)| matches(width, filled))
    .map(|(_, _, wide)| wide.name())
}

/// Recognises UTF-16 without a byte order mark in any letters: the bytes contain zeros (of spaces
/// and line ends), and all can be decoded as text.
#[cfg(not(target_family = "wasm"))]
fn unmarked_utf16(bytes: &[u8]) -> Option<&'static str> {
    let even = &bytes[..bytes.len() & !1];
    let units = |read: fn([u8; 2]) -> u16| even.chunks_exact(2).map(move |it| read([it[0], it[1]]));
    let reads = |read: fn([u8; 2]) -> u16| {
        let mut has_end = false;
        let is_text = |it: char| it >= ' ' && !('\u{e000}'..='\u{f8ff}').contains(&it);
        let all = char::decode_utf16(units(read)).all(|it| match it {
            Ok('\n' | '\r' | '\t' | ' ') => {
                has_end = true;
                true
            }
            Ok(it) => is_text(it),
            Err(_) => false,
        });
        all && has_end
    };
    if even.len() < MIN_BYTES || !even.contains(&0) {
        return None;
    }
    match (reads(u16::from_le_bytes), reads(u16::from_be_bytes)) {
        (true, false) => Some(WideEncoding::Utf16Le.name()),
        (false, true) => Some(WideEncoding::Utf16Be.name()),
        _ => None,
    }
}

/// Returns the most likely encoding of bytes that are not UTF-8, by its name in iconv; `None` if
/// the bytes are no text.
#[cfg(not(target_family = "wasm"))]
pub fn looks_encoded_as(bytes: &[u8]) -> Option<&'static str> {
    use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
    let bytes = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    if bytes.contains(&0) {
        return unmarked_wide(bytes).or_else(|| unmarked_utf16(bytes));
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    Some(match detector.guess(None, Utf8Detection::Deny).name() {
        // Encodings that the Web calls by the names of subsets.
        "GBK" => "GB18030",
        "EUC-KR" => "CP949",
        name => name,
    })
}

/// Returns `None`: in a browser, the page decodes texts itself.
#[cfg(target_family = "wasm")]
pub fn looks_encoded_as(_bytes: &[u8]) -> Option<&'static str> {
    None
}

/// Builds the error for a text that was read whole.
pub(super) fn not_utf8_in(name: &str, error: &FromUtf8Error) -> TextError {
    let bytes = error.as_bytes();
    let valid = error.utf8_error().valid_up_to();
    let is_end = |&byte: &u8| byte == b'\n';
    let start = bytes[..valid].iter().rposition(is_end);
    let start = start.map_or(0, |end| end + 1);
    let line = bytes[..valid].iter().filter(|it| is_end(it)).count() + 1;
    let is_utf8_before = !bytes[..valid].is_ascii();
    // The sample starts as far before the fault as possible, at an even byte for UTF-16.
    let sample = &bytes[valid.saturating_sub(SAMPLE_BYTES / 2) & !1..];
    let place = (line, valid - start + 1);
    not_utf8(name, place, &bytes[valid..], sample, is_utf8_before)
}

/// Builds the error for a line that has an invalid byte; both are numbered from 1. The encoding is
/// guessed from the `sample` around the byte; `is_utf8_before` is true if letters that are not
/// ASCII came before it, in UTF-8.
pub fn not_utf8(
    name: &str,
    (line, byte): (usize, usize),
    fault: &[u8],
    sample: &[u8],
    is_utf8_before: bool,
) -> TextError {
    let is_surrogate = matches!(fault, [0xed, 0xa0..=0xbf, ..]);
    let advice = match looks_encoded_as(sample) {
        _ if is_surrogate => "it is one half of a character of UTF-16, which some program wrote \
                              by mistake; take it out"
            .to_owned(),
        _ if is_utf8_before => "what comes before it is; drop such bytes, for example with \
                                `iconv -c -f UTF-8 -t UTF-8`, or convert these lines alone"
            .to_owned(),
        Some(encoding) => format!(
            "it looks like {encoding}: convert the file, for example with `iconv -f {encoding} -t \
             UTF-8`"
        ),
        None if cfg!(target_family = "wasm") => "convert the text to UTF-8".to_owned(),
        None => "convert the file to UTF-8 (for example with iconv), if it is text".to_owned(),
    };
    TextError::NotUtf8 {
        name: name.to_owned(),
        line,
        byte,
        advice,
    }
}
