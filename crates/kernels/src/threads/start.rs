//! Starts the thread pool in WebAssembly, where a program must create the threads itself.

use std::sync::{Condvar, Mutex, PoisonError};

use rayon::{ThreadBuilder, ThreadPoolBuilder};

/// Threads of the pool that no worker runs yet.
static WAITING: Mutex<Vec<ThreadBuilder>> = Mutex::new(Vec::new());
static CAME: Condvar = Condvar::new();

/// Makes this thread and `others` other threads share work from now on. Each of the other threads
/// must be about to call [`help`], or this call blocks forever.
///
/// # Errors
/// If there is a pool already.
pub fn share(others: usize) -> Result<(), rayon::ThreadPoolBuildError> {
    ThreadPoolBuilder::new()
        .num_threads(others + 1)
        .use_current_thread()
        .spawn_handler(|thread| {
            let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.push(thread);
            CAME.notify_one();
            Ok(())
        })
        .build_global()
}

/// Runs the calling thread as a thread of the pool. Returns only when the program ends.
pub fn help() {
    let waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    let waiting = CAME.wait_while(waiting, |waiting| waiting.is_empty());
    let thread = waiting.unwrap_or_else(PoisonError::into_inner).pop();
    if let Some(thread) = thread {
        thread.run();
    }
}
