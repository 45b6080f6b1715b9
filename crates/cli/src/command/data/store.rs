//! Stores downloaded files that have the size and SHA-256 of the catalogue, and no others.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use sha2::{Digest, Sha256};
use strata_tasks::corpora::{CorpusFile, Packing};
use zip::ZipArchive;

use crate::base::error::{DataError, Error};

/// True if `folder` already has the file of a corpus.
///
/// # Errors
/// If a file of that name has other contents, or cannot be read.
pub fn has(folder: &Path, file: &CorpusFile, corpus: &'static str) -> Result<bool, Error> {
    let path = folder.join(file.name);
    match fs::metadata(&path) {
        Err(reason) if reason.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(reason) => return Err(Error::Read { path, reason }),
        Ok(found) if found.is_file() && found.len() == file.bytes => {
            let mut opened = File::open(&path).map_err(Error::reading(&path))?;
            let (_, found) =
                copy(&mut opened, &mut io::sink(), u64::MAX).map_err(Error::reading(&path))?;
            if found == file.sha256 {
                return Ok(true);
            }
        }
        Ok(_) => {}
    }
    let other = DataError::OtherFile {
        path,
        corpus,
        option: "--to",
    };
    Err(other.into())
}

/// Moves the files at `path`, compressed or plain, to `folder` if they have the catalogue's
/// SHA-256; `from` names their origin in errors.
///
/// # Errors
/// If the files have other contents, or cannot be written.
pub fn keep(
    path: &Path,
    files: &[&CorpusFile],
    folder: &Path,
    from: &str,
    advice: &'static str,
) -> Result<(), Error> {
    for file in files {
        let found = match file.packing {
            Packing::Zip { member, .. } if is_archive(path)? => {
                let opened = File::open(path).map_err(Error::reading(path))?;
                let broken = |reason: zip::result::ZipError| DataError::BrokenArchive {
                    path: path.to_owned(),
                    reason: reason.to_string(),
                };
                let mut archive = ZipArchive::new(BufReader::new(opened)).map_err(broken)?;
                let mut member = archive.by_name(member).map_err(broken)?;
                keep_one(&mut member, path, file, folder)?
            }
            _ => {
                let mut plain = File::open(path).map_err(Error::reading(path))?;
                match keep_one(&mut plain, path, file, folder)? {
                    Stored::Whole => Stored::Whole,
                    // The user may have put a compressed file there.
                    kept if !file.name.ends_with(".gz") => match gzip(path)? {
                        Some(mut unpacked) => keep_one(&mut *unpacked, path, file, folder)?,
                        None => kept,
                    },
                    kept => kept,
                }
            }
        };
        let (from, name) = (from.to_owned(), file.name);
        match found {
            Stored::Whole => {}
            Stored::TooLong => {
                return Err(DataError::TooLong {
                    from,
                    name,
                    bytes: file.bytes,
                    advice,
                }
                .into());
            }
            Stored::Other { found } => {
                return Err(DataError::Checksum {
                    from,
                    name,
                    found,
                    expected: file.sha256,
                    advice,
                }
                .into());
            }
        }
    }
    Ok(())
}

/// Outcome of storing a file.
enum Stored {
    Whole,
    TooLong,
    Other { found: String },
}

/// Writes a file under a temporary name, and renames the file once the checksum is right.
fn keep_one(
    bytes: &mut dyn Read,
    path: &Path,
    file: &CorpusFile,
    folder: &Path,
) -> Result<Stored, Error> {
    let partial = partial(folder, file.name, "unpacked");
    let kept = (|| {
        let mut written = File::create(&partial).map_err(unwritable(&partial))?;
        // An archive of a few KiB may contain terabytes of zeros.
        let (length, found) =
            copy(bytes, &mut written, file.bytes + 1).map_err(|reason| match reason.kind() {
                io::ErrorKind::InvalidData
                | io::ErrorKind::InvalidInput
                | io::ErrorKind::UnexpectedEof => DataError::BrokenArchive {
                    path: path.to_owned(),
                    reason: reason.to_string(),
                }
                .into(),
                _ => unwritable(&partial)(reason),
            })?;
        if length > file.bytes {
            return Ok(Stored::TooLong);
        }
        if found != file.sha256 {
            return Ok(Stored::Other { found });
        }
        let target = folder.join(file.name);
        written
            .sync_all()
            .and_then(|()| fs::rename(&partial, &target))
            .map_err(unwritable(&target))?;
        Ok(Stored::Whole)
    })();
    if !matches!(kept, Ok(Stored::Whole)) {
        // A failure here is ignored: the first error is reported, and there may be nothing to
        // remove.
        let _ = fs::remove_file(&partial);
    }
    kept
}

/// Copies at most `limit` bytes; returns their number and SHA-256.
fn copy(from: &mut dyn Read, to: &mut dyn Write, limit: u64) -> io::Result<(u64, String)> {
    let mut from = from.take(limit);
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    let mut length = 0;
    loop {
        let read = from.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        hash.update(&buffer[..read]);
        to.write_all(&buffer[..read])?;
        length += read as u64;
    }
    let digest = hash.finalize();
    let digits = digest.iter().map(|byte| format!("{byte:02x}"));
    Ok((length, digits.collect()))
}

fn is_archive(path: &Path) -> Result<bool, Error> {
    Ok(start(path)?
        .fill_buf()
        .is_ok_and(|it| it.starts_with(b"PK")))
}

