//! Links of `index.html` that trunk reads: the list of the page's parts, used by trunk and by this
//! program.

use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;

/// A link `<link data-trunk …>` in the page's source.
pub struct Link {
    attributes: BTreeMap<String, String>,
}

impl Link {
    /// Returns the value of an attribute; `name` lacks the prefix `data-`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }

    /// Returns the value of an attribute, or an error if the link lacks it.
    pub fn need(&self, name: &str) -> Result<&str> {
        self.get(name).with_context(|| {
            let rest = &self.attributes;
            format!("index.html has a link for trunk without `{name}`: {rest:?}")
        })
    }
}

/// Replaces each link for trunk by the text that a function returns for it.
pub fn replace(page: &str, mut by: impl FnMut(&Link) -> Result<String>) -> Result<String> {
    const START: &str = "<link data-trunk";
    let mut text = String::with_capacity(page.len());
    let mut rest = page;
    while let Some(start) = rest.find(START) {
        let (before, link) = rest.split_at(start);
        let (link, after) = link
            .split_once('>')
            .context("a link for trunk in index.html has no end")?;
        text += before;
        text += &by(&Link {
            attributes: attributes(&link[START.len()..])?,
        })?;
        rest = after;
    }
    Ok(text + rest)
}

/// Parses attributes, `name="value"` or a bare name, whose value is empty.
fn attributes(mut text: &str) -> Result<BTreeMap<String, String>> {
    let mut attributes = BTreeMap::new();
    loop {
        text = text.trim_start();
        let end = text.find(|it: char| it == '=' || it.is_whitespace());
        let (name, rest) = text.split_at(end.unwrap_or(text.len()));
        if name.is_empty() {
            ensure!(text.is_empty(), "index.html has an attribute without name");
            return Ok(attributes);
        }
        let (value, rest) = match rest.strip_prefix("=\"") {
            Some(rest) => rest
                .split_once('"')
                .with_context(|| format!("the value of `{name}` in index.html has no end"))?,
            None => ("", rest),
        };
        let name = name.strip_prefix("data-").unwrap_or(name);
        attributes.insert(name.to_owned(), value.to_owned());
        text = rest;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn links_are_replaced_where_they_stand() {
        let page = "<p>a</p>\n<link data-trunk rel=\"rust\" href=\"x/Cargo.toml\"\n  data-bin=\"w\" \
                    data-loader-shim><link rel=\"icon\">";
        let text = replace(page, |link| {
            let (rel, bin) = (link.need("rel")?, link.need("bin")?);
            assert_eq!(link.get("loader-shim"), Some(""));
            assert_eq!(link.get("href"), Some("x/Cargo.toml"));
            Ok(format!("[{rel} {bin}]"))
        });
        assert_eq!(text.unwrap(), "<p>a</p>\n[rust w]<link rel=\"icon\">");
    }

    #[test]
    fn a_link_that_is_not_whole_is_told() {
        let name = |page| replace(page, |link| Ok(link.need("href")?.to_owned()));
        for (page, reason) in [
            ("<link data-trunk rel=\"css\">", "without `href`"),
            ("<link data-trunk href=\"x", "no end"),
            ("<link data-trunk href=\"x>", "no end"),
        ] {
            let error = name(page).unwrap_err().to_string();
            assert!(error.contains(reason), "{page}: {error}");
        }
    }
}
