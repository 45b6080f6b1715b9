//! Commands with which a new worker goes on where the last one stopped.
//!
//! Workers come and go: a user moves the run to another device, a GPU is lost, a browser ends a
//! worker. [`Recovery`] follows the commands to the worker and its events, and keeps the least that
//! a new worker needs.

use strata_session::protocol::{Activity, Command, Event};
use strata_training::Experiment;

/// State of the run, as far as it is known outside of the worker.
#[derive(Clone, Debug, Default)]
pub struct Recovery {
    /// The experiment of the run that the worker has prepared.
    experiment: Option<Experiment>,
    /// The step of the prepared run's last checkpoint, and the checkpoint.
    checkpoint: Option<(u64, Vec<u8>)>,
    /// True if the experiment was changed after the last checkpoint.
    changed: bool,
    /// True if the worker was asked to change the experiment, and has not answered yet.
    changing: bool,
    training: bool,
    /// The last command that asks for a view, or for none.
    watch: Option<Command>,
    /// The command that mutes parts of the model, if any are muted.
    mute: Option<Command>,
    /// The command that compares with another model, if there is one.
    beside: Option<Command>,
    /// The run that the worker is preparing; until it is ready, checkpoints are of the run before.
    pending: Option<Pending>,
}

#[derive(Clone, Debug)]
struct Pending {
    begin: Begin,
    /// True if a worker has failed while preparing this run.
    failed: bool,
}

#[derive(Clone, Debug)]
enum Begin {
    Fresh(Box<Experiment>),
    From(Vec<u8>),
}

impl Recovery {
    /// Takes in a command to the worker.
    pub fn command(&mut self, command: &Command) {
        match command {
            Command::Load { experiment } => self.begin(Begin::Fresh(experiment.clone())),
            Command::Restore { checkpoint } | Command::Open { checkpoint } => {
                self.begin(Begin::From(checkpoint.clone()));
            }
            Command::NewSeed { seed } => {
                if let Some(experiment) = self.experiment.clone() {
                    let seed = *seed;
                    self.begin(Begin::Fresh(Box::new(Experiment { seed, ..experiment })));
                }
            }
            Command::Reset => {
                if let Some(experiment) = self.experiment.clone() {
                    self.begin(Begin::Fresh(Box::new(experiment)));
                }
            }
            Command::GoOn { .. } => {
                self.changing = true;
                self.training = false;
            }
            Command::Train => self.training = true,
            Command::Pause | Command::Step => self.training = false,
            Command::Watch { .. } => self.watch = Some(command.clone()),
            Command::Mute { parts } => {
                self.mute = (!parts.is_empty()).then(|| command.clone());
            }
            Command::Beside { checkpoint } => {
                self.beside = checkpoint.is_some().then(|| command.clone());
            }
            Command::Run(_)
            | Command::Examine { .. }
            | Command::Validate
            | Command::Save
            | Command::Bench { .. } => {}
        }
    }

    /// Takes in an event of the worker.
    pub fn event(&mut self, event: &Event) {
        match event {
            Event::Ready(ready) => {
                self.experiment = Some(ready.experiment.clone());
                self.changed = std::mem::take(&mut self.changing) && self.pending.is_none();
                match self.pending.take().map(|pending| pending.begin) {
                    Some(Begin::From(checkpoint)) => {
                        self.checkpoint = Some((ready.step, checkpoint));
                    }
                    // The same run, some steps after its checkpoint: `commands` makes the change
                    // again.
                    None if self.changed => {}
                    // The checkpoint is of another run, or of this one before it was begun anew.
                    _ if self.step() != ready.step => self.checkpoint = None,
                    _ => {}
                }
            }
            Event::Activity { activity } => self.training = *activity == Activity::Training,
            Event::Saved { step, checkpoint } if self.pending.is_none() => {
                self.checkpoint = Some((*step, checkpoint.clone()));
                self.changed = false;
            }
            // A refused command leaves the worker's run as it was.
            Event::Refused { .. } => {
                self.pending = None;
                self.changing = false;
            }
            Event::Diverged { .. } => self.training = false,
            _ => {}
        }
    }

    /// Records that the worker is gone. A run that it was preparing is tried in one more worker,
    /// then given up; returns true if it is given up.
    pub fn lose(&mut self) -> bool {
        match &mut self.pending {
            Some(pending) if !pending.failed => {
                pending.failed = true;
                false
            }
            // Without a run to fall back to, the pending run stays: there is nothing else to try.
            Some(_) if self.experiment.is_some() => {
                self.pending = None;
                true
            }
            _ => false,
        }
    }

