//! The terminal view of a run: live curves, and keys to save, pause, validate and stop.
//!
//! A thread of its own draws and listens, so that the view answers while a step or a validation
//! takes its time. `state` is what is shown, `draw` shows it.

mod draw;
mod state;

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use strata_session::protocol::{StepReport, Validation};

use crate::error::Error;
use crate::interrupt;
use state::State;

/// Whether a view has the terminal.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Time between two drawings.
const FRAME: Duration = Duration::from_millis(100);

/// Command that a user gives by a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Save and stop.
    Stop,
    /// Pause, or go on.
    Pause,
    /// Measure the validation set.
    Validate,
    /// Write a checkpoint.
    Save,
}

/// The view, until it is closed or dropped.
pub struct View {
    state: Arc<Mutex<State>>,
    wishes: Receiver<Wish>,
    drawing: Option<JoinHandle<()>>,
}

impl View {
    /// Looks whether there is a terminal to draw on.
    ///
    /// # Errors
    /// If there is none.
    pub fn check() -> Result<(), Error> {
        let is_terminal = io::stdout().is_terminal() && io::stdin().is_terminal();
        is_terminal.then_some(()).ok_or(Error::NoTerminal)
    }

    /// Takes the terminal. `step` of `steps` are taken.
    ///
    /// # Errors
    /// If there is none, or it cannot be drawn on.
    pub fn open(step: u64, steps: u64) -> Result<Self, Error> {
        Self::check()?;
        // A panic of any thread then gives the terminal back first.
        let terminal = ratatui::try_init().map_err(|reason| Error::Terminal { reason })?;
        OPEN.store(true, Ordering::SeqCst);
        let state = Arc::new(Mutex::new(State::new(step, steps)));
        let (sender, wishes) = mpsc::channel();
        let shared = Arc::clone(&state);
        Ok(Self {
            state,
            wishes,
            drawing: Some(thread::spawn(move || {
                draw_and_listen(terminal, &shared, &sender)
            })),
        })
    }

    /// Shows steps that were taken.
    pub fn steps(&self, steps: &[StepReport]) {
        self.state().steps(steps);
    }

    /// Shows a validation.
    pub fn validated(&self, validation: &Validation) {
        self.state().validated(validation);
    }

    /// Shows a line among the messages.
    pub fn say(&self, line: &str) {
        self.state().say(line);
    }

    /// Shows what the run is doing.
    pub fn doing(&self, what: &'static str) {
        self.state().doing = what;
    }

    /// What was asked for since the last time.
    pub fn wishes(&self) -> Vec<Wish> {
        self.wishes.try_iter().collect()
    }

    /// Gives the terminal back.
    pub fn close(&mut self) {
        self.state().closing = true;
        if let Some(drawing) = self.drawing.take() {
            // If it panicked, the terminal is back already.
            drop(drawing.join());
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl Drop for View {
    fn drop(&mut self) {
        self.close();
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread's work, until the view is closed.
fn draw_and_listen(mut terminal: DefaultTerminal, state: &Mutex<State>, wishes: &Sender<Wish>) {
    loop {
        {
            let mut state = lock(state);
            if interrupt::asked() {
                // By a signal, too.
                state.asked(Wish::Stop);
            }
            if state.closing || terminal.draw(|frame| draw::draw(frame, &state)).is_err() {
                break;
            }
        }
        // A terminal that is gone cannot be heard either; the run goes on without it.
        let Ok(heard) = event::poll(FRAME) else { break };
        if !heard {
            continue;
        }
        let Ok(Event::Key(key)) = event::read() else {
            // A new size is drawn at the next turn.
            continue;
        };
        let Some(wish) = wish(key) else { continue };
        if wish == Wish::Stop {
            interrupt::ask();
        }
        lock(state).asked(wish);
        if wishes.send(wish).is_err() {
            break;
        }
    }
    give_back();
}

/// True if a view has the terminal.
pub fn is_open() -> bool {
    OPEN.load(Ordering::SeqCst)
}

/// Gives the terminal back, if a view has it.
pub fn give_back() {
    if OPEN.swap(false, Ordering::SeqCst) {
        ratatui::restore();
    }
}

/// What a key stands for.
fn wish(key: KeyEvent) -> Option<Wish> {
    if key.kind != KeyEventKind::Press {
        return None;
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('c') if control => Some(Wish::Stop),
        _ if control => None,
        KeyCode::Char('q' | 'Q') => Some(Wish::Stop),
        KeyCode::Char('p' | 'P' | ' ') => Some(Wish::Pause),
        KeyCode::Char('v' | 'V') => Some(Wish::Validate),
        KeyCode::Char('s' | 'S') => Some(Wish::Save),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_wishes() {
        let key = |code, modifiers| wish(KeyEvent::new(code, modifiers));
        let plain = |letter| key(KeyCode::Char(letter), KeyModifiers::NONE);
        assert_eq!(plain('q'), Some(Wish::Stop));
        assert_eq!(plain('p'), Some(Wish::Pause));
        assert_eq!(plain('v'), Some(Wish::Validate));
        assert_eq!(plain('s'), Some(Wish::Save));
        assert_eq!(plain('c'), None);
        let with_control = |letter| key(KeyCode::Char(letter), KeyModifiers::CONTROL);
        assert_eq!(with_control('c'), Some(Wish::Stop));
        assert_eq!(with_control('s'), None);
    }
}
