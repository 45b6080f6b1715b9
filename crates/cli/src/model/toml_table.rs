//! Reads TOML as settings.

use serde_json::Value as Json;
use strata_settings::{Table, value};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// Parses TOML as settings. An ambiguous number stays text, since its setting decides how to read
/// it. Dates stay text, too, which are more likely names of files, and so do NaN and infinities,
/// which are mistakes.
///
/// # Errors
/// If the text is no TOML.
pub fn read(text: &str) -> Result<Table, toml::de::Error> {
    DeTable::parse(text).map(|table| of_table(table.into_inner()))
}

fn of_table(table: DeTable<'_>) -> Table {
    let of_entry = |(name, value): (Spanned<DeString<'_>>, Spanned<DeValue<'_>>)| {
        (name.into_inner().into_owned(), of_value(value.into_inner()))
    };
    table.into_iter().map(of_entry).collect()
}

fn of_value(value: DeValue<'_>) -> Json {
    match value {
        DeValue::String(text) => text.into_owned().into(),
        DeValue::Integer(number) => value::read(&number.to_string()),
        DeValue::Float(number) => value::read(number.as_str()),
        DeValue::Boolean(is_so) => is_so.into(),
        DeValue::Datetime(time) => time.to_string().into(),
        DeValue::Array(values) => values
            .into_iter()
            .map(|it| of_value(it.into_inner()))
            .collect(),
        DeValue::Table(table) => of_table(table).into(),
    }
}
