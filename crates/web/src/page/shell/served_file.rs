//! Files that are served with the page, fetched from its own origin.

use serde::de::DeserializeOwned;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

/// Reason why a file is not here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// There is no such file.
    Unknown,
    /// The server could not be reached, or sent something else.
    Unreachable,
}

/// Fetches a file.
///
/// # Errors
/// If there is none, or it cannot be fetched.
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

/// Fetches a file of JSON.
///
/// # Errors
/// Those of [`answer`], and if it is something else.
pub async fn json<T: DeserializeOwned>(address: &str) -> Result<T, Missing> {
    let text = answer(address).await?.text();
    let text = JsFuture::from(text.map_err(|_| Missing::Unreachable)?);
    let text = text.await.ok().and_then(|it| it.as_string());
    // By way of a JSON value, as the page reads all else.
    let value: Option<serde_json::Value> = text.and_then(|it| serde_json::from_str(&it).ok());
    let read = value.and_then(|it| serde_json::from_value(it).ok());
    read.ok_or(Missing::Unreachable)
}
