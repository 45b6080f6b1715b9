//! The worker's side of texts: reads their bytes, from a file or from the network.

use js_sys::{ArrayBuffer, Promise, Uint8Array};
use sha2::{Digest, Sha256};
use strata_session::protocol::Command;
use strata_text::UploadedText;
use strata_wire::encoding::{self, guess};
use strata_wire::texts::Source;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Response, TextDecoder, TextDecoderOptions, WorkerGlobalScope};

/// The most mebibytes of a text, compressed or not.
const MAXIMUM_MEBIBYTES: u32 = 64;

/// Reads the bytes of a command's texts; returns the command with the bytes, and notes on the
/// encodings.
///
/// # Errors
/// A sentence on the first text that cannot be read.
pub async fn read_texts(
    command: Command,
    sources: Vec<Source>,
) -> Result<(Command, Vec<String>), String> {
    let Command::Examine { task, texts } = command else {
        return Ok((command, Vec::new()));
    };
    let mut read = Vec::with_capacity(texts.len());
    let mut notes = Vec::new();
    for (UploadedText { name, .. }, source) in texts.into_iter().zip(sources) {
        let chosen = match &source {
            Source::Blob(blob) => Source::encoding(blob),
            Source::Address { .. } => None,
        };
        let bytes = bytes_of(&name, source).await?;
        let bytes = match chosen {
            Some(label) => decoded(&label, &bytes)
                .map(String::into_bytes)
                .ok_or_else(|| {
                    format!(
                        "{name} is not in the encoding that you chose ({label}): choose another one"
                    )
                })?,
            None => in_unicode(&name, bytes, &mut notes),
        };
        read.push(UploadedText { name, bytes });
    }
    Ok((Command::Examine { task, texts: read }, notes))
}

/// Converts a text to UTF-8 if its encoding can be guessed, otherwise leaves it unchanged.
/// Compressed texts, and texts with a byte order mark, are recognised later by their first bytes.
fn in_unicode(name: &str, bytes: Vec<u8>, notes: &mut Vec<String>) -> Vec<u8> {
    const MARKS: [&[u8]; 3] = [b"\x1f\x8b", b"\xff\xfe", b"\xfe\xff"];
    if MARKS.iter().any(|mark| bytes.starts_with(mark)) || std::str::from_utf8(&bytes).is_ok() {
        return bytes;
    }
    let found = guess(&bytes, decoded).and_then(|it| Some((it, decoded(it.label, &bytes)?)));
    let Some((encoding, text)) = found else {
        return bytes;
    };
    notes.push(format!(
        "{name} is not in UTF-8; it was read as {}. If its letters look wrong below, choose another \
         encoding above",
        encoding.title
    ));
    text.into_bytes()
}

/// Decodes a text; `None` if the bytes are invalid in this encoding.
fn decoded(label: &str, bytes: &[u8]) -> Option<String> {
    // Copied, since browsers do not decode memory that threads share.
    let bytes = Uint8Array::from(bytes);
    decoder(label)?.decode_with_js_u8_array(&bytes).ok()
}

/// Returns a decoder that fails on invalid bytes; `None` for an encoding that is not in the list.
fn decoder(label: &str) -> Option<TextDecoder> {
    let known = encoding::ALL.iter().any(|it| it.label == label);
    let options = TextDecoderOptions::new();
    options.set_fatal(true);
    known
        .then(|| TextDecoder::new_with_label_and_options(label, &options).ok())
        .flatten()
}

async fn bytes_of(name: &str, source: Source) -> Result<Vec<u8>, String> {
    match source {
        Source::Blob(blob) => {
            if blob.size() > f64::from(MAXIMUM_MEBIBYTES << 20) {
                return Err(format!(
                    "{name}: the file is larger than {MAXIMUM_MEBIBYTES} MiB; choose a part of it"
                ));
            }
            let bytes = bytes(blob.array_buffer()).await;
            bytes.map_err(|_| {
                format!("{name}: the file cannot be read any more; choose it once more")
            })
        }
        Source::Address { address, sha256 } => fetch(name, &address, &sha256).await,
    }
}

async fn fetch(name: &str, address: &str, sha256: &str) -> Result<Vec<u8>, String> {
    let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
    let unreachable = || {
        format!(
            "{name} cannot be fetched from {address}: this device is offline, or the address is \
             blocked; go online and try again, or choose a file of your own"
        )
    };
    let response = JsFuture::from(scope.fetch_with_str(address)).await;
    let response: Response = response.map_err(|_| unreachable())?.unchecked_into();
    if !response.ok() {
        return Err(format!(
            "{name} is no longer at {address} (status {}); choose a file of your own",
            response.status()
        ));
    }
    let buffer = response.array_buffer().map_err(|_| unreachable())?;
    let bytes = bytes(buffer).await.map_err(|_| unreachable())?;
    let digest = Sha256::digest(&bytes);
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    match digits == sha256 {
        true => Ok(bytes),
        false => Err(format!(
            "{name}: what came from {address} is not the file of the catalogue (its SHA-256 \
             differs), so it is not used; try again, or choose a file of your own"
        )),
    }
}

async fn bytes(buffer: Promise) -> Result<Vec<u8>, JsValue> {
    let buffer: ArrayBuffer = JsFuture::from(buffer).await?.unchecked_into();
    Ok(Uint8Array::new(&buffer).to_vec())
}
