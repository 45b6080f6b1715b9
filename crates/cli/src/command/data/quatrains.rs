//! `chinese-quatrains`: files that are made from whole collections of poems.
//!
//! A poem's paragraphs are joined, and brackets are deleted with their contents. The poem is kept
//! if it is a quatrain that has not come before, in the order of the collections: Tang, Song, Yuan,
//! Qing, Taiwan. The SHA-256 of each source is checked, and so is that of each file that is made.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;
use strata_poems::Poem;
use strata_tasks::corpora::{Corpus, CorpusFile, Origin, Packing};
use strata_training::write_atomically;

use super::download::Server;
use super::store::{self, partial, unwritable};
use crate::base::error::Error;

/// Name, length in bytes and SHA-256 of the files with the complete Tang and Song poems, in the
/// order in which they are read.
const COMPLETE: &str = include_str!("quatrains.txt");

/// Name, length in bytes and SHA-256 of the files of the other collections.
const OTHERS: [(&str, u64, &str); 3] = [
    (
        "yuan.all",
        2_953_745,
        "73608d494f2203fcd50cc981e61701e73cb5cf014438a875dcbbd5514a3546d4",
    ),
    (
        "qing.all",
        530_671,
        "b02416a05039a2fd93acf7c36c0d0d7de8f9a6b1c483e632c313c55be182c735",
    ),
    (
        "qtais_tab.txt",
        1_062_103,
        "999c2d25234505018082a7940c3b075fc68f6d6508694b547bc5521fd391825f",
    ),
];

/// Folder of the complete Tang and Song poems in a clone of their repository.
const FOLDER: &str = "全唐诗";

const FETCH_AGAIN: &str = "fetch it again, or name another server with `--mirror`";

/// Subfolder of the corpus's folder for downloaded sources.
const SOURCES: &str = ".sources";

/// Returns the collections from which the corpus is made, in order.
fn sources(corpus: &Corpus) -> Vec<CorpusFile> {
    let origin = |name: &str| -> Option<Origin> {
        let mut files = corpus.files.iter();
        files.find(|it| it.name == name).map(|it| it.origin)
    };
    let mut all = Vec::new();
    let mut add = |origin, (name, bytes, sha256): (&'static str, u64, &'static str)| {
        all.push(CorpusFile {
            name,
            origin,
            path: name,
            packing: Packing::Plain,
            bytes,
            sha256,
        });
    };
    if let Some(origin) = origin("traditional-7char.tsv") {
        for line in COMPLETE.lines() {
            let mut words = line.split(' ');
            let (Some(name), Some(bytes), Some(sha256)) =
                (words.next(), words.next(), words.next())
            else {
                continue;
            };
            add(origin, (name, bytes.parse().unwrap_or_default(), sha256));
        }
    }
    if let Some(origin) = origin("simplified-7char.tsv") {
        OTHERS.into_iter().for_each(|it| add(origin, it));
    }
    all
}

/// Fetches the missing sources, and makes these files of the corpus; `came` is called with the
/// number of bytes so far.
///
/// # Errors
/// If a source cannot be fetched or has other contents than the catalogue says. Sources that have
/// come are kept for the next call.
pub fn fetch(
    server: &Server,
    host: &str,
    corpus: &'static Corpus,
    files: &[&CorpusFile],
    folder: &Path,
    mut came: impl FnMut(u64),
) -> Result<(), Error> {
    let place = folder.join(SOURCES);
    fs::create_dir_all(&place).map_err(unwritable(&place))?;
    let sources = sources(corpus);
    let mut before = 0;
    for source in &sources {
        if !store::has(&place, source, corpus.name)? {
            // Address of the collection's folder in its repository.
            let mut files = corpus.files.iter();
            let of_origin = files.find(|it| it.origin == source.origin);
            let below = of_origin.map_or_else(|| host.to_owned(), |it| it.address(host));
            let address = format!("{below}/{}", source.name);
            let unfinished = partial(&place, source.name, "download");
            server.download(&address, source.bytes, &unfinished, corpus.name, |bytes| {
                came(before + bytes);
            })?;
            let kept = store::keep(&unfinished, &[source], &place, &address, FETCH_AGAIN);
            // The partial file is of no use for another attempt.
            drop(fs::remove_file(&unfinished));
            kept?;
        }
        before += source.bytes;
        came(before);
    }
    let paths: Vec<PathBuf> = sources.iter().map(|it| place.join(it.name)).collect();
    make(&paths, files, folder)?;
    fs::remove_dir_all(&place).map_err(unwritable(&place))
}

