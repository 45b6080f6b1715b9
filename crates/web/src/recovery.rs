//! What a new worker must be told to go on where the last one was.
//!
//! Workers come and go: a person moves the run to another device, or a graphics card is lost. This
//! watches what goes to a worker and what comes back, and keeps the least that is needed.

use strata_session::protocol::{Activity, Command, Event, Look};
use strata_training::Experiment;

/// The state of the run as far as it is known outside of the worker.
#[derive(Clone, Debug, Default)]
pub struct Recovery {
    experiment: Option<Experiment>,
    checkpoint: Option<(u64, Vec<u8>)>,
    training: bool,
    look: Option<Look>,
    /// A checkpoint on its way is of a run that no longer exists until the next `Ready`.
    fresh_run_pending: bool,
}

impl Recovery {
    /// Notes what a worker is told.
    pub fn command(&mut self, command: &Command) {
        match command {
            Command::Load { experiment } => {
                self.experiment = Some((**experiment).clone());
                self.start_afresh();
            }
            Command::NewSeed { seed } => {
                if let Some(experiment) = &mut self.experiment {
                    experiment.seed = *seed;
                }
                self.start_afresh();
            }
            Command::Reset => self.start_afresh(),
            Command::Train => self.training = true,
            Command::Pause | Command::Step => self.training = false,
            Command::Watch { look } => self.look.clone_from(look),
            Command::Restore { .. }
            | Command::Translate { .. }
            | Command::Examine { .. }
            | Command::Validate
            | Command::Save
            | Command::Bench { .. } => {}
        }
    }

    /// Notes what a worker tells.
    pub fn event(&mut self, event: &Event) {
        match event {
            Event::Ready(ready) => {
                self.experiment = Some(ready.experiment.clone());
                self.fresh_run_pending = false;
            }
            Event::Activity { activity } => self.training = *activity == Activity::Training,
            Event::Saved { step, checkpoint } if !self.fresh_run_pending => {
                self.checkpoint = Some((*step, checkpoint.clone()));
            }
            Event::Diverged { .. } => self.training = false,
            _ => {}
        }
    }

    /// Whether there is a run that could be saved.
    pub fn is_prepared(&self) -> bool {
        self.experiment.is_some() && !self.fresh_run_pending
    }

    /// The step that a new worker would go on from.
    pub fn step(&self) -> u64 {
        self.checkpoint.as_ref().map_or(0, |(step, _)| *step)
    }

    /// What a new worker must be told.
    pub fn commands(&self) -> Vec<Command> {
        let first = match (&self.checkpoint, &self.experiment) {
            (Some((_, checkpoint)), _) => Command::Restore {
                checkpoint: checkpoint.clone(),
            },
            (None, Some(experiment)) => Command::Load {
                experiment: Box::new(experiment.clone()),
            },
            (None, None) => return Vec::new(),
        };
        let mut commands = vec![first];
        if self.look.is_some() {
            commands.push(Command::Watch {
                look: self.look.clone(),
            });
        }
        if self.training {
            commands.push(Command::Train);
        }
        commands
    }

    fn start_afresh(&mut self) {
        self.checkpoint = None;
        self.training = false;
        self.fresh_run_pending = true;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::presets::Preset;
    use strata_session::protocol::Ready;

    fn look() -> Look {
        Look {
            example: 3,
            ..Look::default()
        }
    }

    fn ready() -> Event {
        Event::Ready(Ready {
            experiment: Preset::Copy.experiment(),
            step: 0,
            parameters: 1,
            source_vocabulary: 1,
            target_vocabulary: 1,
            training_examples: 1,
            validation_examples: 1,
            samples: Vec::new(),
            notes: Vec::new(),
            device: String::new(),
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
        recovery.command(&Command::Watch { look: Some(look()) });
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
        assert!(matches!(&commands[0], Command::Restore { checkpoint } if checkpoint == &[7]));
        assert!(matches!(&commands[1], Command::Watch { look: Some(it) } if *it == look()));
        assert!(matches!(commands[2], Command::Train));
    }

    #[test]
    fn without_a_checkpoint_it_starts_again() {
        let mut recovery = loaded();
        recovery.command(&Command::NewSeed { seed: 9 });
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
