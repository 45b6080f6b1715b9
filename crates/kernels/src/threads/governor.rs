//! Decides if work is shared out. On a machine whose cores have other work, too, the system stops a thread now
//! and then in the middle of a job, and the others wait for it: one thread alone may be faster.

use std::time::Duration;

use web_time::Instant;

/// Seconds that sharing may lose before one thread works alone.
const LIMIT: f64 = 2e-3;
/// Seconds saved that are remembered: they make up for what a quiet machine loses now and then.
const MOST: f64 = 10e-3;
/// Share of its own time that the other threads must save a thread at least. While they look for work, other
/// programs wait for their cores.
const COST: f64 = 0.1;
/// Time that one thread works alone before the others try again, at first and after they have failed several times.
const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(1);
/// Seconds of work from which it is told how often a thread is stopped.
const MEMORY: f64 = 0.2;

/// Times of a piece of work that was shared out, in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Took {
    /// From its beginning to its end.
    pub whole: f64,
    /// Of this, the owner was at jobs.
    pub own: f64,
    /// The owner's jobs, if nothing stops it.
    pub own_undisturbed: f64,
    /// The others' jobs, if nothing stops who does them.
    pub others_undisturbed: f64,
}

/// An account of what sharing saves and loses.
#[derive(Debug)]
pub(super) struct Governor {
    /// Seconds saved, at most [`MOST`].
    saved: f64,
    /// What the owners' jobs took of late, and would have taken undisturbed.
    own: f64,
    own_undisturbed: f64,
    /// One thread works alone until then.
    alone_until: Option<Instant>,
    /// Time that it does so next.
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

    /// Tells if work that begins now is shared out.
    pub fn shares(&mut self, now: Instant) -> bool {
        if self.alone_until.is_some_and(|until| now < until) {
            return false;
        }
        self.alone_until = None;
        true
    }

    /// Takes note of a piece of work that was shared out and ends now.
    pub fn note(&mut self, now: Instant, took: Took) {
        // Where nobody has helped, nothing tells if the owner was stopped.
        if took.others_undisturbed > 0.0 {
            let kept = (1.0 - took.own / MEMORY).max(0.0);
            self.own = self.own * kept + took.own;
            self.own_undisturbed = self.own_undisturbed * kept + took.own_undisturbed;
        }
        let saved = took.others_undisturbed * self.slowdown_alone();
        let lost = took.whole - took.own + COST * took.own;
        self.saved = (self.saved + saved - lost).min(MOST);
        if self.saved == MOST {
            self.pause = SHORTEST;
        }
        if self.saved < -LIMIT {
            self.saved = 0.0;
            self.alone_until = Some(now + self.pause);
            self.pause = (self.pause * 2).min(LONGEST);
        }
    }

    /// How much longer the jobs of an owner that works alone would take of late than undisturbed. Beside k other
    /// programs on its core they take k + 1 times as long where this program has a thread on each core; where it has
    /// one in all, the system finds it a core with fewer: k times at most, and often less.
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

    /// What a thread takes for a piece of work.
    const PIECE: f64 = 1e-4;

    /// Does pieces of work for so many seconds; of each, two threads do half. `stops` tells for how many seconds each of
    /// them is stopped in the middle of a piece, by how many have been before; one thread alone is stopped as
    /// long for each half as the first of two. Gives the share of pieces that were shared out, and the time of all beside that of
    /// one thread.
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

    /// A stop at one of so many pieces.
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
        // A time slice of 4 ms, some twenty times a second.
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
        // A second at most passes before they try.
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
