//! Starts the pool of threads in a native program, with as many as the system lets it have.

use std::num::NonZero;
use std::sync::mpsc;
use std::thread::{self, Builder};

/// Stack of a thread: 8 MiB, as a program's main thread has.
const STACK: usize = 8 << 20;
/// Environment variable with the number of threads, which rayon's programs have in common.
const VARIABLE: &str = "RAYON_NUM_THREADS";
/// Most threads for each core, and fewest that are always allowed: more of them only wait for each
/// other.
const EACH_CORE: usize = 4;
const ALWAYS: usize = 32;
/// Threads that a program starts besides, for signals and the like.
const SPARE: usize = 2;

/// Threads that share work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool {
    /// Number that was asked for.
    pub asked: usize,
    /// Largest number that makes sense here.
    pub most: usize,
    /// Number that there are.
    pub threads: usize,
}

impl Pool {
    /// The pool that a number asks for; for 0, the environment, or the number of cores.
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

/// Starts the pool; leaves an existing pool as it is.
pub(super) fn start(threads: usize) -> Pool {
    let mut pool = Pool::wanted(threads);
    let wanted = pool.threads;
    // Rayon has no second try: a pool that fails to start stays away.
    let possible = startable(wanted);
    if possible < wanted {
        pool.threads = possible.saturating_sub(SPARE).max(1);
    }
    let builder = rayon::ThreadPoolBuilder::new()
        .stack_size(STACK)
        .num_threads(pool.threads);
    let started = match possible < wanted && pool.threads == 1 {
        // This thread itself: nothing needs to be started.
        true => builder.use_current_thread().build_global(),
        false => builder.build_global(),
    };
    if started.is_err() {
        pool.threads = pool.threads.min(rayon::current_num_threads());
    }
    pool
}

/// Number of threads that can be started beside each other, up to this one.
fn startable(wanted: usize) -> usize {
    let mut waiting = Vec::new();
    for _ in 0..wanted {
        let (end, ended) = mpsc::channel::<()>();
        // It ends with the other side of the channel.
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
