//! Files as they lie on the disk, and pipes, which can be read only once.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::MAXIMUM_MEBIBYTES;
use crate::expanded;

/// Number of first bytes by which a file of zeros is recognised.
const BEGINNING: u64 = 1 << 16;

/// Contents of the pipes and devices that this process has read, by path. A corpus is opened several
/// times: to tell its format, to read it, to count its lines.
static PIPES: Mutex<Option<HashMap<PathBuf, Arc<[u8]>>>> = Mutex::new(None);

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
    let kept = |pipes: &Option<HashMap<PathBuf, Arc<[u8]>>>| {
        let bytes = pipes.as_ref()?.get(path.as_ref())?;
        Some(OpenedFile::Pipe(Cursor::new(Arc::clone(bytes))))
    };
    let mut pipes = PIPES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pipe) = kept(&pipes) {
        return Ok(pipe);
    }
    let file = File::open(&path)?;
    if file.metadata()?.is_file() {
        return Ok(OpenedFile::File(file));
    }
    let bytes = pipe_bytes(file)?;
    let all = pipes.get_or_insert_default();
    all.insert(path.clone().into_owned(), bytes.into());
    Ok(kept(&pipes).expect("the pipe was read"))
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
/// As of [`open_file`].
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
