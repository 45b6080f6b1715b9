//! All cases in one worker of one browser, each compared with the native CPU.

use std::time::Duration;

use strata_tests::browser::{Browser, Options};

use crate::cases;
use crate::run::Run;
use crate::worker::{Calls, Worker};

/// Time limit of a run in the worker; the first one compiles most kernels.
const LIMIT: Duration = Duration::from_secs(300);

/// Largest differences from the native CPU: f32 sums in another order, for which at most 3e-7, 3e-7
/// and 9e-7 were measured. The losses and the gradient norms are relative, the attention weights
/// are shares of 1.
const LOSS: f64 = 2e-6;
const GRADIENT_NORM: f64 = 2e-6;
const WEIGHTS: f64 = 5e-6;

/// Outcome of a case.
pub struct Outcome {
    pub name: String,
    /// Calls of one step.
    pub calls: Calls,
    /// Calls of one step of plain attention, with the same score at the same sites.
    pub plain: Calls,
    found: Run,
    expected: Run,
}

/// Runs every case in the worker of this name.
pub async fn outcomes(worker: &str, options: Options) -> Vec<Outcome> {
    let browser = Browser::open(options, "").await;
    let worker = Worker::start(&browser, worker).await;
    let (mut outcomes, mut plain_calls) = (Vec::new(), Vec::new());
    for case in cases::all() {
        let (found, calls) = worker.run(&case.experiment, LIMIT).await;
        let known = plain_calls.iter().find(|(plain, _)| *plain == case.plain);
        let plain = match known {
            Some(&(_, calls)) => calls,
            None if case.plain == case.experiment => calls,
            None => worker.run(&case.plain, LIMIT).await.1,
        };
        plain_calls.push((case.plain, plain));
        let outcome = Outcome {
            expected: Run::native(&case.experiment),
            name: case.name,
            calls,
            plain,
            found,
        };
        println!("{}", outcome.line());
        outcomes.push(outcome);
    }
    outcomes
}

impl Outcome {
    fn line(&self) -> String {
        let (weights, at) = self.found.weights_from(&self.expected);
        let Calls {
            dispatches,
            submits,
            read_backs,
        } = self.calls;
        format!(
            "{:34} loss {:.0e}, gradient norm {:.0e}, weights {weights:.0e} ({at}); a step: \
             {dispatches} kernels ({:.2} of plain attention), {submits} submits, {read_backs} \
             read-backs",
            self.name,
            self.found.losses_from(&self.expected),
            self.found.gradient_norms_from(&self.expected),
            dispatches as f64 / self.plain.dispatches.max(1) as f64,
        )
    }

    /// Says how the worker's results differ from the native CPU's; `None` if they agree.
    pub fn difference(&self) -> Option<String> {
        let near = self.found.losses_from(&self.expected) <= LOSS
            && self.found.gradient_norms_from(&self.expected) <= GRADIENT_NORM
            && self.found.weights_from(&self.expected).0 <= WEIGHTS;
        (!near).then(|| self.line())
    }
}