/// Makes these files of the corpus from the sources in a folder, where they lie side by side or in
/// clones of their repositories. Returns false if some sources are missing.
///
/// # Errors
/// If the sources have other contents than those of the corpus.
pub fn take(
    corpus: &'static Corpus,
    files: &[&CorpusFile],
    from: &Path,
    folder: &Path,
) -> Result<bool, Error> {
    let found = |source: &CorpusFile| -> Option<PathBuf> {
        let (_, repository) = source.origin.repository.split_once('/')?;
        let below = if source.name.ends_with(".json") {
            FOLDER
        } else {
            "data/raw"
        };
        let places = [
            from.join(source.name),
            from.join(below).join(source.name),
            from.join(repository).join(below).join(source.name),
        ];
        places.into_iter().find(|it| it.is_file())
    };
    let paths: Option<Vec<PathBuf>> = sources(corpus).iter().map(found).collect();
    match paths {
        Some(paths) => make(&paths, files, folder).map(|()| true),
        None => Ok(false),
    }
}

/// Makes these files from all sources, in order.
fn make(sources: &[PathBuf], files: &[&CorpusFile], folder: &Path) -> Result<(), Error> {
    let mut quatrains = Quatrains::default();
    for path in sources {
        let text = fs::read_to_string(path).map_err(Error::reading(path))?;
        let name = path.file_name().unwrap_or_default();
        quatrains.read(&name.to_string_lossy(), &text);
    }
    for file in files {
        let made = partial(folder, file.name, "made");
        let text = quatrains.text_of(file.name);
        write_atomically(&made, text.as_bytes()).map_err(unwritable(&made))?;
        let advice = "take the sources from the commit that `strata data list` names";
        let kept = store::keep(
            &made,
            &[file],
            folder,
            "what was made of the sources",
            advice,
        );
        // Either the file is in its place now, or it is of no use.
        drop(fs::remove_file(&made));
        kept?;
    }
    Ok(())
}

/// A poem in the complete Tang and Song poems.
#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    author: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    paragraphs: Vec<String>,
}

/// Lines of the files that are made.
#[derive(Default)]
struct Quatrains {
    seen: HashSet<Poem>,
    /// Texts of the files: of the complete Tang and Song poems, and of the others; each with lines
    /// of 5, and of 7.
    texts: [[String; 2]; 2],
}

impl Quatrains {
    /// Reads a source by its name. Entries of another form give no quatrain.
    fn read(&mut self, name: &str, text: &str) {
        match name {
            _ if name.ends_with(".json") => {
                let source = if name.starts_with("poet.tang.") {
                    "tang"
                } else {
                    "song"
                };
                let poems: Vec<Entry> = serde_json::from_str(text).unwrap_or_default();
                for poem in poems {
                    let [author, title] = [&poem.author, &poem.title].map(|it| words(it));
                    self.add(0, [source, &author, &title], &poem.paragraphs.concat());
                }
            }
            "qtais_tab.txt" => self.table(text, "taiwan", [1, 0, 2]),
            _ => self.table(text, name.split('.').next().unwrap_or(name), [1, 2, 3]),
        }
    }

