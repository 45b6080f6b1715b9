//! Texts and values that break parsers.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// Pieces of text: control characters, line ends of all systems, invisible characters, characters
/// with several encodings, syntax of other formats, and Strata's own names.
pub const PIECES: [&str; 56] = [
    "\0",
    "\t",
    "\n",
    "\r",
    "\r\n",
    "\n\n\n",
    "\u{b}",
    "\u{c}",
    "\u{1b}[31m",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "\u{ad}",
    "\u{200b}",
    "\u{200d}",
    "\u{202e}",
    "\u{2028}",
    "\u{3000}",
    "\u{feff}",
    "\u{fffd}",
    "\u{fffe}",
    "e\u{301}",
    "\u{e9}",
    "ﬃ",
    "İ",
    "ẞ",
    "Σς",
    "Ⱥ",
    "한",
    "字典",
    "👩‍👩‍👧",
    "𝔘",
    "<unk>",
    "<pad>",
    "</s>",
    "▁",
    "␣",
    "@@",
    "-1",
    "0",
    "1e999",
    "1e-9",
    "NaN",
    "18446744073709551616",
    "1,5",
    "true",
    "null",
    "\"",
    "'",
    "{",
    "[[[[[[[[",
    "=",
    "&",
    "%",
    "%zz%00",
    "<script>",
];

/// Words as in a corpus.
const WORDS: [&str; 12] = [
    "der", "Hund", "sieht", "die", "Katze", ".", "a", "b", "dog", "sees", "cat", ",",
];

/// Draws a text of up to `most` pieces.
pub fn text(most: usize) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => select(&WORDS[..]).prop_map(String::from),
        2 => Just(" ".to_owned()),
        2 => select(&PIECES[..]).prop_map(String::from),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..most).prop_map(|pieces| pieces.concat())
}

/// Draws any bytes.
pub fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..most)
}

/// Draws a JSON value that is unexpected in its place.
pub fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => (0..HOSTILE.len()).prop_map(|at| HOSTILE[at]()),
        1 => any::<u64>().prop_map(Value::from),
        1 => any::<i32>().prop_map(Value::from),
        1 => (-3.0..3.0).prop_map(Value::from),
        1 => select(&PIECES[..]).prop_map(Value::from),
    ]
}

const HOSTILE: [fn() -> Value; 22] = [
    || Value::Null,
    || json!(true),
    || json!(0),
    || json!(1),
    || json!(2),
    || json!(-1),
    || json!(255),
    || json!(65_536),
    || json!(u32::MAX),
    || json!(u64::MAX),
    || json!(i64::MIN),
    || json!(1e-300),
    || json!(1e300),
    || json!(0.5),
    || json!(""),
    || json!("x".repeat(4096)),
    || json!([]),
    || json!({}),
    || json!([0, 1, 2]),
    || json!(vec![7; 1000]),
    || (0..100).fold(json!(1), |inner, _| json!([inner])),
    || (0..100).fold(json!(1), |inner, _| json!({ "kind": inner })),
];
