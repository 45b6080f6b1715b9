//! Errors in corpora and their downloads.

use std::path::PathBuf;

use crate::display::format::counted;

/// Reason why a corpus cannot be fetched, read or counted, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A name that no corpus of the catalogue has.
    #[error("there is no corpus `{name}`; {advice}")]
    NoSuchCorpus {
        /// The given name.
        name: String,
        /// Names that may have been meant.
        advice: String,
    },
    /// A download without a terminal in which the user could agree.
    #[error(
        "nothing was fetched, since nobody can be asked here; read the licence above, and agree \
         with `--yes`"
    )]
    Unasked,
    /// A file that has the name, but not the contents, of a corpus file.
    #[error(
        "{path}: this is not the file of the corpus `{corpus}` (its SHA-256 is another), and it is \
         not overwritten; move it away, or name another folder with `{option}`"
    )]
    OtherFile {
        /// The file.
        path: PathBuf,
        /// The corpus.
        corpus: &'static str,
        /// Option of the command that names the folder.
        option: &'static str,
    },
    /// A download whose SHA-256 is not that of the catalogue.
    #[error(
        "{from}: `{name}` has the SHA-256 {found} where {expected} was expected, so nothing of it \
         was kept; {advice}"
    )]
    Checksum {
        /// Address or path of the download.
        from: String,
        /// The file of the corpus.
        name: &'static str,
        /// SHA-256 of the download.
        found: String,
        /// SHA-256 in the catalogue.
        expected: &'static str,
        /// Advice to the user.
        advice: &'static str,
    },
    /// A download that is longer than the catalogue says.
    #[error(
        "{from}: `{name}` is longer than the {bytes} bytes of the catalogue, so nothing of it was \
         kept; {advice}"
    )]
    TooLong {
        /// Address or path of the download.
        from: String,
        /// The file of the corpus.
        name: &'static str,
        /// Number of bytes in the catalogue.
        bytes: u64,
        /// Advice to the user.
        advice: &'static str,
    },
    /// A server that cannot be reached, or does not serve the file.
    #[error(
        "{address}: {reason}; {advice}, or fetch the files by hand from the addresses above into a \
         folder and run `strata data fetch {corpus} --from FOLDER`"
    )]
    Unreachable {
        /// Requested address.
        address: String,
        /// Reason of the failure.
        reason: String,
        /// Advice to the user.
        advice: &'static str,
        /// The corpus.
        corpus: &'static str,
    },
    /// Files that are missing in the folder of `--from`.
    #[error(
        "{folder}: {missing} of {all} files are not there: {names}; fetch them from the addresses \
         above and put them into this folder, each by the name at the end of its address"
    )]
    NotThere {
        /// The given folder.
        folder: PathBuf,
        /// Number of missing files.
        missing: usize,
        /// Number of files of the corpus.
        all: usize,
        /// Names of the missing files.
        names: String,
    },
    /// An archive that cannot be unpacked.
    #[error("{path}: the archive cannot be unpacked ({reason}); fetch it again")]
    BrokenArchive {
        /// The archive.
        path: PathBuf,
        /// Message of the unpacker.
        reason: String,
    },
    /// A file that another program is downloading.
    #[error("{path}: another program is fetching this file; wait for it, or end it")]
    Busy {
        /// The unfinished file.
        path: PathBuf,
    },
    /// A corpus that is not fetched yet.
    #[error(
        "{path}: the corpus `{name}` is not here; bring it with `strata data fetch {name}`, or say \
         where it lies with `--in FOLDER`"
    )]
    NotFetched {
        /// The first missing file.
        path: PathBuf,
        /// The corpus.
        name: &'static str,
    },
    /// A file of questions none of which has an answer.
    #[error(
        "{path}: no question in it has an answer that predictions could be compared with; name \
         another file"
    )]
    NoAnswers {
        /// The file.
        path: PathBuf,
    },
    /// A token unit of questions, asked for with a text.
    #[error(
        "`--level {level}` is for questions about passages, and this is a text; choose word, \
         punctuation, character or jieba"
    )]
    OtherLevel {
        /// The token unit that the user asked for.
        level: String,
    },
    /// More than two files for one corpus.
    #[error(
        "{count} files were named, but a corpus has one (text, or two columns) or two (source and \
         target); name others with `--validation` or `--test`"
    )]
    TooManyFiles {
        /// Number of files.
        count: usize,
    },
    /// A command without a corpus to inspect.
    #[error("name a file, two files, or a corpus of `strata data list`")]
    Nothing,
    /// A task that has no files.
    #[error(
        "the task `{task}` makes its sentences itself and has no files to look at; set \
         `task.kind=files` and `task.source`"
    )]
    NoFiles {
        /// Name of the task.
        task: &'static str,
    },
    /// Source and target with different numbers of lines.
    #[error(
        "{source_path} has {} and {target_path} has {target_lines}; line n of \
         the one must be the translation of line n of the other",
        counted(*source_lines, "line")
    )]
    UnequalLines {
        /// The file of the source side.
        source_path: PathBuf,
        /// Number of lines of the source file.
        source_lines: u64,
        /// The file of the target side.
        target_path: PathBuf,
        /// Number of lines of the target file.
        target_lines: u64,
    },
    /// A text and a parallel corpus, which cannot be compared.
    #[error(
        "{left} and {right} cannot be compared: the one has sentence pairs, the other one text; \
         name files of the same form"
    )]
    UnlikeForms {
        /// One of the two.
        left: PathBuf,
        /// The second file.
        right: PathBuf,
    },
    /// A file of questions, where lines of text are compared.
    #[error(
        "{path}: this is a file of questions, and only lines of text are taken out here; `strata \
         data inspect FILE --test OTHER` counts the questions that two files have in common, and \
         `strata train` with `task.validation_source=OTHER` leaves these out of the training part"
    )]
    Questions {
        /// The file.
        path: PathBuf,
    },
    /// A line with too few columns.
    #[error(
        "{path}, line {line}: no {separator} between source and target; write both on each line, \
         or name two files"
    )]
    NoColumns {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: u64,
        /// Name of the separator, `TAB` or `|||`.
        separator: &'static str,
    },
    /// A line that is not UTF-8, in a corpus to rewrite.
    #[error("{path}, line {line}: it is not UTF-8; convert the file (for example with iconv)")]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: u64,
    },
    /// A line that is longer than any sentence.
    #[error("{path}, line {line}: the line is longer than {mebibytes} MiB; this is no text")]
    EndlessLine {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: u64,
        /// Limit in MiB.
        mebibytes: usize,
    },
    /// An output that would overwrite its input.
    #[error("{path}: this is the file that is read; name another folder with `--out`")]
    OntoItself {
        /// The file.
        path: PathBuf,
    },
    /// An existing output, which is not overwritten.
    #[error(
        "{path}: this file is there already, and it is not overwritten; name another folder with \
         `--out`"
    )]
    Exists {
        /// The file.
        path: PathBuf,
    },
}
