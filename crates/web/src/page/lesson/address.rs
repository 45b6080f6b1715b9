//! Lesson and step that an address asks for: `?lesson=alignment&step=line&lang=de`, or `?lessons`
//! for the list of all lessons.

use crate::language;
pub use crate::language::ENGLISH;
use crate::page::lesson::rules::Rules;
use crate::page::shell::location;
use form_urlencoded::Serializer;

/// The most letters of a lesson's name or a step's id; longer ones are not looked for.
const LONGEST: usize = 40;

/// Parameters of an address that belong to lessons.
const NAMES: [&str; 13] = [
    "lesson", "lessons", "step", "fresh", "lang", "notify", "embed", "show", "skip", "hide",
    "seeds", "summary", "print",
];

/// Address of a lesson, with the step to begin at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonAddress {
    /// Name of the lesson.
    pub lesson: String,
    /// Id of the step; `None` for the first step that is not done.
    pub step: Option<String>,
    /// True to ignore earlier progress.
    pub is_fresh: bool,
    /// Language of the lesson's texts.
    pub language: String,
    /// Origin of the surrounding page, which is told what happens, if the lesson is in a frame.
    pub notify: Option<String>,
    /// True if the lesson is in a frame.
    pub is_framed: bool,
    /// Rules that a teacher has set.
    pub rules: Rules,
}

impl LessonAddress {
    /// Returns the beginning of a lesson, without rules.
    pub fn of(lesson: &str, language: &str) -> Self {
        Self {
            lesson: lesson.to_owned(),
            language: language.to_owned(),
            ..Self::default()
        }
    }

    /// Returns the beginning of a lesson under the rules of the present address.
    pub fn here(lesson: &str, language: &str) -> Self {
        Self {
            rules: Rules::read(&pairs()),
            ..Self::of(lesson, language)
        }
    }

    /// Reads the parameters of an address; `None` if they ask for no lesson.
    pub fn read(pairs: &[(String, String)]) -> Option<Self> {
        let parameter = |name: &str| {
            let found = pairs.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.clone())
        };
        Some(Self {
            lesson: parameter("lesson")?,
            step: parameter("step").filter(|it| !it.is_empty()),
            is_fresh: parameter("fresh").is_some(),
            language: language(pairs),
            notify: parameter("notify").filter(|it| is_origin(it)),
            is_framed: parameter("embed").is_some_and(|it| it == "lesson"),
            rules: Rules::read(pairs),
        })
    }

    /// Writes the address as a query, from `?` on, without `fresh`, which applies only once.
    pub fn query(&self) -> String {
        let mut query = Serializer::new(String::new());
        if self.is_framed {
            query.append_pair("embed", "lesson");
        }
        query.append_pair("lesson", &self.lesson);
        if let Some(step) = &self.step {
            query.append_pair("step", step);
        }
        if self.language != ENGLISH {
            query.append_pair("lang", &self.language);
        }
        if let Some(origin) = &self.notify {
            query.append_pair("notify", origin);
        }
        self.rules.write(&mut query);
        if !self.rules.lessons.is_empty() {
            query.append_pair("lessons", &self.rules.lessons.join(","));
        }
        format!("?{}", query.finish())
    }
}

/// Returns the parameters of the present address.
pub fn pairs() -> Vec<(String, String)> {
    let query = location::query();
    let pairs = form_urlencoded::parse(query.trim_start_matches('?').as_bytes());
    pairs.into_owned().collect()
}

/// Returns the parameters of an address that do not belong to lessons.
pub fn without_lessons(pairs: &[(String, String)]) -> Vec<(String, String)> {
    let others = pairs.iter().filter(|(key, _)| !NAMES.contains(&&**key));
    others.cloned().collect()
}

/// Returns the language that an address asks for, or else the page's.
fn language(pairs: &[(String, String)]) -> String {
    let asked = pairs.iter().find(|(key, _)| key == "lang");
    let asked = asked.and_then(|(_, value)| language::named(value));
    asked.unwrap_or_else(language::present).to_owned()
}

/// True for a possible name of a lesson or language: no other text becomes part of a path.
pub fn is_name(text: &str) -> bool {
    let is_letter = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
    (1..=LONGEST).contains(&text.len()) && text.chars().all(is_letter)
}

/// True for an origin: a scheme and a host, without a path.
pub fn is_origin(text: &str) -> bool {
    let rest = ["https://", "http://"]
        .iter()
        .find_map(|it| text.strip_prefix(it));
    rest.is_some_and(|it| !it.is_empty() && !it.contains(['/', '?', '#', '*', '@', ' ']))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(query: &str) -> Option<LessonAddress> {
        let pairs = form_urlencoded::parse(query.as_bytes());
        LessonAddress::read(&pairs.into_owned().collect::<Vec<_>>())
    }

    #[test]
    fn an_address_is_read_and_written() {
        let address = read("lesson=alignment&step=line&lang=de&fresh").unwrap();
        assert_eq!(address.step.as_deref(), Some("line"));
        assert!(address.is_fresh && !address.is_framed);
        assert_eq!(address.query(), "?lesson=alignment&step=line&lang=de");
        assert_eq!(read("preset=copy"), None);
        let strict = read("lesson=levels&skip=0&lessons=levels,ham").unwrap();
        assert!(strict.rules.is_strict && !strict.rules.has("leak"));
        assert_eq!(strict.query(), "?lesson=levels&skip=0&lessons=levels%2Cham");
        let framed =
            read("embed=lesson&lesson=levels&notify=https%3A%2F%2Fschool.example").unwrap();
        assert_eq!(framed.notify.as_deref(), Some("https://school.example"));
        assert_eq!(
            framed.query(),
            "?embed=lesson&lesson=levels&notify=https%3A%2F%2Fschool.example"
        );
    }

    #[test]
    fn only_one_origin_is_told_anything() {
        for origin in [
            "*",
            "https://*",
            "https://a.example/path",
            "javascript:1",
            "https://",
            "null",
        ] {
            let pairs =
                [("lesson", "a"), ("notify", origin)].map(|(a, b)| (a.to_owned(), b.to_owned()));
            assert_eq!(
                LessonAddress::read(&pairs).unwrap().notify,
                None,
                "{origin}"
            );
        }
    }

    #[test]
    fn a_name_leads_out_of_no_folder() {
        for name in ["../x", "a/b", "", "A", "ä", "a%2f"] {
            assert!(!is_name(name), "{name}");
        }
        assert!(is_name("one-2"));
    }
}
