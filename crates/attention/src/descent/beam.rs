//! Number of nodes that a query opens on each level of a pyramid.

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use strata_describe::{Bounded, Number, Words};

/// Number b of nodes of each level that a query opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Beam {
    /// The b nodes of highest weight.
    Nodes(usize),
    /// All nodes: the full soft pyramid, written `"all"`.
    All,
}

impl Beam {
    /// Name and help text of the word that stands for all nodes.
    pub(crate) const SPECIAL: Words = Words::new(
        "all",
        "All nodes",
        "Every node is opened: the full soft pyramid.",
        "",
        "Gupta and Ahmed, future work",
    );

    /// Number of nodes, or `None` for all nodes.
    pub(crate) const fn whole(self) -> Option<u64> {
        match self {
            Self::Nodes(nodes) => Some(nodes as u64),
            Self::All => None,
        }
    }
}

impl Bounded for Beam {
    fn number(&self) -> Option<Number> {
        self.whole().map(Number::Whole)
    }
}

impl Serialize for Beam {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Nodes(nodes) => serializer.serialize_u64(*nodes as u64),
            Self::All => serializer.serialize_str("all"),
        }
    }
}

impl<'de> Deserialize<'de> for Beam {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrAll;
        impl Visitor<'_> for NumberOrAll {
            type Value = Beam;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a number of nodes, or \"all\"")
            }

            fn visit_u64<E: Error>(self, nodes: u64) -> Result<Beam, E> {
                let nodes = usize::try_from(nodes)
                    .map_err(|_| E::invalid_value(Unexpected::Unsigned(nodes), &self))?;
                Ok(Beam::Nodes(nodes))
            }

            fn visit_i64<E: Error>(self, nodes: i64) -> Result<Beam, E> {
                let unsigned = u64::try_from(nodes)
                    .map_err(|_| E::invalid_value(Unexpected::Signed(nodes), &self))?;
                self.visit_u64(unsigned)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Beam, E> {
                match text {
                    "all" => Ok(Beam::All),
                    other => Err(E::invalid_value(Unexpected::Str(other), &self)),
                }
            }
        }
        deserializer.deserialize_any(NumberOrAll)
    }
}
