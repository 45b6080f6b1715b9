//! Document with blocks: text between the lines `<!-- measured: NAME -->` and `<!-- end -->` is
//! written by this program, everything else by hand.

use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

const END: &str = "<!-- end -->";
const BEGINNING: &str = "<!-- measured: ";

/// A Markdown file with blocks.
pub struct Document {
    path: PathBuf,
}

impl Document {
    /// Opens the document and checks, before anything is measured, that it has each of the named
    /// blocks once; a block whose flag is false may be missing.
    ///
    /// # Errors
    /// A sentence on a mark that is missing or occurs twice.
    pub fn open(path: &Path, names: impl IntoIterator<Item = (String, bool)>) -> Result<Self> {
        let document = Self {
            path: path.to_owned(),
        };
        let text = document.read()?;
        for (name, is_required) in names {
            let block = document.block(&text, &name)?;
            ensure!(
                block.is_some() || !is_required,
                "{} has no line `{}`: add it and a line `{END}` where the table of that name shall stand, or \
                 measure without writing (`--dry-run`)",
                path.display(),
                mark(&name)
            );
        }
        Ok(document)
    }

    /// Replaces the contents of a block; returns false if the document has no block of this name.
    /// The file is read again first, so that changes made meanwhile are kept, and replaced
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
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let next = self.path.with_file_name(format!(".{name}.next"));
        fs::write(&next, text)
            .and_then(|()| fs::rename(&next, &self.path))
            .inspect_err(|_| drop(fs::remove_file(&next)))
            .with_context(|| format!("{} cannot be written", self.path.display()))?;
        Ok(true)
    }

    fn read(&self) -> Result<String> {
        let path = self.path.display();
        fs::read_to_string(&self.path).with_context(|| format!("{path} cannot be read"))
    }

    /// Returns the byte range between the marks of a block, if the text has a block of this name.
    fn block(&self, text: &str, name: &str) -> Result<Option<Range<usize>>> {
        let (path, mark) = (self.path.display(), mark(name));
        let mut begins = None;
        let mut place = 0;
        let mut block = None;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            let number = index + 1;
            let (start, trimmed) = (place, line.trim());
            place += line.len();
            match begins {
                Some((first, from)) if block.is_none() => {
                    if trimmed == END {
                        block = Some((first, from..start));
                    } else if trimmed.starts_with(BEGINNING) {
                        bail!(
                            "{path}: the block that begins with `{mark}` in line {first} does not end before \
                             the next one in line {number}: add a line `{END}` where it shall end"
                        );
                    }
                }
                _ => {}
            }
            if trimmed == mark {
                if let Some((first, _)) = begins {
                    bail!(
                        "{path} has the line `{mark}` twice, in lines {first} and {number}: remove one of the \
                         two blocks, for only one can be written"
                    );
                }
                begins = Some((number, place));
            }
        }
        match (begins, block) {
            (Some((first, _)), None) => bail!(
                "{path}: the block that begins with `{mark}` in line {first} does not end: add a line `{END}` \
                 where it shall end"
            ),
            (_, block) => Ok(block.map(|(_, bytes)| bytes)),
        }
    }
}

/// Returns the line with which a block begins.
fn mark(name: &str) -> String {
    format!("{BEGINNING}{name} -->")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const TEXT: &str = "# Title\n\n<!-- measured: steps -->\nold\n<!-- end -->\r\nBetween `<!-- end -->`.\n\
        <!-- measured: steps cuda -->\n<!-- end -->\nafter, without a line's end";

    fn place(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("benchmarks.md");
        fs::write(&path, text).unwrap();
        (folder, path)
    }

    fn open(text: &str, names: &[&str]) -> Result<Document> {
        let (_folder, path) = place(text);
        Document::open(&path, names.iter().map(|name| ((*name).to_owned(), true)))
    }

    fn sentence(text: &str, names: &[&str]) -> String {
        open(text, names).err().unwrap().to_string()
    }

    #[test]
    fn only_what_is_between_the_marks_is_replaced() {
        let (folder, path) = place(TEXT);
        let document = Document::open(&path, []).unwrap();
        assert!(document.replace("steps", "new\nlines\n").unwrap());
        assert!(document.replace("steps cuda", "card\n").unwrap());
        let text = fs::read_to_string(&path).unwrap();
        let expected = TEXT.replace("\nold\n", "\nnew\nlines\n");
        let expected = expected.replace("cuda -->\n", "cuda -->\ncard\n");
        assert_eq!(text, expected);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn the_file_is_replaced_whole() {
        use std::os::unix::fs::MetadataExt;
        let (_folder, path) = place(TEXT);
        let document = Document::open(&path, []).unwrap();
        let before = fs::metadata(&path).unwrap().ino();
        let reader = fs::File::open(&path).unwrap();
        document.replace("steps", "new\n").unwrap();
        assert_ne!(fs::metadata(&path).unwrap().ino(), before);
        // A reader that had opened the document before still reads its old text.
        assert_eq!(std::io::read_to_string(reader).unwrap(), TEXT);
    }

    #[test]
    fn a_missing_mark_is_told_with_what_to_do() {
        let sentence = sentence(TEXT, &["steps", "levels"]);
        for part in [
            "benchmarks.md has no line `<!-- measured: levels -->`",
            "add it",
            "--dry-run",
        ] {
            assert!(sentence.contains(part), "{sentence}");
        }
        let (_folder, path) = place(TEXT);
        let document = Document::open(&path, [("levels cuda".to_owned(), false)]).unwrap();
        assert!(!document.replace("levels cuda", "new\n").unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), TEXT);
    }

    #[test]
    fn a_doubled_mark_is_told_with_both_places() {
        let text = format!("{TEXT}\n<!-- measured: steps -->\n<!-- end -->\n");
        let sentence = sentence(&text, &["steps"]);
        assert!(sentence.contains("twice, in lines 3 and 10"), "{sentence}");
    }

    #[test]
    fn a_block_that_does_not_end_is_told() {
        let next = "<!-- measured: a -->\n| x |\n<!-- measured: b -->\n<!-- end -->\n";
        assert!(
            sentence(next, &["a"]).contains("in line 1 does not end before the next one in line 3")
        );
        assert!(
            sentence("<!-- measured: a -->\n| x |\n", &["a"])
                .contains("in line 1 does not end: add")
        );
        assert!(open(next, &["b"]).is_ok());
    }

    #[test]
    fn what_people_wrote_meanwhile_stays() {
        let (_folder, path) = place(TEXT);
        let document = Document::open(&path, []).unwrap();
        fs::write(&path, format!("First.\n{TEXT}")).unwrap();
        document.replace("steps", "new\n").unwrap();
        assert!(
            fs::read_to_string(&path)
                .unwrap()
                .starts_with("First.\n# Title")
        );
    }
}
