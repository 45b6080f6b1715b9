//! Parameters of an address that the requested page does not read: the user is told of each.

use crate::address::{PARTS, is_added, quoted, short};
use crate::language;
use crate::page::lesson::{is_origin, rules};
use crate::page::shell::place;

/// Page that an address asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestedPage {
    /// The whole page.
    Whole,
    /// The whole page with a lesson.
    Lesson,
    /// Parts of the page, in a frame.
    Frame,
    /// The list of lessons.
    List,
    /// The summary of a lesson.
    Summary,
    /// The page for teachers.
    Class,
}

impl RequestedPage {
    /// Returns names of the parameters that this page reads, besides those of an experiment.
    fn reads(self) -> &'static [&'static str] {
        match self {
            Self::Whole => &place::NAMES,
            Self::Lesson => &[
                "lesson", "lessons", "step", "fresh", "notify", "embed", "show", "skip", "hide",
                "seeds",
            ],
            Self::Frame => &["embed"],
            Self::List => &["lessons", "show", "skip", "hide", "seeds"],
            Self::Summary => &[
                "summary", "print", "lessons", "show", "skip", "hide", "seeds",
            ],
            Self::Class => &["class"],
        }
    }

    /// True for pages that show no experiment.
    fn is_of_lessons(self) -> bool {
        matches!(self, Self::List | Self::Summary | Self::Class)
    }
}

/// Returns a sentence for each parameter that the page does not read. Parameters of experiments,
/// and unknown ones, are left to `Address::read`, which has complaints of its own.
pub fn complaints(asked: RequestedPage, pairs: &[(String, String)]) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut unread: Vec<String> = Vec::new();
    let mut known: Vec<(&str, &str)> = Vec::new();
    for (key, value) in pairs {
        let (key, value) = (key.as_str(), value.as_str());
        // Every page has a language.
        if key == "lang" || asked.reads().contains(&key) {
            match known.iter().find(|(name, _)| *name == key) {
                None => {
                    known.push((key, value));
                    sentences.extend(fault(asked, key, value));
                }
                Some((_, first)) if *first != value => sentences.push(format!(
                    "The page's address has “{key}” more than once; the first one counts, “{}”.",
                    short(first)
                )),
                Some(_) => {}
            }
            continue;
        }
        let is_reported_here = PARTS.contains(&key) || asked.is_of_lessons();
        let is_word = key.chars().any(char::is_alphanumeric);
        if is_reported_here && is_word && !is_added(key) && !unread.contains(&short(key)) {
            unread.push(short(key));
        }
    }
    if !unread.is_empty() {
        let what = match asked {
            RequestedPage::Whole => "this page does not read without a lesson (“lesson=…”)",
            RequestedPage::Lesson => "a lesson does not read",
            RequestedPage::Frame => "a frame with “embed” does not read",
            RequestedPage::List => "the list of lessons does not read",
            RequestedPage::Summary => "the summary of a lesson does not read",
            RequestedPage::Class => "the page for teachers does not read",
        };
        unread.truncate(5);
        sentences.push(format!(
            "The page's address has {}, which {what}.",
            quoted(&unread)
        ));
    }
    sentences
}

