//! Errors in reading text and cutting text into tokens.

use std::path::PathBuf;

use crate::Shape;

/// Reason why a text cannot be read, or cut into tokens.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// The file is no SentencePiece model, or one that cannot be used.
    #[error("{name}: {reason}")]
    SentencePieceFile {
        /// Name of the file.
        name: String,
        /// Description of the fault, and advice.
        reason: String,
    },
    /// The vocabulary file cannot be used.
    #[error("{name}, line {line}: {reason}")]
    VocabularyFile {
        /// Name of the file.
        name: String,
        /// Number of the line, from 1.
        line: usize,
        /// Description of the fault, and advice.
        reason: String,
    },
    /// A browser cannot open files by path.
    #[error("a browser cannot open {path} by its path; drop or choose the file, or paste the text")]
    NoFileSystem {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file does not exist.
    #[error("{path}: there is no such file; {}", path_advice(path))]
    Missing {
        /// Path of the file.
        path: PathBuf,
    },
    /// The path is that of a folder.
    #[error("{path}: this is a folder; name a file in it")]
    Folder {
        /// Path of the file.
        path: PathBuf,
    },
    /// The system refuses to read the file.
    #[error("{path}: the file cannot be read ({reason}); check its permissions and its disk")]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        reason: std::io::Error,
    },
    /// The compressed data cannot be unpacked.
    #[error("{name}: the gzip data is broken ({reason}); copy or pack the file again")]
    BrokenGzip {
        /// Name of the file.
        name: String,
        /// Message of the decoder.
        reason: String,
    },
    /// The text is larger than the limit for texts in memory.
    #[error("{name}: the text is larger than {mebibytes} MiB; split it or take a part of it")]
    TooLarge {
        /// Name of the file.
        name: String,
        /// Largest size, in MiB.
        mebibytes: u64,
    },
    /// The text has bytes that are not UTF-8.
    #[error("{name}, line {line}: byte {byte} of the line is not UTF-8; {advice}")]
    NotUtf8 {
        /// Name of the file.
        name: String,
        /// Number of the line, from 1.
        line: usize,
        /// Number of the byte within the line, from 1.
        byte: usize,
        /// Likely encoding, and advice.
        advice: String,
    },
    /// The file is no text, but packed or a document.
    #[error("{name}: this file is {what}; {advice}")]
    Foreign {
        /// Name of the file.
        name: String,
        /// Kind of the file.
        what: String,
        /// Advice on how to convert the file.
        advice: String,
    },
    /// The text is in UTF-16 or UTF-32, but has no byte order mark.
    #[error(
        "{name}: this text looks like {encoding} without a byte order mark; convert it, for \
         example with `iconv -f {encoding} -t UTF-8`"
    )]
    Encoded {
        /// Name of the file.
        name: String,
        /// Name of the encoding as in iconv.
        encoding: String,
    },
    /// The text is not in the encoding that the byte order mark announces.
    #[error(
        "{name}, line {line}: this is not {encoding}, though the byte order mark of the file says \
         so; save the text as UTF-8"
    )]
    BrokenWide {
        /// Name of the file.
        name: String,
        /// Number of the line, from 1.
        line: usize,
        /// Name of the encoding.
        encoding: &'static str,
    },
    /// The lines of the text end in carriage returns only.
    #[error(
        "{name}: its lines end in carriage returns (`\\r`) alone, as on a Mac before 2001, so all of \
         it is one line; convert them, for example with `tr '\\r' '\\n'`"
    )]
    Returns {
        /// Name of the file.
        name: String,
    },
    /// Two files cannot be parallel, because they differ in their number of lines.
    #[error(
        "{source_name} has {source_lines} line{} and {target_name} has {target_lines}; line n of \
         the one must be the translation of line n of the other",
        plural(*source_lines)
    )]
    UnequalLines {
        /// Name of the file with source sentences.
        source_name: String,
        /// Number of lines in the file with source sentences.
        source_lines: usize,
        /// Name of the file with target sentences.
        target_name: String,
        /// Number of lines in the file with target sentences.
        target_lines: usize,
    },
    /// A line of a two-column file has only one column.
    #[error(
        "{name}, line {line}: no TAB between source and target{looks}; write both on each line \
         with a TAB between them, or name a second file as target"
    )]
    NoTab {
        /// Name of the file.
        name: String,
        /// Number of the line, from 1.
        line: usize,
        /// Likely format of the file, in parentheses; empty for plain text.
        looks: String,
    },
    /// A line has fewer columns than the lines before.
    #[error(
        "{name}, line {line}: there is no column {column}, which holds the target in the first \
         lines; write source TAB target on each line"
    )]
    NoColumn {
        /// Name of the file.
        name: String,
        /// Number of the line, from 1.
        line: usize,
        /// Number of the column, from 1.
        column: usize,
    },
    /// The level `jieba` needs a dictionary that this build lacks.
    #[error(
        "the level `jieba` needs a dictionary that this program was built without; use the \
         program in the terminal, or another level"
    )]
    NoJieba,
    /// No subwords can be learned from the text.
    #[error(
        "no subwords can be learned from this text ({reason}); choose another level, or raise \
         maximum_vocabulary"
    )]
    Subwords {
        /// Message of the library that learns subwords.
        reason: String,
    },
    /// A saved model of subwords is damaged.
    #[error("the subwords are damaged: {reason}")]
    DamagedSubwords {
        /// Description of the fault.
        reason: &'static str,
    },
    /// A saved vocabulary was not written by Strata.
    #[error(
        "the vocabulary does not begin with <pad> <s> </s> <unk>; it was not written by Strata"
    )]
    VocabularyWithoutSpecials,
    /// A saved vocabulary contains a token twice.
    #[error("the vocabulary holds the token `{token}` twice; it is damaged")]
    VocabularyDuplicate {
        /// Token that occurs twice.
        token: String,
    },
}

impl TextError {
    /// Returns the reason why a text could not be read: an error of unpacking or decoding as it is,
    /// any other as unreadable.
    pub fn of_reading(name: &str, reason: std::io::Error) -> Self {
        match reason.downcast::<Self>() {
            Ok(told) => told,
            Err(reason) => Self::Unreadable {
                path: name.into(),
                reason,
            },
        }
    }

    /// Returns the reason why a file could not be read: the file is missing, or unreadable.
    #[cfg(not(target_family = "wasm"))]
    pub fn unread(path: &std::path::Path, reason: std::io::Error) -> Self {
        let path = path.to_owned();
        match reason.kind() {
            std::io::ErrorKind::NotFound => Self::Missing { path },
            _ => Self::Unreadable { path, reason },
        }
    }

    /// Builds the error for a line without a TAB, in a file of this likely format.
    pub fn no_tab(name: &str, line: usize, shape: Option<Shape>) -> Self {
        let looks = |shape: Shape| format!(" (the file looks like {})", shape.what());
        Self::NoTab {
            name: name.to_owned(),
            line,
            looks: shape.map_or_else(String::new, looks),
        }
    }

    /// Builds an error from a message of the library that learns subwords.
    pub(crate) fn subwords(error: Box<dyn std::error::Error + Send + Sync>) -> Self {
        Self::Subwords {
            reason: error.to_string(),
        }
    }
}

/// Returns advice for a path at which there is no file.
pub fn path_advice(path: &std::path::Path) -> &'static str {
    match path.as_os_str().as_encoded_bytes() {
        [b'~', ..] => "no shell replaces the `~` here, so write the whole path",
        _ => "check the path, which counts from the current folder",
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
