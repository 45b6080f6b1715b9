//! Files of lessons, fetched from the page's own origin.

use crate::page::lesson::address::{ENGLISH, is_name};
use crate::served_file::{Missing, answer, json};
use js_sys::Uint8Array;
use strata_lessons::{Compiled, Entry};
use wasm_bindgen_futures::JsFuture;

/// Fetches a lesson in this language, or in English if the lesson lacks that language.
///
/// # Errors
/// If there is no such lesson, or the server cannot be reached.
pub async fn lesson(name: &str, language: &str) -> Result<Compiled, Missing> {
    if !is_name(name) {
        return Err(Missing::Unknown);
    }
    // The list says which languages there are, so that no file is asked for that is not there.
    let has_language = language == ENGLISH
        || index(language).await.is_ok_and(|entries| {
            let mut entries = entries.iter();
            let entry = entries.find(|it| it.name == name);
            entry.is_some_and(|it| it.languages.iter().any(|it| it == language))
        });
    let language = if has_language { language } else { ENGLISH };
    json(&format!("./lessons/{name}/{language}.json")).await
}

/// Fetches the list of all lessons in this language, or in English.
///
/// # Errors
/// If the list cannot be fetched.
pub async fn index(language: &str) -> Result<Vec<Entry>, Missing> {
    match json(&format!("./lessons/index.{language}.json")).await {
        Err(Missing::Unknown) => json(&format!("./lessons/index.{ENGLISH}.json")).await,
        other => other,
    }
}

/// Fetches the names of the recorded models that are served; empty if the list cannot be fetched.
pub async fn models() -> Vec<String> {
    json("./lessons/models.json").await.unwrap_or_default()
}

/// Fetches a recorded model by its name.
///
/// # Errors
/// If the model cannot be fetched.
pub async fn model(name: &str) -> Result<Vec<u8>, Missing> {
    let answer = answer(&format!("./lessons/{name}.safetensors")).await?;
    let buffer = answer.array_buffer().map_err(|_| Missing::Unreachable)?;
    let buffer = JsFuture::from(buffer).await;
    let bytes = buffer.map(|it| Uint8Array::new(&it).to_vec());
    bytes.map_err(|_| Missing::Unreachable)
}
