//! Settings that several readers share, with names and help texts.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use strata_attention::{MechanismConfig, ScoreKind, Site, VanillaConfig, Widths};
use strata_describe::{Words, options};

use super::AttentionSite;
use crate::reader::CharactersConfig;

options! {
    /// Layer that reads the characters of words.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CharacterKind {
        /// Words alone.
        #[title = "None"]
        #[help = "Words alone."]
        None = "none",
        /// A convolution, and its maximum over all places.
        #[title = "Convolution"]
        #[help = "A convolution, and its maximum over all places."]
        #[source = "Kim 2014; Seo et al. 2017, 2.1"]
        Cnn = "cnn",
        /// Last states of a GRU in both directions.
        #[title = "GRU"]
        #[help = "Last states of a GRU in both directions."]
        #[source = "Wang et al. 2017, 3.1"]
        Gru = "gru",
    }
}

options! {
    /// Output of a reader: start and end of the answer.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
    pub enum SpanOutputKind {
        /// A linear map for each.
        #[title = "Linear"]
        #[formula = "softmax(w · [G; M])"]
        #[source = "Seo et al. 2017, 2.6"]
        Linear = "linear",
        /// A cell that attends to the passage twice.
        #[title = "Pointer"]
        #[help = "A cell attends to the passage twice, to the start and to the end."]
        #[source = "Wang and Jiang 2017, 3.3"]
        Pointer = "pointer",
    }
}

/// Settings of the layer that reads the characters of a reader's words.
pub(crate) struct SpellingConfig {
    pub embedding: usize,
    pub filters: usize,
    pub kernel: usize,
}

impl SpellingConfig {
    /// Layer that reads characters, with the size of their vocabulary; `None` if no layer reads
    /// characters.
    pub(crate) fn layer(
        &self,
        kind: CharacterKind,
        vocabulary: usize,
    ) -> Option<(CharactersConfig, usize)> {
        let kernel = match kind {
            CharacterKind::None => return None,
            CharacterKind::Cnn => Some(self.kernel),
            CharacterKind::Gru => None,
        };
        let config = CharactersConfig {
            embedding: self.embedding,
            filters: self.filters,
            kernel,
        };
        Some((config, vocabulary))
    }
}

/// Vanilla attention with this score, the default of a reader's sites.
pub(super) const fn vanilla(score: ScoreKind) -> MechanismConfig {
    MechanismConfig::Vanilla(VanillaConfig { score })
}

/// Attention site of a reader, which has no heads.
pub(super) fn site(
    (name, title): (&'static str, &'static str),
    site: Site,
    width: usize,
    mechanism: MechanismConfig,
) -> AttentionSite {
    AttentionSite {
        name,
        title,
        site,
        widths: Widths::all(width),
        mechanism,
    }
}

/// Reads a mechanism whose score is trilinear unless the file names another score.
pub(super) fn trilinear<'de, D: Deserializer<'de>>(from: D) -> Result<MechanismConfig, D::Error> {
    with_score(ScoreKind::Trilinear, from)
}

/// Reads a mechanism whose score is additive unless the file names another score.
pub(super) fn additive<'de, D: Deserializer<'de>>(from: D) -> Result<MechanismConfig, D::Error> {
    with_score(ScoreKind::Additive, from)
}

/// Gives any mechanism at a reader's site the score of the published model by default, so that a
/// depth of 1 is that model.
fn with_score<'de, D: Deserializer<'de>>(
    score: ScoreKind,
    from: D,
) -> Result<MechanismConfig, D::Error> {
    let mut table = Map::deserialize(from)?;
    let read = |table: &Map<String, Value>| {
        serde_json::from_value::<MechanismConfig>(Value::Object(table.clone()))
    };
    let mechanism = read(&table).map_err(D::Error::custom)?;
    if table.contains_key("score") || mechanism.score().is_none() {
        return Ok(mechanism);
    }
    table.insert("score".to_owned(), score.name().into());
    read(&table).map_err(D::Error::custom)
}

pub(super) const HIDDEN: Words = Words::new(
    "hidden",
    "Width",
    "Of the state of each direction of a recurrent layer.",
    "H",
    "",
);

pub(super) const ENCODER_LAYERS: Words = Words::new(
    "layers",
    "Encoder layers",
    "Recurrent layers that read passage and question, one upon the other.",
    "",
    "",
);

pub(super) const ENCODER_SHARED: Words = Words::new(
    "encoder_shared",
    "One encoder for both",
    "The same layers read passage and question.",
    "",
    "Seo et al. 2017, 2.3",
);

pub(super) const CHARACTERS: Words = Words::new(
    "characters",
    "Characters",
    "How the characters of a word are read beside it.",
    "x = [E[word]; r]",
    "Kim 2014; Seo et al. 2017, 2.1; Wang et al. 2017, 3.1",
);

pub(super) const CHARACTER_EMBEDDING: Words = Words::new(
    "character_embedding",
    "Character width",
    "Numbers that stand for a character.",
    "c",
    "Seo et al. 2017, 4.1",
);

pub(super) const CHARACTER_FILTERS: Words = Words::new(
    "character_filters",
    "Character filters",
    "Width of a convolution's result, or of a GRU's direction.",
    "",
    "Seo et al. 2017, 4.1",
);

pub(super) const CHARACTER_KERNEL: Words = Words::new(
    "character_kernel",
    "Characters at once",
    "How many a convolution sees.",
    "k",
    "Seo et al. 2017, 4.1",
);

pub(super) const MODELLING: Words = Words::new(
    "modelling",
    "Modelling layers",
    "Recurrent layers in both directions over the matched passage.",
    "M",
    "Seo et al. 2017, 2.5",
);

pub(super) const POOLED: Words = Words::new(
    "pooled",
    "Pointer starts from the question",
    "Its first state is the pooled question, instead of 0.",
    "s₀ = Σ softmax(v · tanh(W u + b)) u",
    "Wang et al. 2017, 3.4",
);

pub(super) const BOTH_DIRECTIONS: Words = Words::new(
    "both_directions",
    "Second pointer",
    "It looks for the end first; the means of both count.",
    "",
    "baidu/DuReader",
);

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;
    use strata_attention::HamConfig;

    use super::*;

    fn ham_v(depth: usize, score: ScoreKind) -> MechanismConfig {
        MechanismConfig::HamV(HamConfig {
            depth,
            score,
            ..HamConfig::default()
        })
    }

    #[test]
    fn another_mechanism_keeps_the_score_of_the_site() {
        let read = |json: Value| trilinear(json).unwrap();
        let ham = read(json!({ "kind": "ham_v", "depth": 3 }));
        assert_eq!(ham, ham_v(3, ScoreKind::Trilinear));
        let named = read(json!({ "kind": "ham_v", "depth": 3, "score": "dot" }));
        assert_eq!(named, ham_v(3, ScoreKind::Dot));
        assert_eq!(read(json!({ "kind": "linear" })).score(), None);
        let error = trilinear(json!({ "kind": "ham_v", "dept": 3 })).unwrap_err();
        assert!(error.to_string().contains("dept"), "{error}");
    }
}
