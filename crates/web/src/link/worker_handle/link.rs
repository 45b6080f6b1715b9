//! State of the link to a worker, and what follows from the worker's events.

use super::CHECK_EVERY;
use crate::address::Device;
use crate::keeping::model_file;
use crate::link::autosave::Autosave;
use crate::link::connection::Connection;
use crate::link::failures::Failures;
use crate::link::outbox::Outbox;
use crate::link::recovery::Recovery;
use crate::link::wear::Wear;
use crate::link::worker_texts::WorkerTexts;
use crate::texts::{Texts, WorkerRequest};
use gloo::timers::callback::Interval;
use strata_session::protocol::{Command, Event};

/// Number of checks without a message after which a busy worker is given up, unless
/// `OF_LONGEST` is more.
const MOST_CHECKS: u32 = 60;
/// A busy worker is not given up before this many times its longest silence so far.
const OF_LONGEST: u32 = 5;
/// Number of checks after which a worker that does not listen yet is replaced: the least, and for
/// each megabyte of the worker's program. The next worker gets twice as many, for slow lines.
const BEGINS_WITHIN: u32 = 12;
const FOR_MEGABYTE: u32 = 2;
/// Number of doublings at most, so that the limit stays within hours.
const MOST_DOUBLINGS: u32 = 7;

/// Connection to the present worker, and everything that outlives the worker.
#[derive(Default)]
pub(super) struct Link {
    pub device: Device,
    pub connection: Option<Connection>,
    /// Requests that wait until the worker listens.
    pub waiting: Outbox,
    /// Texts that the worker has.
    pub texts: WorkerTexts,
    pub listening: bool,
    pub recovery: Recovery,
    pub autosave: Autosave,
    pub failures: Failures,
    pub wear: Wear,
    /// The device to which the run moves as soon as the run's checkpoint comes.
    pub moving_to: Option<Device>,
    /// Name of the file to which the next checkpoint is saved.
    pub file: Option<String>,
    /// The command to send once the requested run is ready; dropped if the worker refuses the run.
    pub when_ready: Option<Command>,
    pub silence: Silence,
    /// Timer of the checks for silence.
    pub watchdog: Option<Interval>,
}

/// Silence of the worker, in checks since the worker's last message.
#[derive(Clone, Copy, Default)]
pub(super) struct Silence {
    pub checks: u32,
    /// The longest silence that a message has ended; `None` before the worker's first message.
    longest: Option<u32>,
    /// Number of workers before this one that were replaced before their first message.
    replaced: u32,
    /// Size of the worker's program in megabytes; 0 if nobody knows.
    megabytes: u64,
}

impl Silence {
    /// Returns the silence of a worker that starts now, in place of the worker of `self`, with a
    /// program of this size.
    pub fn of_next(self, megabytes: Option<u64>) -> Self {
        let began = self.longest.is_some() || self.checks == 0;
        Self {
            replaced: if began { 0 } else { self.replaced + 1 },
            megabytes: megabytes.unwrap_or(0),
            ..Self::default()
        }
    }

    /// Records a message of the worker.
    pub fn end(&mut self) {
        self.longest = Some(self.longest.unwrap_or(0).max(self.checks));
        self.checks = 0;
    }

    /// True if the worker has been silent for far longer than ever before. The limit follows the
    /// slowest answer so far: a large model on a slow machine is not given up. A worker that does
    /// not begin has a limit of its own: browsers start workers that never run (seen in Firefox).
    pub fn is_too_long(self) -> bool {
        let most = match self.longest {
            Some(longest) => MOST_CHECKS.max(OF_LONGEST * longest),
            None => {
                let first = BEGINS_WITHIN.max(FOR_MEGABYTE * self.megabytes.min(1000) as u32);
                first << self.replaced.min(MOST_DOUBLINGS)
            }
        };
        self.checks > most
    }

    /// Returns the sentence on a worker that is given up for its silence.
    pub fn told(self, device: Device) -> String {
        let (device, seconds) = (device.title(), self.checks * CHECK_EVERY / 1000);
        match self.longest {
            None => format!("The {device} worker has not begun within {seconds} seconds"),
            Some(_) => {
                let minutes = seconds / 60;
                format!("The {device} worker has not answered for {minutes} minutes")
            }
        }
    }
}

