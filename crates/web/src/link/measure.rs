//! Training speed of each device with the present experiment, measured in separate workers.

use super::connection::{Connection, WorkerMessage};
use super::worker_build;
use crate::address::Device;
use futures_channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use gloo::timers::callback::Timeout;
use strata_session::protocol::{Command, Event};
use strata_training::Experiment;
use wasm_bindgen_futures::JsFuture;
use web_sys::{RequestInit, Response};

/// Steps that are run before the timed ones: kernels are compiled in them.
const WARM_UP: usize = 3;
/// Steps that are timed.
const STEPS: usize = 10;
/// Milliseconds without a message after which the measurement of a device fails.
const PATIENCE: u32 = 120_000;

/// Returns the median time of ten steps of this experiment on a device, in milliseconds.
///
/// # Errors
/// A sentence, if the device cannot train the experiment.
pub async fn step_time(device: Device, experiment: Experiment) -> Result<f64, String> {
    let mut heard = Heard::new();
    let (messages, failures) = (heard.sender.clone(), heard.sender.clone());
    let worker = Connection::start(
        device,
        move |message| drop(messages.unbounded_send(Ok(message))),
        move |reason| drop(failures.unbounded_send(Err(reason))),
    )
    .ok_or("This browser does not let the page start another worker.")?;
    while !matches!(heard.next().await?, WorkerMessage::Listening) {}
    let experiment = Box::new(experiment);
    worker.post(&Command::Load { experiment }.into())?;
    let mut times = Vec::new();
    loop {
        let event = match heard.next().await? {
            WorkerMessage::Event(event) => event,
            WorkerMessage::Unknown(reason) => return Err(reason),
            WorkerMessage::Listening | WorkerMessage::Held => continue,
        };
        match event {
            Event::Ready(_) => worker.post(&Command::Step.into())?,
            Event::Progress { steps } => {
                times.extend(steps.iter().map(|step| step.milliseconds));
                if times.len() >= WARM_UP + STEPS {
                    return Ok(middle(times.split_off(WARM_UP)));
                }
                worker.post(&Command::Step.into())?;
            }
            Event::Refused { reason } | Event::Diverged { reason, .. } | Event::Lost { reason } => {
                return Err(reason.lines().next().unwrap_or_default().to_owned());
            }
            _ => {}
        }
    }
}

/// Returns the bytes to download for a device's worker, if the server tells.
pub async fn bundle_size(device: Device) -> Option<f64> {
    let program = worker_build::of(device);
    let mut sum = 0.0;
    for file in [format!("./{program}_bg.wasm"), format!("./{program}.js")] {
        let request = RequestInit::new();
        request.set_method("HEAD");
        let answer = web_sys::window()?.fetch_with_str_and_init(&file, &request);
        let answer = Response::from(JsFuture::from(answer).await.ok()?);
        if !answer.ok() {
            return None;
        }
        let length = answer.headers().get("content-length").ok()??;
        sum += length.parse::<f64>().ok()?;
    }
    Some(sum)
}

fn middle(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Messages of a worker, or the reason why none follow.
struct Heard {
    sender: UnboundedSender<Result<WorkerMessage, String>>,
    receiver: UnboundedReceiver<Result<WorkerMessage, String>>,
}

impl Heard {
    fn new() -> Self {
        let (sender, receiver) = unbounded();
        Self { sender, receiver }
    }

    async fn next(&mut self) -> Result<WorkerMessage, String> {
        let sender = self.sender.clone();
        let silent = || "It did not answer for two minutes.".to_owned();
        let late = Timeout::new(PATIENCE, move || {
            drop(sender.unbounded_send(Err(silent())));
        });
        let message = self.receiver.recv().await;
        drop(late);
        message.map_err(|_| silent())?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_step_does_not_count() {
        assert_eq!(middle(vec![9.0, 7.0, 900.0]), 9.0);
    }
}
