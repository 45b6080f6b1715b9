//! Files as they lie on the disk, and pipes, which can be read only once.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use super::MAXIMUM_MEBIBYTES;
use crate::expanded;

/// Number of first bytes by which a file of zeros is recognised.
const BEGINNING: u64 = 1 << 16;

/// Contents of pipes and devices, by path; `None` until a pipe is read. A corpus is opened several
/// times: to recognise its format, to read it, to count its lines.
type Pipes = HashMap<PathBuf, Arc<Mutex<Option<Arc<[u8]>>>>>;

/// Reader of a file, or of the kept contents of a pipe.
#[derive(Debug)]
pub enum OpenedFile {
    /// Regular file.
    File(File),
    /// Contents of a pipe.
    Pipe(Cursor<Arc<[u8]>>),
}

impl OpenedFile {
    /// Length in bytes, as far as the system knows the length.
    fn length(&self) -> u64 {
        match self {
            Self::File(file) => file.metadata().map_or(0, |it| it.len()),
            Self::Pipe(bytes) => bytes.get_ref().len() as u64,
        }
    }
}

impl Read for OpenedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(buffer),
            Self::Pipe(bytes) => bytes.read(buffer),
        }
    }
}

/// Opens a file, with `~` for the home folder. The contents of a pipe, such as `/dev/stdin` or
/// `<(zcat a.gz)`, are kept in memory, so that a pipe can be opened again.
///
/// # Errors
/// If the file cannot be read, or is a device or a pipe that has no end within 512 MiB.
pub fn open_file(path: &Path) -> io::Result<OpenedFile> {
    let path = expanded(path);
    let known = pipes().get(path.as_ref()).cloned();
    let contents = match known {
        Some(contents) => contents,
        None if fs::metadata(&path)?.is_file() => return File::open(&path).map(OpenedFile::File),
        None => Arc::clone(pipes().entry(path.clone().into_owned()).or_default()),
    };
    // Only those who want the same pipe wait until it is read.
    let mut contents = contents.lock().unwrap_or_else(PoisonError::into_inner);
    let bytes = match &*contents {
        Some(bytes) => Arc::clone(bytes),
        None => Arc::clone(contents.insert(pipe_bytes(File::open(&path)?)?.into())),
    };
    Ok(OpenedFile::Pipe(Cursor::new(bytes)))
}

/// Locks the pipes that this process has read.
fn pipes() -> MutexGuard<'static, Pipes> {
    static PIPES: LazyLock<Mutex<Pipes>> = LazyLock::new(Mutex::default);
    PIPES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Contents of a pipe; only the beginning if that is all zeros, as a device may be endless.
fn pipe_bytes(mut file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    (&mut file).take(BEGINNING).read_to_end(&mut bytes)?;
    if is_of_zeros(&bytes) {
        return Ok(bytes);
    }
    let most = MAXIMUM_MEBIBYTES << 20;
    file.take(most).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let reason = format!("it has no end within {MAXIMUM_MEBIBYTES} MiB; name a file");
        return Err(io::Error::other(reason));
    }
    Ok(bytes)
}

fn is_of_zeros(beginning: &[u8]) -> bool {
    beginning.len() as u64 == BEGINNING && beginning.iter().all(|&byte| byte == 0)
}

/// Reads a file; only its beginning if that is all zeros, as the file is no text then.
///
/// # Errors
/// If [`open_file`] fails, or the contents cannot be read.
pub fn file_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open_file(path)?;
    let mut bytes = Vec::new();
    (&mut file).take(BEGINNING).read_to_end(&mut bytes)?;
    if !is_of_zeros(&bytes) {
        bytes.reserve(usize::try_from(file.length()).unwrap_or(0));
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
