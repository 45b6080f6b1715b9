//! What can go wrong with corpora, each said in a sentence.

use std::path::PathBuf;

use crate::format::counted;

/// Why a corpus cannot be fetched, read or counted.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A name that the catalogue has not.
    #[error("there is no corpus `{name}`; {advice}")]
    NoSuchCorpus {
        /// What was typed.
        name: String,
        /// What may have been meant.
        advice: String,
    },
    /// Nobody is there to agree to a download.
    #[error(
        "nothing was fetched, since nobody can be asked here; read the licence above, and agree \
         with `--yes`"
    )]
    Unasked,
    /// A file of the corpus' name that is something else.
    #[error(
        "{path}: this is not the file of the corpus `{corpus}` (its SHA-256 is another), and it is \
         not overwritten; move it away, or name another folder with `--to`"
    )]
    OtherFile {
        /// The file.
        path: PathBuf,
        /// The corpus.
        corpus: &'static str,
    },
    /// Bytes that are not those of the catalogue.
    #[error(
        "{from}: `{name}` has the SHA-256 {found} where {expected} was expected, so nothing of it \
         was kept; {advice}"
    )]
    Checksum {
        /// An address or a path.
        from: String,
        /// The file of the corpus.
        name: &'static str,
        /// What came.
        found: String,
        /// What the catalogue says.
        expected: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// More bytes than the catalogue says.
    #[error(
        "{from}: `{name}` is longer than the {bytes} bytes of the catalogue, so nothing of it was \
         kept; {advice}"
    )]
    TooLong {
        /// An address or a path.
        from: String,
        /// The file of the corpus.
        name: &'static str,
        /// What the catalogue says.
        bytes: u64,
        /// What to do.
        advice: &'static str,
    },
    /// A server that cannot be reached or does not give the file.
    #[error(
        "{address}: {reason}; {advice}, or fetch the files by hand from the addresses above into a \
         folder and run `strata data fetch {corpus} --from FOLDER`"
    )]
    Unreachable {
        /// What was asked for.
        address: String,
        /// Why it did not come.
        reason: String,
        /// What to try.
        advice: &'static str,
        /// The corpus.
        corpus: &'static str,
    },
    /// Files that are not where they were said to be.
    #[error(
        "{folder}: {missing} of {all} files are not there: {names}; fetch them from the addresses \
         above and put them into this folder, each by the name at the end of its address"
    )]
    NotThere {
        /// The folder that was named.
        folder: PathBuf,
        /// How many are missing.
        missing: usize,
        /// How many there should be.
        all: usize,
        /// Their names.
        names: String,
    },
    /// An archive that cannot be unpacked.
    #[error("{path}: the archive cannot be unpacked ({reason}); fetch it again")]
    BrokenArchive {
        /// The archive.
        path: PathBuf,
        /// What the reader says.
        reason: String,
    },
    /// Another program at work on the same file.
    #[error("{path}: another program is fetching this file; wait for it, or end it")]
    Busy {
        /// The unfinished file.
        path: PathBuf,
    },
    /// A corpus that was not fetched yet.
    #[error(
        "{path}: the corpus `{name}` is not here; bring it with `strata data fetch {name}`, or say \
         where it lies with `--in FOLDER`"
    )]
    NotFetched {
        /// The first file that is missing.
        path: PathBuf,
        /// The corpus.
        name: &'static str,
    },
    /// A corpus without text to count.
    #[error(
        "the corpus `{name}` has no lines of text to count: {title}; name a file of it to look at"
    )]
    NothingToCount {
        /// The corpus.
        name: &'static str,
        /// What it is.
        title: &'static str,
    },
    /// More files than two sides.
    #[error(
        "{count} files were named, but a corpus has one (text, or two columns) or two (source and \
         target); name others with `--validation` or `--test`"
    )]
    TooManyFiles {
        /// How many.
        count: usize,
    },
    /// Nothing to look at.
    #[error("name a file, two files, or a corpus of `strata data list`")]
    Nothing,
    /// Settings of a task without files.
    #[error(
        "the task `{task}` makes its sentences itself and has no files to look at; set \
         `task.kind=files` and `task.source`"
    )]
    NoFiles {
        /// Its name.
        task: &'static str,
    },
    /// Files of different length.
    #[error(
        "{source_path} has {} and {target_path} has {target_lines}; line n of \
         the one must be the translation of line n of the other",
        counted(*source_lines, "line")
    )]
    UnequalLines {
        /// The file of the source side.
        source_path: PathBuf,
        /// Its lines.
        source_lines: u64,
        /// The file of the target side.
        target_path: PathBuf,
        /// Its lines.
        target_lines: u64,
    },
    /// One side against two.
    #[error(
        "{left} and {right} cannot be compared: the one has sentence pairs, the other one text; \
         name files of the same form"
    )]
    UnlikeForms {
        /// A file.
        left: PathBuf,
        /// A file.
        right: PathBuf,
    },
    /// A line that has too few columns.
    #[error(
        "{path}, line {line}: no {separator} between source and target; write both on each line, \
         or name two files"
    )]
    NoColumns {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: u64,
        /// `TAB` or `|||`.
        separator: &'static str,
    },
    /// Bytes that are not UTF-8, where they are to be written again.
    #[error("{path}, line {line}: it is not UTF-8; convert the file (for example with iconv)")]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: u64,
    },
    /// A line longer than any sentence.
    #[error("{path}, line {line}: the line is longer than {mebibytes} MiB; this is no text")]
    EndlessLine {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: u64,
        /// The limit.
        mebibytes: usize,
    },
    /// A result that would take the place of what it is made from.
    #[error("{path}: this is the file that is read; name another folder with `--out`")]
    OntoItself {
        /// The file.
        path: PathBuf,
    },
    /// A result that is there already.
    #[error("{path}: this file is there already, and it is not overwritten; name another folder")]
    Exists {
        /// The file.
        path: PathBuf,
    },
}
