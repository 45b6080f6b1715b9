//! Parts of the page that an address with `embed` asks for: `?embed=curve,heatmap,level,train`
//! shows these alone, in the frame of an article. The rest of the address is the experiment.
//! `?embed=lesson&lesson=NAME` shows a lesson, with the page around it.

use crate::address::{quoted, short};
use form_urlencoded::{Serializer, parse};

/// Parts that a sentence names.
const NAMED: usize = 3;

/// A part of the page that can be shown alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The loss over the steps.
    Curve,
    /// The attention of a held-out example.
    HeatMap,
    /// The choice of its level.
    Level,
    /// The buttons that train.
    Train,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Curve, Self::HeatMap, Self::Level, Self::Train];

    /// Its name in the address.
    pub fn name(self) -> &'static str {
        match self {
            Self::Curve => "curve",
            Self::HeatMap => "heatmap",
            Self::Level => "level",
            Self::Train => "train",
        }
    }
}

/// Parts of the page that are shown alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embed {
    /// The parts, in any order; never empty.
    pub parts: Vec<Part>,
    /// The address of the whole page with the same experiment, from `?` on.
    pub whole: String,
    /// True if a lesson is asked for, with all of the page that it leads through.
    pub is_lesson: bool,
    /// A sentence, where a part is not known.
    pub complaint: Option<String>,
}

impl Embed {
    /// Reads the part of the address from `?` on; nothing if it asks for the whole page.
    pub fn read(query: &str) -> Option<Self> {
        let pairs = || parse(query.trim_start_matches('?').as_bytes());
        let (_, names) = pairs().find(|(key, _)| key == "embed")?;
        let is_lesson = names == "lesson" && pairs().any(|(key, _)| key == "lesson");
        let mut parts = Vec::new();
        let mut unknown = Vec::new();
        for name in names.split(',').filter(|name| !name.is_empty()) {
            match Part::ALL.into_iter().find(|part| part.name() == name) {
                Some(part) if parts.contains(&part) => {}
                Some(part) => parts.push(part),
                None => {
                    // An address can have any length; the sentence must be short.
                    let name = short(name);
                    if unknown.len() < NAMED && !unknown.contains(&name) {
                        unknown.push(name);
                    }
                }
            }
        }
        let complaint = complaint(&unknown);
        if parts.is_empty() {
            parts = Part::ALL.to_vec();
        }
        let others = pairs().filter(|(key, _)| key != "embed");
        let whole = Serializer::new(String::new()).extend_pairs(others).finish();
        Some(Self {
            parts,
            whole: format!("?{whole}"),
            is_lesson,
            complaint,
        })
    }

    /// True if this part is to be shown.
    pub fn has(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }
}

/// A sentence on parts that there are not.
fn complaint(unknown: &[String]) -> Option<String> {
    match unknown {
        [] => None,
        [only] if only == "lesson" => Some(
            "The page's address has “embed=lesson” but names no lesson: add “lesson=NAME”."
                .to_owned(),
        ),
        _ => Some(format!(
            "There is no part {} to embed; there are {}.",
            quoted(unknown),
            Part::ALL.map(Part::name).join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn parts_and_the_rest_of_the_address_are_read() {
        let embed = Embed::read("?preset=copy&embed=heatmap,level&x=%22%3E").unwrap();
        assert_eq!(embed.parts, [Part::HeatMap, Part::Level]);
        assert_eq!(embed.whole, "?preset=copy&x=%22%3E");
        assert_eq!(embed.complaint, None);
        assert_eq!(Embed::read("?preset=copy"), None);
    }

    #[test]
    fn without_a_part_that_is_known_all_are_shown() {
        assert_eq!(Embed::read("?embed=").unwrap().parts, Part::ALL);
        let embed = Embed::read("?embed=curve,moon,curve").unwrap();
        assert_eq!(embed.parts, [Part::Curve]);
        assert!(embed.complaint.unwrap().contains("“moon”"));
        let embed = Embed::read("?embed=sun,curve,moon").unwrap();
        assert!(embed.complaint.unwrap().contains("“sun” and “moon”"));
        let embed = Embed::read("?embed=lesson").unwrap();
        assert!(embed.complaint.unwrap().contains("names no lesson"));
    }
}
