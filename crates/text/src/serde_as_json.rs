//! Configurations as parts of messages, for serde's `with`.
//!
//! Configurations come from addresses and files as JSON anyway. The code that reads and writes them
//! makes up a fifth of the page's program; with a JSON value in between, the program contains that
//! code once instead of once for each format.

use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error as _};
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::Value;

/// Writes a configuration.
///
/// # Errors
/// If the message cannot be written.
pub fn serialize<T: Serialize, S: Serializer>(config: &T, target: S) -> Result<S::Ok, S::Error> {
    let value = serde_json::to_value(config).map_err(S::Error::custom)?;
    value.serialize(target)
}

/// Reads a configuration.
///
/// # Errors
/// If a setting is unknown or of the wrong type, or the message cannot be read.
pub fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    source: D,
) -> Result<T, D::Error> {
    let value = Value::deserialize(source)?;
    serde_json::from_value(value).map_err(D::Error::custom)
}
