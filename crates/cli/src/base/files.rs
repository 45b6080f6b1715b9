//! Refuses outputs that are also inputs, under whatever path, so that no input is overwritten.

use std::fs;
use std::path::Path;

use same_file::Handle;

use crate::base::error::Error;

/// Refuses an output that is one of the inputs; `option` is the option that names the output.
///
/// # Errors
/// If the output is one of the inputs, under this path, another path, or through a link.
pub fn not_onto(output: &Path, option: &'static str, inputs: &[&Path]) -> Result<(), Error> {
    // A file that does not exist yet is no input.
    let Some(there) = plain(output) else {
        return Ok(());
    };
    match read_as(&there, inputs) {
        None => Ok(()),
        Some(input) => Err(Error::OntoInput {
            path: output.to_owned(),
            option,
            input,
        }),
    }
}

/// Refuses to print into an input file: the shell has emptied that file, or the file would grow
/// without end.
///
/// # Errors
/// If standard output is one of the files, or standard input.
pub fn not_printed_onto(inputs: &[&Path]) -> Result<(), Error> {
    let output = Handle::stdout().ok().filter(is_plain);
    match output.and_then(|output| read_as(&output, inputs)) {
        None => Ok(()),
        Some(input) => Err(Error::PrintedOnto { input }),
    }
}

/// Returns the name of the input that is this file; `None` if no input is.
fn read_as(file: &Handle, inputs: &[&Path]) -> Option<String> {
    let is_same = |input: &&&Path| plain(input).is_some_and(|input| input == *file);
    match inputs.iter().find(is_same) {
        Some(input) => Some(input.display().to_string()),
        None => {
            let input = Handle::stdin().ok().filter(is_plain)?;
            (input == *file).then(|| "standard input".to_owned())
        }
    }
}

/// Returns a handle of a regular file. Other kinds of files are not opened: a terminal or
/// `/dev/null` may be input and output at once, and a named pipe may block.
fn plain(path: &Path) -> Option<Handle> {
    let is_file = fs::metadata(path).is_ok_and(|it| it.is_file());
    is_file.then(|| Handle::from_path(path).ok())?
}

fn is_plain(handle: &Handle) -> bool {
    handle.as_file().metadata().is_ok_and(|it| it.is_file())
}