/// Actions after an event of the worker. Everything is decided while the link is borrowed, and
/// carried out once the borrow has ended: sending and starting borrow the link again.
#[derive(Default)]
pub(super) struct Consequences {
    /// Texts of the run that is ready now.
    pub texts: Option<Texts>,
    /// Requests to send, in order.
    pub requests: Vec<WorkerRequest>,
    /// Reason why the checkpoint could not be saved to a file.
    pub file_fault: Option<String>,
    /// Device to which the run moves now.
    pub moves_to: Option<Device>,
    /// True if the run is to be saved.
    pub saves: bool,
}

impl Link {
    /// Records an event; returns what follows.
    pub fn take(&mut self, event: &Event) -> Consequences {
        self.recovery.event(event);
        let saves = self.autosave.event(event, now());
        match event {
            Event::Ready(ready) => {
                let texts = self.texts.ready(&ready.experiment.task);
                let when_ready = self.when_ready.take();
                // Memory of a worker grows with each run (WebAssembly never gives any back), so a
                // worn one is replaced: the run moves to the same device, into a new worker, which
                // takes the run over by its checkpoint.
                let is_worn = self.wear.ready(ready);
                let renews = is_worn && self.moving_to.is_none() && self.can_save();
                if renews {
                    self.moving_to = Some(self.device);
                }
                Consequences {
                    texts: Some(texts),
                    requests: when_ready.into_iter().map(WorkerRequest::from).collect(),
                    saves: saves || renews,
                    ..Consequences::default()
                }
            }
            Event::Saved { step, checkpoint } => {
                let saved = self.file.take().map(|name| {
                    let name = format!("{name}-step{step}.safetensors");
                    model_file::download(&name, checkpoint)
                });
                Consequences {
                    file_fault: saved.and_then(Result::err),
                    moves_to: self.moving_to,
                    saves,
                    ..Consequences::default()
                }
            }
            Event::Refused { .. } => {
                self.file = None;
                self.when_ready = None;
                Consequences {
                    requests: self.texts.refused().into_iter().collect(),
                    // If the worker refuses to save, the run moves without its last steps.
                    moves_to: self.moving_to,
                    saves,
                    ..Consequences::default()
                }
            }
            _ => Consequences {
                saves,
                ..Consequences::default()
            },
        }
    }

    /// True if a worker listens and has prepared a run.
    pub fn can_save(&self) -> bool {
        self.listening && self.connection.is_some() && self.recovery.is_prepared()
    }
}

/// Milliseconds since the page was loaded.
pub(super) fn now() -> f64 {
    web_sys::window()
        .and_then(|window| window.performance())
        .map_or(0.0, |performance| performance.now())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of checks until a worker that never begins is replaced.
    fn checks(mut silence: Silence) -> (u32, Silence) {
        while !silence.is_too_long() {
            silence.checks += 1;
        }
        (silence.checks, silence)
    }

    #[test]
    fn each_worker_that_does_not_begin_gives_the_next_twice_the_time() {
        let mut silence = Silence::default();
        let mut limits = Vec::new();
        for _ in 0..9 {
            let (limit, ended) = checks(silence);
            limits.push(limit - 1);
            silence = ended.of_next(Some(6));
        }
        assert_eq!(limits[..4], [12, 24, 48, 96]);
        assert_eq!(limits[7..], [12 << 7, 12 << 7]);
        let told = Silence {
            checks: 13,
            ..Silence::default()
        }
        .told(Device::Cpu);
        assert_eq!(told, "The CPU worker has not begun within 65 seconds");
    }

    #[test]
    fn a_worker_that_began_is_judged_by_its_own_answers() {
        let (_, late) = checks(Silence::default());
        let mut silence = late.of_next(None);
        silence.end();
        assert_eq!(checks(silence).0, 61);
        silence.checks = 30;
        silence.end();
        let (limit, ended) = checks(silence);
        assert_eq!(limit, 151);
        assert!(
            ended
                .told(Device::Cpu)
                .ends_with("not answered for 12 minutes")
        );
        // The worker after a worker that began has the shortest time to begin again.
        assert_eq!(checks(ended.of_next(Some(6))).0, 13);
        assert_eq!(checks(ended.of_next(Some(38))).0, 77);
    }
}
