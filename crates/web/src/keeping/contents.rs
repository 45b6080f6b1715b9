//! Contents of a kept checkpoint, in the page's memory or with the browser.

use super::StoreError;
use crate::by_pointer::ByPointer;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

/// The most bytes of a checkpoint in the database itself. A larger one is a blob, which the browser
/// keeps beside it: a value may have 133 MB at most, and is copied in one piece.
const INLINE: usize = 4 << 20;

/// A checkpoint, a `.safetensors` file, in the page's memory or with the browser.
#[derive(Clone, Debug)]
pub enum Contents {
    /// Held in the page's memory.
    Bytes(ByPointer<Vec<u8>>),
    /// Held by the browser.
    Blob(Blob),
}

impl Contents {
    /// Number of bytes.
    pub fn size(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Blob(blob) => blob.size() as usize,
        }
    }

    /// Its bytes.
    ///
    /// # Errors
    /// If the browser no longer has them.
    pub async fn bytes(&self) -> Result<Vec<u8>, StoreError> {
        match self {
            Self::Bytes(bytes) => Ok((**bytes).clone()),
            Self::Blob(blob) => {
                let buffer = JsFuture::from(blob.array_buffer()).await;
                let buffer = buffer.map_err(|_| StoreError::Gone)?;
                Ok(Uint8Array::new(&buffer).to_vec())
            }
        }
    }

    /// The value that the browser copies into its database.
    ///
    /// # Errors
    /// If the browser has no memory for it.
    pub fn to_js(&self) -> Result<JsValue, StoreError> {
        match self {
            Self::Bytes(bytes) => {
                let array = Uint8Array::from(bytes.as_slice());
                match bytes.len() > INLINE {
                    true => Ok(blob_of(&array)?.into()),
                    false => Ok(array.into()),
                }
            }
            Self::Blob(blob) => Ok(blob.clone().into()),
        }
    }

    /// Reads what [`to_js`](Self::to_js) made. Earlier versions kept no blobs.
    pub fn from_js(value: JsValue) -> Option<Self> {
        match value.dyn_into::<Blob>() {
            Ok(blob) => Some(Self::Blob(blob)),
            Err(value) => {
                let array: Uint8Array = value.dyn_into().ok()?;
                Some(Self::Blob(blob_of(&array).ok()?))
            }
        }
    }
}

fn blob_of(array: &Uint8Array) -> Result<Blob, StoreError> {
    let parts = Array::of1(array);
    Blob::new_with_u8_array_sequence(&parts).map_err(|_| StoreError::Full)
}
