//! Decides whether threads share work. On a machine whose cores have other work, the system
//! sometimes preempts a thread in the middle of a job, and the other threads wait for it. One
//! thread alone may then be faster.

use std::time::Duration;

use web_time::Instant;

/// Seconds that sharing may lose before one thread works alone.
const LIMIT: f64 = 2e-3;
/// Largest number of saved seconds that count. They offset the occasional losses of a quiet
/// machine.
const MOST: f64 = 10e-3;
/// Share of the owner's time that sharing must save: while helper threads look for work, other
/// programs wait for their cores.
const COST: f64 = 0.1;
/// Time that one thread works alone before sharing is tried again: at first [`SHORTEST`], and after
/// several failures at most [`LONGEST`].
const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(1);
/// Seconds of recent work from which the slowdown by preemption is estimated.
const MEMORY: f64 = 0.2;

/// Times of a piece of shared work, in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Took {
    /// Wall time of the whole piece of work.
    pub whole: f64,
    /// Part of the wall time that the owner spent on jobs.
    pub own: f64,
    /// Time of the owner's jobs without preemption.
    pub own_undisturbed: f64,
    /// Time of the others' jobs without preemption.
    pub others_undisturbed: f64,
}

/// Balance of the time that sharing saves and costs.
#[derive(Debug)]
pub(super) struct Governor {
    /// Seconds that sharing has saved, at most [`MOST`].
    saved: f64,
    /// Recent time of the owners' jobs, as measured (`own`) and without preemption
    /// (`own_undisturbed`).
    own: f64,
    own_undisturbed: f64,
    /// Time until which one thread works alone; `None` if threads share work.
    alone_until: Option<Instant>,
    /// Length of the next pause in which one thread works alone.
    pause: Duration,
}

impl Governor {
    pub const fn new() -> Self {
        Self {
            saved: 0.0,
            own: 0.0,
            own_undisturbed: 0.0,
            alone_until: None,
            pause: SHORTEST,
        }
    }

    /// True if work that begins now is to be shared.
    pub fn shares(&mut self, now: Instant) -> bool {
        if self.alone_until.is_some_and(|until| now < until) {
            return false;
        }
        self.alone_until = None;
        true
    }

    /// Records a piece of shared work that ends now.
    pub fn note(&mut self, now: Instant, took: Took) {
        // Without helpers there are no times to compare the owner's time with.
        if took.others_undisturbed > 0.0 {
            // A mean over about `MEMORY` seconds of jobs: the longer this piece took, the less the
            // earlier ones weigh.
            let kept = (1.0 - took.own / MEMORY).max(0.0);
            self.own = self.own * kept + took.own;
            self.own_undisturbed = self.own_undisturbed * kept + took.own_undisturbed;
        }
        // Alone the owner would also have run the jobs of the others, slowed down as its own are.
        // Sharing costs the time that the owner waited, and a share of its work for the cores that
        // helpers keep from other programs.
        let saved = took.others_undisturbed * self.slowdown_alone();
        let lost = took.whole - took.own + COST * took.own;
        self.saved = (self.saved + saved - lost).min(MOST);
        // At the upper bound sharing has paid for a while: a later failure begins with a short pause
        // again.
        if self.saved == MOST {
            self.pause = SHORTEST;
        }
        // Starting from 0 and not from the last balance, the next attempt is judged by itself; each
        // failure doubles the pause before the next attempt.
        if self.saved < -LIMIT {
            self.saved = 0.0;
            self.alone_until = Some(now + self.pause);
            self.pause = (self.pause * 2).min(LONGEST);
        }
    }

