//! Files of a folder, found by paths of URLs.

use std::path::{Path, PathBuf};

/// Returns the file that a URL names, or `None` if there is no such file inside the folder.
pub fn find(folder: &Path, url: &str) -> Option<PathBuf> {
    let path = percent_decoded(url.split(['?', '#']).next()?)?;
    let mut file = folder.to_owned();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        if part.starts_with('.') || part.contains(['\\', ':', '\0']) {
            return None;
        }
        file.push(part);
    }
    if path.ends_with('/') {
        file.push("index.html");
    }
    // A symbolic link could still lead out of the folder.
    let file = file.canonicalize().ok()?;
    (file.starts_with(folder) && file.is_file()).then_some(file)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(if byte == b'%' {
            let mut digit = || char::from(rest.next()?).to_digit(16);
            u8::try_from(digit()? * 16 + digit()?).ok()?
        } else {
            byte
        });
    }
    String::from_utf8(bytes).ok()
}

/// Value of the header `Content-Type` for a file.
pub fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("tsv") => "text/tab-separated-values; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("json") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("zip") => "application/zip",
        Some("woff2") => "font/woff2",
        Some("txt" | "md") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Returns the Content-Security-Policy that a page states in its text, in a single line.
pub fn policy(page: &str) -> Option<String> {
    let (_, rest) = page.split_once("http-equiv=\"Content-Security-Policy\"")?;
    let (_, rest) = rest.split_once("content=\"")?;
    let (policy, _) = rest.split_once('"')?;
    let words: Vec<_> = policy.split_whitespace().collect();
    Some(words.join(" ").trim_end_matches(';').to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use std::fs;

    /// Creates a folder `site` with a page, and a secret file outside of it.
    fn folders() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().canonicalize().unwrap().join("site");
        fs::create_dir(&site).unwrap();
        fs::write(site.join("index.html"), "<p>page</p>").unwrap();
        fs::write(site.join("a b.wasm"), "\0asm").unwrap();
        fs::write(folder.path().join("secret.txt"), "secret").unwrap();
        (folder, site)
    }

    #[test]
    fn paths_name_files_inside_the_folder() {
        let (_folder, site) = folders();
        assert_eq!(find(&site, "/"), Some(site.join("index.html")));
        assert_eq!(find(&site, "/?seed=3"), Some(site.join("index.html")));
        assert_eq!(find(&site, "/a%20b.wasm"), Some(site.join("a b.wasm")));
        assert_eq!(find(&site, "/missing.js"), None);
    }

    #[test]
    fn nothing_outside_the_folder_is_found() {
        let (_folder, site) = folders();
        for path in [
            "/../secret.txt",
            "/%2e%2e/secret.txt",
            "/%2e%2e%2fsecret.txt",
            "/..%5csecret.txt",
            "//secret.txt",
            "/%zz",
            "/%",
        ] {
            assert_eq!(find(&site, path), None, "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_folder_is_not_followed() {
        let (folder, site) = folders();
        let secret = folder.path().join("secret.txt");
        std::os::unix::fs::symlink(secret, site.join("link.txt")).unwrap();
        assert_eq!(find(&site, "/link.txt"), None);
    }

    #[test]
    fn the_policy_of_a_page_becomes_one_line() {
        let page = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';\n  img-src data:;\"><p>";
        assert_eq!(
            policy(page).as_deref(),
            Some("default-src 'none'; img-src data:")
        );
        assert_eq!(policy("<p>"), None);
    }
}
