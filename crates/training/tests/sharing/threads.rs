//! Processes of a run as threads, of which one computes at a time: dropout draws from the CPU's
//! only random generator.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use strata_training::Exchange;

/// Time after which a waiting thread is assumed to wait in vain.
const PATIENCE: Duration = Duration::from_secs(120);

/// Process of a run, as a thread.
pub struct Thread {
    rank: usize,
    meeting: Arc<Meeting>,
}

/// State shared by the threads, through which they exchange rows.
struct Meeting {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// True while a thread computes.
    is_busy: bool,
    /// Rows of the current exchange, by rank.
    given: Vec<Option<Vec<f32>>>,
    /// Rows of the last complete exchange, and the number of complete exchanges.
    exchanged: Arc<Vec<Vec<f32>>>,
    count: usize,
}

/// Runs `process` on `size` threads, and returns their results by rank.
pub fn run<T: Send>(size: usize, process: impl Fn(Arc<dyn Exchange>) -> T + Sync) -> Vec<T> {
    let meeting = Arc::new(Meeting {
        state: Mutex::new(State {
            given: vec![None; size],
            ..State::default()
        }),
        changed: Condvar::new(),
    });
    thread::scope(|scope| {
        let threads: Vec<_> = (0..size)
            .map(|rank| {
                let meeting = Arc::clone(&meeting);
                let process = &process;
                scope.spawn(move || {
                    drop(meeting.begin(meeting.lock()));
                    let made = process(Arc::new(Thread {
                        rank,
                        meeting: Arc::clone(&meeting),
                    }));
                    meeting.end(&mut meeting.lock());
                    made
                })
            })
            .collect();
        let join = |thread: thread::ScopedJoinHandle<'_, T>| thread.join().expect("no panic");
        threads.into_iter().map(join).collect()
    })
}

impl Meeting {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panicked")
    }

    fn wait<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        condition: impl FnMut(&mut State) -> bool,
    ) -> MutexGuard<'a, State> {
        let waited = self
            .changed
            .wait_timeout_while(state, PATIENCE, condition)
            .expect("no thread panicked");
        assert!(!waited.1.timed_out(), "a process waits for the others");
        waited.0
    }

    /// Waits until no other thread computes, and marks this thread as computing.
    fn begin<'a>(&'a self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let mut state = self.wait(state, |state| state.is_busy);
        state.is_busy = true;
        state
    }

    fn end(&self, state: &mut State) {
        state.is_busy = false;
        self.changed.notify_all();
    }
}

impl Thread {
    /// Gives this thread's row, and returns the rows of all threads.
    fn exchange(&self, own: Vec<f32>) -> Arc<Vec<Vec<f32>>> {
        let mut state = self.meeting.lock();
        let before = state.count;
        state.given[self.rank] = Some(own);
        if state.given.iter().all(Option::is_some) {
            let rows = state.given.iter_mut().filter_map(Option::take).collect();
            state.exchanged = Arc::new(rows);
            state.count += 1;
        }
        self.meeting.end(&mut state);
        let state = self.meeting.wait(state, |state| state.count == before);
        let rows = Arc::clone(&state.exchanged);
        drop(self.meeting.begin(state));
        rows
    }
}

impl Exchange for Thread {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.meeting.lock().given.len()
    }

    fn sum(&self, row: &mut [f32]) {
        let rows = self.exchange(row.to_vec());
        row.copy_from_slice(&rows[0]);
        for further in &rows[1..] {
            for (sum, x) in row.iter_mut().zip(further) {
                *sum += x;
            }
        }
    }

    fn spread(&self, bytes: &mut [u8]) {
        let rows = self.exchange(bytes.iter().copied().map(f32::from).collect());
        for (byte, &sent) in bytes.iter_mut().zip(&rows[0]) {
            *byte = sent as u8;
        }
    }
}
