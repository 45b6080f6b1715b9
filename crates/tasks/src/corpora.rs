//! Public corpora by name: descriptions, addresses of their files, and settings to train on them.
//!
//! This module has data only. A corpus names the repository and commit of its files, so that the
//! same bytes are always downloaded, and the SHA-256 of each file, so that no other bytes are
//! accepted.

mod alignment;
mod poems;
mod reading;
mod text;
mod translation;

/// A public corpus.
#[derive(Clone, Copy, Debug)]
pub struct Corpus {
    /// Name of the corpus on the command line.
    pub name: &'static str,
    /// Title of the corpus, a few words.
    pub title: &'static str,
    /// Purpose of the corpus.
    pub kind: CorpusKind,
    /// Languages of the corpus.
    pub languages: &'static str,
    /// Licence, and authors to credit.
    pub licence: &'static str,
    /// Recommended value of the setting `level`.
    pub level: &'static str,
    /// Recommended preset; may be empty.
    pub preset: &'static str,
    /// Note to read before the corpus is used; may be empty.
    pub note: &'static str,
    /// All files of the corpus.
    pub files: &'static [CorpusFile],
    /// Parts of the corpus: files that belong together.
    pub parts: &'static [CorpusPart],
}

/// Purpose of a corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorpusKind {
    /// Sentence pairs.
    Translation,
    /// Running text.
    LanguageModel,
    /// Sentence pairs whose words were linked by hand.
    Alignment,
    /// Questions, with texts that answer them.
    Reading,
    /// Quatrains.
    Poems,
}

/// A file of a corpus.
#[derive(Clone, Copy, Debug)]
pub struct CorpusFile {
    /// Name of the file in the corpus folder.
    pub name: &'static str,
    /// Repository and commit from which the file is downloaded.
    pub origin: Origin,
    /// Path in the repository of the file, or of the archive that contains it.
    pub path: &'static str,
    /// Packing of the file in the repository.
    pub packing: Packing,
    /// Unpacked length in bytes.
    pub bytes: u64,
    /// SHA-256 of the unpacked contents, in hexadecimal digits.
    pub sha256: &'static str,
}

/// A repository at one commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// `owner/name` on GitHub.
    pub repository: &'static str,
    /// Commit of the repository.
    pub commit: &'static str,
}

/// Packing of a file at its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Not packed, or a `.gz`, which readers unpack themselves.
    Plain,
    /// The file is in no repository: `strata data fetch` makes it from all files at the path.
    Made {
        /// Total length of the files at the path, in bytes.
        bytes: u64,
    },
    /// Member of a zip archive.
    Zip {
        /// Name of the file in the archive.
        member: &'static str,
        /// Length of the archive in bytes.
        bytes: u64,
    },
}

/// Files of a corpus that belong together.
#[derive(Clone, Copy, Debug)]
pub struct CorpusPart {
    /// Name of the part: `train`, `validation`, `test`, or another.
    pub name: &'static str,
    /// Name of the file with the text, or with the source sentences.
    pub source: &'static str,
    /// Name of the file with the target sentences, parallel line by line; `None` for a single text.
    pub target: Option<&'static str>,
}

/// Host from which files are downloaded, unless a mirror is named.
pub const HOST: &str = "https://raw.githubusercontent.com";

/// Returns all corpora, in the order in which they are listed.
pub fn all() -> impl Iterator<Item = &'static Corpus> {
    let groups = [
        translation::CORPORA,
        text::CORPORA,
        alignment::CORPORA,
        reading::CORPORA,
        poems::CORPORA,
    ];
    groups.into_iter().flatten()
}

/// Finds the corpus of this name.
pub fn find(name: &str) -> Option<&'static Corpus> {
    all().find(|corpus| corpus.name == name)
}

impl Corpus {
    /// Finds the part of this name.
    pub fn part(&self, name: &str) -> Option<&'static CorpusPart> {
        self.parts.iter().find(|part| part.name == name)
    }

    /// Number of bytes to download; an archive counts once, however many files it contains.
    pub fn transfer(&self) -> u64 {
        let mut paths = Vec::new();
        let mut bytes = 0;
        for file in self.files {
            if !paths.contains(&(file.origin, file.path)) {
                paths.push((file.origin, file.path));
                bytes += file.transfer();
            }
        }
        bytes
    }

    /// Settings that train on the corpus, as pairs of key and file; empty if no task reads the
    /// corpus.
    pub fn settings(&self) -> Vec<(&'static str, &'static str)> {
        let pairs = [
            ("train", "task.source", "task.target"),
            (
                "validation",
                "task.validation_source",
                "task.validation_target",
            ),
        ];
        // A single text has no target.
        let texts = [
            ("train", "task.source", ""),
            ("validation", "task.validation_source", ""),
            ("test", "task.test_source", ""),
        ];
        let (kind, names) = match self.kind {
            CorpusKind::Translation => ("files", &pairs[..]),
            CorpusKind::LanguageModel => ("text", &texts[..]),
            CorpusKind::Reading => ("reading", &texts[..2]),
            CorpusKind::Alignment | CorpusKind::Poems => return Vec::new(),
        };
        let mut settings = vec![("task.kind", kind)];
        if self.level != "word" {
            settings.push(("task.level", self.level));
        }
        for &(name, source, target) in names {
            let Some(part) = self.part(name) else {
                continue;
            };
            settings.push((source, part.source));
            settings.extend(part.target.map(|file| (target, file)));
        }
        settings
    }
}

