//! The worker's side of texts: their bytes, from a file or from the network.

use crate::texts::Source;
use js_sys::{ArrayBuffer, Promise, Uint8Array};
use sha2::{Digest, Sha256};
use strata_session::protocol::Command;
use strata_tasks::GivenText;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Response, WorkerGlobalScope};

/// More than is ever taken, packed or not.
const MAXIMUM_MEBIBYTES: u32 = 64;

/// The command with the bytes of its texts.
///
/// # Errors
/// A sentence on what cannot be had.
pub async fn read_texts(command: Command, sources: Vec<Source>) -> Result<Command, String> {
    let Command::Examine { task, texts } = command else {
        return Ok(command);
    };
    let mut read = Vec::with_capacity(texts.len());
    for (GivenText { name, .. }, source) in texts.into_iter().zip(sources) {
        let bytes = bytes_of(&name, source).await?;
        read.push(GivenText { name, bytes });
    }
    Ok(Command::Examine { task, texts: read })
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