/// Returns a reader of the contents of a gzip file; `None` if the file is not gzip.
fn gzip(path: &Path) -> Result<Option<Box<dyn Read>>, Error> {
    let mut start = start(path)?;
    let is_packed = start
        .fill_buf()
        .is_ok_and(|bytes| bytes.starts_with(&[0x1f, 0x8b]));
    Ok(is_packed.then(|| Box::new(MultiGzDecoder::new(start)) as Box<dyn Read>))
}

fn start(path: &Path) -> Result<BufReader<File>, Error> {
    Ok(BufReader::new(
        File::open(path).map_err(Error::reading(path))?,
    ))
}

/// Returns the path of a file while it is incomplete.
pub fn partial(folder: &Path, name: &str, step: &str) -> PathBuf {
    folder.join(format!(".{name}.{step}.partial"))
}

/// Returns a function that makes the error of a file that cannot be written into the folder of
/// `--to`.
pub fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Error {
    unwritable_in("--to", path)
}

/// Returns a function that makes the error of a file that cannot be written; `option` names the
/// file's folder.
pub fn unwritable_in(option: &str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let (path, advice) = (path.to_owned(), room_or_folder(option));
    move |reason| Error::Write {
        path,
        what: "corpus",
        reason,
        advice,
    }
}

/// Advice on a corpus that cannot be written; `option` chooses the folder of the corpus.
pub fn room_or_folder(option: &str) -> String {
    format!("make room on the disk, or name a folder that can be written with `{option}`")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Cursor;

    use flate2::{Compression, write::GzEncoder};
    use strata_tasks::corpora::Origin;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    /// A file with the text "abc\n" and its SHA-256, by `sha256sum`.
    const FILE: CorpusFile = CorpusFile {
        name: "text",
        origin: Origin {
            repository: "a/b",
            commit: "0",
        },
        path: "packed",
        packing: Packing::Plain,
        bytes: 4,
        sha256: "edeaaff3f1774ad2888673770c6d64097e391bc362d7d6fb34982ddf0efd18cb",
    };
    const MEMBER: CorpusFile = CorpusFile {
        packing: Packing::Zip {
            member: "inner",
            bytes: 100,
        },
        ..FILE
    };

    fn gzipped(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zipped(name: &str, bytes: &[u8]) -> Vec<u8> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        archive
            .start_file(name, SimpleFileOptions::default())
            .unwrap();
        archive.write_all(bytes).unwrap();
        archive.finish().unwrap().into_inner()
    }

    /// Returns the error of storing `bytes`, if any; asserts that no file is left then.
    fn kept(test: &str, bytes: &[u8], file: &CorpusFile) -> Option<String> {
        let folder = std::env::temp_dir().join(format!("strata-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("kept")).unwrap();
        let path = folder.join("packed");
        fs::write(&path, bytes).unwrap();
        let error = keep(&path, &[file], &folder.join("kept"), "there", "do so").err();
        let left: Vec<_> = fs::read_dir(folder.join("kept")).unwrap().collect();
        if error.is_some() {
            assert!(left.is_empty(), "{left:?}");
        } else {
            assert_eq!(fs::read(folder.join("kept/text")).unwrap(), b"abc\n");
            assert_eq!(left.len(), 1);
            assert!(has(&folder.join("kept"), file, "corpus").unwrap());
        }
        fs::remove_dir_all(folder).unwrap();
        error.map(|error| error.to_string())
    }

    #[test]
    fn the_right_bytes_are_kept_however_they_are_packed() {
        assert_eq!(kept("plain", b"abc\n", &FILE), None);
        assert_eq!(kept("gzip", &gzipped(b"abc\n"), &FILE), None);
        assert_eq!(kept("zip", &zipped("inner", b"abc\n"), &MEMBER), None);
        // The user has already decompressed the file.
        assert_eq!(kept("unzipped", b"abc\n", &MEMBER), None);
    }

    #[test]
    fn other_bytes_are_refused_and_leave_nothing() {
        let sentence = |test: &str, bytes: &[u8], file: &CorpusFile| {
            kept(test, bytes, file).unwrap_or_else(|| panic!("{test} was kept"))
        };
        let wrong = sentence("wrong", b"abd\n", &FILE);
        assert!(
            wrong.starts_with("there: `text`") && wrong.contains(FILE.sha256),
            "{wrong}"
        );
        sentence("short", b"abc", &FILE);
        sentence("empty", b"", &FILE);
        assert!(sentence("long", b"abc\nd", &FILE).contains("longer than the 4 bytes"));
        assert!(sentence("wrong-zip", &zipped("inner", b"abd\n"), &MEMBER).contains("SHA-256"));
        let bomb = zipped("inner", &vec![0; 10 << 20]);
        assert!(sentence("bomb", &bomb, &MEMBER).contains("longer"));
        let other = sentence("other", &zipped("outer", b"abc\n"), &MEMBER);
        assert!(other.contains("cannot be unpacked"), "{other}");
        let whole = zipped("inner", b"abc\n");
        sentence("cut", &whole[..whole.len() / 2], &MEMBER);
        let packed = gzipped(b"abc\n");
        sentence("cut-gzip", &packed[..packed.len() - 9], &FILE);
    }

    #[test]
    fn a_foreign_file_of_the_same_name_is_left_alone() {
        let folder = std::env::temp_dir().join(format!("strata-foreign-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        assert!(!has(&folder, &FILE, "corpus").unwrap());
        fs::write(folder.join("text"), "mine").unwrap();
        let error = has(&folder, &FILE, "corpus").unwrap_err().to_string();
        fs::remove_dir_all(&folder).unwrap();
        assert!(error.contains("not overwritten"), "{error}");
    }
}
