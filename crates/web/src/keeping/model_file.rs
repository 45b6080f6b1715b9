//! Models as `.safetensors` files, in the format of the command line.

use js_sys::{Array, Uint8Array};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File, HtmlAnchorElement, Url};

/// Size of the largest file that is read, in bytes: a worker has 4 GiB at most, and holds the model
/// three times while loading.
const LARGEST: f64 = 1e9;

/// Returns a file name for a run of this title: letters that files may not have are replaced.
pub fn file_name(title: &str) -> String {
    let letters = title.chars().map(|letter| {
        if letter.is_alphanumeric() {
            letter.to_ascii_lowercase()
        } else {
            '-'
        }
    });
    let spaced: String = letters.collect();
    let words: Vec<&str> = spaced.split('-').filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").chars().take(60).collect();
    if name.is_empty() {
        "model".to_owned()
    } else {
        name
    }
}

/// Saves a file as a download.
///
/// # Errors
/// A sentence, if the browser refuses.
pub fn download(name: &str, bytes: &[u8]) -> Result<(), String> {
    offer(name, bytes).ok_or_else(|| {
        "The browser could not make a file of the model: it may be too large for it.".to_owned()
    })
}

fn offer(name: &str, bytes: &[u8]) -> Option<()> {
    let parts = Array::of1(&Uint8Array::from(bytes));
    let blob = Blob::new_with_u8_array_sequence(&parts).ok()?;
    let address = Url::create_object_url_with_blob(&blob).ok()?;
    let document = web_sys::window()?.document()?;
    let link: HtmlAnchorElement = document.create_element("a").ok()?.dyn_into().ok()?;
    link.set_href(&address);
    link.set_download(name);
    link.click();
    // The browser has begun the download and keeps the bytes.
    Url::revoke_object_url(&address).ok()
}

/// Returns the bytes of a file.
///
/// # Errors
/// A sentence, if the file is too large or cannot be read.
pub async fn read(file: &File) -> Result<Vec<u8>, String> {
    let name = file.name();
    if file.size() > LARGEST {
        return Err(format!(
            "“{name}” has {:.1} GB, but a page can read models of at most 1 GB; use the command \
             line for larger ones.",
            file.size() / 1e9
        ));
    }
    let unreadable = || {
        format!(
            "“{name}” could not be read: it may have been moved or changed since it was chosen."
        )
    };
    let buffer = JsFuture::from(file.array_buffer())
        .await
        .map_err(|_| unreadable())?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

/// Returns the name of a run that is read from a file of this name.
pub fn title(name: &str) -> String {
    let stem = name.strip_suffix(".safetensors").unwrap_or(name);
    stem.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_become_names_of_files() {
        assert_eq!(file_name("Copy, seed 7"), "copy-seed-7");
        assert_eq!(file_name("German → English (GRU)"), "german-english-gru");
        assert_eq!(file_name("../..\\:*"), "model");
        assert!(file_name(&"x".repeat(500)).len() <= 60);
    }

    #[test]
    fn names_of_files_become_titles() {
        assert_eq!(title("checkpoint.safetensors"), "checkpoint");
        assert_eq!(title("notes.txt"), "notes.txt");
    }
}