    /// Keeps the run from training at once in the next worker.
    pub fn stop(&mut self) {
        self.training = false;
    }

    /// True if the run trains, as far as the page knows.
    pub fn is_training(&self) -> bool {
        self.training
    }

    /// True if the worker has a run that can be saved.
    pub fn is_prepared(&self) -> bool {
        self.experiment.is_some() && self.pending.is_none()
    }

    /// True if the worker should be busy, so that silence is suspicious.
    pub fn is_busy(&self) -> bool {
        self.training || self.pending.is_some()
    }

    /// Returns the step from which a new worker would go on; 0 if it would prepare another run.
    pub fn step(&self) -> u64 {
        let checkpoint = self.checkpoint.as_ref();
        checkpoint
            .filter(|_| self.pending.is_none())
            .map_or(0, |(step, _)| *step)
    }

    /// Returns the commands that restore the run in a new worker, in order.
    pub fn commands(&self) -> Vec<Command> {
        let restore = |checkpoint: &Vec<u8>| Command::Open {
            checkpoint: checkpoint.clone(),
        };
        let load = |experiment: &Experiment| Command::Load {
            experiment: Box::new(experiment.clone()),
        };
        let pending = self.pending.as_ref().map(|pending| &pending.begin);
        let first = match (pending, &self.checkpoint, &self.experiment) {
            (Some(Begin::From(checkpoint)), ..) => restore(checkpoint),
            (Some(Begin::Fresh(experiment)), ..) => load(experiment),
            (None, Some((_, checkpoint)), _) => restore(checkpoint),
            (None, None, Some(experiment)) => load(experiment),
            (None, None, None) => return Vec::new(),
        };
        let mut commands = vec![first];
        // The checkpoint has the experiment before the change, so the change is made again. (The
        // worker takes the steps between the two once more.)
        if self.changed
            && let (None, Some(_), Some(experiment)) = (pending, &self.checkpoint, &self.experiment)
        {
            let experiment = Box::new(experiment.clone());
            commands.push(Command::GoOn { experiment });
        }
        // Muting belongs to the prepared run; a run that is still pending begins with all parts.
        if pending.is_none() {
            commands.extend(self.mute.clone());
        }
        commands.extend(self.beside.clone());
        // Training starts before the first view, which takes seconds while a device compiles its
        // kernels: so the run does not stand still meanwhile.
        if self.training {
            commands.push(Command::Train);
        }
        commands.extend(self.watch.clone());
        commands
    }

