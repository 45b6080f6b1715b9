//! Requests that wait until a worker listens.

use crate::texts::WorkerRequest;
use strata_session::protocol::Command;

/// Requests, in the order in which the worker gets them.
#[derive(Default)]
pub struct Outbox {
    requests: Vec<WorkerRequest>,
}

impl Outbox {
    /// Appends a request.
    pub fn push(&mut self, request: WorkerRequest) {
        if request.command.begins_another_run() {
            // Requests that are carried out once, such as translations, were meant for the run
            // before.
            self.requests
                .retain(|request| !is_carried_out_once(request));
        }
        self.requests.push(request);
    }

    /// Starts anew for another worker: `first` restores the run, and of the queued requests only
    /// those that are carried out once follow.
    pub fn begin_again(&mut self, first: impl Iterator<Item = WorkerRequest>) {
        let before = std::mem::take(&mut self.requests).into_iter();
        self.requests = first.chain(before.filter(is_carried_out_once)).collect();
    }

    /// Removes and returns all requests, in order.
    pub fn take(&mut self) -> Vec<WorkerRequest> {
        std::mem::take(&mut self.requests)
    }
}

/// True if a request is carried out once, such as a translation, and changes no lasting state.
fn is_carried_out_once(request: &WorkerRequest) -> bool {
    matches!(
        request.command,
        Command::Step | Command::GoOn { .. } | Command::Run(_) | Command::Validate
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
        let name = |request: &WorkerRequest| match request.command {
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
        for request in [load(), Command::Train.into(), Command::Step.into()] {
            waiting.push(request);
        }
        waiting.begin_again([load()].into_iter());
        waiting.push(Command::Validate.into());
        assert_eq!(names(&mut waiting), ["load", "step", "validate"]);
        assert!(waiting.take().is_empty());
    }

    #[test]
    fn another_run_does_not_take_the_step_of_the_one_before() {
        let mut waiting = Outbox::default();
        for request in [load(), Command::Step.into(), load()] {
            waiting.push(request);
        }
        waiting.begin_again([load()].into_iter());
        assert_eq!(names(&mut waiting), ["load"]);
    }
}
