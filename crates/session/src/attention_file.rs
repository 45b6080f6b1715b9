//! Attention files: tokens and attention weights of sentences, written by any program.
//!
//! `docs/attention-files.md` describes the format, as JSON and as safetensors. `strata translate
//! --attention FILE.json` writes the same JSON. The reader checks sizes before storing anything: a
//! file takes at most [`MOST_BYTES`], and memory in proportion to the file.

mod bounded;
mod error;
mod sources;
mod tensors;

use std::collections::HashSet;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

pub use error::AttentionFileError;
pub use sources::TokenSources;

/// Largest file, in bytes.
pub const MOST_BYTES: usize = 64 << 20;
/// Most sentences of a file.
pub const MOST_SENTENCES: usize = 10_000;
/// Most sites of a sentence.
pub const MOST_SITES: usize = 1_000;
/// Most tokens on one side of a sentence.
pub const MOST_TOKENS: usize = 20_000;
/// Most levels of a site, and most heads of a level.
pub const MOST_PARTS: usize = 1_000;
/// Bytes at the beginning of a file in which the name of the format is looked for.
const NEAR_BEGINNING: usize = 1 << 20;
/// Name of the format.
pub const FORMAT: &str = "strata-attention";
/// Version of the format.
pub const VERSION: u64 = 1;

/// Attention of a sentence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SentenceAttention {
    /// Tokens of the source; empty if the file has none.
    pub source: Vec<String>,
    /// Tokens of the target; empty if the file has none.
    pub target: Vec<String>,
    /// Attention of each site, in the order of the file.
    pub sites: Vec<SiteAttention>,
}

/// Attention weights of a site.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteAttention {
    /// Name of the site, such as `encoder.0.self`.
    pub name: String,
    /// Tokens of the queries.
    pub rows: Vec<String>,
    /// Tokens of the keys.
    pub columns: Vec<String>,
    /// Number of each level, from 1; one for a mechanism without levels.
    pub levels: Vec<u64>,
    /// Number of heads.
    pub heads: usize,
    /// Weights `[levels, heads, rows, columns]`, row by row.
    pub weights: Vec<f32>,
}

/// True if a file seems to be an attention file, whole or damaged: the file names the format near
/// the beginning, or is a list with `sites`. Checkpoints and texts are no attention files.
pub fn is_one(bytes: &[u8]) -> bool {
    let beginning = &bytes[..bytes.len().min(NEAR_BEGINNING)];
    let has = |name: &str| {
        let name = format!("\"{name}\"");
        beginning
            .windows(name.len())
            .any(|it| it == name.as_bytes())
    };
    let first = beginning.iter().find(|it| !it.is_ascii_whitespace());
    has(FORMAT) || first == Some(&b'[') && has("sites")
}

/// Reads an attention file, as JSON or as safetensors.
///
/// # Errors
/// If the file is too large, of another format or a newer version, or sizes or weights are wrong.
pub fn read(bytes: &[u8]) -> Result<Vec<SentenceAttention>, AttentionFileError> {
    if bytes.len() > MOST_BYTES {
        return Err(AttentionFileError::TooLarge);
    }
    let first = bytes.iter().find(|it| !it.is_ascii_whitespace());
    match first {
        // The first eight bytes of safetensors are a length, after which the header begins.
        Some(b'[' | b'{')
            if bytes.get(8) != Some(&b'{')
                || serde_json::from_slice::<IgnoredAny>(bytes).is_ok() =>
        {
            let file: File =
                serde_json::from_slice(bytes).map_err(|it| AttentionFileError::json(&it))?;
            let sentences = file.sentences.into_iter().zip(1..);
            sentences.map(|(it, at)| it.checked(at)).collect()
        }
        Some(_) if bytes.get(8) == Some(&b'{') => tensors::read(bytes),
        Some(b'[' | b'{') | Some(_) | None => Err(AttentionFileError::Unknown),
    }
}

/// File as written: a list of sentences, or an object that names format and version.
struct File {
    sentences: Vec<Sentence>,
}

impl<'de> Deserialize<'de> for File {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(FileVisitor)
    }
}

struct FileVisitor;

impl<'de> Visitor<'de> for FileVisitor {
    type Value = File;

    fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("a list of sentences, or an object with `format`, `version` and `sentences`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<File, A::Error> {
        let sentences = bounded::list::<_, _, MOST_SENTENCES>(seq)?;
        Ok(File { sentences })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<File, A::Error> {
        let (mut format, mut version, mut sentences) = (None, None, None);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "format" => format = Some(map.next_value::<String>()?),
                "version" => version = Some(map.next_value::<u64>()?),
                "sentences" => sentences = Some(map.next_value::<Sentences>()?.0),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        check_format(format.as_deref(), version).map_err(A::Error::custom)?;
        let sentences = sentences.ok_or_else(|| A::Error::missing_field("sentences"))?;
        Ok(File { sentences })
    }
}

/// Checks name and version of the format.
fn check_format(format: Option<&str>, version: Option<u64>) -> Result<(), String> {
    if format != Some(FORMAT) {
        return Err(format!("`format` is not \"{FORMAT}\""));
    }
    match version {
        Some(1..=VERSION) => Ok(()),
        Some(newer) => Err(format!(
            "`version` is {newer}, and {VERSION} is the newest known one"
        )),
        None => Err("`version` is missing".to_owned()),
    }
}

#[derive(Deserialize)]
struct Sentences(#[serde(deserialize_with = "bounded::sentences")] Vec<Sentence>);

#[derive(Deserialize)]
struct Sentence {
    #[serde(default, alias = "question", deserialize_with = "bounded::tokens")]
    source: Vec<String>,
    #[serde(default, alias = "passage", deserialize_with = "bounded::tokens")]
    target: Vec<String>,
    #[serde(deserialize_with = "bounded::sites")]
    sites: Vec<Site>,
}

#[derive(Deserialize)]
struct Site {
    site: String,
    #[serde(deserialize_with = "bounded::tokens")]
    rows: Vec<String>,
    #[serde(deserialize_with = "bounded::tokens")]
    columns: Vec<String>,
    #[serde(default, deserialize_with = "bounded::parts")]
    levels: Vec<Level>,
    /// In place of `levels`, for a mechanism without levels.
    #[serde(default)]
    heads: bounded::Matrices,
}

#[derive(Deserialize)]
struct Level {
    level: u64,
    heads: bounded::Matrices,
}

impl Sentence {
    /// Checks the sentence of this number, from 1.
    fn checked(self, sentence: usize) -> Result<SentenceAttention, AttentionFileError> {
        check_names(sentence, &self.sites)?;
        let sites = self.sites.into_iter();
        Ok(SentenceAttention {
            source: self.source,
            target: self.target,
            sites: sites
                .map(|it| it.checked(sentence))
                .collect::<Result<_, _>>()?,
        })
    }
}

/// Refuses two sites of one name. Of safetensors, each would be a copy of the same tensor, so that a
/// small file would take much memory.
fn check_names(sentence: usize, sites: &[Site]) -> Result<(), AttentionFileError> {
    let mut known = HashSet::new();
    match sites.iter().find(|it| !known.insert(it.site.as_str())) {
        None => Ok(()),
        Some(twice) => Err(AttentionFileError::Sizes {
            sentence,
            site: bounded::shortened(&twice.site),
            reason: "another site has the same name; give each site a name of its own".to_owned(),
        }),
    }
}

impl Site {
    fn checked(self, sentence: usize) -> Result<SiteAttention, AttentionFileError> {
        let Self {
            site,
            rows,
            columns,
            mut levels,
            heads,
        } = self;
        if levels.is_empty() {
            levels.push(Level { level: 1, heads });
        }
        let wrong = |reason: String| AttentionFileError::Sizes {
            sentence,
            site: bounded::shortened(&site),
            reason,
        };
        let count = levels[0].heads.count;
        let mut weights = Vec::new();
        for Level { level, heads } in &levels {
            if heads.count != count || count == 0 {
                return Err(wrong(format!(
                    "level {level} has {} heads, and level {} has {count}; all levels have the same heads, at least one",
                    heads.count, levels[0].level
                )));
            }
            heads
                .check(rows.len(), columns.len())
                .map_err(|reason| wrong(format!("level {level}: {reason}")))?;
            weights.extend_from_slice(&heads.weights);
        }
        let numbers: Vec<u64> = levels.iter().map(|it| it.level).collect();
        SiteAttention {
            name: site,
            rows,
            columns,
            levels: numbers,
            heads: count,
            weights,
        }
        .checked(sentence)
    }
}

impl SiteAttention {
    /// Checks the weights, whose number is right, of a site of the sentence of this number, from 1.
    fn checked(self, sentence: usize) -> Result<Self, AttentionFileError> {
        let wrong = self
            .weights
            .iter()
            .find(|it| !(it.is_finite() && **it >= 0.0));
        match wrong {
            None => Ok(self),
            Some(&weight) => Err(AttentionFileError::Weight {
                sentence,
                site: bounded::shortened(&self.name),
                weight,
            }),
        }
    }
}

#[cfg(test)]
mod tests;
