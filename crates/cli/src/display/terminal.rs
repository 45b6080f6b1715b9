//! Ownership of the terminal by a view.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use ratatui::DefaultTerminal;

/// True while a view owns the terminal.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Takes the terminal; a panic in any thread restores it first.
///
/// # Errors
/// If the terminal cannot be drawn on.
pub fn take() -> io::Result<DefaultTerminal> {
    let terminal = ratatui::try_init()?;
    TAKEN.store(true, Ordering::SeqCst);
    Ok(terminal)
}

/// True if a view owns the terminal.
pub fn is_taken() -> bool {
    TAKEN.load(Ordering::SeqCst)
}

/// Restores the terminal if a view owns it.
pub fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        ratatui::restore();
    }
}
