//! Public corpora by name: what they are, where their files lie, and how to train on them.
//!
//! Data only. A corpus names the repository and commit that its files are taken from, so that the
//! same bytes come for ever, and the SHA-256 of each file, so that nothing else is taken for them.

mod alignment;
mod reading;
mod text;
mod translation;

/// A public corpus.
#[derive(Clone, Copy, Debug)]
pub struct Corpus {
    /// What to call it on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// What it is for.
    pub kind: CorpusKind,
    /// The languages in it.
    pub languages: &'static str,
    /// Under which terms it may be used, and whom to name.
    pub licence: &'static str,
    /// How its text is best cut into tokens, as the setting `level` names it.
    pub level: &'static str,
    /// The preset that goes with it; may be empty.
    pub preset: &'static str,
    /// What to know before using it; may be empty.
    pub note: &'static str,
    /// All files.
    pub files: &'static [CorpusFile],
    /// Which files belong together.
    pub parts: &'static [CorpusPart],
}

/// What a corpus is for.
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
}

/// A file of a corpus.
#[derive(Clone, Copy, Debug)]
pub struct CorpusFile {
    /// Its name in the folder of the corpus.
    pub name: &'static str,
    /// Where it comes from.
    pub origin: Origin,
    /// Its path there, or that of the archive that holds it.
    pub path: &'static str,
    /// How it lies there.
    pub packing: Packing,
    /// Its length, unpacked.
    pub bytes: u64,
    /// SHA-256 of its contents, unpacked, in hexadecimal digits.
    pub sha256: &'static str,
}

/// A repository at one commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// `owner/name` on GitHub.
    pub repository: &'static str,
    /// The commit.
    pub commit: &'static str,
}

/// How a file lies at its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// As it is used (which may be `.gz`: readers unpack that themselves).
    Plain,
    /// As a member of a zip archive.
    Zip {
        /// Its name in the archive.
        member: &'static str,
        /// The length of the archive.
        bytes: u64,
    },
}

/// Files that belong together.
#[derive(Clone, Copy, Debug)]
pub struct CorpusPart {
    /// `train`, `validation`, `test`, or what sets it apart from the others.
    pub name: &'static str,
    /// The text, or its source side.
    pub source: &'static str,
    /// Its target side, line by line.
    pub target: Option<&'static str>,
}

/// Where files are fetched from, unless a mirror is named.
pub const HOST: &str = "https://raw.githubusercontent.com";

/// All corpora, in the order in which to list them.
pub fn all() -> impl Iterator<Item = &'static Corpus> {
    let groups = [
        translation::CORPORA,
        text::CORPORA,
        alignment::CORPORA,
        reading::CORPORA,
    ];
    groups.into_iter().flatten()
}

/// The corpus of this name.
pub fn find(name: &str) -> Option<&'static Corpus> {
    all().find(|corpus| corpus.name == name)
}

impl Corpus {
    /// The part of this name.
    pub fn part(&self, name: &str) -> Option<&'static CorpusPart> {
        self.parts.iter().find(|part| part.name == name)
    }

    /// How much comes through the line: an archive counts once, however many files it holds.
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

    /// The settings that train on it, `key=file`; none if no task reads it.
    pub fn settings(&self) -> Vec<(&'static str, &'static str)> {
        let pairs = [
            ("train", "task.source", "task.target"),
            (
                "validation",
                "task.validation_source",
                "task.validation_target",
            ),
        ];
        // A text has no target.
        let texts = [
            ("train", "task.source", ""),
            ("validation", "task.validation_source", ""),
            ("test", "task.test_source", ""),
        ];
        let (kind, names) = match self.kind {
            CorpusKind::Translation => ("files", &pairs[..]),
            CorpusKind::LanguageModel => ("text", &texts[..]),
            CorpusKind::Alignment | CorpusKind::Reading => return Vec::new(),
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
    /// Where it is fetched from, below `host`.
    pub fn address(&self, host: &str) -> String {
        let Origin { repository, commit } = self.origin;
        let host = host.trim_end_matches('/');
        format!("{host}/{repository}/{commit}/{}", self.path)
    }

    /// Number of bytes that come through the line.
    pub fn transfer(&self) -> u64 {
        match self.packing {
            Packing::Plain => self.bytes,
            Packing::Zip { bytes, .. } => bytes,
        }
    }

    /// The last name of its path: what a browser calls the file that it saves.
    pub fn downloaded_name(&self) -> &'static str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }
}

/// A file that lies at its origin as it is used.
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

/// Two files, line by line.
const fn pair(name: &'static str, source: &'static str, target: &'static str) -> CorpusPart {
    CorpusPart {
        name,
        source,
        target: Some(target),
    }
}

/// One file.
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
    use crate::TokenUnit;

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
        assert!(find("word-alignment").unwrap().settings().is_empty());
    }
}