    /// Recent slowdown of jobs by preemption if the owner works alone, at least 1. With k other
    /// programs on the owner's core, jobs take k + 1 times as long while this program has a thread
    /// on each core. A single thread is moved to a core with fewer programs: its jobs take k times
    /// as long at most.
    fn slowdown_alone(&self) -> f64 {
        if self.own_undisturbed > 0.0 {
            (self.own / self.own_undisturbed - 1.0).max(1.0)
        } else {
            1.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seconds that one thread takes for a piece of work.
    const PIECE: f64 = 1e-4;

    /// Simulates `seconds` of pieces of work, each split between two threads. `stops` gives the
    /// seconds for which each thread is preempted in the n-th piece; a single thread is preempted
    /// in both halves like the first of the two. Returns the share of pieces that were shared, and
    /// their time relative to that of one thread.
    fn run(
        governor: &mut Governor,
        begin: Instant,
        seconds: f64,
        stops: impl Fn(usize) -> [f64; 2],
    ) -> [f64; 2] {
        let (mut time, mut alone, mut pieces, mut shared) = (0.0, 0.0, 0, 0);
        while time < seconds {
            let [own_stop, other_stop] = stops(pieces);
            let alone_now = PIECE + own_stop + stops(pieces + 1)[0];
            alone += alone_now;
            if governor.shares(begin + Duration::from_secs_f64(time)) {
                let own = PIECE / 2.0 + own_stop;
                let whole = own.max(PIECE / 2.0 + other_stop);
                time += whole;
                let took = Took {
                    whole,
                    own,
                    own_undisturbed: PIECE / 2.0,
                    others_undisturbed: PIECE / 2.0,
                };
                governor.note(begin + Duration::from_secs_f64(time), took);
                shared += 1;
            } else {
                time += alone_now;
            }
            pieces += 2;
        }
        [shared as f64 / (pieces / 2) as f64, time / alone]
    }

    /// Seconds of a preemption that hits one of `every` pieces.
    fn stop(piece: usize, every: usize, seconds: f64) -> f64 {
        if piece / 2 % every == every - 1 {
            seconds
        } else {
            0.0
        }
    }

    #[test]
    fn a_quiet_machine_shares_all_work_even_if_something_else_runs_now_and_then() {
        let [shared, time] = run(&mut Governor::new(), Instant::now(), 5.0, |_| [0.0, 5e-6]);
        assert_eq!(shared, 1.0);
        assert!((time - 0.55).abs() < 1e-3, "{time}");
        // A time slice of 4 ms is lost about twenty times a second.
        let now_and_then = |piece| [0.0, stop(piece, 900, 4e-3)];
        let [shared, _] = run(&mut Governor::new(), Instant::now(), 5.0, now_and_then);
        assert_eq!(shared, 1.0);
    }

    #[test]
    fn one_thread_works_alone_where_others_keep_it_waiting() {
        for (every, slice) in [(1, 4e-3), (1, 50e-3), (10, 4e-3), (10, 20e-3), (30, 4e-3)] {
            let other = |piece| [0.0, stop(piece, every, slice)];
            let [shared, time] = run(&mut Governor::new(), Instant::now(), 20.0, other);
            assert!(time < 1.12, "{every}, {slice}: {time}, shared {shared}");
            assert!(shared < 0.1, "{every}, {slice}: {time}, shared {shared}");
        }
    }

    #[test]
    fn threads_share_where_mostly_the_owner_is_stopped() {
        let both = |piece| [stop(piece, 80, 20e-3), stop(piece + 80, 800, 20e-3)];
        let [shared, time] = run(&mut Governor::new(), Instant::now(), 20.0, both);
        assert!(shared > 0.8 && time < 0.62, "{shared}, {time}");
    }

    #[test]
    fn one_thread_works_alone_where_each_of_two_has_half_of_a_core() {
        let both = |piece| [stop(piece, 80, 4e-3), stop(piece + 80, 80, 4e-3)];
        let [shared, _] = run(&mut Governor::new(), Instant::now(), 20.0, both);
        assert!(shared < 0.1, "{shared}");
    }

    #[test]
    fn threads_share_again_once_the_machine_is_quiet() {
        let mut governor = Governor::new();
        let begin = Instant::now();
        let [busy, _] = run(&mut governor, begin, 10.0, |_| [0.0, 4e-3]);
        assert!(busy < 0.01, "{busy}");
        // At most a second passes before threads try to share again.
        let begin = begin + Duration::from_secs(11);
        let [quiet, _] = run(&mut governor, begin, 10.0, |_| [0.0, 5e-6]);
        assert!(quiet > 0.9, "{quiet}");
        assert_eq!(governor.pause, SHORTEST);
    }

    #[test]
    fn threads_that_bring_nothing_are_left_in_peace() {
        let mut governor = Governor::new();
        let mut now = Instant::now();
        let took = Took {
            whole: PIECE,
            own: PIECE,
            own_undisturbed: PIECE,
            others_undisturbed: 0.0,
        };
        let mut shared = 0;
        for _ in 0..100_000 {
            now += Duration::from_micros(100);
            if governor.shares(now) {
                governor.note(now, took);
                shared += 1;
            }
        }
        assert!(shared < 10_000, "{shared}");
    }
}