impl CorpusFile {
    /// Address from which the file is downloaded, below `host`.
    pub fn address(&self, host: &str) -> String {
        let Origin { repository, commit } = self.origin;
        let host = host.trim_end_matches('/');
        format!("{host}/{repository}/{commit}/{}", self.path)
    }

    /// Number of bytes to download for this file.
    pub fn transfer(&self) -> u64 {
        match self.packing {
            Packing::Plain => self.bytes,
            Packing::Zip { bytes, .. } | Packing::Made { bytes } => bytes,
        }
    }

    /// True if the file is made from other files.
    pub fn is_made(&self) -> bool {
        matches!(self.packing, Packing::Made { .. })
    }

    /// Name under which a browser saves the downloaded file: the last part of its path. For a file
    /// that is made from others, its own name.
    pub fn downloaded_name(&self) -> &'static str {
        if self.is_made() {
            self.name
        } else {
            self.path.rsplit('/').next().unwrap_or(self.path)
        }
    }
}

/// Creates a file that is not packed at its origin.
const fn plain(
    origin: Origin,
    path: &'static str,
    name: &'static str,
    bytes: u64,
    sha256: &'static str,
) -> CorpusFile {
    CorpusFile {
        name,
        origin,
        path,
        packing: Packing::Plain,
        bytes,
        sha256,
    }
}

/// Creates a part of two files, parallel line by line.
const fn pair(name: &'static str, source: &'static str, target: &'static str) -> CorpusPart {
    CorpusPart {
        name,
        source,
        target: Some(target),
    }
}

/// Creates a part of a single file.
const fn single(name: &'static str, source: &'static str) -> CorpusPart {
    CorpusPart {
        name,
        source,
        target: None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeSet;

    use super::*;
    use strata_text::TokenUnit;

    #[test]
    fn names_and_files_are_distinct_and_parts_name_files() {
        let names: BTreeSet<&str> = all().map(|corpus| corpus.name).collect();
        assert_eq!(names.len(), all().count());
        for corpus in all() {
            assert!(!names.contains("") && !corpus.files.is_empty());
            let files: BTreeSet<&str> = corpus.files.iter().map(|file| file.name).collect();
            assert_eq!(files.len(), corpus.files.len(), "{}", corpus.name);
            for part in corpus.parts {
                for name in std::iter::once(part.source).chain(part.target) {
                    assert!(files.contains(name), "{}: {name}", corpus.name);
                }
            }
            assert_eq!(find(corpus.name).unwrap().title, corpus.title);
            let mut levels = TokenUnit::OPTIONS.iter();
            assert!(levels.any(|it| it.name == corpus.level), "{}", corpus.name);
        }
    }

    /// A name becomes a path on somebody's disk, a checksum is compared as text.
    #[test]
    fn names_stay_in_their_folder_and_checksums_are_whole() {
        let hexadecimal = |text: &str, digits: usize| {
            text.len() == digits && text.bytes().all(|it| b"0123456789abcdef".contains(&it))
        };
        for corpus in all() {
            for file in corpus.files {
                let plain = |it: u8| it.is_ascii_alphanumeric() || b"._-".contains(&it);
                assert!(file.name.bytes().all(plain) && !file.name.starts_with('.'));
                assert!(hexadecimal(file.sha256, 64), "{}", file.name);
                assert!(hexadecimal(file.origin.commit, 40), "{}", file.name);
            }
        }
    }

    #[test]
    fn an_archive_is_transferred_once() {
        let corpus = find("fra-eng-tatoeba").unwrap();
        assert_eq!(corpus.files.len(), 2);
        assert_eq!(corpus.transfer(), corpus.files[0].transfer());
        let address = corpus.files[0].address("http://127.0.0.1:80/");
        assert!(
            address.starts_with("http://127.0.0.1:80/genimind/seq2seq/"),
            "{address}"
        );
        assert_eq!(corpus.files[0].downloaded_name(), "fra-eng.zip");
    }

    #[test]
    fn settings_name_the_files_of_the_parts() {
        let settings = find("multi30k").unwrap().settings();
        let expected = [
            ("task.kind", "files"),
            ("task.level", "punctuation"),
            ("task.source", "train.de.gz"),
            ("task.target", "train.en.gz"),
            ("task.validation_source", "val.de.gz"),
            ("task.validation_target", "val.en.gz"),
        ];
        assert_eq!(settings, expected);
        let settings = find("chinese-squad-style").unwrap().settings();
        let expected = [
            ("task.kind", "reading"),
            ("task.source", "DRCD_dev.json"),
            ("task.validation_source", "DRCD_test.json"),
        ];
        assert_eq!(settings, expected);
        assert!(find("word-alignment").unwrap().settings().is_empty());
    }
}
