//! First difference between two experiments.

use serde_json::Value;

/// Finds the first key at which two values differ, and returns the key and both values.
pub(crate) fn first_difference(
    key: &str,
    left: &Value,
    right: &Value,
) -> Option<(String, String, String)> {
    if left == right {
        return None;
    }
    if let (Value::Object(left), Value::Object(right)) = (left, right) {
        let keys = left.keys().chain(right.keys());
        let absent = Value::Null;
        let of = |object: &serde_json::Map<String, Value>, key: &String| {
            object.get(key).unwrap_or(&absent).clone()
        };
        for name in keys {
            let path = if key.is_empty() {
                name.clone()
            } else {
                format!("{key}.{name}")
            };
            let difference = first_difference(&path, &of(left, name), &of(right, name));
            if difference.is_some() {
                return difference;
            }
        }
    }
    Some((key.to_owned(), left.to_string(), right.to_string()))
}
