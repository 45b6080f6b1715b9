//! Piece of work, split into jobs: every thread takes the next job that no thread has begun. The
//! thread that owns the work takes part, and at the end waits only for threads in the middle of a
//! job. While it waits it never yields, unlike rayon's own threads: on a busy machine each yield
//! would cost a time slice.

use std::hint::spin_loop;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

use web_time::Instant;

use super::governor::{Governor, Took};
use super::watch::{self, busy};

/// Time that the owner spins while it waits for other threads, before it sleeps.
const PATIENCE: Duration = Duration::from_micros(100);

static GOVERNOR: Mutex<Governor> = Mutex::new(Governor::new());

/// Number of long jobs of [`long`] that are not done.
static LONG_JOBS: AtomicUsize = AtomicUsize::new(0);

/// Runs all jobs, each of which works for long and on one thread: work inside of a job is shared only
/// once there are fewer jobs left than threads. Returns the results in the order of the jobs.
pub(super) fn long<J: Send, R: Send>(jobs: Vec<J>, work: &(impl Fn(J) -> R + Sync)) -> Vec<R> {
    /// Guard that counts a job as done even if the job panics.
    struct Done;
    impl Drop for Done {
        fn drop(&mut self) {
            LONG_JOBS.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let threads = rayon::current_num_threads();
    if threads == 1 || jobs.len() == 1 {
        return jobs.into_iter().map(work).collect();
    }
    if rayon::current_thread_index().is_none() {
        return rayon::scope(|_| long(jobs, work));
    }
    LONG_JOBS.fetch_add(jobs.len(), Ordering::Relaxed);
    let jobs: Vec<(J, Done)> = jobs.into_iter().map(|job| (job, Done)).collect();
    shared(jobs, threads - 1, &|(job, _done)| work(job)).0
}

/// Runs all jobs, on all threads if that pays. Returns the results in the order of the jobs.
pub(super) fn all<J: Send, R: Send>(jobs: Vec<J>, work: &(impl Fn(J) -> R + Sync)) -> Vec<R> {
    let threads = rayon::current_num_threads();
    let others = threads.min(jobs.len()).saturating_sub(1);
    if others == 0 || LONG_JOBS.load(Ordering::Relaxed) >= threads {
        return jobs.into_iter().map(work).collect();
    }
    // A thread outside the pool moves into the pool first, since only there `spawn` puts helpers
    // into a queue of this thread, from which idle threads steal.
    if rayon::current_thread_index().is_none() {
        return rayon::scope(|_| all(jobs, work));
    }
    // Work inside of work: the times of an inner piece are part of the outer one, whose owner notes
    // them, so the governor is not asked again.
    if watch::is_busy() {
        return shared(jobs, others, work).0;
    }
    let begun = Instant::now();
    if !locked(&GOVERNOR).shares(begun) {
        return jobs.into_iter().map(work).collect();
    }
    watch::begin();
    let (results, took) = shared(jobs, others, work);
    let now = Instant::now();
    let whole = (now - begun).as_secs_f64();
    locked(&GOVERNOR).note(now, Took { whole, ..took });
    results
}

/// Runs all jobs with the help of `others` other threads. Returns the results, and the times of the
/// owner and of the others.
fn shared<J: Send, R: Send>(
    jobs: Vec<J>,
    others: usize,
    work: &(impl Fn(J) -> R + Sync),
) -> (Vec<R>, Took) {
    // A mutex that no two threads ever want at once costs an atomic exchange, and lets a job and its
    // result share a slot without unsafe code.
    let slots = jobs.into_iter().map(|job| Mutex::new(Slot::Waiting(job)));
    let slots: Vec<Mutex<Slot<J, R>>> = slots.collect();
    let next = AtomicUsize::new(0);
    let helpers = Helpers::of_this_thread();
    let take = || {
        let mut count = 0;
        // Relaxed: the counter only has to give each index to one thread; the slot's mutex orders
        // the memory of the job.
        while let Some(slot) = slots.get(next.fetch_add(1, Ordering::Relaxed)) {
            let job = mem::replace(&mut *locked(slot), Slot::Begun);
            if let Slot::Waiting(job) = job {
                let result = work(job);
                *locked(slot) = Slot::Done(result);
                count += 1;
            }
        }
        count
    };
    let (count, own) = rayon::scope(|scope| {
        for _ in 0..others {
            scope.spawn(|_| helpers.enter(|| busy(take)));
        }
        let begun = Instant::now();
        let count = busy(take);
        let own = begun.elapsed().as_secs_f64();
        // Rayon's scope would wait too, but by yielding. Helpers that have not begun will find no
        // job: the scope runs them itself at its end.
        helpers.wait();
        (count, own)
    });
    let results = slots.into_iter().map(|slot| {
        match slot.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Slot::Done(result) => result,
            _ => unreachable!("all jobs are done, or one has panicked"),
        }
    });
    (results.collect(), helpers.took(count, own))
}

/// Job, and later its result.
enum Slot<J, R> {
    Waiting(J),
    Begun,
    Done(R),
}

/// State that the owner of a piece of work and its helper threads share.
struct Helpers {
    owner: Thread,
    owner_sleeps: AtomicBool,
    /// Number of helpers that may be in the middle of a job.
    inside: AtomicUsize,
    /// Number of jobs that helpers have done, and the nanoseconds that these jobs took.
    jobs: AtomicUsize,
    nanoseconds: AtomicU64,
}

impl Helpers {
    fn of_this_thread() -> Self {
        Self {
            owner: thread::current(),
            owner_sleeps: AtomicBool::new(false),
            inside: AtomicUsize::new(0),
            jobs: AtomicUsize::new(0),
            nanoseconds: AtomicU64::new(0),
        }
    }

    /// Helps until no job is left. `take` runs jobs and returns their number.
    fn enter(&self, take: impl FnOnce() -> usize) {
        /// Guard that leaves [`Helpers::inside`] even if a job panics.
        struct Inside<'a>(&'a Helpers);
        impl Drop for Inside<'_> {
            fn drop(&mut self) {
                // Leaves first and then asks whether the owner sleeps; the owner says that it sleeps
                // and then asks whether a helper is inside. In one total order (SeqCst) at least one
                // of the two sees the other, so that no wake-up is lost.
                let was_last = self.0.inside.fetch_sub(1, Ordering::SeqCst) == 1;
                if was_last && self.0.owner_sleeps.load(Ordering::SeqCst) {
                    self.0.owner.unpark();
                }
            }
        }
        // Counted before the first job is taken: an owner that finds no job left and nobody inside
        // may take the results.
        self.inside.fetch_add(1, Ordering::SeqCst);
        let _inside = Inside(self);
        let begun = Instant::now();
        let jobs = take();
        if jobs > 0 {
            let nanoseconds = begun.elapsed().as_nanos() as u64;
            self.jobs.fetch_add(jobs, Ordering::Relaxed);
            self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
        }
    }

    /// Waits until no helper is in the middle of a job.
    fn wait(&self) {
        let is_over = || self.inside.load(Ordering::SeqCst) == 0;
        if is_over() {
            return;
        }
        let since = Instant::now();
        while !is_over() {
            if since.elapsed() < PATIENCE {
                spin_loop();
            } else {
                self.owner_sleeps.store(true, Ordering::SeqCst);
                // `park` may also return without reason, which the loop around it allows.
                if !is_over() {
                    thread::park();
                }
            }
        }
        // Helpers still have to report to rayon, whose threads yield if they find a helper that has
        // not.
        for _ in 0..SETTLING {
            spin_loop();
        }
    }

    /// Times of a piece of work whose owner has run `own_jobs` jobs in `own` seconds.
    fn took(&self, own_jobs: usize, own: f64) -> Took {
        let others_jobs = self.jobs.load(Ordering::Relaxed) as f64;
        let others = self.nanoseconds.load(Ordering::Relaxed) as f64 * 1e-9;
        // Time of a job without preemption: owner and helpers are rarely preempted in the same
        // piece, so the faster of the two was not. Without jobs a quotient is NaN or infinite.
        let job = (own / own_jobs as f64).min(others / others_jobs);
        let job = if job.is_finite() { job } else { 0.0 };
        Took {
            whole: 0.0,
            own,
            own_undisturbed: job * own_jobs as f64,
            others_undisturbed: job * others_jobs,
        }
    }
}