    /// Reads a table with a header; `columns` are those of author, title and poem.
    fn table(&mut self, text: &str, source: &str, columns: [usize; 3]) {
        for line in text.lines().skip(1) {
            let cells: Vec<&str> = line.split('\t').collect();
            let [Some(author), Some(title), Some(body)] = columns.map(|at| cells.get(at)) else {
                continue;
            };
            let [author, title] = [author, title].map(|it| words(it));
            let title = if title.starts_with('《') {
                title.trim_matches(['《', '》']).trim()
            } else {
                &title
            };
            self.add(1, [source, &author, title], body);
        }
    }

    fn add(&mut self, collection: usize, columns: [&str; 3], text: &str) {
        let Ok(poem) = Poem::read(&without_brackets(text)) else {
            return;
        };
        let lines = poem.lines().zip(["，", "。", "，", "。"]);
        let line: String = lines
            .map(|(line, mark)| line.iter().collect::<String>() + mark)
            .collect();
        let place = usize::from(poem.length() == 7);
        if self.seen.insert(poem) {
            let text = &mut self.texts[collection][place];
            *text += &format!("{}\t{line}\n", columns.join("\t"));
        }
    }

    /// Returns the text of a file of the corpus.
    fn text_of(&self, name: &str) -> &str {
        let collection = usize::from(name.starts_with("simplified"));
        &self.texts[collection][usize::from(name.contains('7'))]
    }
}

/// Returns the words of a text with single spaces between them.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Deletes brackets that contain no other brackets, with their contents.
fn without_brackets(text: &str) -> String {
    static BRACKETS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new("[（(［\\[【][^（(［\\[【）)］\\]】]*[）)］\\]】]").expect("it is well-formed")
    });
    BRACKETS.replace_all(text, "").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_tasks::corpora;

    #[test]
    fn there_are_all_sources_of_both_repositories() {
        let corpus = corpora::find("chinese-quatrains").expect("the corpus");
        let sources = sources(corpus);
        assert_eq!(sources.len(), 316);
        let bytes: u64 = sources.iter().map(|it| it.bytes).sum();
        assert_eq!(bytes, corpus.transfer());
        assert!(
            sources
                .iter()
                .all(|it| it.sha256.len() == 64 && it.bytes > 0)
        );
    }

    #[test]
    fn quatrains_are_chosen_once_and_without_what_stands_in_brackets() {
        let mut made = Quatrains::default();
        made.read(
            "poet.tang.0.json",
            r#"[{"author":"王 之渙","title":"登 鸛雀樓","paragraphs":["白日依山盡，黃河入海流。","欲窮千里目，更上一層（一作重）樓。"]},
                {"author":"x","title":"again","paragraphs":["白日依山盡，黃河入海流。欲窮千里目，更上一層樓。"]},
                {"author":"x","title":"two lines","paragraphs":["白日依山盡，黃河入海流。"]},
                {"author":"x","title":"nested","paragraphs":["白日依山盡，黃河入海流。欲窮千里目，更上一層臺（一[二]）。"]}]"#,
        );
        made.read("poet.song.0.json", "no JSON");
        made.read(
            "yuan.all",
            "dynasty\tauthor\ttitle\tbody\n元\t王冕\t《素梅  五二 》\t六月一日天大热，清风忽地过江来。湿云挟得梅梁起，半夜飞空作怒雷。\n元\t王冕\n",
        );
        made.read(
            "qtais_tab.txt",
            "title\tauthor\tbody\n雨\t何借宜\t山山浮翠远，山山浮翠近。山山浮翠高，山山浮翠低。\n",
        );
        assert_eq!(
            made.text_of("traditional-5char.tsv"),
            "tang\t王 之渙\t登 鸛雀樓\t白日依山盡，黃河入海流。欲窮千里目，更上一層樓。\n"
        );
        assert_eq!(made.text_of("traditional-7char.tsv"), "");
        assert_eq!(
            made.text_of("simplified-7char.tsv"),
            "yuan\t王冕\t素梅 五二\t六月一日天大热，清风忽地过江来。湿云挟得梅梁起，半夜飞空作怒雷。\n"
        );
        assert!(
            made.text_of("simplified-5char.tsv")
                .starts_with("taiwan\t何借宜\t雨\t")
        );
    }
}
