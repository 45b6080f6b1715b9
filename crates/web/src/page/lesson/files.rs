//! Files of lessons, fetched from the page's own origin.

use crate::page::lesson::place::{ENGLISH, is_name};
use js_sys::Uint8Array;
use serde::de::DeserializeOwned;
use strata_lessons::{Compiled, Entry};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

/// Reason why a file is not here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// There is no such lesson.
    Unknown,
    /// The server could not be reached, or sent something else.
    Unreachable,
}

/// A lesson in this language, or in English if it lacks it.
///
/// # Errors
/// If there is no such lesson, or it cannot be fetched.
pub async fn lesson(name: &str, language: &str) -> Result<Compiled, Missing> {
    if !is_name(name) {
        return Err(Missing::Unknown);
    }
    match fetch(&format!("./lessons/{name}/{language}.json")).await {
        Err(Missing::Unknown) if language != ENGLISH => {
            fetch(&format!("./lessons/{name}/{ENGLISH}.json")).await
        }
        other => other,
    }
}

/// The list of all lessons in this language, or in English.
///
/// # Errors
/// If it cannot be fetched.
pub async fn index(language: &str) -> Result<Vec<Entry>, Missing> {
    match fetch(&format!("./lessons/index.{language}.json")).await {
        Err(Missing::Unknown) => fetch(&format!("./lessons/index.{ENGLISH}.json")).await,
        other => other,
    }
}

/// Names of the recorded models that are served with the page; none where that cannot be known.
pub async fn models() -> Vec<String> {
    fetch("./lessons/models.json").await.unwrap_or_default()
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

async fn answer(address: &str) -> Result<Response, Missing> {
    let window = web_sys::window().ok_or(Missing::Unreachable)?;
    let answer = JsFuture::from(window.fetch_with_str(address)).await;
    let answer: Option<Response> = answer.ok().and_then(|it| it.dyn_into().ok());
    match answer {
        Some(answer) if answer.status() == 404 => Err(Missing::Unknown),
        Some(answer) if answer.ok() => Ok(answer),
        _ => Err(Missing::Unreachable),
    }
}

async fn fetch<T: DeserializeOwned>(address: &str) -> Result<T, Missing> {
    let text = answer(address).await?.text();
    let text = JsFuture::from(text.map_err(|_| Missing::Unreachable)?);
    let text = text.await.ok().and_then(|it| it.as_string());
    // By way of a JSON value, as the page reads all else.
    let value: Option<serde_json::Value> = text.and_then(|it| serde_json::from_str(&it).ok());
    let read = value.and_then(|it| serde_json::from_value(it).ok());
    read.ok_or(Missing::Unreachable)
}