/// Returns a sentence if a parameter that the page reads has a wrong value.
fn fault(asked: RequestedPage, key: &str, value: &str) -> Option<String> {
    let among = |known: &[&str]| {
        let is_known = known.contains(&value);
        (!is_known).then(|| format!("there are {}", known.join(", ")))
    };
    let reason = match key {
        "show" => among(&rules::ShowPolicy::ALL.map(|(_, name)| name)),
        "skip" => among(&["0", "1"]),
        "seeds" => among(&[rules::OWN_SEEDS]),
        "print" => among(&["teacher"]),
        "view" => place::read_view(value)
            .is_none()
            .then(|| "it names no view; “Copy link” writes one".to_owned()),
        "example" => place::read_example(value)
            .is_none()
            .then(|| "it must be a number from 1 on".to_owned()),
        "hide" => {
            let is_other = |it: &&str| !it.is_empty() && !rules::PANELS.contains(it);
            let other = value.split(',').find(is_other);
            other.map(|_| format!("there are {}", rules::PANELS.join(", ")))
        }
        "lessons" => {
            let is_other = |it: &&str| !it.is_empty() && !crate::page::lesson::is_name(it);
            let other = value.split(',').find(is_other);
            other.map(|it| format!("“{}” is no name of a lesson", short(it)))
        }
        "lang" => language::named(value).is_none().then(|| {
            let codes: Vec<&str> = language::all().map(|it| it.0).collect();
            format!("there are {}", codes.join(" and "))
        }),
        "notify" => (!is_origin(value)).then(|| {
            "it must be the origin of a page and no more, as https://school.example".to_owned()
        }),
        "embed" if asked == RequestedPage::Lesson => among(&["lesson"]),
        _ => None,
    }?;
    Some(format!(
        "The page's address has “{key}={}”, which means nothing here: {reason}.",
        short(value)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints_about(asked: RequestedPage, query: &str) -> Vec<String> {
        let pairs = form_urlencoded::parse(query.as_bytes()).into_owned();
        complaints(asked, &pairs.collect::<Vec<_>>())
    }

    #[test]
    fn what_is_obeyed_is_not_told_and_neither_is_what_sites_add() {
        for (asked, query) in [
            (RequestedPage::Whole, "foo=1&utm_source=x&fbclid=3"),
            (
                RequestedPage::Lesson,
                "lesson=levels&step=line&lang=de&fresh&show=after2&skip=0&hide=runs,data",
            ),
            (
                RequestedPage::Lesson,
                "embed=lesson&lesson=a&notify=https://school.example&lessons=a,b",
            ),
            (RequestedPage::Frame, "embed=curve,level"),
            (
                RequestedPage::List,
                "lessons=levels,ham&lang=de&show=1&gclid=4",
            ),
            (RequestedPage::List, "lessons"),
            (RequestedPage::Summary, "summary=levels&print=teacher"),
        ] {
            assert_eq!(
                complaints_about(asked, query),
                Vec::<String>::new(),
                "{query}"
            );
        }
    }

    #[test]
    fn every_other_word_is_told_with_its_name() {
        for (asked, query, parts) in [
            (
                RequestedPage::Whole,
                "step=line&show=1",
                &["“step” and “show”", "lesson"][..],
            ),
            (
                RequestedPage::Lesson,
                "lesson=a&print=teacher",
                &["“print”"],
            ),
            (
                RequestedPage::Lesson,
                "lesson=a&show=perhaps",
                &["“show=perhaps”", "after2"],
            ),
            (RequestedPage::Lesson, "lesson=a&skip=no", &["“skip=no”"]),
            (
                RequestedPage::Lesson,
                "lesson=a&hide=runs,train",
                &["“hide=runs,train”", "settings"],
            ),
            (
                RequestedPage::Lesson,
                "lesson=a&lang=fr",
                &["“lang=fr”", "en and de"],
            ),
            (
                RequestedPage::Lesson,
                "lesson=a&notify=javascript:1",
                &["“notify=javascript:1”", "origin"],
            ),
            (
                RequestedPage::Lesson,
                "lesson=a&lesson=b",
                &["“lesson” more than once", "“a”"],
            ),
            (
                RequestedPage::Frame,
                "embed=curve&lesson=a",
                &["“lesson”", "frame"],
            ),
            (
                RequestedPage::List,
                "lessons&preset=copy&model.width=3&moon=1",
                &["“preset”, “model.width” and “moon”"],
            ),
            (RequestedPage::List, "lessons=../x", &["“../x”"]),
            (
                RequestedPage::Summary,
                "summary=a&print=all",
                &["“print=all”", "teacher"],
            ),
        ] {
            let all = complaints_about(asked, query).join(" ");
            for part in parts {
                assert!(all.contains(part), "{query}: {all}");
            }
        }
    }
}
