//! A value as a person writes it, in an address or behind `key=`.

use serde_json::{Number, Value as Json};

/// Words that are values of their own, here or in TOML.
const RESERVED: [&str; 5] = ["true", "false", "null", "inf", "nan"];

/// Reads a value: a number, `true`, `false` or JSON; what is none of these is a text.
pub fn read(text: &str) -> Json {
    match text {
        "true" => Json::Bool(true),
        "false" => Json::Bool(false),
        _ if text.starts_with(['"', '{', '[']) => {
            serde_json::from_str(text).unwrap_or_else(|_| text.into())
        }
        _ => number(text).map_or_else(|| text.into(), Json::Number),
    }
}

fn number(text: &str) -> Option<Number> {
    let is_of_number = |letter: char| letter.is_ascii_digit() || "+-.eE".contains(letter);
    if !text.contains(|letter: char| letter.is_ascii_digit()) || !text.chars().all(is_of_number) {
        return None;
    }
    let whole = text.parse::<u64>().map(Number::from);
    let whole = whole.or_else(|_| text.parse::<i64>().map(Number::from));
    whole
        .ok()
        .or_else(|| Number::from_f64(text.parse::<f64>().ok()?))
}

/// Writes a value so that [`read`] gives it back, and so does TOML.
pub fn write(value: &Json) -> String {
    match value {
        Json::String(text) if is_bare(text) => text.clone(),
        // The one character that JSON leaves as it is and TOML does not take.
        value => value.to_string().replace('\u{7f}', "\\u007f"),
    }
}

/// Whether a text needs no quotation marks: nothing else is written like it.
fn is_bare(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_' || first == '/')
        && text
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "_-./".contains(letter))
        && !RESERVED.contains(&text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_truths_and_json_are_read_and_all_else_is_a_text() {
        for (text, value) in [
            ("3", json!(3)),
            ("-3", json!(-3)),
            ("2e-3", json!(2e-3)),
            ("true", json!(true)),
            ("copy", json!("copy")),
            ("\"3\"", json!("3")),
            ("data/cn.txt", json!("data/cn.txt")),
            ("x=y", json!("x=y")),
            ("", json!("")),
            ("{\"kind\":\"vanilla\"}", json!({"kind": "vanilla"})),
            ("{broken", json!("{broken")),
            ("1e999", json!("1e999")),
            ("e", json!("e")),
            ("<script>", json!("<script>")),
        ] {
            assert_eq!(read(text), value, "{text}");
        }
        // Deeper than anybody writes: no value, and no overflow either.
        let deep = "[".repeat(100_000);
        assert_eq!(read(&deep), json!(deep));
    }

    #[test]
    fn what_is_written_is_read_back() {
        for value in [
            json!(0),
            json!(u64::MAX),
            json!(0.1),
            json!(1e-9),
            json!(3.0),
            json!(true),
            json!("copy"),
            json!("true"),
            json!("3"),
            json!(""),
            json!("it's \"here\" \u{7f}\n"),
            json!("a b"),
            json!("2026-01-01"),
        ] {
            assert_eq!(read(&write(&value)), value);
        }
        assert_eq!(write(&json!("data/cn.txt")), "data/cn.txt");
    }
}
