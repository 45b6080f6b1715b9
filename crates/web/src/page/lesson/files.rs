//! Files of lessons, fetched from the page's own origin.

use crate::page::lesson::place::{ENGLISH, is_name};
use crate::page::shell::served_file::{Missing, answer, json};
use js_sys::Uint8Array;
use strata_lessons::{Compiled, Entry};
use wasm_bindgen_futures::JsFuture;

/// A lesson in this language, or in English if it lacks it.
///
/// # Errors
/// If there is no such lesson, or it cannot be fetched.
pub async fn lesson(name: &str, language: &str) -> Result<Compiled, Missing> {
    if !is_name(name) {
        return Err(Missing::Unknown);
    }
    match json(&format!("./lessons/{name}/{language}.json")).await {
        Err(Missing::Unknown) if language != ENGLISH => {
            json(&format!("./lessons/{name}/{ENGLISH}.json")).await
        }
        other => other,
    }
}

/// The list of all lessons in this language, or in English.
///
/// # Errors
/// If it cannot be fetched.
pub async fn index(language: &str) -> Result<Vec<Entry>, Missing> {
    match json(&format!("./lessons/index.{language}.json")).await {
        Err(Missing::Unknown) => json(&format!("./lessons/index.{ENGLISH}.json")).await,
        other => other,
    }
}

/// Names of the recorded models that are served with the page; none where that cannot be known.
pub async fn models() -> Vec<String> {
    json("./lessons/models.json").await.unwrap_or_default()
}

/// A recorded model, by its name.
///
/// # Errors
/// If it cannot be fetched.
pub async fn model(name: &str) -> Result<Vec<u8>, Missing> {
    let answer = answer(&format!("./lessons/{name}.safetensors")).await?;
    let buffer = answer.array_buffer().map_err(|_| Missing::Unreachable)?;
    let buffer = JsFuture::from(buffer).await;
    let bytes = buffer.map(|it| Uint8Array::new(&it).to_vec());
    bytes.map_err(|_| Missing::Unreachable)
}
