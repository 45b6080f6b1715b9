//! The terminal view of a run: live curves, and keys to save, pause, validate and stop.
//!
//! A thread draws the view and reads keys, so that the view responds during long steps and
//! validations. `state`: what the view shows; `draw`: draws it; `wish`: a request by key.

mod draw;
mod state;
mod wish;

use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event};
use strata_session::protocol::{StepReport, Validation};

use crate::base::error::Error;
use crate::base::interrupt;
use crate::display::terminal;
use state::State;
pub use wish::Wish;

/// Time between two drawings.
const FRAME: Duration = Duration::from_millis(100);

/// The view, which owns the terminal until the view is closed or dropped.
pub struct View {
    state: Arc<Mutex<State>>,
    wishes: Receiver<Wish>,
    drawing: Option<JoinHandle<()>>,
}

impl View {
    /// Checks that there is a terminal to draw on.
    ///
    /// # Errors
    /// If there is no terminal.
    pub fn check() -> Result<(), Error> {
        let is_terminal = io::stdout().is_terminal() && io::stdin().is_terminal();
        is_terminal.then_some(()).ok_or(Error::NoTerminal)
    }

    /// Opens the view of a run that has taken `step` of `steps` steps.
    ///
    /// # Errors
    /// If there is no terminal, or it cannot be drawn on.
    pub fn open(step: u64, steps: u64) -> Result<Self, Error> {
        Self::check()?;
        let terminal = terminal::take().map_err(|reason| Error::Terminal { reason })?;
        let state = Arc::new(Mutex::new(State::new(step, steps)));
        let (sender, wishes) = mpsc::channel();
        let shared = Arc::clone(&state);
        let drawing = Builder::new().spawn(move || draw_and_listen(terminal, &shared, &sender));
        let drawing = drawing.map_err(|reason| {
            terminal::give_back();
            let purpose = "the view of the run";
            Error::NoThread { purpose, reason }
        })?;
        Ok(Self {
            state,
            wishes,
            drawing: Some(drawing),
        })
    }

    /// Shows new steps.
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

    /// Returns the requests that the user has made by keys since the last call.
    pub fn wishes(&self) -> Vec<Wish> {
        self.wishes.try_iter().collect()
    }

    /// Closes the view and restores the terminal.
    pub fn close(&mut self) {
        self.state().closing = true;
        if let Some(drawing) = self.drawing.take() {
            // If the thread panicked, the terminal is restored already.
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

/// Body of the view's thread: draws and reads keys until the view is closed.
fn draw_and_listen(mut terminal: DefaultTerminal, state: &Mutex<State>, wishes: &Sender<Wish>) {
    loop {
        {
            let mut state = lock(state);
            if interrupt::asked() {
                // A signal may have requested the end, too.
                state.asked(Wish::Stop);
            }
            if state.closing || terminal.draw(|frame| draw::draw(frame, &state)).is_err() {
                break;
            }
        }
        // If the terminal is gone the view ends, and the run goes on without it.
        let Ok(heard) = event::poll(FRAME) else { break };
        if !heard {
            continue;
        }
        let Ok(Event::Key(key)) = event::read() else {
            // A new size is drawn in the next iteration.
            continue;
        };
        let Some(wish) = Wish::by(key) else { continue };
        if wish == Wish::Stop {
            interrupt::ask();
        }
        lock(state).asked(wish);
        if wishes.send(wish).is_err() {
            break;
        }
    }
    terminal::give_back();
}