/// Iterations of an empty loop, in which a thread that has just left reports that to rayon.
const SETTLING: u32 = 16;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    /// Runs a test on four threads, however many cores the machine has.
    fn on_four<R: Send>(program: impl FnOnce() -> R + Send) -> R {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build();
        pool.expect("threads can be started").install(program)
    }

    #[test]
    fn an_owner_that_has_fallen_asleep_gets_all_results_in_order() {
        let slow = |job: u64| {
            // The first job is the owner's; the others take longer than the owner spins.
            thread::sleep(PATIENCE * u32::from(job > 0) * 20);
            job * job
        };
        let squares = (0..20).map(|job| job * job).collect::<Vec<u64>>();
        for others in [1, 3] {
            let results = on_four(|| shared((0..20).collect(), others, &slow).0);
            assert_eq!(results, squares);
        }
    }

    #[test]
    fn times_are_those_of_all_jobs() {
        let work = |()| thread::sleep(Duration::from_millis(5));
        let (_, took) = on_four(|| shared(vec![(); 12], 3, &work));
        let undisturbed = took.own_undisturbed + took.others_undisturbed;
        assert!(undisturbed > 0.059, "{took:?}");
        assert!(took.own > took.own_undisturbed * 0.999, "{took:?}");
    }

    #[test]
    fn a_panic_of_any_job_reaches_the_owner() {
        for bad in [0, 7] {
            let work = |job| assert!(job != bad, "on purpose");
            let run = || on_four(|| shared((0..8).collect(), 3, &work).0);
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
        }
    }

    #[test]
    fn work_inside_of_work_is_shared_too() {
        let inner = |outer: usize| all((0..50).collect(), &|job: usize| outer * job);
        let results = on_four(|| shared((0..40).collect(), 3, &inner).0);
        for (outer, results) in results.into_iter().enumerate() {
            assert_eq!(results, (0..50).map(|job| outer * job).collect::<Vec<_>>());
        }
    }
}
