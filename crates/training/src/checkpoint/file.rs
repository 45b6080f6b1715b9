//! Replaces files atomically: after an interruption a file is either the old or the new one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes `bytes` to a temporary file in the folder of `path`, syncs it to the disk, and renames it
/// to `path`. If `path` is a link, the link stays and its target is replaced.
///
/// # Errors
/// If the folder cannot be written to or the disk is full. The old file is then unchanged, and the
/// temporary file is removed.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(&behind_link(path), |mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    })
}

/// Resolves a link, through further links, also to a file that does not exist yet. Returns any
/// other path unchanged.
fn behind_link(path: &Path) -> PathBuf {
    if let Ok(end) = fs::canonicalize(path)
        && path.is_symlink()
    {
        return end;
    }
    match fs::read_link(path) {
        Ok(target) => path.parent().unwrap_or(Path::new("")).join(target),
        Err(_) => path.to_owned(),
    }
}

fn replace(path: &Path, fill: impl FnOnce(File) -> io::Result<()>) -> io::Result<()> {
    let temporary = beside(path)?;
    let written = File::create(&temporary)
        .and_then(fill)
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one to report; there may be no file to remove.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Name of a temporary file in the same folder, so that renaming stays on one disk. Contains the
/// process id, so that two programs do not write to the same file.
fn beside(path: &Path) -> io::Result<PathBuf> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    let mut temporary = name.to_owned();
    temporary.push(format!(".{}.partial", std::process::id()));
    Ok(path.with_file_name(temporary))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("strata-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let names = fs::read_dir(folder).unwrap().map(name);
        names.map(|name| name.into_string().unwrap()).collect()
    }

    #[test]
    fn the_new_file_takes_the_place_of_the_old_one() {
        let folder = folder("replace");
        let path = folder.join("model.safetensors");
        write_atomically(&path, b"old").unwrap();
        write_atomically(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(&folder), ["model.safetensors"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_its_file_is_replaced() {
        let folder = folder("link");
        let (path, link) = (folder.join("model.safetensors"), folder.join("link"));
        std::os::unix::fs::symlink("model.safetensors", &link).unwrap();
        for bytes in [b"new", b"two"] {
            write_atomically(&link, bytes).unwrap();
            assert!(link.is_symlink());
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_else() {
        let folder = folder("failure");
        let path = folder.join("model.safetensors");
        // A folder in the file's place cannot be replaced, so that the last step of writing fails.
        fs::create_dir(&path).unwrap();
        fs::write(path.join("old"), b"old").unwrap();
        assert!(write_atomically(&path, b"new").is_err());
        assert_eq!(fs::read(path.join("old")).unwrap(), b"old");
        assert_eq!(names(&folder), ["model.safetensors"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_disk_that_fills_up_leaves_the_old_file() {
        let folder = folder("full");
        let path = folder.join("model.safetensors");
        write_atomically(&path, b"old").unwrap();
        let error = replace(&path, |mut file| {
            file.write_all(b"ne")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(error.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(&folder), ["model.safetensors"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_missing_folder_and_a_missing_name_are_errors() {
        let folder = folder("missing");
        assert!(write_atomically(&folder.join("none/model.safetensors"), b"new").is_err());
        assert!(write_atomically(Path::new("/"), b"new").is_err());
        fs::remove_dir_all(folder).unwrap();
    }
}
