//! Names of a model's attention sites.

use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use strata_attention::Site;

use crate::{LayerName, Side};

/// Name of an attention site of a model: its kind and its layer.
///
/// Written `encoder.0.self`, `decoder.1.cross` or, in a model with a single such site,
/// `decoder.cross`; for a reader `reader.matching`. serde writes the same. Sites are ordered as in
/// a pass: those of the encoder, then layer by layer those of the decoder, self-attention before
/// cross-attention.
///
/// ```
/// use strata_models::{Site, SiteName};
///
/// let site: SiteName = "decoder.1.cross".parse()?;
/// assert_eq!(site, SiteName::in_layer(1, Site::Cross));
/// assert_eq!(site.title(), "Decoder 2, cross");
/// # Ok::<(), strata_models::SiteNameError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SiteName {
    /// Kind of site: which side attends to which.
    pub place: Site,
    /// Layer, counted from 0; `None` if the model has only one site of the kind.
    pub layer: Option<usize>,
}

/// Error: a text names no attention site.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` names no attention site; names are such as `encoder.0.self`, `decoder.1.cross` and \
     `decoder.cross`"
)]
pub struct SiteNameError(String);

impl SiteName {
    /// Names the site of this kind in a layer, counted from 0.
    pub const fn in_layer(layer: usize, place: Site) -> Self {
        Self {
            place,
            layer: Some(layer),
        }
    }

    /// Layer of the site; `None` if the model has only one site of the kind.
    pub fn in_stack(self) -> Option<LayerName> {
        let side = match self.place {
            Site::EncoderSelf => Side::Source,
            _ => Side::Target,
        };
        self.layer.map(|layer| LayerName { side, layer })
    }

    /// True if the target attends to the source.
    pub fn is_cross(self) -> bool {
        self.place == Site::Cross
    }

    /// Name for users, who count layers from 1: `Decoder 2, cross`.
    pub fn title(self) -> String {
        let part = match self.place {
            Site::EncoderSelf => "Encoder",
            Site::DecoderSelf | Site::Cross => "Decoder",
            Site::ContextToQuery => return "Passage to question".to_owned(),
            Site::QueryToContext => return "Question to passage".to_owned(),
            Site::Matching => return "Passage to question, word by word".to_owned(),
            Site::SelfMatching => return "Passage to itself".to_owned(),
        };
        let [_, kind] = parts(self.place);
        match self.layer {
            Some(layer) => format!("{part} {}, {kind}", layer.saturating_add(1)),
            None => format!("{part}, {kind}"),
        }
    }

    /// Sort key: sites in the order of a pass.
    fn order(self) -> (bool, Option<usize>, u8) {
        let within = match self.place {
            Site::EncoderSelf | Site::DecoderSelf | Site::ContextToQuery | Site::Matching => 0,
            Site::Cross | Site::QueryToContext | Site::SelfMatching => 1,
        };
        (self.place != Site::EncoderSelf, self.layer, within)
    }
}

/// All kinds of attention sites.
const PLACES: [Site; 7] = [
    Site::EncoderSelf,
    Site::DecoderSelf,
    Site::Cross,
    Site::ContextToQuery,
    Site::QueryToContext,
    Site::Matching,
    Site::SelfMatching,
];

/// First and last part of the name of a site of this kind.
fn parts(place: Site) -> [&'static str; 2] {
    match place {
        Site::EncoderSelf => ["encoder", "self"],
        Site::DecoderSelf => ["decoder", "self"],
        Site::Cross => ["decoder", "cross"],
        Site::ContextToQuery => ["reader", "context_to_query"],
        Site::QueryToContext => ["reader", "query_to_context"],
        Site::Matching => ["reader", "matching"],
        Site::SelfMatching => ["reader", "self_matching"],
    }
}

impl Display for SiteName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [part, kind] = parts(self.place);
        match self.layer {
            Some(layer) => write!(f, "{part}.{layer}.{kind}"),
            None => write!(f, "{part}.{kind}"),
        }
    }
}

impl FromStr for SiteName {
    type Err = SiteNameError;

    fn from_str(text: &str) -> Result<Self, SiteNameError> {
        let refused = || SiteNameError(text.to_owned());
        let (part, rest) = text.split_once('.').ok_or_else(refused)?;
        let (layer, kind) = match rest.split_once('.') {
            Some((layer, kind)) => (Some(layer), kind),
            None => (None, rest),
        };
        let mut places = PLACES.into_iter();
        let place = places.find(|&place| parts(place) == [part, kind]);
        let name = Self {
            place: place.ok_or_else(refused)?,
            layer: layer.map(str::parse).transpose().map_err(|_| refused())?,
        };
        // `+1` and `01` parse as numbers too, but are no names.
        if name.to_string() == text {
            Ok(name)
        } else {
            Err(refused())
        }
    }
}

impl Ord for SiteName {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order().cmp(&other.order())
    }
}

impl PartialOrd for SiteName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Serialize for SiteName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SiteName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn name(text: &str) -> SiteName {
        text.parse().unwrap()
    }

    #[test]
    fn a_name_is_written_as_it_is_read() {
        for text in [
            "encoder.0.self",
            "decoder.12.self",
            "decoder.1.cross",
            "decoder.cross",
            "reader.context_to_query",
            "reader.query_to_context",
            "reader.matching",
            "reader.self_matching",
        ] {
            assert_eq!(name(text).to_string(), text);
            let json = format!("\"{text}\"");
            assert_eq!(serde_json::to_string(&name(text)).unwrap(), json);
            assert_eq!(serde_json::from_str::<SiteName>(&json).unwrap(), name(text));
        }
    }

    #[test]
    fn other_texts_are_refused_in_a_sentence() {
        for text in [
            "",
            "no site",
            "cross",
            "encoder.0.cross",
            "encoder.cross",
            "decoder..self",
            "decoder.+1.self",
            "decoder.01.self",
            "decoder.-1.self",
            "decoder.1.self.",
            "decoder.1.2.self",
            "Decoder.1.self",
            "decoder.99999999999999999999.self",
        ] {
            let refused = text.parse::<SiteName>().unwrap_err().to_string();
            assert!(refused.contains(text), "{refused}");
            assert!(refused.contains("decoder.1.cross"), "{refused}");
            let json = serde_json::to_string(text).unwrap();
            assert!(serde_json::from_str::<SiteName>(&json).is_err(), "{text}");
        }
    }

    #[test]
    fn sites_are_ordered_as_a_pass_comes_to_them() {
        let passed = [
            "encoder.0.self",
            "encoder.1.self",
            "encoder.10.self",
            "decoder.0.self",
            "decoder.0.cross",
            "decoder.1.self",
            "decoder.1.cross",
        ]
        .map(name);
        assert!(passed.is_sorted());
    }

    #[test]
    fn users_count_layers_from_1() {
        assert_eq!(name("encoder.0.self").title(), "Encoder 1, self");
        assert_eq!(name("decoder.1.cross").title(), "Decoder 2, cross");
        assert_eq!(name("decoder.cross").title(), "Decoder, cross");
    }
}
