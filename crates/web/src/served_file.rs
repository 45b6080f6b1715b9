//! Files that are served with the page, fetched from its own origin.

use serde::de::DeserializeOwned;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

/// Reason why a file could not be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The server has no such file.
    Unknown,
    /// The server could not be reached, or sent an error or something unreadable.
    Unreachable,
}

/// Fetches a file.
///
/// # Errors
/// If the server has no such file, or cannot be reached.
pub async fn answer(address: &str) -> Result<Response, Missing> {
    let window = web_sys::window().ok_or(Missing::Unreachable)?;
    let answer = JsFuture::from(window.fetch_with_str(address)).await;
    let answer: Option<Response> = answer.ok().and_then(|it| it.dyn_into().ok());
    match answer {
        Some(answer) if answer.status() == 404 => Err(Missing::Unknown),
        Some(answer) if answer.ok() => Ok(answer),
        _ => Err(Missing::Unreachable),
    }
}

/// Fetches a JSON file.
///
/// # Errors
/// Those of [`answer`], and [`Missing::Unreachable`] if the file cannot be read as a `T`.
pub async fn json<T: DeserializeOwned>(address: &str) -> Result<T, Missing> {
    let text = answer(address).await?.text();
    let text = JsFuture::from(text.map_err(|_| Missing::Unreachable)?);
    let text = text.await.ok().and_then(|it| it.as_string());
    // By way of a JSON value: the page contains that code anyway.
    let value: Option<serde_json::Value> = text.and_then(|it| serde_json::from_str(&it).ok());
    let read = value.and_then(|it| serde_json::from_value(it).ok());
    read.ok_or(Missing::Unreachable)
}
