//! Parts of the page that an address with `embed` asks for: `?embed=curve,heatmap,level,train`
//! shows only these parts, for the frame of an article; `arrows` is a part of the task `hops`, and
//! `map` a heat-map that trains by itself. The rest of the address names the experiment.
//! `?embed=lesson&lesson=NAME` shows a lesson with the whole page.

use crate::address::{quoted, short};
use form_urlencoded::{Serializer, parse};

/// The most unknown parts that a complaint names.
const NAMED: usize = 3;

/// A part of the page that can be shown alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbedPart {
    /// The loss over the steps.
    Curve,
    /// Attention of a held-out example, as a heat-map.
    HeatMap,
    /// Choice of the level that the heat-map shows.
    Level,
    /// The buttons that train.
    Train,
    /// The heat-map of a run that trains as soon as the frame is there.
    Map,
    /// The arrows of the task `hops`, and the path that attention follows.
    Arrows,
}

impl EmbedPart {
    /// The parts of every experiment, which are shown if an address names none.
    pub const ALL: [Self; 4] = [Self::Curve, Self::HeatMap, Self::Level, Self::Train];

    /// Parts that are shown only if named in the address.
    const ON_REQUEST: [Self; 2] = [Self::Map, Self::Arrows];

    /// Returns all parts that an address can name.
    fn named() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().chain(Self::ON_REQUEST)
    }

    /// Returns the part's name in an address.
    pub fn name(self) -> &'static str {
        match self {
            Self::Curve => "curve",
            Self::HeatMap => "heatmap",
            Self::Level => "level",
            Self::Train => "train",
            Self::Map => "map",
            Self::Arrows => "arrows",
        }
    }
}

/// Parts of the page to show alone, as an address asks for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embed {
    /// The parts, in any order; never empty.
    pub parts: Vec<EmbedPart>,
    /// Address of the whole page with the same experiment, from `?` on.
    pub whole: String,
    /// True if the address asks for a lesson, with all of the page that the lesson uses.
    pub is_lesson: bool,
    /// A sentence about parts of unknown names, if there are any.
    pub complaint: Option<String>,
}

impl Embed {
    /// Reads the query of an address, from `?` on; `None` if it asks for the whole page.
    pub fn read(query: &str) -> Option<Self> {
        let pairs = || parse(query.trim_start_matches('?').as_bytes());
        let (_, names) = pairs().find(|(key, _)| key == "embed")?;
        let is_lesson = names == "lesson" && pairs().any(|(key, _)| key == "lesson");
        let mut parts = Vec::new();
        let mut unknown = Vec::new();
        for name in names.split(',').filter(|name| !name.is_empty()) {
            match EmbedPart::named().find(|part| part.name() == name) {
                Some(part) if parts.contains(&part) => {}
                Some(part) => parts.push(part),
                None => {
                    // An address can have any length, but the sentence must stay short.
                    let name = short(name);
                    if unknown.len() < NAMED && !unknown.contains(&name) {
                        unknown.push(name);
                    }
                }
            }
        }
        let complaint = complaint(&unknown);
        if parts.is_empty() {
            parts = EmbedPart::ALL.to_vec();
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
    pub fn has(&self, part: EmbedPart) -> bool {
        self.parts.contains(&part)
    }
}

/// Returns a sentence about parts of unknown names.
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
            EmbedPart::named()
                .map(EmbedPart::name)
                .collect::<Vec<_>>()
                .join(", ")
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
        assert_eq!(embed.parts, [EmbedPart::HeatMap, EmbedPart::Level]);
        assert_eq!(embed.whole, "?preset=copy&x=%22%3E");
        assert_eq!(embed.complaint, None);
        assert_eq!(Embed::read("?preset=copy"), None);
    }

    #[test]
    fn without_a_part_that_is_known_all_are_shown() {
        assert_eq!(Embed::read("?embed=").unwrap().parts, EmbedPart::ALL);
        let embed = Embed::read("?embed=curve,moon,curve").unwrap();
        assert_eq!(embed.parts, [EmbedPart::Curve]);
        assert!(embed.complaint.unwrap().contains("“moon”"));
        let embed = Embed::read("?embed=arrows,train,moon&preset=arrows").unwrap();
        assert_eq!(embed.parts, [EmbedPart::Arrows, EmbedPart::Train]);
        assert!(embed.complaint.unwrap().ends_with("train, map, arrows."));
        let embed = Embed::read("?embed=sun,curve,moon").unwrap();
        assert!(embed.complaint.unwrap().contains("“sun” and “moon”"));
        let embed = Embed::read("?embed=lesson").unwrap();
        assert!(embed.complaint.unwrap().contains("names no lesson"));
    }
}
