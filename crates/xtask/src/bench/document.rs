//! Document with blocks: this program writes the text between the lines `<!-- measured: NAME -->`
//! and `<!-- end -->`, people write everything else.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

const END: &str = "<!-- end -->\n";

/// A Markdown file with blocks.
pub struct Document {
    path: PathBuf,
}

impl Document {
    /// Opens the document and checks, before anything is measured, that every named block exists; a
    /// block whose flag is false may be missing.
    ///
    /// # Errors
    /// A sentence on a block that is missing, occurs twice or does not end.
    pub fn open(path: &Path, names: impl IntoIterator<Item = (String, bool)>) -> Result<Self> {
        let document = Self {
            path: path.to_owned(),
        };
        let text = document.read()?;
        for (name, is_required) in names {
            let block = document.block(&text, &name)?;
            ensure!(
                block.is_some() || !is_required,
                "{} has no line `{}`: add the line, and a line `{}` behind it, where the table belongs, \
                 or measure without writing (`--dry-run`)",
                path.display(),
                mark(&name).trim(),
                END.trim()
            );
        }
        Ok(document)
    }

    /// Replaces the contents of a block; returns false if the document has no block of this name.
    /// Reads the file again first, so that changes made meanwhile are kept, and replaces the file
    /// atomically.
    ///
    /// # Errors
    /// If the marks of the file are no longer valid, or the file cannot be written.
    pub fn replace(&self, name: &str, contents: &str) -> Result<bool> {
        let mut text = self.read()?;
        let Some(block) = self.block(&text, name)? else {
            return Ok(false);
        };
        text.replace_range(block, contents);
        let next = self.path.with_extension("next");
        fs::write(&next, text)
            .and_then(|()| fs::rename(&next, &self.path))
            .with_context(|| format!("{} cannot be written", self.path.display()))?;
        Ok(true)
    }

    fn read(&self) -> Result<String> {
        let path = self.path.display();
        fs::read_to_string(&self.path).with_context(|| format!("{path} cannot be read"))
    }

    /// Returns the byte range between the marks of a block, or `None` without such a block.
    fn block(&self, text: &str, name: &str) -> Result<Option<Range<usize>>> {
        let (path, mark) = (self.path.display(), mark(name));
        let Some((before, rest)) = text.split_once(&mark) else {
            return Ok(None);
        };
        let line = mark.trim();
        ensure!(!rest.contains(&mark), "{path} has the line `{line}` twice");
        let end = rest.find(END);
        let next = rest.find("<!-- measured: ").unwrap_or(rest.len());
        let end = end.filter(|end| *end < next);
        let end = end.with_context(|| {
            format!(
                "{path}: the block `{line}` does not end: add a line `{}`",
                END.trim()
            )
        })?;
        let start = before.len() + mark.len();
        Ok(Some(start..start + end))
    }
}

/// Returns the line with which a block begins.
fn mark(name: &str) -> String {
    format!("<!-- measured: {name} -->\n")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const TEXT: &str = "# Title\n\n<!-- measured: steps -->\nold\n<!-- end -->\nBetween.\n\
        <!-- measured: steps cuda -->\n<!-- end -->\nafter, without a line's end";

    fn write(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("benchmarks.md");
        fs::write(&path, text).unwrap();
        (folder, path)
    }

    #[test]
    fn only_what_is_between_the_marks_is_replaced() {
        let (folder, path) = write(TEXT);
        let document = Document::open(&path, []).unwrap();
        fs::write(&path, format!("Written meanwhile.\n{TEXT}")).unwrap();
        assert!(document.replace("steps", "new\nlines\n").unwrap());
        assert!(document.replace("steps cuda", "card\n").unwrap());
        assert!(!document.replace("levels", "new\n").unwrap());
        let expected = TEXT.replace("\nold\n", "\nnew\nlines\n");
        let expected = expected.replace("cuda -->\n", "cuda -->\ncard\n");
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, format!("Written meanwhile.\n{expected}"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn the_file_is_replaced_whole() {
        let (_folder, path) = write(TEXT);
        let document = Document::open(&path, []).unwrap();
        let reader = fs::File::open(&path).unwrap();
        document.replace("steps", "new\n").unwrap();
        // A reader that opened the document before still reads the old text.
        assert_eq!(std::io::read_to_string(reader).unwrap(), TEXT);
    }

    #[test]
    fn faulty_marks_are_told_before_anything_is_measured() {
        let doubled = format!("{TEXT}\n<!-- measured: steps -->\n<!-- end -->\n");
        let nested = "<!-- measured: a -->\n<!-- measured: b -->\n<!-- end -->\n";
        for (text, name, expected) in [
            (TEXT, "levels", "has no line `<!-- measured: levels -->`"),
            (&doubled, "steps", "twice"),
            (nested, "a", "does not end: add a line `<!-- end -->`"),
        ] {
            let (_folder, path) = write(text);
            let fault = Document::open(&path, [(name.to_owned(), true)]).err();
            let fault = fault.unwrap().to_string();
            assert!(fault.contains(expected), "{fault}");
        }
        let (_folder, path) = write(TEXT);
        assert!(Document::open(&path, [("levels cuda".to_owned(), false)]).is_ok());
    }
}
