//! Requests that wait until a worker listens.

use crate::texts::WorkerRequest;
use strata_session::protocol::Command;

/// Requests, in the order in which the worker gets them.
#[derive(Default)]
pub struct Outbox {
    letters: Vec<WorkerRequest>,
}

impl Outbox {
    /// Appends a request.
    pub fn push(&mut self, letter: WorkerRequest) {
        if letter.command.begins_another_run() {
            // Requests that are carried out once, such as translations, were meant for the run
            // before.
            self.letters.retain(|letter| !is_asked_once(letter));
        }
        self.letters.push(letter);
    }

    /// Starts anew for another worker: `first` restores the run, and of the queued requests only
    /// those that are carried out once follow.
    pub fn begin_again(&mut self, first: impl Iterator<Item = WorkerRequest>) {
        let asked = std::mem::take(&mut self.letters).into_iter();
        self.letters = first.chain(asked.filter(is_asked_once)).collect();
    }

    /// Removes and returns all requests, in order.
    pub fn take(&mut self) -> Vec<WorkerRequest> {
        std::mem::take(&mut self.letters)
    }
}

/// True if a request is carried out once, such as a translation, and changes no lasting state.
fn is_asked_once(letter: &WorkerRequest) -> bool {
    matches!(
        letter.command,
        Command::Step
            | Command::GoOn { .. }
            | Command::Translate { .. }
            | Command::Answer { .. }
            | Command::WritePoem { .. }
            | Command::Validate
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_training::Experiment;

    fn load() -> WorkerRequest {
        let experiment = Box::new(Experiment::default());
        WorkerRequest::from(Command::Load { experiment })
    }

    fn names(waiting: &mut Outbox) -> Vec<&'static str> {
        let name = |letter: &WorkerRequest| match letter.command {
            Command::Load { .. } => "load",
            Command::Step => "step",
            Command::Train => "train",
            Command::Validate => "validate",
            _ => "other",
        };
        waiting.take().iter().map(name).collect()
    }

    #[test]
    fn a_step_outlives_the_worker_that_was_to_take_it() {
        let mut waiting = Outbox::default();
        for letter in [load(), Command::Train.into(), Command::Step.into()] {
            waiting.push(letter);
        }
        waiting.begin_again([load()].into_iter());
        waiting.push(Command::Validate.into());
        assert_eq!(names(&mut waiting), ["load", "step", "validate"]);
        assert!(waiting.take().is_empty());
    }

    #[test]
    fn another_run_does_not_take_the_step_of_the_one_before() {
        let mut waiting = Outbox::default();
        for letter in [load(), Command::Step.into(), load()] {
            waiting.push(letter);
        }
        waiting.begin_again([load()].into_iter());
        assert_eq!(names(&mut waiting), ["load"]);
    }
}
