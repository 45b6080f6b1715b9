//! Reads and writes the values of settings, as in an address or behind `key=`.

use serde_json::Value as Json;
use strata_describe::Domain;

use crate::numeral;

/// Words that are not read as texts, here or in TOML.
const RESERVED: [&str; 5] = ["true", "false", "null", "inf", "nan"];
/// Texts that mean true.
const YES: [&str; 4] = ["true", "yes", "on", "1"];
/// Texts that mean false.
const NO: [&str; 4] = ["false", "no", "off", "0"];

/// Reads a value: `true`, `false`, JSON, or a number with only one meaning; anything else is a
/// text. [`fit`] converts the text of a number or switch further.
pub fn read(text: &str) -> Json {
    let text = text.trim();
    match text {
        "true" => Json::Bool(true),
        "false" => Json::Bool(false),
        _ if text.starts_with(['"', '{', '[']) => {
            serde_json::from_str(text).unwrap_or_else(|_| text.into())
        }
        _ => numeral::read(text).map_or_else(|| text.into(), Json::Number),
    }
}

/// Converts a value to the kind of its setting: `5.0` to a whole number, `yes` to a switch. `None`
/// if the value needs no conversion, or has no such meaning.
pub fn fit(value: &Json, domain: &Domain) -> Option<Json> {
    match (domain, value) {
        (Domain::Whole { .. } | Domain::WholeRange { .. }, Json::Number(number)) => {
            numeral::whole_of(number).map(Json::from)
        }
        (Domain::Whole { .. } | Domain::WholeRange { .. }, Json::String(text)) => {
            numeral::whole(text).map(Json::from)
        }
        (Domain::Real { .. }, Json::String(text)) => numeral::real(text).map(Json::from),
        (Domain::YesNo { .. }, Json::Number(number)) => match number.as_u64()? {
            0 => Some(false.into()),
            1 => Some(true.into()),
            _ => None,
        },
        (Domain::YesNo { .. }, Json::String(text)) => {
            let text = text.trim().to_lowercase();
            let found = |words: [&str; 4]| words.contains(&&*text);
            match (found(YES), found(NO)) {
                (true, _) => Some(true.into()),
                (_, true) => Some(false.into()),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Writes a value so that both [`read`] and TOML read the same value back.
pub fn write(value: &Json) -> String {
    match value {
        Json::String(text) if is_bare(text) => text.clone(),
        // JSON leaves the character U+007F unescaped; TOML refuses it.
        value => value.to_string().replace('\u{7f}', "\\u007f"),
    }
}

/// True if a text needs no quotation marks, because nothing else is written like it.
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
            (" 5 ", json!(5)),
            ("1_000", json!(1000)),
            // `1.000` could mean a whole number or a real one.
            ("1.000", json!("1.000")),
            ("e", json!("e")),
            ("<script>", json!("<script>")),
        ] {
            assert_eq!(read(text), value, "{text}");
        }
        // Deep nesting gives no value, and no stack overflow either.
        let deep = "[".repeat(100_000);
        assert_eq!(read(&deep), json!(deep));
    }

    #[test]
    fn a_value_is_what_its_setting_makes_of_it() {
        let whole = Domain::Whole {
            minimum: 1,
            maximum: 100,
            default: 1,
            special: None,
        };
        let real = Domain::Real {
            minimum: 0.0,
            maximum: 1.0,
            default: 0.0,
        };
        let range = Domain::WholeRange {
            minimum: 1,
            maximum: 100,
            default: 1,
        };
        let switch = Domain::YesNo { default: false };
        for (text, allowed, expected) in [
            ("5.0", &whole, Some(json!(5))),
            ("1e2", &whole, Some(json!(100))),
            ("1.000", &whole, None),
            ("5.5", &whole, None),
            ("-5", &whole, None),
            ("5.0", &range, Some(json!(5))),
            ("2..5", &range, None),
            ("1.000", &real, Some(json!(1.0))),
            ("0,1", &real, None),
            ("Yes", &switch, Some(json!(true))),
            ("TRUE", &switch, Some(json!(true))),
            ("on", &switch, Some(json!(true))),
            ("1", &switch, Some(json!(true))),
            ("off", &switch, Some(json!(false))),
            ("0", &switch, Some(json!(false))),
            ("2", &switch, None),
            ("maybe", &switch, None),
        ] {
            assert_eq!(fit(&read(text), allowed), expected, "{text}");
        }
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
            json!("2..5"),
            json!("2026-01-01"),
        ] {
            assert_eq!(read(&write(&value)), value);
        }
        assert_eq!(write(&json!("data/cn.txt")), "data/cn.txt");
    }
}
