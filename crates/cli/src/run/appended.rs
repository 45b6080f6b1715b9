//! A file to which a run appends, and that survives a full disk and a removed folder: data that
//! cannot be written wait in memory.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that is only appended to.
#[derive(Debug)]
pub struct AppendedFile {
    path: PathBuf,
    file: File,
    /// Bytes that are not written yet.
    waiting: Vec<u8>,
}

impl AppendedFile {
    /// Opens a file for appending; creates the file if there is none.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            file: options().create(true).open(path)?,
            waiting: Vec::new(),
        })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends bytes to the buffer, which [`flush`](Self::flush) writes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
    }

    /// Writes all buffered bytes.
    ///
    /// # Errors
    /// If bytes cannot be written, for example because the disk is full. They stay buffered for a
    /// later call.
    pub fn flush(&mut self) -> io::Result<()> {
        let mut written = 0;
        let done = loop {
            match self.file.write(&self.waiting[written..]) {
                _ if written == self.waiting.len() => break Ok(()),
                Ok(0) => break Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
            }
        };
        self.waiting.drain(..written);
        done
    }

    /// Restores the file with all its content if it was removed; returns true if so.
    ///
    /// # Errors
    /// If the file cannot be created, or its old content can no longer be read.
    pub fn bring_back(&mut self) -> io::Result<bool> {
        if self.path.exists() {
            return Ok(false);
        }
        let mut new = options().create_new(true).open(&self.path)?;
        // A removed file still exists for as long as a process holds it open.
        self.file.seek(SeekFrom::Start(0))?;
        io::copy(&mut self.file, &mut new)?;
        self.file = new;
        Ok(true)
    }
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).append(true);
    options
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_was_removed_comes_back_whole() {
        let folder = std::env::temp_dir().join(format!("strata-appended-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("lines");
        fs::write(&path, "before\n").unwrap();
        let mut file = AppendedFile::open(&path).unwrap();
        file.add(b"one\n");
        file.flush().unwrap();
        assert!(!file.bring_back().unwrap());
        fs::remove_dir_all(&folder).unwrap();
        file.add(b"two\n");
        file.flush().unwrap();
        assert!(file.bring_back().is_err(), "there is no folder for it");
        fs::create_dir_all(&folder).unwrap();
        assert!(file.bring_back().unwrap());
        file.add(b"three\n");
        file.flush().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(text, "before\none\ntwo\nthree\n");
    }

    /// `/dev/full` is a device that is always full.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_finds_no_room_waits() {
        let mut file = AppendedFile::open(Path::new("/dev/full")).unwrap();
        file.add(b"one\n");
        let error = file.flush().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        file.add(b"two\n");
        assert!(file.flush().is_err());
        assert_eq!(file.waiting, b"one\ntwo\n");
    }
}
