//! Names of a model's layers.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::Side;

/// Name of a layer of a stack. Written `encoder.0` or `decoder.1`; serde writes the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LayerName {
    /// Text that the layer's stack reads: the source for the encoder, the target for the decoder.
    pub side: Side,
    /// Index of the layer, counted from 0.
    pub layer: usize,
}

/// Error: a text names no layer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no layer; names are such as `encoder.0` and `decoder.1`")]
pub struct LayerNameError(String);

impl LayerName {
    /// Name for users, who count layers from 1: `Encoder 1`.
    pub fn title(self) -> String {
        let stack = match self.side {
            Side::Source => "Encoder",
            Side::Target => "Decoder",
        };
        format!("{stack} {}", self.layer.saturating_add(1))
    }
}

impl Display for LayerName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let stack = match self.side {
            Side::Source => "encoder",
            Side::Target => "decoder",
        };
        write!(f, "{stack}.{}", self.layer)
    }
}

impl FromStr for LayerName {
    type Err = LayerNameError;

    fn from_str(text: &str) -> Result<Self, LayerNameError> {
        let number = text.split_once('.').and_then(|(_, it)| it.parse().ok());
        let names = number
            .into_iter()
            .flat_map(|layer| [Side::Source, Side::Target].map(|side| Self { side, layer }));
        // `+1` and `01` parse as numbers too, but are no names.
        let mut names = names.filter(|name| name.to_string() == text);
        names.next().ok_or_else(|| LayerNameError(text.to_owned()))
    }
}

impl Serialize for LayerName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LayerName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_name_is_read_as_it_is_written() {
        for text in ["encoder.0", "decoder.12"] {
            let name: LayerName = text.parse().unwrap();
            assert_eq!(name.to_string(), text);
            let json = serde_json::to_string(&name).unwrap();
            assert_eq!(json, format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<LayerName>(&json).unwrap(), name);
        }
        assert_eq!(
            "decoder.1".parse::<LayerName>().unwrap().title(),
            "Decoder 2"
        );
    }

    #[test]
    fn what_names_no_layer_is_refused() {
        for text in [
            "",
            "encoder",
            "encoder.",
            "encoder.+1",
            "encoder.01",
            "decoder.0.self",
            "head.0",
        ] {
            assert!(text.parse::<LayerName>().is_err(), "{text}");
        }
    }
}
