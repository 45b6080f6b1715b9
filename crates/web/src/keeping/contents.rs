//! Contents of a kept checkpoint, in the page's memory or with the browser.

use super::StoreError;
use crate::by_pointer::ByPointer;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

/// The most bytes of a checkpoint in the database itself. A larger checkpoint is stored as a blob,
/// which the browser keeps beside the database: a value may have 133 MB at most, and is copied in
/// one piece.
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
    /// Returns the number of bytes of the checkpoint.
    pub fn size(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Blob(blob) => blob.size() as usize,
        }
    }

    /// Returns the bytes of the checkpoint.
    ///
    /// # Errors
    /// If the browser no longer has the blob.
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

    /// Returns the value that the browser copies into its database: bytes, or a blob if they are
    /// many.
    ///
    /// # Errors
    /// If the browser has no memory for the blob.
    pub fn to_js(&self) -> Result<JsValue, StoreError> {
        match self {
            Self::Bytes(bytes) => {
                let array = Uint8Array::from(bytes.as_slice());
                if bytes.len() > INLINE {
                    Ok(blob_of(&array)?.into())
                } else {
                    Ok(array.into())
                }
            }
            Self::Blob(blob) => Ok(blob.clone().into()),
        }
    }

    /// Reads a value of [`to_js`](Self::to_js), or the bytes that earlier versions stored for any
    /// size.
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
