//! Ends the program with a message and advice when memory runs out, instead of an abort.
//!
//! Stable Rust has no hook for a failed allocation, so the allocator prints the message itself.
//! Nothing here allocates once memory has run out.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::fmt::{self, Write as _};
use std::io::{self, IsTerminal, Write as _};
use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use strata_training::Bytes;

/// Number of the step that is being taken; 0 for none.
static STEP: AtomicU64 = AtomicU64::new(0);
/// Step of the last checkpoint, plus 1; 0 for none.
static SAVED: AtomicU64 = AtomicU64::new(0);
/// Settings or options that the user should lower.
static LOWER: OnceLock<String> = OnceLock::new();
/// Command that resumes the run from its last checkpoint.
static RESUME_COMMAND: OnceLock<String> = OnceLock::new();
/// True once a thread prints the message.
static REPORTED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// True in the thread that prints the message.
    static REPORTS: Cell<bool> = const { Cell::new(false) };
}

/// Sets the advice in the message: settings or options that the user should lower.
pub fn advise(lower: String) {
    // The first call wins.
    drop(LOWER.set(lower));
}

/// Sets the command in the message that resumes the run.
pub fn go_on_with(command: String) {
    drop(RESUME_COMMAND.set(command));
}

/// Sets the number of the step that is being taken.
pub fn at_step(step: u64) {
    STEP.store(step, Ordering::Relaxed);
}

/// Sets the step of the last checkpoint.
pub fn saved(step: u64) {
    SAVED.store(step.saturating_add(1), Ordering::Relaxed);
}

/// An allocator that ends the program with a message when the inner allocator fails.
pub struct ReportingAllocator<A>(pub A);

// SAFETY: every call is passed on unchanged to the inner allocator, and every result from it; the
// inner allocator upholds `GlobalAlloc`'s contract. If it fails, the program ends or gets its null.
#[allow(unsafe_code)] // The trait is unsafe.
unsafe impl<A: GlobalAlloc> GlobalAlloc for ReportingAllocator<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of the inner allocator.
        found(unsafe { self.0.alloc(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block was allocated by the inner allocator with this layout.
        unsafe { self.0.dealloc(block, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of the inner allocator.
        found(unsafe { self.0.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the block was allocated by the inner allocator with this layout.
        found(unsafe { self.0.realloc(block, layout, size) }, size)
    }
}

fn found(block: *mut u8, size: usize) -> *mut u8 {
    if block.is_null() {
        run_out(size);
    }
    block
}

/// Ends the program; returns only to an allocation of the message itself.
#[cold]
fn run_out(size: usize) {
    if REPORTS.get() {
        return;
    }
    if REPORTED.swap(true, Ordering::SeqCst) {
        // Another thread prints the message and ends the program; this thread cannot go on.
        loop {
            thread::sleep(Duration::from_secs(1));
        }
    }
    REPORTS.set(true);
    let mut line = Line::default();
    // If the message is too long, its end is cut off.
    let _ = write_sentence(&mut line, size);
    let mut errors = io::stderr();
    let after_bar: &[u8] = if errors.is_terminal() { b"\n" } else { b"" };
    drop(
        errors
            .write_all(after_bar)
            .and_then(|()| errors.write_all(line.bytes())),
    );
    process::exit(1);
}

fn write_sentence(line: &mut Line, size: usize) -> fmt::Result {
    write!(line, "error: memory ran out")?;
    let step = STEP.load(Ordering::Relaxed);
    if step > 0 {
        write!(line, " at step {step}")?;
    }
    write!(line, " ({} more were needed at once)", Bytes(size as u64))?;
    let lower = LOWER.get();
    if let Some(lower) = lower {
        write!(line, "; lower {lower}")?;
    }
    write!(
        line,
        "{} make room (close other programs, raise the limit of this process or container)",
        if lower.is_some() { ", or" } else { ";" }
    )?;
    let saved = SAVED.load(Ordering::Relaxed);
    if let (Some(step), Some(command)) = (saved.checked_sub(1), RESUME_COMMAND.get()) {
        write!(
            line,
            " and go on from the checkpoint of step {step} with `{command}`"
        )?;
    }
    writeln!(line, ".")
}

/// A text buffer of fixed size, which needs no allocation.
struct Line {
    bytes: [u8; 2048],
    length: usize,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            bytes: [0; 2048],
            length: 0,
        }
    }
}

impl Line {
    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = &mut self.bytes[self.length..];
        let fits = text.len().min(room.len());
        room[..fits].copy_from_slice(&text.as_bytes()[..fits]);
        self.length += fits;
        if fits < text.len() {
            Err(fmt::Error)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_sentence_says_what_to_lower_and_how_to_go_on() {
        let said = || {
            let mut line = Line::default();
            write_sentence(&mut line, 3 << 30).unwrap();
            String::from_utf8(line.bytes().to_vec()).unwrap()
        };
        let bare = said();
        assert!(
            bare.starts_with("error: memory ran out (3.0 GiB more"),
            "{bare}"
        );
        assert!(
            bare.contains("; make room") && bare.ends_with(").\n"),
            "{bare}"
        );
        advise("`training.batch_size`".to_owned());
        go_on_with("strata train --resume r".to_owned());
        at_step(12);
        let unsaved = said();
        assert!(unsaved.contains(" at step 12 "), "{unsaved}");
        assert!(
            unsaved.contains("; lower `training.batch_size`, or make room"),
            "{unsaved}"
        );
        assert!(!unsaved.contains("--resume"), "{unsaved}");
        saved(10);
        let saved = said();
        assert!(
            saved.contains("checkpoint of step 10 with `strata train --resume r`"),
            "{saved}"
        );
    }

    #[test]
    fn a_line_that_is_full_loses_its_end() {
        let mut line = Line::default();
        assert!(line.write_str(&"a".repeat(3000)).is_err());
        assert_eq!(line.bytes().len(), 2048);
    }
}