    fn begin(&mut self, begin: Begin) {
        self.training = false;
        self.mute = None;
        let failed = false;
        self.pending = Some(Pending { begin, failed });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::presets::Preset;
    use strata_session::protocol::{Part, Ready, ViewRequest};

    fn view() -> ViewRequest {
        ViewRequest {
            example: 3,
            ..ViewRequest::default()
        }
    }

    fn ready() -> Event {
        Event::Ready(Ready {
            experiment: Preset::Copy.experiment(),
            ..Ready::default()
        })
    }

    fn saved(step: u64) -> Event {
        Event::Saved {
            step,
            checkpoint: vec![7],
        }
    }

    fn loaded() -> Recovery {
        let mut recovery = Recovery::default();
        recovery.command(&Command::Load {
            experiment: Box::new(Preset::Copy.experiment()),
        });
        recovery.command(&Command::Watch { view: Some(view()) });
        recovery.event(&ready());
        recovery
    }

    #[test]
    fn a_run_goes_on_from_its_last_checkpoint() {
        let mut recovery = loaded();
        recovery.command(&Command::Train);
        recovery.event(&saved(40));
        assert_eq!(recovery.step(), 40);
        let commands = recovery.commands();
        assert!(matches!(&commands[0], Command::Open { checkpoint } if checkpoint == &[7]));
        assert!(matches!(commands[1], Command::Train));
        assert!(matches!(&commands[2], Command::Watch { view: Some(it) } if *it == view()));
    }

    #[test]
    fn what_was_taken_away_is_taken_away_again_until_another_run_begins() {
        let mut recovery = loaded();
        recovery.event(&saved(40));
        let part = Part::FeedForward {
            layer: "encoder.0".parse().unwrap(),
        };
        recovery.command(&Command::Mute { parts: vec![part] });
        let mutes = |recovery: &Recovery| {
            let commands = recovery.commands();
            commands
                .iter()
                .filter(|it| matches!(it, Command::Mute { .. }))
                .count()
        };
        assert_eq!(mutes(&recovery), 1);
        recovery.command(&Command::Reset);
        assert_eq!(mutes(&recovery), 0);
        recovery.command(&Command::Mute { parts: Vec::new() });
        assert_eq!(mutes(&recovery), 0);
    }

    /// The steps between the checkpoint and the change are taken again, under the changed
    /// experiment.
    #[test]
    fn a_run_that_was_changed_goes_on_from_its_checkpoint_with_the_change() {
        let mut recovery = loaded();
        recovery.event(&saved(40));
        let Event::Ready(mut changed) = ready() else {
            unreachable!("a run that is ready")
        };
        changed.step = 55;
        changed.experiment.training.steps += 100;
        let experiment = Box::new(changed.experiment.clone());
        recovery.command(&Command::GoOn { experiment });
        recovery.event(&Event::Ready(changed.clone()));
        assert_eq!(recovery.step(), 40);
        let commands = recovery.commands();
        assert!(matches!(&commands[0], Command::Open { checkpoint } if checkpoint == &[7]));
        assert!(
            matches!(&commands[1], Command::GoOn { experiment } if **experiment == changed.experiment)
        );
        // The next checkpoint contains the change.
        recovery.event(&saved(60));
        assert!(!matches!(recovery.commands()[1], Command::GoOn { .. }));
    }

    #[test]
    fn without_a_checkpoint_it_starts_again() {
        let mut recovery = loaded();
        recovery.command(&Command::NewSeed { seed: 9 });
        assert!(recovery.is_busy());
        let commands = recovery.commands();
        assert!(matches!(&commands[0], Command::Load { experiment } if experiment.seed == 9));
        assert_eq!(commands.len(), 2);
        assert!(Recovery::default().commands().is_empty());
    }

    #[test]
    fn a_checkpoint_of_the_run_before_a_reset_is_not_taken() {
        let mut recovery = loaded();
        recovery.command(&Command::Save);
        recovery.command(&Command::Reset);
        recovery.event(&saved(40));
        assert!(!recovery.is_prepared());
        assert_eq!(recovery.step(), 0);
        recovery.event(&ready());
        recovery.event(&saved(1));
        assert_eq!(recovery.step(), 1);
    }

    #[test]
    fn a_refused_experiment_leaves_the_run_and_its_checkpoint() {
        let mut recovery = loaded();
        recovery.event(&saved(40));
        recovery.command(&Command::Load {
            experiment: Box::new(Preset::Reverse.experiment()),
        });
        let refused = Event::Refused {
            reason: String::new(),
        };
        recovery.event(&refused);
        assert_eq!(recovery.step(), 40);
    }

    #[test]
    fn an_opened_file_is_what_a_new_worker_goes_on_from() {
        let mut recovery = loaded();
        recovery.event(&saved(40));
        recovery.command(&Command::Restore {
            checkpoint: vec![8],
        });
        recovery.event(&saved(41));
        let Event::Ready(mut ready) = ready() else {
            unreachable!("a run that is ready")
        };
        ready.step = 5;
        recovery.event(&Event::Ready(ready));
        assert_eq!(recovery.step(), 5);
        let commands = recovery.commands();
        assert!(matches!(&commands[0], Command::Open { checkpoint } if checkpoint == &[8]));
    }

    #[test]
    fn what_kills_two_workers_is_given_up() {
        let mut recovery = loaded();
        recovery.event(&saved(40));
        recovery.command(&Command::Restore {
            checkpoint: vec![8],
        });
        assert!(!recovery.lose());
        assert!(recovery.is_busy());
        assert!(recovery.lose());
        assert_eq!(recovery.step(), 40);
        assert!(!recovery.lose());
    }

    #[test]
    fn a_finished_or_diverged_run_does_not_train_on() {
        for event in [
            Event::Activity {
                activity: Activity::Finished,
            },
            Event::Diverged {
                step: 3,
                reason: String::new(),
            },
        ] {
            let mut recovery = loaded();
            recovery.command(&Command::Train);
            recovery.event(&event);
            assert_eq!(recovery.commands().len(), 2);
        }
    }
}
