//! Starts the thread pool of a native program, with as many threads as the system allows.

use std::num::NonZero;
use std::sync::mpsc;
use std::thread::{self, Builder};

/// Stack size of a thread: 8 MiB, like a program's main thread.
const STACK: usize = 8 << 20;
/// Environment variable that sets the number of threads of programs with rayon.
const VARIABLE: &str = "RAYON_NUM_THREADS";
/// Limits of the pool: at most [`EACH_CORE`] threads per core, but always at least [`ALWAYS`]. More
/// threads only wait for each other.
const EACH_CORE: usize = 4;
const ALWAYS: usize = 32;
/// Number of threads that a program starts beside the pool, for signals and the like.
const SPARE: usize = 2;

/// Threads that share work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool {
    /// Number of threads that was asked for.
    pub asked: usize,
    /// Largest number of threads that makes sense on this machine.
    pub most: usize,
    /// Number of threads in the pool.
    pub threads: usize,
}

impl Pool {
    /// Plans the pool for a number of threads. 0 stands for the number in the environment, or of
    /// cores.
    fn wanted(threads: usize) -> Self {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let of_variable = || std::env::var(VARIABLE).ok()?.trim().parse().ok();
        let asked = Some(threads).filter(|&it| it > 0);
        let asked = asked.or_else(of_variable).filter(|&it| it > 0);
        let most = (EACH_CORE * cores).max(ALWAYS);
        let asked = asked.unwrap_or(cores);
        Self {
            asked,
            most,
            threads: asked.min(most),
        }
    }
}

/// Starts the pool. An existing pool stays unchanged.
pub(super) fn start(threads: usize) -> Pool {
    let mut pool = Pool::wanted(threads);
    let wanted = pool.threads;
    // Rayon tries only once: a pool that fails to start cannot be started later.
    let possible = startable(wanted);
    if possible < wanted {
        pool.threads = possible.saturating_sub(SPARE).max(1);
    }
    let builder = rayon::ThreadPoolBuilder::new()
        .stack_size(STACK)
        .num_threads(pool.threads);
    let started = if possible < wanted && pool.threads == 1 {
        // The pool is this thread itself, and nothing needs to be started.
        builder.use_current_thread().build_global()
    } else {
        builder.build_global()
    };
    if started.is_err() {
        pool.threads = pool.threads.min(rayon::current_num_threads());
    }
    pool
}

/// Counts the threads, up to `wanted`, that can be started at the same time.
fn startable(wanted: usize) -> usize {
    let mut waiting = Vec::new();
    for _ in 0..wanted {
        let (end, ended) = mpsc::channel::<()>();
        // The thread ends when the other side of the channel is dropped.
        let wait = move || _ = ended.recv();
        match Builder::new().stack_size(STACK).spawn(wait) {
            Ok(thread) => waiting.push((end, thread)),
            Err(_) => break,
        }
    }
    let count = waiting.len();
    for (end, thread) in waiting {
        drop(end);
        // The thread does nothing that could panic.
        drop(thread.join());
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_threads_is_bounded() {
        let pool = Pool::wanted(1_000_000);
        assert_eq!(pool.asked, 1_000_000);
        assert!(pool.threads == pool.most && pool.most >= ALWAYS);
        assert_eq!(Pool::wanted(2).threads, 2);
        assert!(Pool::wanted(0).threads > 0);
    }

    #[test]
    fn threads_that_were_tried_are_gone_again() {
        for _ in 0..3 {
            assert_eq!(startable(4), 4);
        }
    }
}
