//! Writes whole files: pages, documents, translations, models.
//!
//! A regular file is replaced in one step, so that after any interruption it is either the old or
//! the new file. A pipe or device is written into, and a link is followed; none of these is
//! replaced.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use same_file::Handle;
use strata_training::write_atomically;

use crate::base::error::Error;
use crate::base::output::{print, warn};

/// Most symbolic links that are followed from link to link.
const MOST_LINKS: usize = 40;

/// Kind of file that a path leads to.
enum Place {
    /// A regular file, or a free name, at the end of all links.
    File(PathBuf),
    /// Standard output.
    StandardOutput,
    /// A pipe, a device, or a file that another program holds open.
    Stream,
}

/// Writes all bytes where a path leads.
///
/// # Errors
/// If the bytes cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match place(path)? {
        Place::StandardOutput => {
            let mut output = io::stdout().lock();
            output.write_all(bytes)?;
            output.flush()
        }
        Place::Stream => {
            let mut stream = OpenOptions::new().append(true).open(path)?;
            stream.write_all(bytes)?;
            stream.flush()
        }
        Place::File(file) => match write_atomically(&file, bytes) {
            // A file may be writable although its folder is not: then it is written in place.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && file.exists() => {
                fs::write(&file, bytes)
            }
            written => written,
        },
    }
}

/// Checks that a path can be written, before the work whose results the file is for. Nothing is
/// changed.
///
/// # Errors
/// If the path's folder is missing or cannot be written, or the path is a folder itself. `what`
/// names the kind of file, `option` the option that gives the path.
pub fn check(path: &Path, what: &'static str, option: &str) -> Result<(), Error> {
    can_be_written(path).map_err(|reason| unwritable(path, what, option)(reason))
}

/// Returns a function that makes the error of a file that cannot be written.
pub fn unwritable<'a>(
    path: &'a Path,
    what: &'static str,
    option: &'a str,
) -> impl FnOnce(io::Error) -> Error + 'a {
    move |reason| Error::Write {
        path: path.to_owned(),
        what,
        reason,
        advice: format!("name a file that can be written with `{option}`, or make room"),
    }
}

fn can_be_written(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let Place::File(file) = place(path)? else {
        // A named pipe that is opened twice would end after the first time.
        return Ok(());
    };
    if file.exists() && OpenOptions::new().write(true).open(&file).is_ok() {
        return Ok(());
    }
    let name = file.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut trial = name.to_owned();
    trial.push(format!(".{}.partial", std::process::id()));
    let trial = file.with_file_name(trial);
    File::create(&trial)?;
    fs::remove_file(trial)
}

/// Prints a sentence about an output: on standard error if the output went to standard output.
pub fn tell(path: &Path, sentence: &str) {
    match place(path) {
        Ok(Place::StandardOutput) => warn(sentence),
        _ => print(sentence),
    }
}

/// Follows all links of a path.
fn place(path: &Path) -> io::Result<Place> {
    if is_standard_output(path) {
        return Ok(Place::StandardOutput);
    }
    let mut end = path.to_owned();
    for _ in 0..MOST_LINKS {
        // A path to a file that a process holds open: another file may have its name by now.
        if is_held_open(&end) {
            return Ok(Place::Stream);
        }
        match fs::symlink_metadata(&end) {
            Ok(found) if found.is_symlink() => {
                let target = fs::read_link(&end)?;
                end = end.parent().unwrap_or(Path::new("")).join(target);
            }
            Ok(found) if found.is_file() || found.is_dir() => return Ok(Place::File(end)),
            Ok(_) => return Ok(Place::Stream),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Place::File(end)),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many links lead from one to the next"))
}

fn is_held_open(path: &Path) -> bool {
    let whole = env::current_dir().map_or_else(|_| path.to_owned(), |it| it.join(path));
    cfg!(unix) && ["/dev/fd", "/proc"].iter().any(|it| whole.starts_with(it))
}

/// True if a path leads to standard output, or to the file that standard output goes to.
fn is_standard_output(path: &Path) -> bool {
    let named = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    if cfg!(unix) && named.iter().any(|it| path == Path::new(it)) {
        return true;
    }
    // A pipe is not opened here, which may wait for its other end.
    let is_file = fs::metadata(path).is_ok_and(|it| it.is_file());
    is_file
        && Handle::from_path(path)
            .is_ok_and(|file| Handle::stdout().is_ok_and(|output| output == file))
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::{FileTypeExt, symlink};
    use std::process::Command;
    use std::thread;

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = env::temp_dir().join(format!("strata-{name}-{}", std::process::id()));
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn links_are_followed_and_stay() {
        let folder = folder("links");
        let [file, link, nowhere, chain, new] =
            ["file", "link", "nowhere", "chain", "new"].map(|name| folder.join(name));
        fs::write(&file, "old").unwrap();
        symlink("file", &link).unwrap();
        symlink(&new, &nowhere).unwrap();
        symlink("link", &chain).unwrap();
        for (path, target) in [(&link, &file), (&nowhere, &new), (&chain, &file)] {
            check(path, "page", "--html").unwrap();
            write(path, path.as_os_str().as_encoded_bytes()).unwrap();
            assert!(path.is_symlink());
            assert_eq!(
                fs::read(target).unwrap(),
                path.as_os_str().as_encoded_bytes()
            );
        }
        symlink("round", folder.join("round")).unwrap();
        write(&folder.join("round"), b"x").unwrap_err();
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn pipes_and_devices_are_written_into_and_stay() {
        let folder = folder("pipes");
        let pipe = folder.join("pipe");
        assert!(
            Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        check(&pipe, "page", "--html").unwrap();
        let read = thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        write(&pipe, b"through it").unwrap();
        assert_eq!(read.join().unwrap(), b"through it");
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
        write(Path::new("/dev/null"), b"x").unwrap();
        assert!(
            fs::metadata("/dev/null")
                .unwrap()
                .file_type()
                .is_char_device()
        );
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_cannot_be_written_is_known_before_and_nothing_is_left() {
        let folder = folder("before");
        let missing = folder.join("nowhere/page.html");
        let told = check(&missing, "page", "--html").unwrap_err().to_string();
        assert!(
            told.contains("nowhere") && told.contains("`--html`"),
            "{told}"
        );
        check(&folder, "page", "--html").unwrap_err();
        check(&folder.join("page.html"), "page", "--html").unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        fs::remove_dir_all(folder).unwrap();
    }
}
