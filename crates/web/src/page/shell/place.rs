//! The place in the page that a link opens: the view, the held-out example, and the user's own
//! sentence.

use crate::state::FIRST_VIEW;
use serde_json::Value;
use strata_session::protocol::{View, ViewRequest};

/// Names of the parameters.
pub const NAMES: [&str; 3] = ["view", "example", "text"];
/// The most characters of a sentence, as many as the field takes.
const LONGEST: usize = 400;

/// A place in the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// View of a held-out example.
    pub request: ViewRequest,
    /// The user's own sentence; may be empty.
    pub text: String,
}

impl Place {
    /// Writes the parameters of an address; parameters of the first place are left out.
    pub fn write(&self) -> Vec<(String, String)> {
        let view = (self.request.view != FIRST_VIEW.view).then(|| write_view(&self.request.view));
        let example = self.request.example;
        let example = (example > 0).then(|| (example + 1).to_string());
        let text = Some(self.text.clone()).filter(|it| !it.is_empty());
        let values = NAMES.into_iter().zip([view.flatten(), example, text]);
        values
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect()
    }

    /// Reads the parameters of an address; unreadable parameters are those of the first place.
    pub fn read(pairs: &[(String, String)]) -> Self {
        let value = |name: &str| {
            pairs
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, it)| &**it)
        };
        let view = value("view").and_then(read_view).unwrap_or(FIRST_VIEW.view);
        let example = value("example").and_then(read_example).unwrap_or(0);
        Self {
            request: ViewRequest { example, view },
            text: value("text")
                .unwrap_or_default()
                .trim()
                .chars()
                .take(LONGEST)
                .collect(),
        }
    }
}

/// Returns the parameters of an address that name no place.
pub fn without_place(pairs: Vec<(String, String)>) -> Vec<(String, String)> {
    let others = pairs.into_iter();
    others.filter(|(key, _)| !NAMES.contains(&&**key)).collect()
}

/// Writes a view: a name, or JSON if the view is of a site.
fn write_view(view: &View) -> Option<String> {
    match serde_json::to_value(view).ok()? {
        Value::String(name) => Some(name),
        value => Some(value.to_string()),
    }
}

/// Reads a view.
pub fn read_view(text: &str) -> Option<View> {
    let value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
    serde_json::from_value(value).ok()
}

/// Reads the number of an example, counted from 1; returns the index, counted from 0.
pub fn read_example(text: &str) -> Option<usize> {
    text.parse::<usize>().ok()?.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_written_and_read() {
        let views = [
            FIRST_VIEW.view,
            View::Norms,
            View::default(),
            View::Site {
                site: "decoder.0.cross".parse().ok(),
                head: Some(1),
                level: None,
            },
        ];
        for (example, view) in views.into_iter().enumerate() {
            let place = Place {
                request: ViewRequest { example, view },
                text: "h e l l o".to_owned(),
            };
            assert_eq!(Place::read(&place.write()), place);
        }
        let first = Place::read(&[]);
        assert_eq!(first.request, FIRST_VIEW);
        assert_eq!(first.write(), []);
    }

    #[test]
    fn what_cannot_be_read_is_the_first_place() {
        let pairs = [("view", "{\"site\":7}"), ("example", "0"), ("text", " ")];
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let place = Place::read(&pairs);
        assert_eq!((place.request, &*place.text), (FIRST_VIEW, ""));
    }
}
